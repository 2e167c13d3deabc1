"""rsqrt: 1 / sqrt(x), rounded once."""

from exactops.lanes import (
    Lanes,
    Wide,
    any_lane,
    bit_length,
    bits,
    convert,
    from_bits,
    is_nan,
    lane_function,
    mul_add,
    polynomial,
    recompute,
    scalar_function,
    select,
    sqrt,
)
from exactops.numerics.binary64.arithmetic import leading_part
from exactops.numerics.binary64.fixed_point import decompose, round_to_binary64
from exactops.numerics.binary64.rounding_test import round_and_test
from exactops.numerics.binary64.tables.rsqrt import FAST_PHASE_ERROR, SERIES
from exactops.numerics.constants import INFINITY, NOT_A_NUMBER
from exactops.table.formats import FLOATS
from exactops.table.operator import Kernel, Operator


def rsqrt(x: Lanes):
    """Exact mode, float32 lanes to wide float64 lanes.

    One Newton step of third order in double from the float32 quotient: its relative error of at most 2**-22.6 becomes
    5/16 of its cube, far below what the last addition rounds. The result is within 2**-52.4 of the true value, whereas no
    float32 result lies nearer than 2**-51.74 to a rounding boundary (every input was tried). Where the residual is a NaN the
    quotient is the answer already: zeros, infinities, negative numbers.
    """
    seed = convert(1.0 / sqrt(x), "float64")
    residual = 1.0 - convert(x, "float64") * (seed * seed)
    refined = seed + seed * (residual * (0.5 + 0.375 * residual))
    return select(is_nan(residual), seed, refined)


def rsqrt_fast(x: Lanes):
    """Fast mode, float32 lanes: root and quotient, each rounded, at most 1 ulp off."""
    return 1.0 / sqrt(x)


# --- float64 ------------------------------------------------------------------------------------------------------------

_EXPONENT_PAIRS = 0x3FF0000000000000
_TWICE_ONE_AND_A_HALF = 1534 << 52
_SCALE = Wide(-52)
_MIDDLE = Wide(1 << 160)


@lane_function
def scale_by_pairs(x: Lanes):
    """``(m, scale)`` with ``m = x * scale**2``, scale a power of 2 and m in [1/2, 2) for positive normal numbers.

    m is smaller for subnormal numbers, down to 2**-52; zeros, infinities, NaNs and negative numbers stay such.
    """
    scale = from_bits(_TWICE_ONE_AND_A_HALF - ((bits(x) >> 1) & _EXPONENT_PAIRS))
    return (x * scale) * scale, scale


@lane_function
def rsqrt_fast_phase(m: Lanes):
    """``(high, low)``, 1 / sqrt(m) for m in [2**-52, 2), wrong by less than FAST_PHASE_ERROR times high.

    NaN for zero, infinity and m < 0. 1/sqrt(m) = high / sqrt(1 - e) with e = 1 - m * high**2, below 2**-21.6; high, the float32
    quotient, has 24 bits. The products that make m * high are exact, and so is that of its head with high. Nearly all of the
    error is the cubic term of the series; e itself is good to 2**-73.
    """
    high = convert(1.0 / sqrt(convert(m, "float32")), "float64")
    m_head = leading_part(m)
    root = m_head * high
    root_head = leading_part(root)
    root_tail = (root - root_head) + (m - m_head) * high
    e = (1.0 - root_head * high) - root_tail * high
    return high, (high * e) * polynomial(e, SERIES)


@lane_function
def rsqrt_special(x: Lanes, y: Lanes):
    """y, but the results of zeros, +inf, negative numbers and NaNs in their lanes."""
    return select(x > 0.0, select(x < INFINITY, y, 0.0), select(x == 0.0, 1.0 / x, NOT_A_NUMBER))


def rsqrt_binary64(x: Lanes):
    """Exact mode, float64 lanes. No result lies at the middle of two float64, and only powers of 4 have exact ones.

    For were 1/x the square of a middle, m**2 * 2**j with an odd m of 54 bits, then x * m**2 = 2**-j and m = 1. The results are
    normal numbers. Special lanes fail the test.
    """
    m, scale = scale_by_pairs(x)
    high, low = rsqrt_fast_phase(m)
    y, fails = round_and_test(high, low, high * FAST_PHASE_ERROR)
    y = y * scale
    if any_lane(fails):
        y = rsqrt_special(x, y)
        y = recompute(fails & (x > 0.0) & (x < INFINITY), y, rsqrt_accurate_phase, x)
    return y


@scalar_function
def rsqrt_accurate_phase(x):
    """1 / sqrt(x) of a positive finite float64 scalar, correctly rounded: integer arithmetic decides.

    x = s * 4**j with s in [2**52, 2**54). The result is n * 2**(-79 - j) with the n from 2**52 to 2**53 for which
    (2 n - 1)**2 * s < 2**160 < (2 n + 1)**2 * s. Newton's iteration in doubles finds it but for the last bits.
    """
    significand, exponent = decompose(x)
    shift = 53 - bit_length(significand)
    shift = shift + ((exponent - shift) & 1)
    s = significand << shift
    m = round_to_binary64(s < 0, s, _SCALE)
    y = 1.2 - 0.18 * m
    for _ in range(6):
        y = y * (1.5 - 0.5 * m * (y * y))
    n, place = decompose(y)
    n = n << (place + 54) >> 1
    for _ in range(4):
        if (n + n + 1) * (n + n + 1) * s < _MIDDLE:
            n = n + 1
        elif (n + n - 1) * (n + n - 1) * s > _MIDDLE:
            n = n - 1
    return round_to_binary64(s < 0, n, ((shift - exponent) >> 1) - 79)


def rsqrt_binary64_fast(x: Lanes):
    """Fast mode, float64 lanes, at most 1.6 ulp off: one Newton step of third order from the float32 quotient."""
    m, scale = scale_by_pairs(x)
    seed = convert(1.0 / sqrt(convert(m, "float32")), "float64")
    e = mul_add(m, -(seed * seed), 1.0)
    y = mul_add(seed * e, mul_add(e, 0.375, 0.5), seed) * scale
    special = is_nan(y)
    if any_lane(special):
        y = rsqrt_special(x, y)
    return y


OPERATORS = (
    Operator(
        "rsqrt",
        "1 / sqrt(x), rounded once",
        "c",
        FLOATS,
        {"f64": Kernel(rsqrt_binary64, rsqrt_binary64_fast, registers=2), "f": Kernel(rsqrt, rsqrt_fast)},
        special=("rsqrt(+0) = +inf, rsqrt(-0) = -inf", "negative numbers give NaN", "rsqrt(+inf) = +0"),
    ),
)
