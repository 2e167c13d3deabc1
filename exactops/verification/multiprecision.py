"""The door to MPFR: one place that says what to install where it is missing."""

try:
    import gmpy2
except ImportError as error:  # pragma: no cover - depends on the environment
    raise ImportError("proofs and references need gmpy2: pip install 'exactops[test]'") from error

__all__ = ["gmpy2"]
