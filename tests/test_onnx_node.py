"""Every ONNX backend node test that the onnx package carries for our operators, in both modes on every path.

Taken are single-node models of an operator of the table, and models whose nodes are all ours or constants (the expanded
forms of other functions among them). The onnx package generates the cases; nothing is read from files.

Every node's result is compared with the references of these tests: in exact mode its bits, which are correctly rounded where
ONNX's data are not. The outputs are compared with ONNX's, too: their bits, or where ONNX rounded otherwise their values.
"""

from __future__ import annotations

import functools
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from support.values import is_nan, same_bits, within_ulp

import exactops
from exactops.verification.reference import REFERENCES, bits_of, canonical_name, expected, permitted_fast

onnx = pytest.importorskip("onnx")

#: What issue by issue must be there; further ONNX operators of the table are picked up by themselves.
REQUIRED = [
    "Add", "Sub", "Mul", "Div", "Mod", "Max", "Min", "Sum", "Mean", "Neg", "Abs", "Sign", "Reciprocal", "Sqrt",
    "Floor", "Ceil", "Round", "Clip", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Not", "And", "Or",
    "Xor", "Where", "Cast", "CastLike", "Relu", "LeakyRelu", "HardSigmoid", "HardSwish", "Exp",
]  # fmt: skip

#: How many cases run for each operator (single-node models), and how many models of several nodes or of a Cast that stands
#: for another function. A new onnx release may bring more.
COUNTS = {
    "Abs": 1, "Add": 8, "And": 8, "Cast": 8, "CastLike": 8, "Ceil": 2, "Clip": 12, "Cos": 2, "Div": 10, "Equal": 8, "Erf": 1,
    "Exp": 2, "Floor": 2, "Gelu": 4, "Greater": 8, "GreaterOrEqual": 8, "HardSigmoid": 3, "HardSwish": 1, "LeakyRelu": 3,
    "Less": 8, "LessOrEqual": 8, "Log": 2, "Max": 14, "Mean": 3, "Min": 14, "Mod": 13, "Mul": 9, "Neg": 2, "Not": 3, "Or": 8,
    "Pow": 12, "Reciprocal": 2, "Relu": 1, "Round": 1, "Sigmoid": 2, "Sign": 1, "Sin": 2, "Sqrt": 2, "Sub": 9, "Sum": 3,
    "Tanh": 2, "Where": 2, "Xor": 8,
}  # fmt: skip

#: Models of one node, and models of several nodes or of a Cast that stands for another function, that run; cases that are
#: skipped, which SKIPPED gives the reasons for. The README names these numbers; another onnx release may bring others.
SINGLE, COMPOSED, LEFT_OUT = 230, 64, 156

#: Operators whose float results ONNX made with a library that does not round correctly, in another order, or in double
#: precision: its values are compared within the tolerance of its own tests, the bits with the references.
ROUNDED_OTHERWISE = {
    "Exp", "Log", "Tanh", "Sigmoid", "Erf", "Sin", "Cos", "Pow", "Gelu", "HardSwish", "HardSigmoid", "LeakyRelu", "Mean",
}  # fmt: skip
#: How far fast mode may be from the correctly rounded result, in ulp.
FAST_ULP = {"float16": 1, "bfloat16": 1, "float32": 2, "float64": 2}


def _not_stored() -> dict[str, str]:
    """The cast cases of each type that is not stored yet."""
    skipped: dict[str, str] = {}

    def enter(source: str, target: str, kind: str, expanded: bool, reason: str) -> None:
        skipped[f"test_{kind}_{source}_to_{target}"] = reason
        if expanded:
            skipped[f"test_{kind}_{source}_to_{target}_expanded"] = reason

    for small in (
        "FLOAT8E4M3FN",
        "FLOAT8E4M3FNUZ",
        "FLOAT8E5M2",
        "FLOAT8E5M2FNUZ",
        "FLOAT4E2M1",
        "INT4",
        "UINT4",
        "INT2",
        "UINT2",
    ):
        reason = f"{small} is not stored yet"
        wide = [("FLOAT", small), ("FLOAT16", small), (small, "FLOAT"), (small, "FLOAT16")]
        if small.endswith(("INT4", "INT2")):
            wide.append((small, small[:-1] + "8"))
        for source, target in wide:
            enter(source, target, "cast", False, reason)
            enter(source, target, "castlike", True, reason)
            if target.startswith("FLOAT8"):
                enter(source, target, "cast_no_saturate", False, reason)
                enter(source, target, "castlike_no_saturate", True, reason)
    for other in ("FLOAT", "FLOAT16"):
        enter(other, "FLOAT8E8M0", "cast_e8m0", False, "FLOAT8E8M0 is not stored yet")
        enter("FLOAT8E8M0", other, "cast_e8m0", False, "FLOAT8E8M0 is not stored yet")
    return skipped


_FLOOR_MOD = "opset 28 lets Mod take floats with fmod=0; the semantics refuse it"

#: Each skipped case and why. It must exist, and running it must be refused with an UnsupportedError.
SKIPPED: dict[str, str] = {
    **_not_stored(),
    "test_equal_string": "strings are not stored",
    "test_equal_string_broadcast": "strings are not stored",
    "test_mod_float64_mixed_sign_fmod_0": _FLOOR_MOD,
    "test_mod_float32_mixed_sign_fmod_0": _FLOOR_MOD,
    "test_mod_float16_mixed_sign_fmod_0": _FLOOR_MOD,
    "test_mod_float_edge_cases_fmod_0_float16": _FLOOR_MOD,
    "test_mod_float_edge_cases_fmod_0_float32": _FLOOR_MOD,
    "test_mod_float_edge_cases_fmod_0_float64": _FLOOR_MOD,
}


class Case(NamedTuple):
    """One model with its data."""

    name: str
    group: str
    model: Any
    data_sets: Sequence[tuple[Sequence[Any], Sequence[Any]]]
    operators: frozenset[str]


@functools.cache
def served() -> frozenset[str]:
    """ONNX operator types of the table."""
    return frozenset(each.onnx for each in exactops.operators().values() if each.onnx)


@functools.cache
def cases() -> tuple[Case, ...]:
    """All node tests whose nodes are all served (constants aside)."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        collected = collect_testcases()
    found = []
    for each in collected:
        nodes = each.model.graph.node
        if any(node.domain not in ("", "ai.onnx") for node in nodes):
            continue
        used = frozenset(node.op_type for node in nodes) - {"Constant"}
        if used and used <= served():
            single = len(nodes) == 1 and not each.name.endswith("_expanded")
            group = nodes[0].op_type if single else "expanded"
            found.append(Case(each.name, group, each.model, each.data_sets, used))
    return tuple(found)


def as_array(value: Any) -> Any:
    """A value of a data set as an array."""
    return onnx.numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else value


def attribute_values(node: Any) -> dict[str, Any]:
    """A node's attributes as keyword arguments."""
    found = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}


def constant(node: Any) -> np.ndarray:
    """The value of a Constant node."""
    ((name, value),) = attribute_values(node).items()
    if name == "value":
        return onnx.numpy_helper.to_array(value)
    return np.array(value, dtype={"value_float": np.float32, "value_floats": np.float32}.get(name, np.int64))


#: Called with a node, its operands and its attributes; gives its result.
Engine = Callable[[Any, list[Any], dict[str, Any]], Any]


def evaluate(model: Any, inputs: Sequence[Any], engine: Engine) -> list[Any]:
    """The outputs of a model, each node computed by an engine."""
    graph = model.graph
    known: dict[str, Any] = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    names = [each.name for each in graph.input]
    known.update(zip(names, (as_array(each) for each in inputs), strict=True))
    for node in graph.node:
        if node.op_type == "Constant":
            result = constant(node)
        else:
            result = engine(node, [known[name] if name else None for name in node.input], attribute_values(node))
        known[node.output[0]] = result
    return [known[each.name] for each in graph.output]


def checked(mode: str, path: str) -> Engine:
    """exactops, each of whose results is compared with the reference's for the same operands."""

    def engine(node: Any, operands: list[Any], attributes: dict[str, Any]) -> Any:
        result = exactops.run(node.op_type, *operands, mode=mode, path=path, **attributes)
        compare(node.op_type, result, operands, attributes, mode)
        return result

    return engine


def compare(name: str, result: Any, operands: list[Any], attributes: dict[str, Any], mode: str) -> None:
    """Compare the result of a node with the reference's."""
    op, dtype = canonical_name(name), np.asarray(result).dtype
    given = list(operands)
    if op == "clip":
        given += [None] * (3 - len(given))
    own = {key: value for key, value in attributes.items() if key not in ("to", "saturate", "round_mode")}
    wanted = expected(op, given, own, dtype)
    shown = [each for each in operands if each is not None]
    if mode == "exact":
        same_bits(result, wanted, shown, name)
    elif REFERENCES[op].category == "c" and dtype.name in FAST_ULP:
        within_ulp(result, wanted, FAST_ULP[dtype.name], shown, name)
    else:
        same_bits(result, wanted, shown, name, any_nan=True, alternatives=permitted_fast(op, given, own, dtype))


def check(case: Case, mode: str, path: str) -> None:
    """Runs a case, compares its nodes with the references and its outputs with ONNX's."""
    for inputs, outputs in case.data_sets:
        for actual, wanted in zip(evaluate(case.model, inputs, checked(mode, path)), map(as_array, outputs), strict=True):
            actual, wanted = np.asarray(actual), np.asarray(wanted)
            assert actual.dtype == wanted.dtype, f"dtype {actual.dtype} instead of {wanted.dtype}"
            assert actual.shape == wanted.shape, f"shape {actual.shape} instead of {wanted.shape}"
            if wanted.dtype.kind not in "fV" or not case.operators & ROUNDED_OTHERWISE:
                equal = (bits_of(actual) == bits_of(wanted)) | (is_nan(actual) & is_nan(wanted))
                assert equal.all(), f"{int((~equal).sum())} of {equal.size} elements differ in bits from ONNX's"
            else:
                half = wanted.dtype in (np.float16, np.dtype(ml_dtypes.bfloat16))
                relative = 1e-3 if half else 1e-6
                np.testing.assert_allclose(actual.astype(np.float64), wanted.astype(np.float64), rtol=relative, atol=1e-7)


GROUPS = (*sorted(served()), "expanded")


@pytest.mark.parametrize("mode", ["exact", "fast"])
@pytest.mark.parametrize("path", exactops.paths())
@pytest.mark.parametrize("group", GROUPS)
def test_node_cases(group: str, path: str, mode: str) -> None:
    failures: dict[str, str] = {}
    ran = 0
    for case in cases():
        if case.group != group or case.name in SKIPPED:
            continue
        ran += 1
        try:
            check(case, mode, path)
        except Exception as error:
            failures[case.name] = f"{type(error).__name__}: {str(error).strip()[:400]}"
    assert not failures, f"{len(failures)} of {ran} cases fail:\n" + "\n".join(
        f"{name}: {why}" for name, why in failures.items()
    )
    if group in COUNTS:
        assert ran >= COUNTS[group], f"{ran} cases ran for {group}, {COUNTS[group]} are known"
    else:
        assert ran > 0, f"no ONNX node test ran for {group}"


def test_the_required_operators_are_served() -> None:
    assert set(REQUIRED) <= served()


def test_skipped_cases_exist_and_are_refused() -> None:
    named = {case.name: case for case in cases()}
    gone = sorted(set(SKIPPED) - set(named))
    assert not gone, f"these skipped cases no longer exist: {gone}"
    wrongly = []
    for name in SKIPPED:
        case = named[name]
        inputs, _ = case.data_sets[0]
        try:
            evaluate(case.model, inputs, lambda node, operands, own: exactops.run(node.op_type, *operands, **own))
        except exactops.UnsupportedError:
            continue
        except Exception as error:
            wrongly.append(f"{name}: {type(error).__name__}: {error}")
        else:
            wrongly.append(f"{name}: runs now, so it must not be skipped")
    assert not wrongly, "\n".join(wrongly)


def test_the_number_of_cases() -> None:
    found = [case for case in cases() if case.name not in SKIPPED]
    single = [case for case in found if case.group != "expanded"]
    assert (len(single), len(found) - len(single), len(SKIPPED)) == (SINGLE, COMPOSED, LEFT_OUT)
    assert Counter(case.group for case in single) == COUNTS


@pytest.mark.parametrize(
    ("name", "bit", "mode"), [("Exp", 1, "exact"), ("Exp", 8, "fast"), ("Add", 1, "fast"), ("Gelu", 1, "exact")]
)
def test_a_wrong_bit_is_found(name: str, bit: int, mode: str) -> None:
    """A test of the test: what ONNX's tolerance would let pass."""
    operands = [np.linspace(0.5, 2, 5, dtype=np.float32)] * (2 if name == "Add" else 1)
    good = exactops.run(name, *operands)
    compare(name, good, operands, {}, mode)
    wrong = (good.view(np.uint32) + np.uint32([0, 0, bit, 0, 0])).view(np.float32)
    with pytest.raises(AssertionError, match="1 of 5"):
        compare(name, wrong, operands, {}, mode)
