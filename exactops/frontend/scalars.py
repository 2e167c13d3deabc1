"""Python numbers rounded once to a stored type, in integer arithmetic.

NumPy's own conversion follows a foreign rounding mode or flush-to-zero setting, and ml_dtypes' rounds a Python float twice.
Here no floating-point instruction runs at all.
"""

from __future__ import annotations

import struct

import numpy as np

from exactops.table.formats import Storage


def scalar_array(value: bool | int | float, storage: Storage) -> np.ndarray:
    """A Python number as a 0-d array of a stored type.

    Raises
    ------
    OverflowError
        An int that an integer type cannot hold.
    """
    if storage.kind == "f":
        pattern = float_pattern(value, storage)
    elif storage.kind == "b":
        pattern = int(bool(value))
    else:
        limits = np.iinfo(storage.dtype)
        value = int(value)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{value} does not fit {storage.dtype.name} ({limits.min} to {limits.max})")
        pattern = value & ((1 << (8 * storage.size)) - 1)
    return np.array(pattern, f"u{storage.size}").view(storage.dtype)


def float_pattern(value: bool | int | float, storage: Storage) -> int:
    """The bit pattern of a Python number in a float type, rounded to nearest even; an int of any size is exact."""
    sign, significand, exponent = _decompose(value)
    fraction_bits = storage.significand - 1
    infinity = ((1 << storage.exponent) - 1) << fraction_bits
    sign_bit = sign << (8 * storage.size - 1)
    if significand is None:
        return storage.nan if exponent else sign_bit | infinity
    if significand == 0:
        return sign_bit
    bias = (1 << (storage.exponent - 1)) - 1
    # The weight of the last bit of the result: that of the leading bit's binade, or of the subnormals.
    last = max(exponent + significand.bit_length() - storage.significand, 1 - bias - fraction_bits)
    shift = last - exponent
    if shift > 0:
        kept, rest = significand >> shift, significand & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        kept += rest > half or (rest == half and kept & 1)
    else:
        kept = significand << -shift
    # With the implicit bit added to the field, a carry moves to the next binade by itself.
    pattern = kept + ((last + bias + fraction_bits - 1) << fraction_bits)
    return sign_bit | min(pattern, infinity)


def _decompose(value: bool | int | float) -> tuple[int, int | None, int]:
    """Sign, significand and exponent of a number; the significand is None for infinity (exponent 0) and NaN (exponent 1)."""
    if isinstance(value, int):
        return int(value < 0), abs(int(value)), 0
    pattern = int.from_bytes(struct.pack(">d", value), "big")
    sign, field, fraction = pattern >> 63, (pattern >> 52) & 0x7FF, pattern & ((1 << 52) - 1)
    if field == 0x7FF:
        return sign, None, int(fraction != 0)
    if field == 0:
        return sign, fraction, -1074
    return sign, fraction | (1 << 52), field - 1075
