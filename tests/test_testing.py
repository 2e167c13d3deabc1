"""exactops.testing: comparisons, values, layouts and strategies."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st
from support.processes import python
from support.table import entries
from support.values import nan_patterns, special_patterns

import exactops
from exactops import testing
from exactops.frontend.plan import plan
from exactops.table.formats import FLOATS, INTEGERS
from exactops.table.formats import FORMATS as STORED
from exactops.testing import (
    Call,
    arrays,
    assert_same_bits,
    attributes,
    bits_of,
    calls,
    from_bits,
    hard_values,
    lay_out,
    layout_names,
    layouts,
    mixed_values,
    operand_shapes,
    shapes,
    ulp_distance,
)
from exactops.verification.reference import FORMATS, FloatFormat, decode

BF16 = ml_dtypes.bfloat16
QUICK = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)

# --- assert_same_bits -------------------------------------------------------------------------------------------------------


def test_same_bits_pass():
    for short, storage in STORED.items():
        values = hard_values(short)
        assert_same_bits(values, values.copy(), nan="bits")
        assert_same_bits(values[::2], lay_out(values[::2], "strided"), nan="bits")
        if "byte-swapped" in layout_names(values):
            assert_same_bits(lay_out(values, "byte-swapped"), values, nan="bits")
        assert_same_bits(np.zeros((0, 3), storage.dtype), np.zeros((0, 3), storage.dtype))
        assert_same_bits(values[0], values[0])


@pytest.mark.parametrize("short", FLOATS)
def test_each_rule_for_nan(short):
    form, storage = FORMATS[short], STORED[short]
    canonical = from_bits([storage.nan], short)
    for pattern in nan_patterns(form):
        other = from_bits([pattern], short)
        assert_same_bits(other, canonical, nan="any")
        assert_same_bits(canonical, other, nan="any")
        assert_same_bits(canonical, other)  # expected may hold any NaN: the canonical one is asked for
        if pattern != storage.nan:
            with pytest.raises(AssertionError, match="the canonical NaN"):
                assert_same_bits(other, other)
            with pytest.raises(AssertionError):
                assert_same_bits(other, canonical, nan="bits")
    for rule in ("canonical", "any", "bits"):
        for one, two in ((canonical, from_bits([0], short)), (from_bits([form.infinity], short), canonical)):
            with pytest.raises(AssertionError, match="1 of 1"):
                assert_same_bits(one, two, nan=rule)


@pytest.mark.parametrize("short", STORED)
def test_one_bit_is_found_and_shown(short):
    values = mixed_values(short, 40, 3)
    spoilt = bits_of(values)
    spoilt[17] ^= 1
    wrong = spoilt.view(values.dtype)
    with pytest.raises(AssertionError, match=r"1 of 40 elements differ, the first at 17") as caught:
        assert_same_bits(wrong, values, nan="bits", inputs=(values, np.array(3, np.int16), None), message="here")
    text = str(caught.value)
    assert text.startswith("here: ") and "operand 0: 0x" in text and "operand 1: 0x0003 (3)" in text
    assert f"0x{int(spoilt[17]):0{2 * values.itemsize}x}" in text
    square = (4, 10)
    with pytest.raises(AssertionError, match=r"the first at \(1, 7\)"):
        assert_same_bits(wrong.reshape(square), values.reshape(square), nan="bits", inputs=(values.reshape(square)[:, :1],))


def test_what_is_no_array_of_the_same_kind():
    one = np.zeros(3, np.float32)
    for other in (one.astype(np.float64), one[:2], one.reshape(1, 3), one.view(np.int32)):
        with pytest.raises(AssertionError, match=r"got .* expected"):
            assert_same_bits(one, other)
    with pytest.raises(AssertionError, match="got complex128"):
        assert_same_bits(np.zeros(3, complex), one)
    with pytest.raises(TypeError, match="does not store dtype complex128"):
        assert_same_bits(np.zeros(3, complex), np.zeros(3, complex))
    with pytest.raises(AssertionError):
        assert_same_bits(np.float32(0.0), np.float32(-0.0), nan="any")
    with pytest.raises(ValueError, match="'canonical', 'any', 'bits'"):
        assert_same_bits(one, one, nan="equal")


# --- ulp_distance -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("short", FLOATS)
def test_distance_counts_numbers(short):
    """From the largest negative number to the largest positive, each step is one, but for the two zeros."""
    form = FORMATS[short]
    assert isinstance(form, FloatFormat)
    magnitudes = sorted({p & (form.sign_bit - 1) for p in bits_of(hard_values(short)).tolist()} - set(nan_patterns(form)))
    magnitudes = [each for each in magnitudes if each <= form.infinity]
    line = from_bits([each | form.sign_bit for each in reversed(magnitudes)] + magnitudes, short)
    place = np.array([-each for each in reversed(magnitudes)] + magnitudes, object)
    shift = len(line) // 3
    for one, two in ((0, -1), (1, 5), (shift, 2 * shift)):
        assert ulp_distance(line[one], line[two]) == abs(place[one] - place[two])
    assert ulp_distance(line[:-1], line[1:]).tolist() == [abs(b - a) for a, b in itertools.pairwise(place)]
    # It is a distance along a line: it adds up from one end.
    ends = ulp_distance(line[:1], line).tolist()
    assert ends == sorted(ends) and ends[-1] == 2 * form.infinity
    values = [decode(form, int(each)) for each in bits_of(line)]
    assert all(number.kind != 2 for number in values)


def test_distance_of_special_values():
    for short in FLOATS:
        form, infinity = FORMATS[short], from_bits([FORMATS[short].infinity], short)[0]
        zero, minus_zero = from_bits([0, form.sign_bit], short)
        nans = from_bits(nan_patterns(form), short)
        assert ulp_distance(zero, minus_zero) == 0
        assert ulp_distance(infinity, from_bits([form.largest], short)[0]) == 1
        assert not ulp_distance(nans[:, None], nans).any()
        assert ulp_distance(nans, infinity).tolist() == [2**64 - 1] * len(nans)
        assert ulp_distance(zero, nans).tolist() == [2**64 - 1] * len(nans)
        if "byte-swapped" in layout_names(nans):
            values = hard_values(short)
            assert not ulp_distance(lay_out(values, "byte-swapped"), values).any()
    result = ulp_distance(np.float32(1), np.float32(2))
    assert type(result) is int and result == 1 << 23


@pytest.mark.parametrize("short", [*INTEGERS, "bool"])
def test_distance_of_integers(short):
    values = hard_values(short)[:60]
    found = ulp_distance(values[:, None], values)
    wanted = [[abs(int(a) - int(b)) for b in values] for a in values]
    assert found.tolist() == wanted
    assert ulp_distance(from_bits([2], "bool"), from_bits([0x80], "bool")).tolist() == [0]


def test_distance_needs_one_type():
    with pytest.raises(TypeError, match="float32 and float64"):
        ulp_distance(np.float32(1), np.float64(1))
    with pytest.raises(TypeError, match="does not store"):
        ulp_distance(np.complex64(1), np.complex64(1))


# --- values -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("short", STORED)
def test_hard_values_hold_the_special_ones(short):
    found = set(bits_of(hard_values(short)).tolist())
    assert len(found) == hard_values(short).size
    form = FORMATS[short]
    assert set(special_patterns(form)) <= found
    if isinstance(form, FloatFormat):
        assert {each >> form.mantissa_bits for each in found} == set(range(1 << (form.bits - form.mantissa_bits)))
        ends = (1, (1 << form.mantissa_bits) - 1, 1 << form.mantissa_bits, form.largest)
        assert {each | sign for each in ends for sign in (0, form.sign_bit)} <= found
        assert sum(each & (form.sign_bit - 1) > form.infinity for each in found) >= 8
    elif short != "bool":
        assert {form.wrap(form.minimum), form.wrap(form.maximum)} <= found
    assert hard_values(STORED[short].dtype).tobytes() == hard_values(short).tobytes()


@pytest.mark.parametrize("short", STORED)
def test_mixed_values(short):
    values = mixed_values(short, 3000, 5)
    assert values.shape == (3000,) and values.dtype == STORED[short].dtype
    assert values.tobytes() == mixed_values(short, 3000, 5).tobytes()
    assert values.tobytes() != mixed_values(short, 3000, 6).tobytes()
    hard = set(bits_of(hard_values(short)).tolist())
    share = np.mean([each in hard for each in bits_of(values).tolist()])
    assert share > 0.25
    assert mixed_values(short, 0).shape == (0,)


# --- layouts ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("short", STORED)
def test_layouts_keep_bits_and_are_what_they_say(short):
    seen = set()
    for shape in ((), (0,), (1,), (7,), (3, 4), (2, 1, 5), (2, 0, 3), (1, 2, 3, 2, 2)):
        values = mixed_values(short, int(np.prod(shape, dtype=int)), 1).reshape(shape)
        for name in layout_names(values):
            stored = lay_out(values, name)
            seen.add(name)
            assert_same_bits(stored, values, nan="bits")
            assert not np.shares_memory(stored, values)
            assert (stored.dtype == values.dtype) == (name != "byte-swapped")
            if values.size > 1:
                assert stored.flags.aligned == (name != "misaligned"), name
            if values.ndim == 1 and values.size > 1:
                wanted = {"strided": 3, "reversed": -1, "reversed stride": -2, "broadcast": 0}.get(name, 1)
                assert stored.strides == (wanted * values.itemsize,), name
            assert isinstance(stored, np.ndarray) == (name != "scalar")
            assert bool(getattr(stored, "flags", stored).writeable) == (name not in ("read-only", "broadcast", "scalar"))
    wanted = set(testing.memory.LAYOUTS) - ({"misaligned", "byte-swapped"} if values.itemsize == 1 else set())
    assert seen == wanted - ({"byte-swapped"} if short == "bf16" else set())


def test_broadcast_layout_stores_once():
    column = np.array(np.broadcast_to(np.float32([[1], [2]]), (2, 5)))
    assert lay_out(column, "broadcast").strides == (4, 0)
    with pytest.raises(ValueError, match="can be contiguous"):
        lay_out(np.float32([1, 2]), "broadcast")
    with pytest.raises(ValueError, match="layout='diagonal'"):
        lay_out(column, "diagonal")


# --- strategies -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("short", STORED)
def test_arrays(short):
    kinds = set()

    @QUICK
    @given(arrays(short), arrays(STORED[short].dtype, 200), arrays(st.just(short), st.just((2, 3))))
    def draw(first, second, third):
        assert first.dtype == second.dtype == third.dtype == STORED[short].dtype
        assert second.shape == (200,) and third.shape == (2, 3) and first.ndim <= 5
        assert first.flags.c_contiguous and first.flags.writeable
        kinds.update(bits_of(second).tolist())

    draw()
    assert len(kinds & set(bits_of(hard_values(short)[:8]).tolist())) >= (2 if short == "bool" else 3)
    if short in FLOATS:
        assert any((each & (FORMATS[short].sign_bit - 1)) > FORMATS[short].infinity for each in kinds)


def test_examples_shrink_to_plain_values():
    assert find(arrays("f32", shapes(min_rank=1)), lambda x: x.size >= 1, settings=settings(database=None)).tolist() == [0.0]
    found = find(arrays("f32", shapes(1, 1, max_size=8)), lambda x: bool((x > 100).any()), settings=settings(database=None))
    assert found.size == 1


def test_shapes():
    seen = set()

    @settings(QUICK, max_examples=400)
    @given(shapes(), shapes(2, 3, 1, 50), operand_shapes(3))
    def draw(first, second, several):
        assert len(first) <= 5 and np.prod(first) <= 1000
        assert 2 <= len(second) <= 3 and min(second) >= 1 and np.prod(second) <= 150
        assert np.broadcast_shapes(*several.operands) == several.result
        seen.update({("rank", len(first)), ("empty", 0 in first), ("one", 1 in first)})
        seen.add(("several", len(set(several.operands)) > 1))

    draw()
    assert seen >= {("rank", each) for each in range(6)} | {(kind, True) for kind in ("empty", "one", "several")}


@pytest.mark.parametrize("name", exactops.operators())
def test_attributes_are_accepted(name):
    operator = exactops.operators()[name]
    for entry in [each for each in entries() if each.operator.name == name][:60:7]:
        operands = tuple(np.ones(1, STORED[short].dtype) for short in entry.types)

        @settings(QUICK, max_examples=15)
        @given(attributes(entry.operator, entry.types[0]))
        def draw(found):
            plan(entry.operator, operands, attributes=found)  # noqa: B023 - called in this turn

        draw()
    required = {each.name for each in operator.attributes if each.required}
    assert required <= set(find(attributes(operator.names[-1]), lambda found: True, settings=settings(database=None)))


def test_calls_can_be_restricted():
    @QUICK
    @given(calls(["Add", "neg"], ["float16", "i8"], numbers=False, max_rank=2, min_side=1, max_size=30))
    def draw(call):
        assert call.name in ("add", "neg") and call.result.short in ("f16", "i8")
        assert all(isinstance(each, np.ndarray) for each in call.operands)
        assert len(call.shape) <= 2 and call.broadcast().arrays[0].size >= 1

    draw()
    with pytest.raises(exactops.UnsupportedError, match="did you mean"):
        calls(["adds"])
    with pytest.raises(ValueError, match="no operator"):
        calls(["not"], ["f32"])
    with pytest.raises(TypeError):
        calls(["add"], ["complex64"])


@QUICK
@given(calls(max_size=30))
def test_a_call_can_be_repeated_from_its_text(call):
    text = repr(call)
    if "<" not in text:
        again = eval(text, {"exactops": exactops, "from_bits": from_bits, "inf": np.inf, "nan": np.nan})
        assert_same_bits(again, call.run(), nan="bits")


def test_hypothesis_prints_a_call_as_an_expression():
    @settings(QUICK, phases=[Phase.generate, Phase.shrink])
    @given(calls(["neg"], ["f32"], max_rank=1, min_side=1))
    def fails(call):
        raise AssertionError

    with pytest.raises(AssertionError) as caught:
        fails()
    assert "call=exactops.run('neg', from_bits([0x00000000], 'f32').reshape(()))" in "".join(caught.value.__notes__)


def test_a_call():
    call = Call("cast_like", (np.float32([1.5, 2.5]), np.zeros((3, 3), np.int8)))
    assert call.shape == (2,) and call.result.short == "i8" and call.read == (0,)
    assert call.run().tolist() == [1, 2]
    assert call.broadcast().operands[1] is call.operands[1]
    assert call.map(lambda array: array[::-1]).run(path="scalar").tolist() == [2, 1]
    assert Call("clamp", (np.float32([1, 9]), None, 5)).run().tolist() == [1.0, 5.0]


@QUICK
@given(st.data())
def test_layouts_strategy(data):
    values = data.draw(arrays("i32", shapes(0, 3)))
    stored = data.draw(layouts(values, writable=True))
    assert_same_bits(stored, values)
    assert stored.flags.writeable


# --- without Hypothesis -----------------------------------------------------------------------------------------------------


def test_only_the_strategies_need_hypothesis():
    program = """
import json, sys
sys.modules["hypothesis"] = None
import numpy as np, exactops, exactops.testing as testing
testing.assert_same_bits(np.float32(1), np.float32(1))
assert testing.audit(exactops.neg, "neg", samples=500).passed
def attempt(name):
    try: return str(getattr(testing, name))
    except ImportError as error: return f"ImportError: {error}"
found = [attempt(name) for name in ("arrays", "calls", "shapes")]
try:
    from exactops.testing import arrays
except ImportError as error: found.append(f"ImportError: {error}")
try: testing.nothing
except AttributeError as error: found.append(str(error))
print(json.dumps(found))
"""
    *strategies, missing = json.loads(python(program))
    assert len(strategies) == 4
    assert all(text.startswith("ImportError: ") and "exactops[test]" in text for text in strategies)
    assert "has no attribute 'nothing'" in missing


def test_the_module_is_imported_on_demand():
    assert python("import sys, exactops; print('exactops.testing' in sys.modules)").strip() == "False"
    program = "import sys, exactops.testing; print(*[m for m in ('hypothesis', 'matplotlib', 'gmpy2') if m in sys.modules])"
    assert python(program).strip() == ""


@pytest.mark.parametrize("name", testing.__all__)
def test_public_names_are_documented(name):
    found = getattr(testing, name)
    assert len(found.__doc__ or "") > 40
    assert name in dir(testing)


# --- what is not meant ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["contiguous", "strided", "byte-swapped", "reversed"])
def test_a_foreign_byte_order_has_no_layout(layout: str) -> None:
    foreign = np.arange(3, dtype=np.dtype("f4").newbyteorder())
    with pytest.raises(ValueError, match="native byte order"):
        lay_out(foreign, layout)


@pytest.mark.parametrize("inputs", [(2**70,), (np.longdouble(3),), ("text",), (np.zeros(5),), (None,), (1 + 2j,)], ids=repr)
def test_inputs_of_any_kind_do_not_hide_a_difference(inputs: Any) -> None:
    with pytest.raises(AssertionError, match="1 of 2 elements differ"):
        assert_same_bits(np.float32([1, 2]), np.float32([1, 3]), inputs=inputs)


def test_the_bytes_of_bool_are_shown() -> None:
    with pytest.raises(AssertionError, match=r"0x02 \(True\)"):
        assert_same_bits(np.uint8([2]).view(np.bool_), np.uint8([1]).view(np.bool_))


def test_a_call_with_special_attributes_is_an_expression() -> None:
    for value in (math.inf, -math.inf, math.nan):
        call = Call("leaky_relu", (np.float32([-1.5]),), {"alpha": value})
        again = eval(repr(call), {"exactops": exactops, "from_bits": from_bits, "np": np})
        assert_same_bits(again, exactops.leaky_relu(np.float32([-1.5]), alpha=value))


@given(st.data())
@settings(max_examples=1)
def test_strategies_refuse_nonsense(data: st.DataObject) -> None:
    for shape in (-1, (2, -1)):
        with pytest.raises(ValueError, match="negative length"):
            data.draw(arrays("f32", shape))
    assert data.draw(arrays("f32", np.int64(3))).shape == (3,)
    for given_as_text in ({"operators": "exp"}, {"dtypes": "float32"}):
        with pytest.raises(TypeError, match="a sequence of them"):
            calls(**given_as_text)
    with pytest.raises(TypeError, match="bits are integers"):
        from_bits([1.5], "f32")
