"""The inputs of a campaign over float64: drawn by function, seed and number of the batch.

A batch has ``BATCH`` inputs, in shares that :func:`draw` names:

* any bits, so that all binades of both signs come;
* the range in which the function is neither saturated nor trivial, with more weight;
* 64 places to either side of where the result changes its kind (overflow, underflow, subnormal results, saturation, tiny
  arguments), found by bisection with the reference itself;
* borders of the cells that tables usually have, in units of 1, ln 2 and π;
* numbers of few bits, and arguments whose results are near such numbers;
* what is special to a function: for log the neighbours of 1, for sin and cos multiples of π/2, among them the nearest ones, by
  continued fractions; for rsqrt results next to a midpoint; for others tiny arguments.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Callable, Iterator

import numpy as np

from exactops.verification.binary64 import filter as binary64_filter
from exactops.verification.functions import Function
from exactops.verification.multiprecision import gmpy2

BATCH = 1 << 20

#: The range of ordinary arguments, and a function whose values at short numbers have results near short numbers.
RANGES: dict[str, tuple[float, float]] = {
    "exp": (-746.0, 710.0),
    "log": (0.0, 16.0),
    "rsqrt": (0.0, 16.0),
    "sin": (-3e4, 3e4),
    "cos": (-3e4, 3e4),
    "tanh": (-20.0, 20.0),
    "sigmoid": (-746.0, 38.0),
    "silu": (-755.0, 38.0),
    "erf": (-6.0, 6.0),
    "erfc": (-6.0, 27.5),
    "gelu": (-39.0, 9.0),
    "gelu_tanh": (-22.0, 9.0),
}
_INVERSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "exp": np.log,
    "log": np.exp,
    "rsqrt": lambda y: 1.0 / (y * y),
    "sin": np.arcsin,
    "cos": np.arccos,
    "tanh": np.arctanh,
    "sigmoid": lambda y: np.log(y / (1.0 - y)),
}
_UNITS = (1.0, math.log(2.0), math.pi)


def generator(seed: int, number: int, name: str) -> np.random.Generator:
    """The random numbers of a batch."""
    return np.random.default_rng([seed, number, zlib.crc32(name.encode())])


def draw(function: Function, seed: int, number: int) -> np.ndarray:
    """A batch of float64 inputs."""
    chance = generator(seed, number, function.name)
    low, high = RANGES[function.name]
    sixteenth = BATCH // 16
    with np.errstate(all="ignore"):
        parts = [
            _any_bits(chance, 3 * sixteenth),
            chance.uniform(low, high, 4 * sixteenth - sixteenth // 4),
            _sized(chance, 2 * sixteenth, low, high),
            _moved(chance, chance.choice(np.array(places(function)), sixteenth // 4)),  # MPFR decides many of these
            _borders(chance, 2 * sixteenth, low, high),
            _short(chance, sixteenth, low, high),
            _near_short(chance, sixteenth, function),
        ]
        parts.append(_special(chance, BATCH - sum(part.size for part in parts), function))
    return np.concatenate(parts)


def _any_bits(chance: np.random.Generator, count: int) -> np.ndarray:
    return chance.integers(0, 1 << 64, count, dtype=np.uint64).view(np.float64)


def _sized(chance: np.random.Generator, count: int, low: float, high: float) -> np.ndarray:
    """Magnitudes from 2**-60 to the ends of the range, every binade as often."""
    negative = chance.random(count) < (0.5 if low < 0.0 else 0.0)
    top = np.log2(np.where(negative, max(-low, 1.0), high))
    size = 2.0 ** chance.uniform(-60.0, top, count)
    return np.where(negative, -size, size)


def _moved(chance: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """Numbers at most 64 places away in the order of float64, one in eight at most 2**20."""
    reach = np.where(chance.random(x.size) < 0.125, 1 << 20, 64)
    steps = np.rint(chance.uniform(-1.0, 1.0, x.size) * reach).astype(np.int64)
    magnitude = np.clip((x.view(np.int64) & 0x7FFFFFFFFFFFFFFF) + steps, 0, 0x7FF0000000000000)
    return np.copysign(magnitude.view(np.float64), x)


def _borders(chance: np.random.Generator, count: int, low: float, high: float) -> np.ndarray:
    """Multiples and odd multiples of half of 2**-4 ... 2**-11 units, at most a few places away."""
    unit = chance.choice(_UNITS, count) * 2.0 ** -chance.integers(4, 13, count)
    wide = chance.uniform(max(low, -64.0), min(high, 64.0), count)
    near = np.where(chance.random(count) < 0.25, chance.uniform(-2.0, 2.0, count), wide)
    x = np.rint(near / unit) * unit
    return (x.view(np.int64) + chance.integers(-4, 5, count)).view(np.float64)


def _few_bits(chance: np.random.Generator, count: int, low: float, high: float) -> np.ndarray:
    """Positive numbers of 1 to 27 significant bits with sizes from 2**low to 2**high."""
    bits = chance.integers(0, 27, count)
    significand = np.rint(2.0**bits * chance.uniform(1.0, 2.0, count)) / 2.0**bits
    return significand * 2.0 ** np.rint(chance.uniform(low, high, count))


def _short(chance: np.random.Generator, count: int, low: float, high: float) -> np.ndarray:
    x = _few_bits(chance, count, -40.0, math.log2(high))
    return np.where(chance.random(count) < (0.5 if low < 0.0 else 0.0), -x, x)


def _near_short(chance: np.random.Generator, count: int, function: Function) -> np.ndarray:
    """Arguments whose results are near numbers of few bits."""
    inverse = _INVERSES.get(function.name)
    if inverse is None:
        low, high = RANGES[function.name]
        return chance.uniform(max(low, -8.0), min(high, 8.0), count)
    y = _few_bits(chance, count, -40.0, 40.0 if function.name in ("exp", "rsqrt") else 4.0 if function.name == "log" else -0.01)
    x = inverse(y)
    return (x.view(np.int64) + chance.integers(-2, 3, count)).view(np.float64)


def _special(chance: np.random.Generator, count: int, function: Function) -> np.ndarray:
    """What is special to a function."""
    if function.name == "log":
        size = 2.0 ** chance.uniform(-53.0, -2.0, count) * chance.choice([-1.0, 1.0], count)
        steps = chance.integers(-(1 << 12), 1 << 12, count) * 2.0**-52
        return 1.0 + np.where(chance.random(count) < 0.25, steps, size)
    if function.name == "rsqrt":
        # y of 54 bits is a midpoint; 1 / y² in binary64 is within an ulp or two of the argument with that result.
        y = chance.integers(1 << 52, 1 << 53, count).astype(np.float64) + 0.5
        x = (2.0**106 / y) / y * 4.0 ** chance.integers(-250, 250, count)
        return (x.view(np.int64) + chance.integers(-3, 4, count)).view(np.float64)
    if function.periodic:
        worst = np.array(worst_multiples())
        multiple = np.rint(2.0 ** chance.uniform(0.0, 54.0, count)) * (math.pi / 2.0)
        x = np.where(chance.random(count) < 0.25, chance.choice(worst, count), multiple)
        x = (x.view(np.int64) + chance.integers(-2, 3, count)).view(np.float64)
        return np.where(chance.random(count) < 0.5, -x, x)
    # Around zero, where results are near the tie of a constant or of x/2.
    return 2.0 ** chance.uniform(-70.0, -20.0, count) * chance.choice([-1.0, 1.0], count)


# --- where the result changes its kind ------------------------------------------------------------------------------------


def _kind(x: np.ndarray, result: np.ndarray) -> np.ndarray:
    """A number for the kind of a result: zero, subnormal, normal, infinite; a constant; the input or half of it."""
    y = result.view(np.float64)
    magnitude = np.abs(y)
    kind = (magnitude > 0.0) * 1 + (magnitude >= 2.0**-1022) * 1 + np.isinf(y) * 1
    for number, constant in enumerate((0.5, 1.0, 2.0)):
        kind = kind + (magnitude == constant) * (8 << number)
    return kind + (y == x) * 128 + (y == 0.5 * x) * 256 + np.isnan(y) * 512


@functools.cache
def places(function: Function) -> tuple[float, ...]:
    """Where the result changes its kind, between neighbouring binades; the ends of the range, and 1."""
    edges = 2.0 ** np.arange(-1074.0, 1024.0)
    found = [1.0, -1.0, 2.0**-1022, -(2.0**-1022), float(np.finfo(np.float64).max), 5e-324, 0.0, *RANGES[function.name]]
    for sign in (1.0, -1.0):
        x = sign * edges[edges < 2.0**40] if function.periodic else sign * edges
        kinds = _kind(x, binary64_filter.reference(function, x)[0])
        for place in np.flatnonzero(kinds[1:] != kinds[:-1]).tolist():
            found += list(_bisected(function, x[place], x[place + 1]))
    return tuple(found)


def _bisected(function: Function, left: float, right: float) -> Iterator[float]:
    """The places between two numbers of one sign where the result is no longer of the kind before."""

    def number(pattern: int) -> float:
        return float(np.uint64(pattern).view(np.float64))

    def kind(pattern: int) -> int:
        x = np.array([number(pattern)])
        return int(_kind(x, binary64_filter.reference(function, x)[0])[0])

    start, end = (int(np.float64(each).view(np.uint64)) for each in (left, right))
    while (first := kind(start)) != kind(end):
        a, b = start, end
        while b - a > 1:
            middle = (a + b) // 2
            a, b = (middle, b) if kind(middle) == first else (a, middle)
        yield number(b)
        start = b


# --- multiples of π/2 -----------------------------------------------------------------------------------------------------


@functools.cache
def worst_multiples() -> tuple[float, ...]:
    """Float64 numbers that are nearer to a multiple of π/2 than others of their binade, by continued fractions.

    M 2**e is near to k π/2 where k / M is a convergent of 2**e 2/π: M is a denominator, or a multiple of one, of 53 bits.
    """
    found = set()
    with gmpy2.context(precision=1400):
        ratio = 2 / gmpy2.const_pi()
        for exponent in range(-53, 971):
            scaled = gmpy2.mul_2exp(ratio, exponent)
            number = int(gmpy2.floor(gmpy2.mul_2exp(scaled - gmpy2.floor(scaled), 256)))
            numerator, rest = number, 1 << 256
            # Denominators of the convergents of number / 2**256, with Euclid's algorithm.
            before, now = 0, 1
            while numerator:
                quotient = rest // numerator
                rest, numerator = numerator, rest - quotient * numerator
                before, now = now, quotient * now + before
                if now >= 1 << 53:
                    break
                last = now
                if last >= 1 << 48:
                    for factor in range(1, (1 << 53) // last + 1):
                        if factor in (1, 2, 3) or factor * last >= 1 << 52:
                            found.add(math.ldexp(float(factor * last), exponent))
                            break
    return tuple(sorted(found))
