"""Hard operands for every type, and the comparison of bits.

Everything is deterministic: the random part comes from a generator seeded with the type's name.
"""

from __future__ import annotations

import functools
import math
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from exactops.verification.reference import (
    BF16,
    DTYPES,
    F16,
    F32,
    F64,
    FORMATS,
    INTEGERS,
    FloatFormat,
    Format,
    IntegerFormat,
    array_of,
    bits_of,
    decode,
    format_of,
    round_dyadic,
    round_ratio,
)


def generator(name: str, purpose: str) -> np.random.Generator:
    """A random generator that depends on the type and the purpose alone."""
    return np.random.default_rng(zlib.crc32(f"{purpose}/{name}".encode()))


def random_patterns(form: Format, count: int, purpose: str) -> list[int]:
    """Uniformly random bit patterns (for bool 0 and 1)."""
    draw = generator(form.name, purpose).integers(0, 1 << 32, size=(count, 2), dtype=np.uint64)
    mask = 1 if form.is_bool else (1 << form.bits) - 1
    return [((int(high) << 32) | int(low)) & mask for high, low in draw]


def both_signs(form: FloatFormat, patterns: Sequence[int]) -> list[int]:
    """The magnitudes with either sign."""
    return [each | sign for each in patterns for sign in (0, form.sign_bit)]


def neighbours(form: FloatFormat, pattern: int, distance: int = 1) -> list[int]:
    """A magnitude and those up to a distance of units in the last place around it (NaNs excluded)."""
    return [each for each in range(pattern - distance, pattern + distance + 1) if 0 <= each <= form.infinity]


def nan_patterns(form: FloatFormat) -> list[int]:
    """Quiet and signalling NaNs with several payloads, both signs."""
    quiet = form.quiet_nan
    payloads = [
        quiet,
        quiet | 1,
        quiet | form.mantissa_mask,
        form.infinity | 1,
        form.infinity | (form.mantissa_mask >> 1),
    ]
    payloads.append(form.infinity | (form.mantissa_mask // 3 & ~(quiet & form.mantissa_mask)) | 1)
    return both_signs(form, sorted(set(payloads)))


def special_floats(form: FloatFormat) -> list[int]:
    """The short list that is combined with itself: zeros, infinities, NaNs, extremes, small whole and half numbers."""
    smallest_normal = 1 << form.mantissa_bits
    magnitudes = [
        0,
        1,
        smallest_normal - 1,
        smallest_normal,
        form.largest,
        form.infinity,
        form.one,
        form.one - 1,
        form.one + 1,
    ]
    magnitudes += [round_ratio(form, 0, *ratio) for ratio in ((1, 2), (2, 1), (3, 2), (5, 2), (3, 1), (4, 1), (7, 10), (10, 1))]
    magnitudes.append(round_dyadic(form, 0, 1, form.precision - 1))
    return [*both_signs(form, magnitudes), form.quiet_nan, form.quiet_nan | form.sign_bit | 1, form.infinity | 1]


def _tie_floats(form: FloatFormat) -> list[int]:
    """Half-way cases of rounding to an integer, with their neighbours."""
    found: list[int] = []
    for half in (1, 3, 5, 7, 9, 255, 257, 2047):
        found += neighbours(form, round_dyadic(form, 0, half, -1))
    for exponent in (form.precision - 3, form.precision - 2, form.precision - 1, form.precision, form.precision + 1):
        for addend in (-3, -1, 1, 3):
            found += neighbours(form, round_dyadic(form, 0, (2 << exponent) + addend, -1))
    return found


def _integer_limits(form: FloatFormat) -> list[int]:
    """Powers of two and the limits of every integer type, with their neighbours."""
    found: list[int] = []
    for power in (1, 2, 3, 4, 7, 8, 15, 16, 23, 24, 31, 32, 52, 53, 63, 64, 65):
        found += neighbours(form, round_dyadic(form, 0, 1, power), 2)
        found += neighbours(form, round_dyadic(form, 0, (1 << power) - 1, 0))
        found += neighbours(form, round_dyadic(form, 0, (2 << power) - 1, -1))
    return found


def _narrowing_floats(form: FloatFormat) -> list[int]:
    """Midpoints between neighbours of each narrower format, overflow and underflow thresholds, with neighbours."""
    found: list[int] = []
    for narrow in (F16, BF16, F32):
        if narrow.precision >= form.precision:
            continue
        source = [*range(4), *neighbours(narrow, 1 << narrow.mantissa_bits, 2), *neighbours(narrow, narrow.largest, 2)]
        source += [each & (narrow.sign_bit - 1) for each in random_patterns(narrow, 48, f"midpoints-{form.name}")]
        for pattern in source:
            if pattern >= narrow.infinity:
                continue
            low, high = decode(narrow, pattern), decode(narrow, min(pattern + 1, narrow.largest))
            exponent = min(low.exponent, high.exponent, narrow.quantum if not low.mantissa else low.exponent)
            if pattern == narrow.largest:
                midpoint = (low.mantissa << 1) + 1, low.exponent - 1  # the overflow threshold
            else:
                total = (low.mantissa << (low.exponent - exponent if low.mantissa else 0)) + (
                    high.mantissa << (high.exponent - exponent)
                )
                midpoint = total, exponent - 1
            found += neighbours(form, round_dyadic(form, 0, *midpoint))
    return found


def _function_floats(form: FloatFormat) -> list[int]:
    """Places where transcendental functions and activations change branch, overflow, underflow or saturate."""
    texts = (
        (1, 3), (1, 6), (1, 10), (1, 5), (3, 10), (22, 7), (11, 7), (693147, 1000000), (271828, 100000), (3, 1), (5, 1),
        (88722839, 1000000), (10397208, 100000), (87336545, 1000000),
        (709782712893384, 10**12), (745133219101941, 10**12),
        (11, 1), (17, 1), (9010913, 1000000), (19061547, 1000000), (392, 100), (9194, 1000),
        (10054, 1000), (27226, 1000),
        (14, 1), (38, 1), (5, 2), (100, 1), (1000, 1), (1, 1000), (1, 100000), (65504, 1), (65520, 1), (10**10, 1),
        (10**30, 1),
    )  # fmt: skip
    found: list[int] = []
    for ratio in texts:
        found += neighbours(form, round_ratio(form, 0, *ratio))
    return found


@functools.cache
def hard_patterns(name: str) -> tuple[int, ...]:
    """The bit patterns of :func:`hard_values`."""
    form = FORMATS[name]
    if isinstance(form, IntegerFormat):
        return _hard_integers(form)
    found = special_floats(form) + nan_patterns(form)
    magnitudes = _tie_floats(form) + _integer_limits(form) + _narrowing_floats(form) + _function_floats(form)
    magnitudes += list(range(8)) + neighbours(form, 1 << form.mantissa_bits, 4) + neighbours(form, form.largest, 4)
    magnitudes += neighbours(form, form.one, 8)
    mask = form.mantissa_mask
    noise = random_patterns(form, 2 * (form.exponent_max * 2 + 2), "significands")
    step = 1 if form.bits < 64 else 3  # f64 has 2,046 exponents: one significand in three of them each
    for exponent in range(form.exponent_max * 2 + 1):
        leading = exponent << form.mantissa_bits
        kinds = [0, mask, noise[2 * exponent] & mask, noise[2 * exponent + 1] & mask]
        magnitudes += [leading | each for position, each in enumerate(kinds) if step == 1 or position % 3 == exponent % 3]
    found += both_signs(form, magnitudes)
    return tuple(dict.fromkeys(found))


def _hard_integers(form: IntegerFormat) -> tuple[int, ...]:
    if form.is_bool:
        return (0, 1)
    found = [0, 1, 2, 3, 5, 7, 10, 100, -1, -2, -3, -5, -7, -10, -100, form.minimum, form.maximum]
    for power in range(form.bits):
        for sign in (1, -1):
            found += [sign * ((1 << power) + addend) for addend in (-2, -1, 0, 1, 2)]
    found += [form.minimum + each for each in range(4)] + [form.maximum - each for each in range(4)]
    for precision in (8, 11, 24, 53):  # midpoints of float formats
        for shift in range(1, form.bits - precision + 1):
            middle = (1 << (precision + shift - 1)) + (1 << (shift - 1))
            found += [sign * (middle + addend) for addend in (-1, 0, 1, 1 << shift) for sign in (1, -1)]
    inside = [form.wrap(each) for each in found if form.minimum <= each <= form.maximum]
    inside += random_patterns(form, 64, "integers")
    return tuple(dict.fromkeys(inside))


def hard_values(dtype: Any) -> np.ndarray:
    """The hard values of one type, in a fixed order."""
    name = format_of(dtype).name
    return array_of(hard_patterns(name), name)


def special_patterns(form: Format) -> list[int]:
    """The short list of a type that is combined with itself."""
    if isinstance(form, FloatFormat):
        return special_floats(form)
    if form.is_bool:
        return [0, 1]
    values = [0, 1, 2, 3, 7, 10, -1, -2, -3, -7, form.minimum, form.minimum + 1, form.maximum, form.maximum - 1]
    values += [1 << (form.bits // 2), (1 << (form.bits // 2)) - 1, -(1 << (form.bits // 2))]
    return list(dict.fromkeys(form.wrap(each) for each in values if form.minimum <= each <= form.maximum))


def _clip_exponent(form: FloatFormat, biased: int) -> int:
    return min(max(biased, 0), 2 * form.exponent_max)


def _related_float_pairs(form: FloatFormat, count: int) -> list[tuple[int, int]]:
    """Pairs whose sum, product, quotient or remainder is near a tie, cancels, overflows or underflows."""
    noise = random_patterns(form, 3 * count, "pairs")
    mask, width, bias = form.mantissa_mask, form.mantissa_bits, form.exponent_max
    found: list[tuple[int, int]] = []
    for position in range(count):
        first, second, third = noise[3 * position : 3 * position + 3]
        signs = (second & 1) * form.sign_bit
        left = first & (form.sign_bit - 1)
        exponent = min(left >> width, 2 * bias)
        left = (exponent << width) | (left & mask)
        kind = position % 8
        if kind == 0:  # equal or almost equal
            right = min(max(left + third % 7 - 3, 0), form.infinity)
        elif kind == 1:  # a sum in the neighbourhood of a tie: one operand just beyond the other's last place
            apart = form.precision - 2 + third % 5
            short = 0 if third & 64 else (third & mask)
            right = (_clip_exponent(form, exponent - apart) << width) | short
        elif kind == 2:  # a product near overflow
            right = (_clip_exponent(form, 3 * bias - exponent + third % 3 - 1) << width) | (third & mask)
        elif kind == 3:  # a product near and below the smallest normal
            right = (_clip_exponent(form, bias - exponent - third % (form.precision + 3) + 1) << width) | (third & mask)
        elif kind == 4:  # a quotient near overflow or underflow
            goal = exponent - 2 * bias if third & 64 else exponent + bias + third % (form.precision + 2)
            right = (_clip_exponent(form, goal + bias) << width) | (third & mask)
        elif kind == 5:  # the same exponent, few significant bits: exact products and quotients, ties
            left &= ~(mask >> (third % (width + 1)))
            right = (exponent << width) | ((third >> 8) & mask & ~(mask >> (first % (width + 1))))
        elif kind == 6:  # a small whole ratio (remainder zero or near the divisor)
            number = decode(form, left)
            right = round_ratio(form, 0, number.mantissa, 1 + third % 13, number.exponent)
            right = min(max(right + (third >> 8) % 3 - 1, 0), form.infinity)
        else:  # any exponents at all, often far apart
            right = third & (form.sign_bit - 1)
        pair = (left | (first & form.sign_bit), right | signs)
        found.append(pair if third & 128 else pair[::-1])
    return found


@functools.cache
def pair_patterns(name: str) -> tuple[tuple[int, int], ...]:
    """The bit patterns of :func:`pairs`."""
    form = FORMATS[name]
    special = special_patterns(form)
    found = [(left, right) for left in special for right in special]
    if form.is_bool:
        return tuple(found)
    hard = hard_patterns(name)
    order = generator(name, "shuffle").permutation(len(hard))
    taken = [hard[each] for each in order[:700]]
    found += list(zip(taken, taken[1:] + taken[:1], strict=True))
    if isinstance(form, FloatFormat):
        found += _related_float_pairs(form, 1600)
        uniform = random_patterns(form, 400, "uniform pairs")
    else:
        uniform = random_patterns(form, 2400, "uniform pairs")
        small = generator(name, "small divisors").integers(1, 100, 200)
        found += [(left, form.wrap(int(right))) for left, right in zip(uniform, small, strict=False)]
        found += [(left, (left + addend) & form.mask) for left in uniform[:100] for addend in (-1, 0, 1)]
    found += list(zip(uniform[::2], uniform[1::2], strict=True))
    return tuple(dict.fromkeys(found))


def pairs(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Two operands of one type that bring the important combinations."""
    name = format_of(dtype).name
    left, right = zip(*pair_patterns(name), strict=True)
    return array_of(left, name), array_of(right, name)


def _powers_at(form: FloatFormat, base: int, target: float) -> int | None:
    """The magnitude of an exponent y with base**y near 2**target, where there is one (an input: its rounding is free)."""
    value = decode(form, base)
    if value.kind or value.sign or value.mantissa == 0:
        return None
    logarithm = math.log2(value.mantissa) + value.exponent
    if logarithm == 0:
        shift = value.mantissa.bit_length() - 1
        logarithm = math.log1p((value.mantissa - (1 << shift)) / (1 << shift)) / math.log(2)
    if logarithm == 0:
        return None
    exponent = target / logarithm
    numerator, denominator = abs(exponent).as_integer_ratio()
    return round_ratio(form, int(exponent < 0), numerator, denominator)


@functools.cache
def power_patterns(name: str) -> tuple[tuple[int, int], ...]:
    """Bases and exponents of a float type: exact powers, ties, results near 1 and near every threshold of the type."""
    form = FORMATS[name]
    assert isinstance(form, FloatFormat)
    found: list[tuple[int, int]] = []

    def of(numerator: int, denominator: int = 1) -> int:
        return round_ratio(form, int(numerator < 0), abs(numerator), denominator)

    for base in (2, 3, 4, 5, 6, 7, 9, 10, 15, 16, 25, 27, 31, 81, 100, 255, 256, 625, 1023, 1296, 4096, 14641):
        for power in (*range(-12, 13), 15, 16, 17, 24, 31, 32, 63, 64, 127, 128, -24, -126, -149, -150, 1023, -1074):
            found += [(of(base), of(power)), (of(-base), of(power)), (of(1, base), of(power))]
        for numerator in (-7, -5, -3, -1, 1, 3, 5, 7, 9, 11):
            found += [(of(base), of(numerator, 2)), (of(base), of(numerator, 4)), (of(1, base), of(numerator, 8))]
            found += [(of(base) + step, of(numerator, 2)) for step in (-1, 1)]
    draw = generator(name, "powers")
    for power in (2, 3, 4, 5, 6):  # odd bases whose power has one bit more than the type: exact ties
        low = int(2.0 ** ((form.precision + 0.05) / power)) | 1
        high = int(2.0 ** ((form.precision + 1) / power))
        for base in draw.integers(low, max(low + 2, high), 40).tolist():
            found += [(of(base | 1), of(power)), (of(base | 1, 1 << (form.precision // 2)), of(power))]
    for root in draw.integers(3, 1 << (form.precision // 2), 60).tolist():  # squares, for exponents with halves
        found += [(of(root * root), of(each, 2)) for each in (1, 3, -1)]
        found += [(of(root * root) + step, of(1, 2)) for step in (-1, 1)]
    bases = [form.one + step for step in (-3, -2, -1, 1, 2, 3, 50)] + [of(3, 2), of(2), of(3), of(10), of(7, 8), of(1, 3)]
    bases += [each & (form.sign_bit - 1) for each in random_patterns(form, 40, "bases")]
    quantum, top = form.quantum, form.exponent_max + 1
    for base in bases:
        targets = (top, -form.exponent_max + 1, quantum, quantum - 1, 0.5, -0.5, 1e-3, -1e-6, 2.0**-form.precision, top / 2)
        for target in targets:
            power = _powers_at(form, base, float(target))
            if power is not None and power & (form.sign_bit - 1) < form.infinity:
                magnitude, sign = power & (form.sign_bit - 1), power & form.sign_bit
                found += [(base, max(0, magnitude + step) | sign) for step in (-2, -1, 0, 1, 2)]
    return tuple(dict.fromkeys(found))


def powers(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Bases and exponents of one float type for pow."""
    name = format_of(dtype).name
    base, power = zip(*power_patterns(name), strict=True)
    return array_of(base, name), array_of(power, name)


@functools.cache
def triple_patterns(name: str) -> tuple[tuple[int, int, int], ...]:
    """The bit patterns of :func:`triples`."""
    form = FORMATS[name]
    if form.is_bool:
        return tuple((a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1))
    special = special_patterns(form)
    if isinstance(form, FloatFormat):
        smallest_normal = 1 << form.mantissa_bits
        magnitudes = [0, 1, smallest_normal, form.one, form.largest, form.infinity]
        special = [*both_signs(form, magnitudes), form.quiet_nan, form.sign_bit | form.infinity | 1]
    else:
        special = special[:12]
    found = [(a, b, c) for a in special for b in special for c in special]
    couples = pair_patterns(name)
    order = [int(each) for each in generator(name, "triples").permutation(len(couples))[:1200]]
    hard = hard_patterns(name)
    for position, chosen in enumerate(order):
        left, right = couples[chosen]
        third = (left, right, hard[(position * 37) % len(hard)], couples[order[position - 1]][0])[position % 4]
        found.append((left, right, third))
    return tuple(dict.fromkeys(found))


def triples(dtype: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Three operands of one type that bring the important combinations."""
    name = format_of(dtype).name
    first, second, third = zip(*triple_patterns(name), strict=True)
    return array_of(first, name), array_of(second, name), array_of(third, name)


# --- comparison -------------------------------------------------------------------------------------------------------


def is_nan(array: np.ndarray) -> np.ndarray:
    """Where an array of any type holds a NaN, seen from its bits."""
    form = format_of(array.dtype)
    if not isinstance(form, FloatFormat):
        return np.zeros(np.shape(array), dtype=np.bool_)
    return (bits_of(array) & (form.sign_bit - 1)) > form.infinity


def hexadecimal(array: Any, index: tuple[int, ...]) -> str:
    """One element as bits in hexadecimal and as the value that NumPy prints."""
    if array is None:
        return "None"
    array = np.asarray(array)
    if array.ndim and array.shape[-len(index) :] != (1,) * len(index):
        index = tuple(0 if size == 1 else at for size, at in zip(array.shape[::-1], index[::-1], strict=False))[::-1]
    else:
        index = (0,) * array.ndim
    digits = 2 * array.dtype.itemsize
    return f"0x{int(bits_of(array)[index]):0{digits}x} ({array[index]!s})"


def difference(actual: Any, expected: Any, inputs: Sequence[Any], wrong: np.ndarray, context: str) -> str:
    """A message that shows the first differing element with its inputs, in hexadecimal."""
    index = tuple(int(each) for each in np.argwhere(wrong)[0]) if wrong.ndim else ()
    lines = [f"{context}: {int(wrong.sum())} of {wrong.size} elements differ, the first at {index}"]
    lines += [f"  operand {number}: {hexadecimal(each, index)}" for number, each in enumerate(inputs)]
    lines += [f"  actual:    {hexadecimal(actual, index)}", f"  expected:  {hexadecimal(expected, index)}"]
    return "\n".join(lines)


def same_bits(
    actual: Any,
    expected: Any,
    inputs: Sequence[Any] = (),
    context: str = "",
    any_nan: bool = False,
    alternatives: Sequence[np.ndarray] = (),
) -> None:
    """Asserts that two arrays have one dtype, one shape and the same bits.

    ``any_nan`` lets every NaN match every NaN; ``alternatives`` are further permitted values per element.
    """
    actual, expected = np.asarray(actual), np.asarray(expected)
    if actual.dtype != expected.dtype or actual.shape != expected.shape:
        raise AssertionError(
            f"{context}: got {actual.dtype}{list(actual.shape)}, expected {expected.dtype}{list(expected.shape)}"
        )
    found = bits_of(actual)
    wrong = np.asarray(found != bits_of(expected))
    for each in alternatives:
        wrong &= np.asarray(found != bits_of(each))
    if any_nan:
        wrong &= ~(is_nan(actual) & is_nan(expected))
    if wrong.any():
        raise AssertionError(difference(actual, expected, inputs, wrong, context))


def ordered(array: np.ndarray) -> np.ndarray:
    """Signed 64-bit keys that count units in the last place; both zeros are 0."""
    form = format_of(array.dtype)
    magnitude = (bits_of(array) & (form.sign_bit - 1)).astype(np.int64)
    return np.where((bits_of(array) & form.sign_bit) != 0, -magnitude, magnitude)


def within_ulp(actual: Any, expected: Any, limit: int, inputs: Sequence[Any] = (), context: str = "") -> None:
    """Asserts that floats are at most some units in the last place apart; NaN, zero and infinity must be the same."""
    actual, expected = np.asarray(actual), np.asarray(expected)
    same_bits(np.zeros_like(actual), np.zeros_like(expected), (), context)
    form = format_of(actual.dtype)
    first, second = ordered(actual), ordered(expected)
    with np.errstate(over="ignore"):
        far = np.abs(first - second) > limit
    either_nan, both_nan = is_nan(actual) | is_nan(expected), is_nan(actual) & is_nan(expected)
    sign = (bits_of(actual) ^ bits_of(expected)) & form.sign_bit
    wrong = np.asarray((far | (sign != 0) | either_nan) & ~both_nan)
    if wrong.any():
        raise AssertionError(difference(actual, expected, inputs, wrong, f"{context} (limit {limit} ulp)"))


__all__ = [
    "DTYPES",
    "F64",
    "INTEGERS",
    "difference",
    "hard_patterns",
    "hard_values",
    "is_nan",
    "pair_patterns",
    "pairs",
    "power_patterns",
    "powers",
    "same_bits",
    "special_patterns",
    "triple_patterns",
    "triples",
    "within_ulp",
]
