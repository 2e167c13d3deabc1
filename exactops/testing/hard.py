"""Values that break kernels, for every stored type, and random ones. Everything depends on its arguments and the seed alone."""

from __future__ import annotations

import functools
import math
import zlib
from typing import Any

import numpy as np

from exactops.table.formats import FORMATS, Format
from exactops.testing.bits import bits_of, from_bits, infinity_bits, sign_bit, storage_named

#: The first of the hard values are the plainest; they are drawn more often.
PLAIN = 12


def generator(seed: int, *purpose: object) -> np.random.Generator:
    """A random generator that depends on a seed and a purpose."""
    return np.random.default_rng([seed & 0xFFFFFFFF, zlib.crc32("/".join(map(str, purpose)).encode())])


def hard_values(dtype: Any) -> np.ndarray:
    """The values of a type at which element-wise kernels go wrong, in a fixed order, the plainest first.

    Floats: both zeros, infinities, quiet and signalling NaNs with payloads; the ends of the subnormals and of the normals;
    each exponent with several significands; whole and half numbers (ties); the limits of every integer type; midpoints and
    overflow thresholds of every narrower float; arguments at which exp, tanh, erf, sigmoid, sin and powers reach their limits;
    and the neighbours of all of these, with both signs. Integers: the limits, powers of two and midpoints of the float
    types, with neighbours.

    Parameters
    ----------
    dtype : dtype_like
        A NumPy dtype, its name, or a short name such as ``"bf16"``.

    Returns
    -------
    numpy.ndarray
        One-dimensional, without repetitions (of bits).

    Examples
    --------
    >>> from exactops.testing import hard_values
    >>> hard_values("float32")[:4].tolist()
    [0.0, 1.0, -0.0, -1.0]
    """
    storage = storage_named(dtype)
    return from_bits(hard_bits(storage.short), storage.dtype)


@functools.cache
def hard_bits(short: str) -> tuple[int, ...]:
    """The bits of :func:`hard_values` as Python ints."""
    storage = FORMATS[short]
    if storage.kind == "b":
        return (0, 1)
    return tuple(dict.fromkeys(_hard_floats(storage) if storage.kind == "f" else _hard_integers(storage)))


def nan_bits(storage: Format) -> list[int]:
    """NaNs: quiet and signalling, with payloads, of both signs; the canonical one first."""
    fraction = (1 << (storage.precision - 1)) - 1
    quiet, infinity = storage.nan, infinity_bits(storage)
    found = [quiet, quiet | 1, infinity | fraction, infinity | 1, infinity | fraction >> 1, quiet | fraction // 3]
    return [each | sign for sign in (0, sign_bit(storage)) for each in dict.fromkeys(found)]


def _hard_floats(storage: Format) -> list[int]:
    digits = storage.precision - 1
    fraction = (1 << digits) - 1
    infinity, sign = infinity_bits(storage), sign_bit(storage)
    bias = (1 << (storage.exponent_bits - 1)) - 1
    # Magnitudes: the plain ones, then the structure of the type, then thresholds of functions.
    plain = [0, bias << digits]
    edges = [1, 2, 3, fraction, fraction + 1, fraction + 2, infinity - 1, infinity - 2, infinity]
    edges += [1 << place for place in range(digits)]
    halves = [_rounded(half / 2, storage) for half in (*range(1, 22), 127, 255, 257, 511, 513, 1023, 2047)]
    ends = [_rounded(value, storage) for value in _thresholds(storage)]
    near = [each + step for each in (*plain[1:], *halves, *ends) for step in (-2, -1, 0, 1, 2)]
    kinds = (0, 1, fraction, fraction >> 1, (fraction >> 1) + 1, fraction // 3)
    stride = 1 if storage.exponent_bits <= 8 else 3
    each_exponent = [
        field << digits | kinds[(field + turn) % 6] for turn in range(0, 6, stride) for field in range(2 * bias + 1)
    ]
    magnitudes = dict.fromkeys(each for each in (*plain, *edges, *near, *each_exponent) if 0 <= each <= infinity)
    ordered = [*plain, *(each | sign for each in plain), *nan_bits(storage)[:1], *edges]
    return [*ordered, *magnitudes, *(each | sign for each in magnitudes), *nan_bits(storage)]


def _thresholds(storage: Format) -> list[float]:
    """Positive numbers at which results, conversions or algorithms change their kind."""
    digits, bias = storage.precision, (1 << (storage.exponent_bits - 1)) - 1
    quantum = 2 - bias - digits  # the exponent of the smallest subnormal
    ln2 = math.log(2)
    found = [(bias + 1) * ln2, (bias - 1) * ln2, -quantum * ln2, (1 - quantum) * ln2]  # exp, sigmoid
    found += [(digits + extra) * ln2 / 2 for extra in (0, 1, 2)]  # tanh
    found += [
        math.sqrt(-quantum * ln2),
        math.sqrt(digits * ln2),
        math.sqrt(-2 * quantum * ln2),
        math.sqrt(bias * ln2),
    ]  # erf, gelu
    found += [math.pi * turn / 4 for turn in (*range(1, 9), 100, 12345)]  # sin, cos
    found += [ln2 * part for part in (0.25, 0.5, 1, 1.5, 2)]
    for power in (*range(-digits - 2, digits + 3), *(bias // part for part in (2, 3, -2, -3)), quantum // 2, quantum // 3):
        found += [2.0**power, 1 + 2.0**power]
    for width in (7, 8, 15, 16, 31, 32, 63, 64):  # limits of the integer types
        found += [2.0**width, 2.0**width - 1, 2.0**width - 0.5, 2.0**width + 0.5]
    for other in FORMATS.values():  # narrower floats: midpoints, the overflow threshold, the ends of the subnormals
        if other.kind == "f" and other.precision < digits:
            top, places = (1 << (other.exponent_bits - 1)) - 1, other.precision
            lowest = 2 - top - places
            found += [
                math.ldexp(2 - 2.0**-places, top),
                math.ldexp(1, 1 - top),
                math.ldexp(1, lowest),
                math.ldexp(1, lowest - 1),
            ]
            found += [math.ldexp(1.5, lowest), math.ldexp(2.5, lowest), 1 + 2.0**-places, 1 + 3 * 2.0**-places]
    found += [1 / 3, 0.1, 0.7, 10.0, 100.0, 1e5, 1e10, 1e22, 1e30, 3.0, 6.0]
    return [each for each in found if each > 0]


def _rounded(value: float, storage: Format) -> int:
    """The bits of a magnitude near a number (these are inputs: how they are rounded does not matter)."""
    with np.errstate(all="ignore"):
        return int(bits_of(np.asarray(np.float64(value)).astype(storage.dtype)))


def _hard_integers(storage: Format) -> list[int]:
    width = 8 * storage.size
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if storage.kind == "i" else (0, (1 << width) - 1)
    found = [0, 1, -1, 2, -2, 3, 5, 7, 10, 100, -3, -5, -7, -10, -100, low, high]
    found += [low + each for each in range(4)] + [high - each for each in range(4)]
    for power in range(width):
        found += [sign * ((1 << power) + step) for step in (-1, 0, 1) for sign in (1, -1)]
    for digits in (8, 11, 24, 53):  # midpoints of the float types
        for shift in range(1, width - digits + 1):
            middle = (1 << (digits + shift - 1)) + (1 << (shift - 1))
            found += [sign * (middle + step) for step in (-1, 0, 1) for sign in (1, -1)]
    return [each % (1 << width) for each in found if low <= each <= high]


def random_bits(storage: Format, count: int, chance: np.random.Generator) -> np.ndarray:
    """Random bits; of a bool 0 and 1."""
    bits = chance.integers(0, 1 << (8 * storage.size), count, np.uint64, endpoint=False) if storage.size < 8 else None
    if bits is None:
        bits = chance.integers(0, np.iinfo(np.uint64).max, count, np.uint64, endpoint=True)
    if storage.kind == "b":
        bits &= np.uint64(1)
    return bits.astype(f"u{storage.size}")


def mixed_values(dtype: Any, count: int, seed: int = 0) -> np.ndarray:
    """Hard values, numbers of every size and random bits in random order, a third of each.

    Parameters
    ----------
    dtype : dtype_like
        A NumPy dtype, its name, or a short name such as ``"bf16"``.
    count : int
        How many.
    seed : int
        The same seed gives the same values, as far as NumPy keeps its generator's stream.

    Returns
    -------
    numpy.ndarray
        One-dimensional.
    """
    storage = storage_named(dtype)
    chance = generator(seed, storage.short, "mixed")
    hard = np.array(hard_bits(storage.short), f"u{storage.size}")
    kind = chance.integers(0, 3, count)
    bits = random_bits(storage, count, chance)
    if storage.kind == "f":
        middle = _ordinary_floats(storage, count, chance)
    elif storage.kind == "b":
        middle = bits
    else:
        middle = (bits >> chance.integers(0, 8 * storage.size, count, np.uint64)).astype(bits.dtype)
    place = chance.integers(0, hard.size, count)
    place = np.where(chance.integers(0, 4, count) == 0, place % PLAIN, place)
    chosen = np.where(kind == 0, hard[place % hard.size], np.where(kind == 1, middle, bits))
    return from_bits(chosen, storage.dtype)


def _ordinary_floats(storage: Format, count: int, chance: np.random.Generator) -> np.ndarray:
    """Numbers of magnitude 2**-8 to 2**8, of both signs."""
    digits, bias = storage.precision - 1, (1 << (storage.exponent_bits - 1)) - 1
    exponent = chance.integers(bias - 8, bias + 8, count, np.uint64)
    bits = exponent << np.uint64(digits) | chance.integers(0, 1 << digits, count, np.uint64)
    bits |= np.where(chance.integers(0, 2, count) == 1, np.uint64(sign_bit(storage)), np.uint64(0))
    return bits.astype(f"u{storage.size}")


def related(values: np.ndarray, kind: int, seed: int = 0) -> np.ndarray:
    """A second operand that meets the first: equal, opposite, a few steps away, or much smaller, by ``kind``.

    With such pairs sums cancel, comparisons meet ties, quotients are whole, and one operand lies at the other's last place.
    """
    storage = storage_named(values.dtype)
    bits = bits_of(values)
    chance = generator(seed, storage.short, "related", kind)
    if storage.kind == "b":
        return from_bits(bits ^ bits.dtype.type(kind & 1), storage.dtype)
    step = chance.integers(-2, 3, bits.shape).astype(bits.dtype)  # a negative step wraps, as it has to
    kind %= 4
    if kind == 1:
        bits = bits ^ bits.dtype.type(sign_bit(storage))
    elif kind == 2:
        bits = bits + step
    elif kind == 3 and storage.kind == "f":
        digits = storage.precision - 1
        field = (1 << storage.exponent_bits) - 1
        exponent = (bits >> bits.dtype.type(digits)) & bits.dtype.type(field)
        lower = np.minimum(exponent, chance.integers(digits - 1, digits + 3, bits.shape).astype(bits.dtype))
        bits = bits - (lower << bits.dtype.type(digits))
    elif kind == 3:
        bits = bits >> chance.integers(0, 8 * storage.size, bits.shape).astype(bits.dtype)
    return from_bits(bits, storage.dtype)
