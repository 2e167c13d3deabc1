"""How kernels write down their tables of constants."""

from __future__ import annotations


def doubles(text: str) -> tuple[float, ...]:
    """The doubles that a text lists in hexadecimal, in the form of :meth:`float.hex`, separated by white space."""
    return tuple(float.fromhex(word) for word in text.split())
