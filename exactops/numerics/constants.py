"""Bit patterns of the binary formats, the shifts that round to integers, and the parsers of tables of constants."""

from __future__ import annotations

import struct


def doubles(text: str) -> tuple[float, ...]:
    """The doubles that a text lists in hexadecimal, in the form of :meth:`float.hex`, separated by white space."""
    return tuple(float.fromhex(word) for word in text.split())


def tables(text: str) -> tuple[tuple[float, ...], ...]:
    """Tables of :func:`doubles`, separated by empty lines."""
    return tuple(doubles(part) for part in text.split("\n\n"))


def rows(text: str) -> list[tuple[float, ...]]:
    """The rows of a table: the :func:`doubles` of each line that is not empty."""
    return [doubles(line) for line in text.splitlines() if line.strip()]


def integers(text: str) -> tuple[int, ...]:
    """The integers that a text lists in hexadecimal, separated by white space."""
    return tuple(int(word, 16) for word in text.split())


def binary32_bits(value: float) -> int:
    """The bit pattern of the float32 nearest to a number."""
    return struct.unpack("<I", struct.pack("<f", value))[0]


def leading_bits(count: int, significand: int = 53) -> int:
    """A mask that keeps the leading ``count`` bits of a significand, and sign and exponent: of float64, or of float32 (24)."""
    width = 64 if significand == 53 else 32
    return (1 << width) - (1 << (significand - count))


INFINITY = float("inf")
NOT_A_NUMBER = float("nan")

#: Adding it to a smaller double (below 2**51 in magnitude) rounds to an integer, which then stands in the low bits of the sum.
ROUNDING_SHIFT = 1.5 * 2.0**52
#: The same for float32 numbers below 2**22, and its bits.
BINARY32_ROUNDING_SHIFT = 1.5 * 2.0**23
BINARY32_ROUNDING_SHIFT_BITS = binary32_bits(BINARY32_ROUNDING_SHIFT)

#: Masks of all bits but the sign, and of sign and exponent; the patterns of 1 and of the least normal number.
BINARY32_MAGNITUDE = 0x7FFFFFFF
BINARY32_SIGN_AND_EXPONENT = 0xFF800000
BINARY32_ONE = 0x3F800000
BINARY32_LEAST_NORMAL = 0x00800000
#: How many patterns positive normal numbers have: x is one where ``bits(x) - BINARY32_LEAST_NORMAL`` is below it.
BINARY32_NORMALS = 0x7F000000

BINARY64_SIGN_AND_EXPONENT = 0xFFF0000000000000
BINARY64_ONE = 0x3FF0000000000000
