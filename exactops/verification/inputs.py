"""The canonical input stream of the fingerprints: bit patterns from integer arithmetic on counters, and nothing else.

Element ``i`` of operand ``place`` is a function of ``i``, ``place`` and the operands' types. No floating-point instruction
runs, and nothing of exactops is used, so that a machine on which the kernels are wrong has the right inputs all the same; the
fingerprint file holds hashes of the streams too. ``docs/verification.md`` has the same in words.

**Complete sets.** One operand of 8 bits: the patterns 0 to 255 in order. One operand of 16 bits: pattern
``40503 * i mod 2**16``, so that any part of the stream is spread over all of them. Two operands of 8 bits: the upper and
the lower byte of that number.

**Chosen sets** of 2**20 elements for all else. First come the structured ones: for one operand the list :func:`structured`,
for two operands all pairs of the first 64 :func:`specials`, for three all triples of the first 16 (a shorter list repeats);
and then the hard cases of these types, if there are any. The others are drawn: ``a`` and ``b`` are the outputs of SplitMix64
for the counters ``8 i + 2 place`` and one more, and ``kind = i mod 4`` and ``relation = i // 4 mod 4`` say what becomes of
them (:func:`_drawn_float`, :func:`_drawn_integer`, :func:`_related`).
"""

from __future__ import annotations

import functools

import numpy as np

#: Bits of a type, and of its exponent field (0: an integer).
FORMATS = {
    "f16": (16, 5),
    "bf16": (16, 8),
    "f32": (32, 8),
    "f64": (64, 11),
    **{f"{kind}{bits}": (bits, 0) for kind in "iu" for bits in (8, 16, 32, 64)},
    "bool": (8, 0),
}

#: Elements of a chosen set.
CHOSEN = 1 << 20

_ODD = 40503
_GOLDEN, _FIRST, _SECOND = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB


def count(types: tuple[str, ...]) -> int:
    """Elements of the stream of operands of these types."""
    bits = sum(FORMATS[short][0] for short in types)
    return 1 << bits if bits <= 16 else CHOSEN


def operands(types: tuple[str, ...], index: np.ndarray, hard: np.ndarray) -> tuple[np.ndarray, ...]:
    """The bit patterns of some elements.

    Parameters
    ----------
    types : tuple of str
        The operands' types.
    index : numpy.ndarray of uint64
        Numbers of the elements.
    hard : numpy.ndarray of unsigned integers
        The hard cases of these types, one row a case and one column an operand, which follow the other structured elements.

    Returns
    -------
    tuple of numpy.ndarray
        Unsigned integers of each type's size.
    """
    sizes = [np.dtype(f"u{FORMATS[short][0] // 8}") for short in types]
    if count(types) < CHOSEN:
        pattern = index if count(types) == 256 else (index * _word(_ODD)) & _word(0xFFFF)
        parts = [pattern] if len(types) == 1 else [pattern >> _word(8), pattern & _word(0xFF)]
        return tuple(part.astype(size) for part, size in zip(parts, sizes, strict=True))
    lists, base = _structured_lists(types)
    found: list[np.ndarray] = []
    grid = base ** len(types)
    is_structured, is_hard = index < _word(grid), (index >= _word(grid)) & (index < _word(grid + len(hard)))
    digit = index.copy()
    for place, short in enumerate(types):
        related = place == 1 and short == types[0]
        drawn = _related(short, index, found[0]) if related else _drawn(short, index, place)
        table = lists[place]
        chosen = table[((digit % _word(base)) % _word(len(table))).astype(np.int64)]
        made = np.where(is_structured, chosen, drawn)
        made[is_hard] = hard[(index[is_hard] - _word(grid)).astype(np.int64), place]
        found.append(made)
        digit = digit // _word(base)
    return tuple(part.astype(size) for part, size in zip(found, sizes, strict=True))


def _structured_lists(types: tuple[str, ...]) -> tuple[list[np.ndarray], int]:
    """The tables of the structured elements, and how many of each are combined."""
    if len(types) == 1:
        return [structured(types[0])], len(structured(types[0]))
    base = 64 if len(types) == 2 else 16
    return [specials(short)[:base] for short in types], base


def _word(value: int) -> np.uint64:
    return np.uint64(value & 0xFFFFFFFFFFFFFFFF)


@functools.cache
def specials(short: str) -> np.ndarray:
    """The patterns that are combined with each other."""
    bits, exponent = FORMATS[short]
    if short == "bool":
        return np.array([0, 1, 2, 255], np.uint64)
    sign = 1 << (bits - 1)
    if not exponent:
        steps = [0, 1, 2, 3, 5, 7, 10, 100]
        found = [*steps, *(-each for each in steps), sign, sign - 1, sign + 1, sign - 2, sign >> 1, (sign >> 1) + 1, sign >> 2]
        for power in (bits // 4, bits // 2, bits - 2):
            found += [(1 << power) + step for step in (-1, 0, 1)] + [-(1 << power) + step for step in (-1, 0, 1)]
        found = [each & ((1 << bits) - 1) for each in found]
    else:
        width = bits - 1 - exponent
        bias = (1 << (exponent - 1)) - 1
        one, infinity, top = bias << width, (2 * bias + 1) << width, 1 << width
        half = top >> 1
        magnitudes = [0, infinity, one, 1, top, infinity - 1, infinity | half, one + top, one - top, one | half]
        magnitudes += [top - 1, top + 1, one + 1, one - 1, infinity | 1, infinity | half | 1]
        magnitudes += [one + top + (half >> 1), one + top + half, one + 2 * top, one + 3 * top + (half >> 2), 2, 3]
        magnitudes += [min(one + power * top, infinity - 1) for power in (width - 1, width, width + 1, 8, 16, 32, 64)]
        found = [magnitude | flag for magnitude in magnitudes for flag in (0, sign)]
    return np.array(list(dict.fromkeys(found))[:64], np.uint64)


@functools.cache
def structured(short: str) -> np.ndarray:
    """The patterns that begin the stream of one operand.

    They are the specials; then, of a float, every sign and exponent with the fractions 0, 1, all ones, the half less one, the
    half, the half and one, and alternating bits, and of an integer every power of two and 3 times it, with neighbours and
    negatives.
    """
    bits, exponent = FORMATS[short]
    found = [int(each) for each in specials(short)]
    sign = 1 << (bits - 1)
    if exponent:
        width = bits - 1 - exponent
        ones, half = (1 << width) - 1, 1 << (width - 1)
        for field in range(1 << exponent):
            for fraction in (0, 1, ones, half - 1, half, half + 1, ones // 3):
                found += [field << width | fraction, sign | field << width | fraction]
    else:
        for power in range(bits):
            for step in (-2, -1, 0, 1, 2):
                found += [(1 << power) + step, -(1 << power) + step, (3 << power) + step]
    return np.array(list(dict.fromkeys(each & ((1 << bits) - 1) for each in found)), np.uint64)


def _random(index: np.ndarray, place: int) -> tuple[np.ndarray, np.ndarray]:
    """Two random words an element: SplitMix64 of its counters."""
    return _mixed(index * _word(8) + _word(2 * place)), _mixed(index * _word(8) + _word(2 * place + 1))


def _mixed(counter: np.ndarray) -> np.ndarray:
    z = (counter + _word(1)) * _word(_GOLDEN)
    z = (z ^ (z >> _word(30))) * _word(_FIRST)
    z = (z ^ (z >> _word(27))) * _word(_SECOND)
    return z ^ (z >> _word(31))


def _drawn(short: str, index: np.ndarray, place: int) -> np.ndarray:
    a, b = _random(index, place)
    if short == "bool":
        return np.where(b & _word(1), a & _word(0xFF), _word(0))
    return (_drawn_float if FORMATS[short][1] else _drawn_integer)(short, index, a, b)


def _drawn_float(short: str, index: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Kind 0: any pattern. 1: exponents from 2**-24 to 2**12. 2 and 3: the same with few bits of fraction, or a neighbour.

    Of the kinds 2 and 3, 2 has the exponents of kind 1 and 3 those of kind 0.
    """
    bits, exponent = FORMATS[short]
    width, kind = bits - 1 - exponent, index & _word(3)
    a = a & _word((1 << bits) - 1)
    near = (((b & _word(0xFFFF)) * _word(37)) >> _word(16)).astype(np.int64) - 24 + ((1 << (exponent - 1)) - 1)
    moved = _with_exponent(short, a, near)
    pattern = np.where((kind == 1) | (kind == 2), moved, a)
    few = pattern & ~((_word((1 << width) - 1)) >> ((b >> _word(16)) % _word(width + 1)))
    step = (b >> _word(32)) % _word(3)
    magnitude = (few + step - _word(1)) & _word((1 << (bits - 1)) - 1)
    return np.where(kind < 2, pattern, (few & _word(1 << (bits - 1))) | magnitude)


def _with_exponent(short: str, pattern: np.ndarray, field: np.ndarray) -> np.ndarray:
    """The pattern with another exponent field, brought into the range of finite numbers."""
    bits, exponent = FORMATS[short]
    width = bits - 1 - exponent
    inside = np.clip(field, 0, (1 << exponent) - 2).astype(np.uint64) << _word(width)
    return (pattern & _word(~(((1 << exponent) - 1) << width))) | inside


def _drawn_integer(short: str, index: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Kind 0: any value. 1: any magnitude. 2: near a power of two, of either sign. 3: few leading bits, or a neighbour."""
    bits, _ = FORMATS[short]
    kind, mask, shift = index & _word(3), _word((1 << bits) - 1), b % _word(bits)
    a = a & mask
    if short[0] == "i":
        extended = (a << _word(64 - bits)).view(np.int64) >> (shift + _word(64 - bits)).astype(np.int64)
        small = extended.view(np.uint64)
    else:
        small = a >> shift
    negative = (b >> _word(40)) & _word(1) != 0
    power = (_word(1) << shift) + ((b >> _word(8)) & _word(3)) - _word(2)
    length = _word(bits) - shift
    cleared = (b >> _word(16)) % length
    few = (((a >> shift) >> cleared) << cleared) + (b >> _word(32)) % _word(3) - _word(1)
    signed_power, signed_few = (np.where(negative, _word(0) - each, each) for each in (power, few))
    return np.select([kind == 0, kind == 1, kind == 2], [a, small, signed_power], signed_few) & mask


def _related(short: str, index: np.ndarray, first: np.ndarray) -> np.ndarray:
    """A second operand of the first one's type. Relation 0: drawn like the first.

    Floats: 1: the first with other low bits and perhaps the other sign; 2: with an exponent so near that bits of both meet;
    3: with one that brings the product to the least normal number. Integers: 1: at most 4 away; 2: a small one; 3: as 0.
    """
    bits, exponent = FORMATS[short]
    a, b = _random(index, 1)
    own, relation, mask = _drawn(short, index, 1), (index >> _word(2)) & _word(3), _word((1 << bits) - 1)
    if short == "bool":
        return own
    if not exponent:
        near = first + (b & _word(7)) - _word(3)
        small = (a & mask) >> (_word(bits // 2) + b % _word(bits // 2))
        return np.select([relation == 1, relation == 2], [near, small], own) & mask
    width, bias = bits - 1 - exponent, (1 << (exponent - 1)) - 1
    near = first ^ (b & _word(7)) ^ (((b >> _word(3)) & _word(1)) << _word(bits - 1))
    field = ((first >> _word(width)) & _word((1 << exponent) - 1)).astype(np.int64)
    apart = ((b >> _word(8)) % _word(2 * width + 10)).astype(np.int64) - (width + 5)
    below = ((b >> _word(8)) % _word(width + 4)).astype(np.int64)
    meeting = _with_exponent(short, a & mask, field + apart)
    product = _with_exponent(short, a & mask, bias + 1 - below - field)
    return np.select([relation == 1, relation == 2, relation == 3], [near, meeting, product], own)
