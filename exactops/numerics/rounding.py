"""Error-free transformations and the one rounding finish that all correctly rounded kernels share.

Everything here works on float64 lanes, with one rounding per operation (no fused multiply-add), to nearest even.
"""

from exactops.lanes import Lanes, bits, from_bits, lane_function, select


@lane_function
def fast_two_sum(large: Lanes, small: Lanes):
    """Exact sum of two doubles as ``(sum, error)``, given ``|large| >= |small|`` or ``large == 0`` (Dekker 1971)."""
    total = large + small
    return total, small - (total - large)


@lane_function
def two_sum(x: Lanes, y: Lanes):
    """Exact sum of two doubles of any order as ``(sum, error)`` (Knuth, TAOCP vol. 2, 4.2.2)."""
    total = x + y
    shadow = total - x
    return total, (x - (total - shadow)) + (y - shadow)


@lane_function
def round_to_odd(high: Lanes, low: Lanes):
    """The unevaluated sum ``high + low`` rounded to odd: the double that one later conversion rounds correctly.

    ``high`` must be the sum rounded to nearest, so that ``|low| <= ulp(high) / 2``. An inexact sum becomes the odd one of
    the two doubles around it. Since binary64 has more than two bits over binary32, binary16 and bfloat16 (subnormals
    included), converting the result once, to nearest even, gives the correctly rounded value of ``high + low``
    (Boldo and Melquiond 2008).

    As integers: where the sum lies nearer to zero than ``high``, the double below in magnitude is ``bits - 1``; setting the
    last bit of that truncation picks the odd neighbour in both directions.
    """
    pattern = bits(high)
    toward_zero = (pattern ^ bits(low)) >> 63
    odd = (pattern - toward_zero) | 1
    return from_bits(select(low == 0.0, pattern, odd))
