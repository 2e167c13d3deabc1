"""pow and powi of float64 bases: pairs that are drawn, and their correctly rounded powers.

**The filter** computes x**y = exp(y ln x) for x > 0 with the logarithm and the cells of exp of :mod:`~.filter`. An exponent is
a pair: an int64 needs one. The logarithm (high, low) has an error e; the product with y adds 8 u² of itself; p = y ln x is
within abs(y) e + 8 u² abs(p) of the truth, and so, relatively, is its exponential: abs(p) < 746 where the result is finite and
not zero, and the sum is far below 1, so that a factor 1.01 covers the second order. The distance of the head of p from a centre
is exact. Undecided pairs, among them every exact tie, go to MPFR, which also says when a power is exact.

abs(y) < 2**-100 gives 1 + p with abs(p) < 2**-90, which rounds to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numba
import numpy as np

from exactops.table.formats import FORMATS
from exactops.verification.binary64.arithmetic import INFINITY, NAN, SIGN, UNIT, bits_of, decide, product, two_sum
from exactops.verification.binary64.draws import BATCH, generator
from exactops.verification.binary64.filter import cells_of, ln2, logarithm
from exactops.verification.binary64.series import EXPONENT, value
from exactops.verification.powers import correctly_rounded_power, parity, special_power

_F64 = FORMATS["f64"]


@numba.njit
def power(x, y, y_low, log_rows, log_first, ln2_high, ln2_low, exp_rows, exp_first, exp_density):
    """x**y of x > 0, not 1, and y, not 0, as (high, low, error, exponent)."""
    if abs(y) < 2.0**-100:
        return 1.0, 0.0, 2.0**-90, 0
    if abs(y) > 2.0**80:  # abs(ln x) >= 2**-53
        y, y_low = math.copysign(2.0**80, y), 0.0
    high, low, error = logarithm(log_rows, log_first, ln2_high, ln2_low, x)
    p, rest = product(y, y_low, high, low)
    off = abs(y) * error + 8.0 * UNIT * UNIT * abs(p)
    if p > 710.0:
        return 1.0, 0.0, 0.0, 1100
    if p < -746.0:
        return 1.0, 0.0, 0.0, -1200
    number = np.rint(p * exp_density)
    h, h_low = two_sum(p - number / exp_density, rest)
    row = exp_rows[np.int64(number) - exp_first]
    v, v_low, error = value(row, h, h_low)
    return v, v_low, error + 1.01 * off * abs(v), np.int64(row[EXPONENT])


@numba.njit
def _evaluate(
    x, y, y_low, whole, odd, log_rows, log_first, ln2_high, ln2_low, exp_rows, exp_first, density, result, undecided, special
):
    for i in range(len(x)):
        known, found = special_power(x[i], y[i], whole[i], odd[i])
        special[i], undecided[i] = known, False
        if known:
            bits = np.uint64(NAN) if math.isnan(found) else np.uint64(bits_of(found))
        else:
            high, low, error, exponent = (
                power(abs(x[i]), y[i], y_low[i], log_rows, log_first, ln2_high, ln2_low, exp_rows, exp_first, density)
                if abs(x[i]) != 1.0
                else (1.0, 0.0, 0.0, 0)
            )
            bits, undecided[i] = decide(high, low, error, exponent)
            if x[i] < 0.0 and odd[i]:
                bits |= np.uint64(SIGN)
        result[i] = bits


def tables() -> tuple[np.ndarray, int, float, float, np.ndarray, int, int]:
    """What :func:`power` takes after the operands."""
    logs, powers = cells_of("log"), cells_of("exp")
    return logs.all(), logs.first, *ln2(), powers.all(), powers.first, powers.density


def _as_pair(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Exponents as float64 and the rest."""
    high = y.astype(np.float64)
    if y.dtype.itemsize < 8 or y.dtype.kind == "f":
        return high, np.zeros_like(high)
    # The nearest float64 may be 2**63 or 2**64, which the type does not hold: differences are taken modulo 2**64.
    top = high >= (2.0**63 if y.dtype.kind == "i" else 2.0**64)
    back = np.where(top, 0.0, high).astype(y.dtype).view(np.uint64)
    if y.dtype.kind == "i":
        back[top] = 1 << 63
    return high, (y.view(np.uint64) - back).view(np.int64).astype(np.float64)


def reference(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Correctly rounded powers: their bits, where one of C's special cases applies, and how many MPFR decided.

    Parameters
    ----------
    x : numpy.ndarray of float64
        The bases.
    y : numpy.ndarray
        The exponents, of float64 or any integer type.
    """
    whole, odd = parity(y)
    high, low = _as_pair(y)
    result = np.empty(x.shape, np.uint64)
    undecided, special = np.zeros(x.shape, np.bool_), np.zeros(x.shape, np.bool_)
    _evaluate(x, high, low, whole, odd, *tables(), result, undecided, special)
    left = np.flatnonzero(undecided)
    patterns = x.view(np.uint64)
    for index in left.tolist():
        result[index] = correctly_rounded_power(int(patterns[index]), y[index].item(), _F64)
    return result, special, left.size


# --- pairs ----------------------------------------------------------------------------------------------------------------

_INTERESTING = np.array(
    [
        *(0.0, 1.0, 2.0, 3.0, 4.0, 0.5, 0.25, 1.5, 2.5, 5.0, 10.0, 1023.0, 1024.0, 1074.0, 1075.0, 1.0 / 3.0, math.pi, 1e-300),
        *(2.0**52, 2.0**53, 2.0**53 - 1, 2.0**-1022, 5e-324, 2.0**-1023, 2.0**1023, 1.0 + 2.0**-52, 1.0 - 2.0**-53, 1e300),
        *(float(np.finfo(np.float64).max), math.inf, math.nan),
    ]
)
Pairs = tuple[np.ndarray, np.ndarray]


def draw(seed: int, number: int, exponent: str) -> Pairs:
    """A batch of pairs: float64 bases, and exponents of the type ``exponent``.

    Equal shares of: any bits; results of any size; small whole, half, quarter and eighth exponents; bases next to 1; results
    next to 1; results next to the largest, the smallest normal and the smallest subnormal number; subnormal results; exact
    powers and ties; powers of two; pairs of special values. Besides some squares and square roots next to a midpoint.
    """
    chance = generator(seed, number, f"pow {exponent}")
    makers: tuple[Callable[[np.random.Generator, int], Pairs], ...] = (
        _any_bits,
        lambda chance, count: _of_size(_bases(chance, count), chance.uniform(-1077.0, 1026.0, count)),
        _small_exponents,
        _bases_next_to_one,
        lambda chance, count: _of_size(
            _bases(chance, count), _signs(chance, count) * 2.0 ** chance.uniform(-60.0, -20.0, count)
        ),
        _at_the_edges,
        lambda chance, count: _of_size(_bases(chance, count), chance.uniform(-1075.5, -1021.0, count)),
        _exact_powers,
        lambda chance, count: _of_size(
            2.0 ** chance.integers(-1074, 1024, count).astype(np.float64), chance.uniform(-1077.0, 1026.0, count)
        ),
        _special_values,
    )
    ties = BATCH // 128  # MPFR decides each of them
    share = (BATCH - ties) // len(makers) + 1
    with np.errstate(all="ignore"):
        parts = [_squares(chance, ties), *(maker(chance, share) for maker in makers)]
        x = np.concatenate([part[0] for part in parts])[:BATCH]
        y = np.concatenate([_typed(chance, part[1], exponent) for part in parts])[:BATCH]
    return x, y


def draw_bases(seed: int, number: int, exponent: int) -> np.ndarray:
    """Bases for powi with one exponent: any bits; results of any size, and at the edges; next to 1; of few bits; near ties."""
    chance = generator(seed, number, "powi")
    eighth = BATCH // 8
    y = float(exponent) or 1.0
    with np.errstate(all="ignore"):
        edges = chance.choice([1024.0, -1022.0, -1021.0, -1074.0, -1075.0], eighth)
        edges = edges + _signs(chance, eighth) * 2.0 ** chance.uniform(-45.0, -2.0, eighth)
        bits = chance.integers(0, 27, eighth)
        few = np.rint(2.0**bits * chance.uniform(1.0, 2.0, eighth)) * 2.0 ** np.rint(chance.uniform(-40.0, 40.0, eighth))
        parts = [
            _any_bits(chance, eighth)[0],
            2.0 ** (chance.uniform(-1076.0, 1025.0, 2 * eighth) / y),
            2.0 ** (edges / y),
            _bases_next_to_one(chance, eighth)[0],
            few,
            _squares(chance, eighth // 16)[0],
        ]
        parts.append(chance.uniform(0.5, 2.0, BATCH - sum(part.size for part in parts)))
        x = np.concatenate(parts)
        return np.where(chance.random(BATCH) < 0.5, -x, x)


def _typed(chance: np.random.Generator, y: np.ndarray, exponent: str) -> np.ndarray:
    """Exponents as a type holds them; of whole numbers also some that need all of its bits."""
    dtype = FORMATS[exponent].dtype
    if FORMATS[exponent].kind == "f":
        return y.astype(dtype)
    limits = np.iinfo(dtype)
    clipped = np.nan_to_num(np.clip(np.rint(y), float(limits.min), float(limits.max)), nan=0.0)
    edge = clipped >= float(limits.max)
    whole = np.where(edge, 0.0, clipped).astype(dtype)
    whole[edge] = limits.max
    if dtype.itemsize == 8:  # the odd ones beyond 2**53 as well
        large = np.abs(clipped) >= 2.0**53
        whole[large] ^= chance.integers(0, 256, int(np.count_nonzero(large))).astype(dtype)
    return whole


def _signs(chance: np.random.Generator, count: int) -> np.ndarray:
    return chance.choice([-1.0, 1.0], count)


def _any_bits(chance: np.random.Generator, count: int) -> Pairs:
    x, y = chance.integers(0, 1 << 64, (2, count), dtype=np.uint64).view(np.float64)
    return x, y


def _bases(chance: np.random.Generator, count: int) -> np.ndarray:
    """Positive finite numbers, subnormals included, with every exponent as often."""
    return chance.integers(1, INFINITY, count, dtype=np.uint64).view(np.float64)


def _of_size(x: np.ndarray, size: np.ndarray) -> Pairs:
    """Exponents such that x**y is about 2**size."""
    return x, size / np.log2(x)


def _small_exponents(chance: np.random.Generator, count: int) -> Pairs:
    y = chance.integers(1, 65, count) / chance.choice([1.0, 1.0, 1.0, 2.0, 4.0, 8.0], count) * _signs(chance, count)
    return 2.0 ** (chance.uniform(-1077.0, 1026.0, count) / y) * _signs(chance, count), y


def _bases_next_to_one(chance: np.random.Generator, count: int) -> Pairs:
    steps = np.rint(2.0 ** chance.uniform(0.0, 45.0, count)) * _signs(chance, count)
    return _of_size(1.0 + steps * 2.0**-53, chance.uniform(-1077.0, 1026.0, count))


def _at_the_edges(chance: np.random.Generator, count: int) -> Pairs:
    edge = chance.choice([1024.0, -1022.0, -1021.0, -1074.0, -1075.0], count)
    edge = edge + _signs(chance, count) * 2.0 ** chance.uniform(-45.0, -4.0, count)
    return _of_size(_bases(chance, count), edge)


def _exact_powers(chance: np.random.Generator, count: int) -> Pairs:
    """x = a**d 2**(d e), y = n/d with d a power of two: x**y = a**n 2**(n e), of 54 bits or a few less or more."""
    n = chance.integers(1, 34, count)
    a = np.rint(2.0 ** (chance.uniform(48.0, 55.0, count) / n)).astype(np.int64) | 1
    d = 2 ** chance.integers(0, 5, count)
    d = np.where(a.astype(np.float64) ** d < 2.0**53, d, 1)
    e = np.rint(chance.uniform(-1075.0, 1023.0, count) / np.maximum(n, d) - np.log2(a))
    x = a.astype(np.float64) ** d * 2.0 ** (d * e)
    return x * _signs(chance, count), n / d * chance.choice([-1.0, 1.0, 1.0, 1.0], count)


def _square_roots(chance: np.random.Generator, c: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Numbers below 2**(width - 1) whose squares are c modulo 2**width; c is 1 modulo 8.

    Newton's iteration for 1 / sqrt(c) in the 2-adic integers: 64 bits, of which each halving loses one.
    """
    one = np.uint64(1)
    y = np.ones(c.size, np.uint64)
    for _ in range(7):
        y = (y * (np.uint64(3) - c * y * y)) >> one
    root = c * y
    return np.where(chance.random(c.size) < 0.5, np.uint64(0) - root, root) & ((one << (width - one)) - one)


def _squares(chance: np.random.Generator, count: int) -> Pairs:
    """Squares and square roots next to a midpoint: relative distances from 2**-106 on.

    x of 53 bits has a square of 105 or 106 bits, 52 or 53 of them behind the result: they are to be 2**(w - 1) + d, w = 52 or
    53. A midpoint m of 54 bits is next to the root of X = (m² - d) / 2**w with X of 53 bits, w = 54 or 55. Which w it is
    depends on whether x or m lies below √2: half are as wanted, the others are any numbers.
    """
    one, half = np.uint64(1), count // 2
    small = chance.integers(-64, 64, count) * 8 + 1
    narrow = chance.random(count) < 0.5
    first = np.arange(count) < half
    width = (np.where(first, 53, 55) - narrow).astype(np.uint64)
    c = small.view(np.uint64) + np.where(first, one << (width - one), np.uint64(0))
    root = _square_roots(chance, c, width)
    top = np.where(first, np.uint64(1 << 52), np.uint64(1 << 53))
    root = np.where(root < top, root + top, root)
    scale = 2.0 ** np.rint(chance.uniform(-200.0, 200.0, count))
    x = root[:half].astype(np.float64) * scale[:half] * _signs(chance, half)
    m, shift = root[half:], np.uint64(27)
    upper, lower = m >> shift, m & np.uint64((1 << 27) - 1)
    square = upper * upper + (((upper * lower << one) + (lower * lower >> shift)) >> shift)  # m² >> 54
    square += (small[half:] < 0).astype(np.uint64)
    wide = ~narrow[half:]
    found = np.where(wide, (square >> one).astype(np.float64) * 2.0, square.astype(np.float64)) * scale[half:] * scale[half:]
    return np.concatenate([x, found]), np.where(first, 2.0, 0.5)


def _special_values(chance: np.random.Generator, count: int) -> Pairs:
    x, y = _signs(chance, 2 * count).reshape(2, count) * chance.choice(_INTERESTING, (2, count))
    return x, y
