"""The errors that are exactops' own. All others are Python's TypeError, ValueError and OverflowError."""


class UnsupportedError(TypeError):
    """An operator, or an operator and dtype pair, that exactops does not serve.

    The message says what was asked for, what is served, and the nearest right name.
    """


class CacheWarning(UserWarning):
    """The kernel cache folder cannot be used; kernels are compiled anew in each process."""
