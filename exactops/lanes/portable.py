"""Rounding and half-precision conversions in plain lane code, for CPUs without the instructions.

LLVM turns these operations into calls of a math library on the x86-64 baseline; here they stay in SIMD and give the bits that
the instructions give. The bfloat16 conversions are of this kind on every CPU: the hardware's flush subnormals.
"""

from __future__ import annotations

from collections.abc import Callable

from exactops.lanes.vocabulary import (
    Lanes,
    absolute,
    bits,
    convert,
    copy_sign,
    from_bits,
    is_nan,
    lane_function,
    select,
)


def rounding_functions(whole: float) -> dict[str, Callable]:
    """floor, ceil, rint and trunc for the float type in which all values from ``whole`` on are integers."""

    @lane_function
    def rint(x: Lanes):
        # Adding and subtracting 2**23 (2**52) rounds at the units, ties to even. NaN and infinity keep their value.
        magnitude = absolute(x)
        return copy_sign(select(magnitude < whole, (magnitude + whole) - whole, magnitude), x)

    @lane_function
    def floor(x: Lanes):
        nearest = rint(x)
        return copy_sign(select(nearest > x, nearest - 1.0, nearest), x)

    @lane_function
    def ceil(x: Lanes):
        nearest = rint(x)
        return copy_sign(select(nearest < x, nearest + 1.0, nearest), x)

    @lane_function
    def trunc(x: Lanes):
        magnitude = absolute(x)
        nearest = rint(magnitude)
        return copy_sign(select(nearest > magnitude, nearest - 1.0, nearest), x)

    return {"rint": rint, "floor": floor, "ceil": ceil, "trunc": trunc}


#: The rounding functions by the width of the float in bits.
ROUNDING = {32: rounding_functions(2.0**23), 64: rounding_functions(2.0**52)}


@lane_function
def half_to_single(pattern: Lanes):
    """binary16 bit patterns as float32.

    The exponent and significand fields, moved into a float32, are the value times 2**-112 (subnormals included); one exact
    multiplication puts that right, and the top exponent becomes infinity or NaN.
    """
    wide = convert(pattern, "uint32")
    sign = (wide & 0x8000) << 16
    magnitude = (wide & 0x7FFF) << 13
    scaled = bits(from_bits(magnitude) * 2.0**112)
    return from_bits(sign | select(magnitude >= 0x0F800000, magnitude | 0x7F800000, scaled))


@lane_function
def single_to_half(x: Lanes):
    """float32 rounded once to binary16 bit patterns; NaN becomes the canonical one."""
    pattern = bits(x)
    sign = (pattern >> 16) & 0x8000
    magnitude = pattern & 0x7FFFFFFF
    # Normal results: rebias, then round at bit 13, ties to even; a carry into the exponent is right, and one out of the
    # largest finite value is infinity.
    normal = ((magnitude - 0x38000000) + 0x0FFF + ((magnitude >> 13) & 1)) >> 13
    # Subnormal results (below 2**-14): the last bit of a float32 in [0.5, 1) has the weight 2**-24 of binary16's last bit.
    subnormal = bits(from_bits(magnitude) + 0.5) - 0x3F000000
    half = select(magnitude < 0x38800000, subnormal, normal)
    half = select(magnitude >= 0x477FF000, (half & 0) | 0x7C00, half)
    return convert(select(is_nan(x), (half & 0) | 0x7E00, half | sign), "uint16")


@lane_function
def bfloat16_to_single(pattern: Lanes):
    """bfloat16 bit patterns as float32: the upper half of the word."""
    return from_bits(convert(pattern, "uint32") << 16)


@lane_function
def single_to_bfloat16(x: Lanes):
    """float32 rounded once to bfloat16 bit patterns; NaN becomes the canonical one."""
    pattern = bits(x)
    rounded = (pattern + 0x7FFF + ((pattern >> 16) & 1)) >> 16
    return convert(select(is_nan(x), (pattern & 0) | 0x7FC0, rounded), "uint16")


@lane_function
def double_to_single_odd(x: Lanes):
    """float64 rounded to odd in float32, so that one more rounding, to a half type, is the only one that counts.

    Works over the whole range: subnormal float32 values are a lattice like any other, and an overflow becomes the largest
    finite value, which is odd and still overflows both half types.
    """
    nearest = convert(x, "float32")
    back = convert(nearest, "float64")
    pattern = bits(nearest)
    inexact = (back < x) | (back > x)
    # Nearest went away from zero where the magnitude grew: the truncation is one below.
    away = absolute(back) > absolute(x)
    truncated = select(away, pattern - 1, pattern)
    return from_bits(select(inexact, truncated | 1, pattern))
