"""Machine-readable contracts of operators."""

from exactops.contracts.assembling import contract, schema

__all__ = ["contract", "schema"]
