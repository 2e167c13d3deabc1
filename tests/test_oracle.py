"""ONNX Runtime's results as an oracle: ``testdata/ops-elementwise/cases.json.gz`` on every path in both modes.

The difference, scaled by the largest magnitude of the runtime's result (at least 1e-3), is 0 for IEEE operations and at most
1e-4 for transcendentals; in cases of their tails each element is scaled by its own magnitude. Elements where the runtime
deviates for a reason that the case gives must have the bits of the references. In exact mode all paths have the same bits.
"""

from __future__ import annotations

import base64
import functools
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.values import same_bits

import exactops
from exactops.verification.reference import DTYPES, canonical_name, expected

FOLDER = Path(__file__).resolve().parent.parent / "testdata" / "ops-elementwise"

#: How many cases there are for each operator. A case may vanish only with a change here.
COUNTS = {
    "Abs": 74, "Add": 68, "And": 5, "Cast": 338, "CastLike": 169, "Ceil": 34, "Clip": 78, "Cos": 34, "Div": 67, "Equal":
    73, "Erf": 28, "Exp": 35, "Floor": 34, "Gelu": 58, "Greater": 67, "GreaterOrEqual": 67, "HardSigmoid": 52,
    "HardSwish": 28, "LeakyRelu": 52, "Less": 67, "LessOrEqual": 67, "Log": 34, "Max": 98, "Mean": 35, "Min": 98, "Mod":
    107, "Mul": 68, "Neg": 54, "Not": 5, "Or": 5, "Pow": 77, "Reciprocal": 34, "Relu": 34, "Round": 34, "Sigmoid": 34,
    "Sign": 80, "Sin": 34, "Sqrt": 35, "Sub": 67, "Sum": 44, "Tanh": 35, "Where": 29, "Xor": 5,
}  # fmt: skip


@functools.cache
def content() -> dict[str, Any]:
    """The file."""
    return json.loads(gzip.decompress((FOLDER / "cases.json.gz").read_bytes()))


@functools.cache
def cases() -> dict[str, list[dict[str, Any]]]:
    """The cases by ONNX operator."""
    found: dict[str, list[dict[str, Any]]] = {}
    for case in content()["cases"]:
        found.setdefault(case["op"], []).append(case)
    return found


def array(packed: dict[str, Any] | None) -> np.ndarray | None:
    """An operand or a result."""
    if packed is None:
        return None
    dtype = np.dtype(DTYPES[packed["dtype"]])
    raw = np.frombuffer(base64.b64decode(packed["data"]), f"<u{dtype.itemsize}")
    return raw.astype(f"u{dtype.itemsize}").view(dtype).reshape(packed["shape"])


def attributes_of(case: dict[str, Any]) -> dict[str, Any]:
    """The attributes as the model holds them: floats are float32."""
    return {name: float(np.float32(v)) if isinstance(v, float) else v for name, v in case["attributes"].items()}


def far(got: np.ndarray, want: np.ndarray, case: dict[str, Any]) -> np.ndarray:
    """Where a result is farther from another than the case allows."""
    if got.dtype.kind in "biu":
        return np.asarray(got != want)
    with np.errstate(all="ignore"):
        a, b = got.astype(np.float64), want.astype(np.float64)
        finite = np.isfinite(a) & np.isfinite(b)
        largest = max(content()["floor"], float(np.max(np.abs(b[finite]), initial=0.0)))
        scale = np.abs(b) if case["scale"] == "element" else largest
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        return np.asarray(~same & ~(finite & (np.abs(a - b) <= case["limit"] * scale)))


def deviating(case: dict[str, Any]) -> np.ndarray:
    """The elements for which the case gives a reason."""
    places = [place for deviation in case.get("deviations", []) for place in deviation["elements"]]
    found = np.zeros(case["output"]["shape"], bool)
    found.reshape(-1)[places] = True
    return found


def by_reference(case: dict[str, Any], operands: list[np.ndarray | None], attributes: dict[str, Any]) -> np.ndarray:
    """What the independent references of the other tests say."""
    if case["op"] == "Clip":
        operands = operands + [None] * (3 - len(operands))
    chosen = {name: value for name, value in attributes.items() if name not in ("to", "saturate")}
    return expected(canonical_name(case["op"]), operands, chosen, np.dtype(DTYPES[case["output"]["dtype"]]))


@pytest.mark.parametrize("op", sorted(cases()))
def test_cases(op: str) -> None:
    for case in cases()[op]:
        operands, attributes = [array(packed) for packed in case["inputs"]], attributes_of(case)
        oracle, excused = array(case["output"]), deviating(case)
        assert oracle is not None
        first = None
        for mode in ("exact", "fast"):
            for path in exactops.paths():
                context = f"{case['name']}, {mode} on {path}"
                result = np.asarray(exactops.run(op, *operands, mode=mode, path=path, **attributes))
                assert result.dtype == oracle.dtype and result.shape == oracle.shape, context
                wrong = far(result, oracle, case) & ~excused
                if wrong.any():
                    place = int(np.flatnonzero(wrong)[0])
                    pytest.fail(f"{context}: element {place} is {result.reshape(-1)[place]}, not {oracle.reshape(-1)[place]}")
                if mode == "exact":
                    if first is None:
                        first = result
                        if excused.any():
                            same_bits(result, by_reference(case, operands, attributes), (), context)
                    same_bits(result, first, (), context)
                else:
                    assert first is not None
                    assert not (far(result, first, case) & excused).any(), context


def test_the_cases_are_many() -> None:
    assert {op: len(group) for op, group in cases().items()} == COUNTS
    assert sum(COUNTS.values()) >= 1000
    assert len({case["name"] for case in content()["cases"]}) == sum(COUNTS.values())
    shapes = {tuple(packed["shape"]) for case in content()["cases"] for packed in case["inputs"] if packed}
    assert {(), (0,), (1,), (1, 1), (7,), (9,), (15,), (17,), (31,), (33,), (63,), (65,), (0, 3), (2, 3, 1, 5)} <= shapes
    onnx_names = {operator.onnx for operator in exactops.operators().values() if operator.onnx}
    assert onnx_names - set(cases()) == set(), "an operator of ONNX without cases: extend make_cases.py"


def test_every_deviation_has_a_reason_and_is_one() -> None:
    reasons = set()
    for case in content()["cases"]:
        for deviation in case.get("deviations", []):
            reasons.add(deviation["reason"])
            assert len(deviation["reason"]) > 30 and deviation["elements"], case["name"]
    assert 5 <= len(reasons) <= 20
    few = [case for case in content()["cases"] if case.get("deviations")][::9]
    for case in few:
        attributes = attributes_of(case)
        want = by_reference(case, [array(packed) for packed in case["inputs"]], attributes)
        assert np.array_equal(far(np.asarray(array(case["output"])), want, case), deviating(case)), case["name"]


def test_the_models_are_those_of_the_cases() -> None:
    onnx = pytest.importorskip("onnx")
    for case in content()["cases"][::17]:
        model = onnx.load_model_from_string(base64.b64decode(case["model"]))
        onnx.checker.check_model(model)
        (node,) = model.graph.node
        assert node.op_type == case["op"] and model.opset_import[0].version == case["opset"]
        found = {each.name: onnx.helper.get_attribute_value(each) for each in node.attribute}
        found = {name: value.decode() if isinstance(value, bytes) else value for name, value in found.items()}
        assert found == attributes_of(case)
        assert len(model.graph.input) == sum(packed is not None for packed in case["inputs"])


def test_a_wrong_result_is_found() -> None:
    """A test of the test: one unit in the last place of an IEEE operation, and 2e-4 of a transcendental."""
    case = next(c for c in cases()["Sqrt"] if c["inputs"][0]["shape"] == [9] and c["output"]["dtype"] == "f32")
    right = np.asarray(array(case["output"]))
    place = int(np.flatnonzero(np.isfinite(right))[0])
    wrong = (right.view(np.uint32) ^ (np.arange(9) == place)).view(np.float32)
    assert far(wrong, right, case).sum() == 1 and not far(right, right, case).any()
    case = next(c for c in cases()["Tanh"] if c["inputs"][0]["shape"] == [9] and c["output"]["dtype"] == "f32")
    right = np.asarray(array(case["output"]))
    assert far(right + np.float32(2e-4) * (np.arange(9) == 3), right, case).tolist() == [k == 3 for k in range(9)]
