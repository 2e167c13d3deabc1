"""Machine-readable contracts of operators."""
