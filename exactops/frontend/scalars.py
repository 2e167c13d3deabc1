"""Python numbers rounded once to a stored type, in integer arithmetic.

NumPy's own conversion follows a foreign rounding mode or flush-to-zero setting, and ml_dtypes' rounds a Python float twice.
Here no floating-point instruction runs at all.
"""

from __future__ import annotations

import functools
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from exactops.table.formats import FORMATS, Format

_bits_of_double = struct.Struct("=Q").unpack
_double = struct.Struct("=d").pack
_PACK = {2: struct.Struct("=H").pack, 4: struct.Struct("=I").pack, 8: struct.Struct("=Q").pack}
_DOUBLE = FORMATS["f64"]
#: Integers up to here are doubles.
_EXACT = 1 << 53


def scalar_array(value: bool | int | float, stored: Format) -> np.ndarray:
    """A Python number as a 0-d array of a stored type.

    Raises
    ------
    OverflowError
        An int that an integer type cannot hold.
    """
    return converter(stored)(value)


@functools.cache
def converter(stored: Format) -> Callable[[bool | int | float], np.ndarray]:
    """The conversion of Python numbers to a stored type: see :func:`scalar_array`."""
    dtype, size = stored.dtype, stored.size
    if stored.kind == "b":
        return lambda value: ndarray((), dtype, b"\1" if value else b"\0")
    if stored.kind == "f":
        return _float_converter(stored)
    low, high = stored.limits
    is_signed = stored.kind == "i"

    def integer(value: bool | int | float) -> np.ndarray:
        whole = int(value)
        if not low <= whole <= high:
            raise OverflowError(f"{whole} does not fit {dtype.name} ({low} to {high})")
        return ndarray((), dtype, whole.to_bytes(size, sys.byteorder, signed=is_signed))

    return integer


def remembering(convert: Callable[[bool | int | float], np.ndarray]) -> Callable[[bool | int | float], np.ndarray]:
    """The same conversion, which does not convert the number again that it has just converted: a constant of a program.

    A number is told by its identity, since it never changes; the array, which is read only, may be shared.
    """
    last: tuple[Any, Any] = None, None

    def converted(value: bool | int | float) -> np.ndarray:
        nonlocal last
        known, array = last
        if known is not value:
            array = convert(value)
            last = value, array
        return array

    return converted


def _float_converter(stored: Format) -> Callable[[bool | int | float], np.ndarray]:
    dtype, pack = stored.dtype, _PACK[stored.size]
    drop = _DOUBLE.fraction_bits - stored.fraction_bits
    # Of doubles whose exponent field lies between these the result is normal: it is rebiased and rounded as one integer.
    rebias = (_DOUBLE.bias - stored.bias) << _DOUBLE.fraction_bits
    least = (_DOUBLE.bias + stored.least_exponent) << _DOUBLE.fraction_bits
    beyond = (_DOUBLE.bias + stored.bias) << _DOUBLE.fraction_bits
    below_half = (1 << (drop - 1)) - 1 if drop else 0

    sign_bit = stored.sign_bit

    def number(value: bool | int | float) -> np.ndarray:
        if type(value) is float:
            (bits,) = _bits_of_double(_double(value))
            magnitude = bits & 0x7FFFFFFFFFFFFFFF
            if least <= magnitude < beyond:
                if drop:
                    magnitude -= rebias
                    magnitude = (magnitude + below_half + (magnitude >> drop & 1)) >> drop
                return ndarray((), dtype, pack(magnitude if value > 0.0 else magnitude | sign_bit))
        elif type(value) is int and value and -_EXACT <= value <= _EXACT:
            return number(float(value))
        return ndarray((), dtype, pack(float_pattern(value, stored)))

    return number


def float_pattern(value: bool | int | float, stored: Format) -> int:
    """The bit pattern of a Python number in a float type, rounded to nearest even; an int of any size is exact."""
    if isinstance(value, int):
        return stored.round(abs(int(value)), 0) | (stored.sign_bit if value < 0 else 0)
    (bits,) = _bits_of_double(_double(value))
    sign = stored.sign_bit if bits & _DOUBLE.sign_bit else 0
    magnitude = bits & ~_DOUBLE.sign_bit
    if magnitude > _DOUBLE.infinity:
        return stored.nan
    if magnitude == _DOUBLE.infinity:
        return sign | stored.infinity
    field, fraction = magnitude >> _DOUBLE.fraction_bits, magnitude & _DOUBLE.fraction_mask
    if field:
        fraction |= 1 << _DOUBLE.fraction_bits
    return sign | stored.round(fraction, max(field, 1) - 1 + _DOUBLE.quantum_exponent)
