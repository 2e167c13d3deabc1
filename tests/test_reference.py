"""Tests of the references themselves: against NumPy and Python where those are exact, and by hand-written cases."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import gmpy2
import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, strategies
from support import special_cases, values
from support.processes import python
from support.values import hard_values, pairs, same_bits, triples

from exactops.verification import reference
from exactops.verification.binary64 import draws, powers
from exactops.verification.binary64 import filter as binary64_filter
from exactops.verification.functions import function_of, provable
from exactops.verification.reference import DTYPES, FLOATS, FORMATS, REFERENCES, array_of, bits_of, expected, transcendental

BY_NUMPY: dict[str, Callable[..., np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
    "reciprocal": lambda x: np.divide(x.dtype.type(1), x),
    "square": lambda x: np.multiply(x, x),
    "abs": np.abs,
    "neg": np.negative,
}


@pytest.mark.parametrize("name", ["f32", "f64"])
@pytest.mark.parametrize("op", BY_NUMPY)
def test_ieee_operations_against_numpy(op: str, name: str) -> None:
    operands = pairs(name) if REFERENCES[op].operands == (2, 2) else (hard_values(name),)
    with np.errstate(all="ignore"):
        by_numpy = BY_NUMPY[op](*operands)
    same_bits(expected(op, operands, {}, DTYPES[name]), by_numpy, operands, op, any_nan=True)


@pytest.mark.parametrize("op", ["equal", "less", "greater", "less_or_equal", "greater_or_equal"])
@pytest.mark.parametrize("name", ["f16", "f32", "f64", "i8", "i64", "u64"])
def test_comparisons_against_numpy(op: str, name: str) -> None:
    operands = pairs(name)
    with np.errstate(all="ignore"):
        by_numpy = getattr(np, op.replace("_or", ""))(*operands)
    same_bits(expected(op, operands, {}, np.bool_), by_numpy, operands, op)


@pytest.mark.parametrize("name", reference.SIGNED_INTEGERS + reference.UNSIGNED_INTEGERS)
@pytest.mark.parametrize("op", ["add", "sub", "mul", "square", "abs", "sign"])
def test_integer_operations_against_numpy(op: str, name: str) -> None:
    operands = pairs(name) if REFERENCES[op].operands == (2, 2) else (hard_values(name),)
    with np.errstate(all="ignore"):
        by_numpy = {**BY_NUMPY, "sign": np.sign}[op](*operands)
    same_bits(expected(op, operands, {}, DTYPES[name]), by_numpy, operands, op)


@pytest.mark.parametrize("name", ["i8", "i64", "u16", "u64"])
def test_integer_remainders_against_numpy(name: str) -> None:
    left, right = pairs(name)
    with np.errstate(all="ignore"):
        floor, c_like = np.remainder(left, right), np.fmod(left, right)
    same_bits(expected("mod", (left, right), {}, DTYPES[name]), floor, (left, right), "mod")
    same_bits(expected("mod", (left, right), {"fmod": 1}, DTYPES[name]), c_like, (left, right), "fmod")


def test_float_remainder_against_c() -> None:
    left, right = pairs("f64")
    ours = expected("mod", (left, right), {"fmod": 1}, np.float64)

    def c_fmod(x: float, y: float) -> float:
        try:
            return math.fmod(x, y)
        except ValueError:
            return math.nan

    by_c = np.array([c_fmod(x, y) for x, y in zip(left.tolist(), right.tolist(), strict=True)])
    same_bits(ours, by_c, (left, right), "fmod", any_nan=True)


@pytest.mark.parametrize(
    ("source", "target"),
    [("f64", "f32"), ("f64", "f16"), ("f32", "f16"), ("f16", "f32"), ("f16", "f64"), ("f32", "f64")]
    + [(source, target) for source in ("i8", "i16", "i32", "i64", "u8", "u32", "u64") for target in ("f32", "f64")],
)
def test_conversions_against_numpy(source: str, target: str) -> None:
    operand = hard_values(source)
    with np.errstate(all="ignore"):
        by_numpy = operand.astype(DTYPES[target])
    same_bits(expected("cast", [operand], {}, DTYPES[target]), by_numpy, [operand], "cast", any_nan=True)


def test_bfloat16_conversions_against_ml_dtypes() -> None:
    operand = hard_values("f32")
    with np.errstate(all="ignore"):
        narrowed = operand.astype(ml_dtypes.bfloat16)
    same_bits(expected("cast", [operand], {}, DTYPES["bf16"]), narrowed, [operand], "cast", any_nan=True)
    every = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    with np.errstate(all="ignore"):
        widened = every.astype(np.float32)
    same_bits(expected("cast", [every], {}, np.float32), widened, [every], "cast", any_nan=True)


@pytest.mark.parametrize("name", FLOATS)
def test_every_pattern_survives_decoding_and_rounding(name: str) -> None:
    form = FORMATS[name]
    patterns = range(1 << 16) if form.bits == 16 else values.hard_patterns(name)
    for pattern in patterns:
        assert reference.encode(form, reference.decode(form, pattern)) == reference.canonical(form, pattern)


@given(strategies.floats(), strategies.floats())
def test_double_arithmetic_against_python(x: float, y: float) -> None:
    operands = np.array([x]), np.array([y])
    for op, result in (("add", x + y), ("sub", x - y), ("mul", x * y)):
        same_bits(expected(op, operands, {}, np.float64), np.array([result]), operands, op, any_nan=True)
    if y:
        same_bits(expected("div", operands, {}, np.float64), np.array([x / y]), operands, "div", any_nan=True)


@given(strategies.integers(), strategies.integers(min_value=1))
def test_ratios_against_python(numerator: int, denominator: int) -> None:
    """Python rounds the ratio of two integers correctly to a double."""
    try:
        by_python = numerator / denominator
    except OverflowError:
        return
    bits = reference.round_ratio(reference.F64, int(numerator < 0), abs(numerator), denominator)
    same_bits(array_of([bits], "f64"), np.array([by_python]))


@given(strategies.floats(min_value=0, allow_infinity=False), strategies.integers(min_value=-300, max_value=300))
def test_roots_and_powers_bracket_the_real_number(x: float, power: int) -> None:
    """The neighbours of a correctly rounded result lie on both sides of the real number (checked with rationals)."""
    form = reference.F32
    bits = reference.float_pow(form, reference.number_of(x), reference.number_of(power))
    if not 0 < bits < form.infinity - 1 or x == 0:
        return
    exact = gmpy2.mpq(x) ** power
    low, high = (value_of(bits + step) for step in (-1, 1))
    here = value_of(bits)
    assert (low + here) / 2 <= exact <= (here + high) / 2


def value_of(bits: int) -> Any:
    """A finite float32 pattern as a rational."""
    number = reference.decode(reference.F32, bits)
    return gmpy2.mpq(number.mantissa) * gmpy2.mpq(2) ** number.exponent


@pytest.mark.parametrize("op", ["exp", "log", "tanh", "erf", "erfc", "sin", "cos", "rsqrt"])
def test_float32_transcendentals_against_long_mpfr(op: str) -> None:
    """MPFR's own conversion of a 400-bit result, rounded to 24 bits (normal results only)."""
    operand = hard_values("f32")[::7]
    ours = expected(op, [operand], {}, np.float32)
    function = gmpy2.rec_sqrt if op == "rsqrt" else getattr(gmpy2, op)
    with gmpy2.context(precision=400):
        for x, y in zip(operand.tolist(), ours.tolist(), strict=True):
            wide = function(gmpy2.mpfr(x, 24))
            if not math.isfinite(x) or not 2.0**-126 <= abs(y) < math.inf:
                continue
            with gmpy2.context(precision=24):
                assert +wide == gmpy2.mpfr(y), (op, x)


def test_compositions_against_mpmath() -> None:
    """sigmoid, silu and both gelus against formulas written differently, in a second library."""
    import mpmath

    mpmath.mp.prec = 600
    formulas = {
        "sigmoid": lambda x: (1 + mpmath.tanh(x / 2)) / 2,
        "silu": lambda x: x * (1 + mpmath.tanh(x / 2)) / 2,
        "gelu": lambda x: x * mpmath.ncdf(x),
        "gelu_tanh": lambda x: x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3))),
    }
    operand = hard_values("f32")
    operand = operand[np.abs(operand) < 12][::9]
    for op, formula in formulas.items():
        ours = expected(op, [operand], {}, np.float32)
        for x, y, bits in zip(operand.tolist(), ours.tolist(), bits_of(ours).tolist(), strict=True):
            real = formula(mpmath.mpf(x))
            magnitude = bits & 0x7FFFFFFF
            half = mpmath.mpf(2) ** (max((magnitude >> 23) - 1, 0) - 150)
            assert abs(mpmath.mpf(y) - real) <= half, (op, x)


@pytest.mark.parametrize("name", provable())
def test_float64_transcendentals_against_the_prover(name: str) -> None:
    """The references and the filter of the prover share nothing but MPFR."""
    function = function_of("gelu", {"approximate": "tanh"}) if name == "gelu_tanh" else function_of(name)
    chosen = np.random.default_rng(7).choice(draws.draw(function, 4, 0), 600, replace=False)
    operand = np.concatenate([chosen, np.array(draws.places(function)), hard_values("f64")[::20]])
    attributes = {"approximate": "tanh"} if name == "gelu_tanh" else {}
    ours = expected(function.name.removesuffix("_tanh") if attributes else name, [operand], attributes, np.float64)
    theirs, _ = binary64_filter.reference(function, operand)
    assert (bits_of(ours) == theirs).all(), operand[bits_of(ours) != theirs][:5]


@pytest.mark.parametrize("exponent", ["f64", "i64", "u64", "bf16"])
def test_float64_powers_against_the_prover(exponent: str) -> None:
    x, y = powers.draw(4, 0, exponent)
    chosen = np.random.default_rng(7).choice(x.size, 600, replace=False)
    x, y = x[chosen], y[chosen]
    with np.errstate(invalid="ignore"):
        theirs, _, _ = powers.reference(x, y if y.dtype.kind in "iu" else y.astype(np.float64))
    assert (bits_of(expected("pow", [x, y], {}, np.float64)) == theirs).all()


def test_negative_numbers_reach_mpfr_unrounded() -> None:
    """gmpy2's own minus sign rounds to the precision of the current context, 53 bits."""
    whole = -(2**62 + 1535)
    assert int(transcendental.exact_mpfr(reference.number_of(whole))) == whole


def test_known_hard_cases_need_more_than_a_double() -> None:
    """float32 inputs whose result a double rounds the wrong way are decided all the same."""
    operand = array_of([0xC16912CD], "f32")
    wide = gmpy2.context(precision=200).exp(gmpy2.mpfr(float(operand[0])))
    ours = float(expected("exp", [operand], {}, np.float32)[0])
    neighbours = [float(each) for each in np.nextafter(np.float32(ours), np.array([-np.inf, np.inf], np.float32))]
    assert all(abs(gmpy2.mpfr(ours) - wide) < abs(gmpy2.mpfr(each) - wide) for each in neighbours)


@pytest.mark.parametrize("op", sorted(REFERENCES))
def test_special_cases(op: str) -> None:
    cases = special_cases.special_cases_of(op)
    assert cases, f"no special case is written out for {op}"
    for case in cases:
        result = expected(op, case.arrays, case.attributes, case.result_type)
        same_bits(result, case.expected, case.arrays, str(case))


def test_special_cases_cover_every_type() -> None:
    count = Counter((case.op, case.types[-1]) for case in special_cases.SPECIAL_CASES)
    assert {op for op, _ in count} == set(REFERENCES)
    assert len(special_cases.SPECIAL_CASES) > 5000


def test_folds_and_clips_against_a_plain_rule() -> None:
    first, second, third = triples("f32")
    largest = []
    for row in zip(first.tolist(), second.tolist(), third.tolist(), strict=True):
        if any(math.isnan(each) for each in row):
            largest.append(math.nan)
            continue
        best = row[0]
        for each in row[1:]:
            best = best if best > each else each
        largest.append(best)
    ours = expected("max", (first, second, third), {}, np.float32)
    same_bits(ours, np.array(largest, dtype=np.float32), (first, second, third), "max", any_nan=True)
    low, high = np.float32(-1.5), np.float32(2.5)
    clipped = expected("clip", (first, low, high), {}, np.float32)
    with np.errstate(all="ignore"):
        by_numpy = np.minimum(np.maximum(first, low), high)
    same_bits(clipped, by_numpy, (first,), "clip", any_nan=True)


def test_scaled_add_is_its_written_out_form() -> None:
    for name in FLOATS:
        left, right = pairs(name)
        alpha, beta = 0.3, -1.7
        dtype = DTYPES[name]
        alpha_array = array_of([reference.weak_bits(FORMATS[name], alpha)], name)
        beta_array = array_of([reference.weak_bits(FORMATS[name], beta)], name)
        products = (
            expected("mul", (left, alpha_array), {}, dtype),
            expected("mul", (right, beta_array), {}, dtype),
        )
        composed = expected("add", products, {}, dtype)
        direct = expected("scaled_add", (left, right), {"alpha": alpha, "beta": beta}, dtype)
        same_bits(direct, composed, (left, right), f"scaled_add {name}")


def test_powi_backward_is_its_written_out_form() -> None:
    for name in FLOATS:
        x, upstream = (each[::5] for each in pairs(name))
        for exponent in (1, 2, 3, -1, -4, 2**31 - 1, -(2**31)):
            dtype = DTYPES[name]
            factor = array_of([reference.weak_bits(FORMATS[name], exponent)], name)
            scaled = expected("mul", (upstream, factor), {}, dtype)
            power = expected("powi", (x,), {"exp": exponent - 1}, dtype)
            direct = expected("powi_backward", (x, upstream), {"exp": exponent}, dtype)
            same_bits(direct, expected("mul", (scaled, power), {}, dtype), (x, upstream), f"powi_backward {name}")


def test_broadcasting_weak_scalars_and_missing_operands() -> None:
    column, row = np.arange(3, dtype=np.float32).reshape(3, 1), np.arange(4, dtype=np.float32)
    same_bits(expected("add", (column, row), {}, np.float32), column + row)
    same_bits(expected("mul", (row, 2), {}, np.float32), row * np.float32(2))
    same_bits(expected("clip", (row, None, 2), {}, np.float32), np.minimum(row, np.float32(2)))
    same_bits(expected("add", (row[:0], column[:1]), {}, np.float32), np.zeros((1, 0), np.float32))
    same_bits(expected("add", (row[::-2], row[::2].astype(">f4")), {}, np.float32), row[::-2] + row[::2])
    same_bits(expected("add", (np.float32(1), np.float32(2)), {}, np.float32), np.array(3, np.float32))
    with pytest.raises(OverflowError):
        expected("add", (np.arange(3, dtype=np.int8), 200), {}, np.int8)
    with pytest.raises(TypeError):
        expected("add", (np.arange(3, dtype=np.int8), 1.5), {}, np.int8)


@pytest.mark.parametrize("name", reference.ALL_TYPES)
def test_hard_values_hold_what_they_promise(name: str) -> None:
    form = FORMATS[name]
    found = set(values.hard_patterns(name))
    assert found >= set(values.special_patterns(form))
    assert len(found) == len(hard_values(name))
    couples = values.pair_patterns(name)
    assert len(couples) <= 6000
    assert len(values.triple_patterns(name)) <= 6000
    if form.is_float:
        payloads = {each for each in found if each & (form.sign_bit - 1) > form.infinity}
        assert len(payloads) >= 10
        exponents = {(each >> form.mantissa_bits) & (2 * form.exponent_max + 1) for each in found}
        assert len(exponents) == 2 * form.exponent_max + 2
        assert {form.infinity, form.infinity | form.sign_bit, form.largest, 1, form.mantissa_mask} <= found


# --- a planted fault must be found -----------------------------------------------------------------------------------


def truncating_sum(form: reference.FloatFormat, left: int, right: int) -> int:
    """A wrong addition: rounds toward zero."""
    total = reference.exact_sum(reference.decode(form, left), reference.decode(form, right))
    if total.kind:
        return reference.encode(form, total)
    surplus = max(0, total.mantissa.bit_length() - form.precision)
    return reference.round_dyadic(form, total.sign, total.mantissa >> surplus, total.exponent + surplus)


def test_a_wrong_addition_is_found() -> None:
    left, right = pairs("f32")
    wrong = [truncating_sum(reference.F32, *row) for row in values.pair_patterns("f32")]
    with pytest.raises(AssertionError, match="elements differ"):
        same_bits(array_of(wrong, "f32"), expected("add", (left, right), {}, np.float32), (left, right))


def fault_zero_sign(name: str, x: np.ndarray) -> np.ndarray:
    """round() that loses the sign of zero."""
    bits = bits_of(expected("round", [x], {}, DTYPES[name]))
    bits[bits == FORMATS[name].sign_bit] = 0
    return array_of(bits, name)


def fault_flush(name: str, x: np.ndarray) -> np.ndarray:
    """round() is not concerned, abs() that flushes subnormals to zero is."""
    bits = bits_of(expected("abs", [x], {}, DTYPES[name]))
    bits[bits <= FORMATS[name].mantissa_mask] = 0
    return array_of(bits, name)


def fault_payload(name: str, x: np.ndarray) -> np.ndarray:
    """abs() that keeps the payload of a NaN."""
    form = FORMATS[name]
    return array_of(bits_of(x) & np.array(form.sign_bit - 1, dtype=f"u{form.bits // 8}"), name)


@pytest.mark.parametrize("name", FLOATS)
@pytest.mark.parametrize(
    ("op", "fault"),
    [("round", fault_zero_sign), ("abs", fault_flush), ("abs", fault_payload)],
    ids=["zero sign", "flush", "payload"],
)
def test_hard_values_find_planted_faults(op: str, fault: Callable[[str, np.ndarray], np.ndarray], name: str) -> None:
    operand = hard_values(name)
    with pytest.raises(AssertionError, match="elements differ"):
        same_bits(fault(name, operand), expected(op, [operand], {}, DTYPES[name]), [operand])


def test_double_rounding_is_found() -> None:
    """f64 to a half type through f32 differs on the hard values."""
    operand = hard_values("f64")
    for target in ("f16", "bf16"):
        through = expected("cast", [expected("cast", [operand], {}, np.float32)], {}, DTYPES[target])
        with pytest.raises(AssertionError, match="elements differ"):
            same_bits(through, expected("cast", [operand], {}, DTYPES[target]), [operand])


def test_one_ulp_is_found_and_measured() -> None:
    operand = np.linspace(-5, 5, 101, dtype=np.float32)
    exact = expected("exp", [operand], {}, np.float32)
    off = array_of(bits_of(exact) + np.uint32(2), "f32")
    values.within_ulp(off, exact, 2)
    with pytest.raises(AssertionError, match="limit 1 ulp"):
        values.within_ulp(off, exact, 1)
    with pytest.raises(AssertionError):
        values.within_ulp(np.float32([-0.0]), np.float32([0.0]), 2)
    with pytest.raises(AssertionError):
        values.within_ulp(np.float32([np.nan]), np.float32([0.0]), 2)
    with pytest.raises(AssertionError):
        same_bits(np.float32([1]), np.float64([1]))


def test_without_gmpy2_the_references_say_what_to_install() -> None:
    program = (
        "import sys; sys.modules['gmpy2'] = None\n"
        "try: from exactops.verification import reference\n"
        "except ImportError as error: print(error)"
    )
    assert "references need gmpy2: pip install 'exactops[test]'" in python(program)
