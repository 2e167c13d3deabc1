"""Derives every constant of exactops/numerics/binary64/tables/rsqrt.py from mathematics, and proves the error bound among them.

``--check`` compares, ``--write`` writes them. The proof covers ``rsqrt_fast_phase`` for every m in [2**-52, 2), in the order of
its operations. u is 2**-53, the unit roundoff of float64, and v is 2**-24, that of float32.
"""

from __future__ import annotations

from minimax import report, to_double
from mpmath import mp, mpf

mp.prec = 300

U, V = mpf(2) ** -53, mpf(2) ** -24


def main() -> int:
    """Derive, prove, then print or check."""
    notes: dict = {}
    # The seed is 1/sqrt(m) times 1 + d: m is rounded to float32 (half of which counts behind the root), then the root, then the
    # quotient. float32 is in its normal range: m is at least 2**-52.
    seed = (1 + V) / (mp.sqrt(1 - V) * (1 - V)) - 1
    e = (1 + seed) ** 2 - 1
    notes["e = 1 - m * seed**2"] = e
    # m_head has 26 bits and the seed 24: their product `root` is exact, and that of its head with the seed too. m - m_head has
    # 27 bits: its product with the seed is exact. Both terms of root_tail are below 2**-25 of root, since a cut leaves less:
    # times the seed, which makes them parts of m * seed**2, they are below 2**-24 of 1 + e. Their sum and its product round.
    root_tail = mpf(2) ** -24 * (1 + e)
    total = 2 * U * root_tail * (1 + U)
    # 1 - root_head * seed rounds (if it does), and so does the last difference.
    total += U * (e + root_tail)
    total += U * (e + total)
    notes["absolute error of e"] = total
    # 1/sqrt(1 - e) - 1 = e * (linear + quadratic * e): the odd part of the cubic term is spread by Chebyshev's polynomial.
    quadratic = mpf(3) / 8
    linear = mpf(to_double(mpf(1) / 2 + mpf(5) / 16 * mpf(3) / 4 * e**2))
    # The error of the series: sum over n of binomial terms minus the polynomial; f(t) = 1/sqrt(1 - t) - 1 - linear t - 3/8 t**2
    # has the bound |5/16 t**3 - (linear - 1/2) t| + 35/128 t**4 / (1 - |t|), the first of which peaks at an end or where its
    # derivative vanishes.
    excess = linear - mpf(1) / 2
    peak = mp.sqrt(excess / (3 * mpf(5) / 16))
    cubic = max(abs(mpf(5) / 16 * t**3 - excess * t) for t in (peak, e))
    series = cubic + mpf(35) / 128 * e**4 / (1 - e)
    notes["error of the series"] = series
    # high * e rounds, 0.375 * e, the sum and the product; the error of e passes with a factor below 0.6.
    inner = (U * quadratic * e) + U * (linear + quadratic * e * (1 + U))
    value = linear + quadratic * e
    low = e * value
    relative = series + mpf("0.51") * total + e * (1 + U) * (inner * (1 + U) ** 2) + 2 * U * low * (1 + U) ** 2
    # The value is 1/sqrt(m) = high / sqrt(1 - e): relative to it, high is at most (1 + seed). round_and_test's inner addition
    # rounds low + error by u of itself.
    relative += 2 * U * low
    relative *= 1 + seed
    # The product high * FAST_PHASE_ERROR is exact.
    bound = to_double(relative * (1 + mpf(2) ** -20))
    notes["relative error of the fast phase"] = relative
    constants = {"SERIES": (float(linear), float(quadratic)), "FAST_PHASE_ERROR": bound}
    comments = {
        "SERIES": "1 / sqrt(1 - e) = 1 + e * (SERIES[0] + SERIES[1] * e) for |e| <= 2**-21.6.",
        "FAST_PHASE_ERROR": "Bound of the fast phase's error, relative to its high part.",
    }
    return report("exactops.numerics.binary64.tables.rsqrt", "Constants of rsqrt.", constants, notes, comments)


if __name__ == "__main__":
    raise SystemExit(main())
