"""rsqrt: 1 / sqrt(x), rounded once."""

from exactops.lanes import (
    Lanes,
    Wide,
    all_lanes,
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
from exactops.numerics.constants import NOT_A_NUMBER
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

#: The fast phase's relative error, and what bounds it beside the result: see :func:`rsqrt_fast_phase`.
FAST_PHASE_ERROR = 2.0**-74

_LEAST_NORMAL = 2.0**-1022
_LARGEST = float.fromhex("0x1.fffffffffffffp+1023")
_FRACTION_AND_LAST_EXPONENT_BIT = 0x001FFFFFFFFFFFFF
_HALF = 1022 << 52
_EXPONENT_PAIRS = 0x7FE0000000000000
_HALF_OF_HALF = 511 << 52
_SCALE = Wide(-52)
_MIDDLE = Wide(1 << 160)


@lane_function
def split_even(x: Lanes):
    """``(m, scale)``: positive normal numbers as ``m * 4**j`` with m in [1/2, 2).

    Adding scale to the pattern of a normal number multiplies it by 2**-j.
    """
    pattern = bits(x)
    m = from_bits((pattern & _FRACTION_AND_LAST_EXPONENT_BIT) | _HALF)
    return m, _HALF_OF_HALF - ((pattern & _EXPONENT_PAIRS) >> 1)


@lane_function
def rsqrt_fast_phase(m: Lanes):
    """``(high, low)``, 1 / sqrt(m) for m in [1/2, 2), with a relative error below 2**-75.

    1/sqrt(m) = high / sqrt(1 - e) with e = 1 - m * high**2, below 2**-21.6; high, the float32 quotient, has 24 bits. The
    products that make m * high are exact, and so is that of its head with high. The series' next term is 35/128 e**4.
    """
    high = convert(1.0 / sqrt(convert(m, "float32")), "float64")
    m_head = leading_part(m)
    root = m_head * high
    root_head = leading_part(root)
    root_tail = (root - root_head) + (m - m_head) * high
    e = (1.0 - root_head * high) - root_tail * high
    return high, high * (e * polynomial(e, (0.5, 0.375, 0.3125)))


@lane_function
def rsqrt_special(x: Lanes, y: Lanes):
    """y, but the results of zeros, +inf, negative numbers and NaNs in their lanes."""
    y = select(x > _LARGEST, 0.0, y)
    y = select(x < _LEAST_NORMAL, select(x == 0.0, 1.0 / x, y), y)
    return select(x >= 0.0, y, select(x == 0.0, y, NOT_A_NUMBER))


def rsqrt_binary64(x: Lanes):
    """Exact mode, float64 lanes. No result lies at the middle of two float64, and only powers of 4 have exact ones.

    For 1/x were the square of the middle, m**2 * 2**j with an odd m of 54 bits: then x * m**2 = 2**-j, and m = 1. The results
    are normal numbers.
    """
    m, scale = split_even(x)
    high, low = rsqrt_fast_phase(m)
    y, fails = round_and_test(high, low, FAST_PHASE_ERROR)
    y = from_bits(bits(y) + scale)
    ordinary = (x >= _LEAST_NORMAL) & (x <= _LARGEST)
    retry = fails | ~ordinary
    if any_lane(retry):
        y = rsqrt_special(x, y)
        y = recompute((fails & ordinary) | ((x > 0.0) & (x < _LEAST_NORMAL)), y, rsqrt_accurate_phase, x)
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
    m, scale = split_even(x)
    seed = convert(1.0 / sqrt(convert(m, "float32")), "float64")
    e = mul_add(m, -(seed * seed), 1.0)
    y = from_bits(bits(mul_add(seed * e, mul_add(e, 0.375, 0.5), seed)) + scale)
    ordinary = (x >= _LEAST_NORMAL) & (x <= _LARGEST)
    if not all_lanes(ordinary):
        y = select(ordinary, y, 1.0 / sqrt(x))
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
