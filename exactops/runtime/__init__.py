"""Compiled loops in this process: the object cache on disk and NumPy ufuncs."""
