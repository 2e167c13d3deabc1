"""Lane operations as LLVM vector instructions. Importing this package imports neither Numba nor LLVM."""


def register() -> None:
    """Entry point for Numba (``numba_extensions``): makes the vocabulary known to any ``@njit`` function."""
    from exactops.codegen.lowering import vectors

    vectors.register()
