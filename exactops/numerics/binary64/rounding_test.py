"""The rounding test (Ziv 1991) of float64 results: does every value within the error bound round to the same float64?"""

from exactops.lanes import Lanes, lane_function


@lane_function
def round_and_test(high: Lanes, low: Lanes, error: Lanes):
    """``(y, fails)``: high + low rounded, and the mask of the lanes in which the error could change that.

    ``high + low`` is the value, as an unevaluated sum with ``|low|`` small beside ``high``; it is wrong by at most ``error``,
    lanes or a number that is not negative. Where ``high + (low + error)`` and ``high + (low - error)`` agree, every value
    between rounds to them, since rounding is monotonic; the two inner additions round by at most half an ulp of ``low`` and the
    bound has to allow for that. A NaN fails. The result must not be subnormal: that is rounded at another bit.
    """
    y = high + (low + error)
    return y, ~(y == high + (low - error))
