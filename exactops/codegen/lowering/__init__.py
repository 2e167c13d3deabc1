"""Lane operations as LLVM vector instructions. Importing this package imports neither Numba nor LLVM.

One file for each group of words of ``lanes/vocabulary.py``; ``core.py`` holds what they are built of, ``functions.py`` compiles
functions made of them, and what only one architecture can do is in a file of its own, such as ``x86.py``.
"""

from __future__ import annotations

import functools


@functools.cache
def register() -> None:
    """Entry point for Numba (``numba_extensions``): makes the vocabulary known to any ``@njit`` function."""
    from exactops.codegen.lowering import conversions, functions, memory, operations, polynomials, tables, wide_integers
    from exactops.lanes import vocabulary

    # Each registers its words with Numba when it is imported.
    assert conversions and memory and operations and polynomials and tables and wide_integers
    vocabulary.watch_lane_functions(functions.make_known)
