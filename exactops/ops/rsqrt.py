"""rsqrt: 1 / sqrt(x), rounded once."""

from exactops.lanes import Lanes, convert, is_nan, select, sqrt
from exactops.table.formats import FLOATS_TO_32_BITS
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


OPERATORS = (
    Operator(
        "rsqrt",
        "1 / sqrt(x), rounded once",
        "c",
        FLOATS_TO_32_BITS,
        Kernel(rsqrt, rsqrt_fast),
        special=("rsqrt(+0) = +inf, rsqrt(-0) = -inf", "negative numbers give NaN", "rsqrt(+inf) = +0"),
    ),
)
