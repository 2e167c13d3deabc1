"""Make ``cases.json.gz``: what ONNX Runtime returns for small models of one operator, for every type and attribute it serves.

It needs ``pip install -e '.[test,oracle]'``::

    python testdata/ops-elementwise/make_cases.py

The runtime is another implementation, not the truth. Where its result is farther from ours than a case allows, the case lists
the elements and the reason, from ``REASONS`` below; the value that exactops keeps is then the one of the references of the test
suite (integer arithmetic and MPFR), which make this file, too: exactops itself is not called. An element that differs for no
known reason stops the script.

Integer division by zero and of the smallest value by -1 end the runtime's process; such operands are left out.
"""

from __future__ import annotations

import base64
import contextlib
import ctypes
import gzip
import hashlib
import itertools
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import helper

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1]))

from exactops.verification.reference import canonical_name, expected  # noqa: E402

FILE = HERE / "cases.json.gz"
OPSET, IR_VERSION = 21, 10

TYPES: dict[str, tuple[Any, int]] = {
    "f16": (np.float16, 10), "bf16": (ml_dtypes.bfloat16, 16), "f32": (np.float32, 1), "f64": (np.float64, 11),
    "i8": (np.int8, 3), "i16": (np.int16, 5), "i32": (np.int32, 6), "i64": (np.int64, 7),
    "u8": (np.uint8, 2), "u16": (np.uint16, 4), "u32": (np.uint32, 12), "u64": (np.uint64, 13), "bool": (np.bool_, 9),
}  # fmt: skip
FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
NUMERIC = FLOATS + INTEGERS

#: What a difference is scaled by is at least this; how far a transcendental may be off (others: not at all).
FLOOR, LIMIT = 1e-3, 1e-4
#: Operators without one correctly rounded operation behind them: the runtime approximates, or fuses and reorders.
APPROXIMATE = {"Exp", "Log", "Tanh", "Sigmoid", "Erf", "Sin", "Cos", "Pow", "Gelu", "HardSigmoid", "HardSwish", "Mean"}

SHAPES = [
    (), (0,), (1,), (1, 1), (3,), (7,), (8,), (9,), (15,), (16,), (17,), (31,), (33,), (63,), (65,), (0, 3), (2, 3), (3, 1, 5),
    (2, 1, 3, 4), (129,),
]  # fmt: skip
PAIRS = [
    ((17,), (17,)), ((), ()), ((), (5,)), ((5,), ()), ((1,), (7,)), ((3, 1), (1, 4)), ((2, 3), (3,)), ((2, 1, 4), (3, 1)),
    ((2, 3, 1, 5), (3, 4, 1)), ((0, 3), (3,)), ((33,), (33,)), ((1, 1), (65,)), ((2, 3, 2, 5), (2, 3, 2, 5)), ((1,), (0,)),
    ((31,), (1,)), ((4, 1, 1, 1), (9,)),
]  # fmt: skip
TRIPLES = [
    ((17,), (17,), (17,)), ((), (), ()), ((3, 1), (1, 4), (3, 4)), ((1,), (2, 3, 1, 5), (3, 4, 1)), ((0,), (1,), (0,)),
    ((33,), (), (33,)), ((2, 1, 4), (3, 1), ()), ((65,), (65,), (1,)),
]  # fmt: skip


class Work(NamedTuple):
    """A model to be run: ONNX operator, types and shapes of its operands, its attributes, the opset, the kind of values."""

    op: str
    types: tuple[str, ...]
    shapes: tuple[tuple[int, ...] | None, ...]
    result: str
    attributes: tuple[tuple[str, Any], ...] = ()
    opset: int = OPSET
    values: str = "ordinary"

    @property
    def name(self) -> str:
        """Names the case."""
        given = "".join(f" {name}={value}" for name, value in self.attributes)
        shapes = " ".join("-" if shape is None else "x".join(map(str, shape)) or "scalar" for shape in self.shapes)
        types = ",".join(self.types) + (f"->{self.result}" if self.result not in self.types else "")
        return f"{self.op}-{self.opset} {types}{given} [{shapes}] {self.values}"


# --- which cases ------------------------------------------------------------------------------------------------------------


def unary(op: str, types: tuple[str, ...], attributes: tuple[tuple[str, Any], ...] = (), **more: Any) -> Iterator[Work]:
    """One operand: every shape for float32, some for the others; ordinary values, then special ones."""
    for short in types:
        shapes = SHAPES if short == "f32" and not attributes else [*SHAPES[:2], (9,), (2, 1, 3, 4)]
        for shape in shapes:
            yield Work(op, (short,), (shape,), short, attributes, **more)
        kinds = ("special", "tail") if short in FLOATS else ("special",)
        for kind in kinds:
            yield Work(op, (short,), ((65,),), short, attributes, values=kind, **more)


def binary(op: str, types: tuple[str, ...], result: str = "", attributes: tuple[tuple[str, Any], ...] = ()) -> Iterator[Work]:
    """Two operands of one type."""
    for short in types:
        for first, second in PAIRS if short == "f32" else [*PAIRS[:2], PAIRS[5], PAIRS[8]]:
            yield Work(op, (short, short), (first, second), result or short, attributes)
        yield Work(op, (short, short), ((65,), (65,)), result or short, attributes, values="special")


def works() -> Iterator[Work]:
    """All cases that are tried; what the runtime does not serve is dropped."""
    for op in ("Exp", "Log", "Tanh", "Sigmoid", "Erf", "Sin", "Cos"):
        yield from unary(op, FLOATS)
    for op in ("Sqrt", "Reciprocal", "Floor", "Ceil", "Round", "Relu"):
        yield from unary(op, FLOATS)
    for op in ("Neg", "Abs", "Sign"):
        yield from unary(op, NUMERIC)
    yield from unary("HardSwish", ("f32", "f16"))
    for attributes in ((), (("approximate", "none"),), (("approximate", "tanh"),)):
        yield from unary("Gelu", ("f32", "f64", "f16"), attributes)
    for alpha in ((), (("alpha", 0.25),), (("alpha", -1.5),)):
        yield from unary("LeakyRelu", ("f32", "f16"), alpha)
    for attributes in ((), (("alpha", 0.5), ("beta", 0.6)), (("beta", 0.25),)):
        yield from unary("HardSigmoid", ("f32", "f16"), attributes)
    yield from unary("Not", ("bool",))
    for op in ("And", "Or", "Xor"):
        yield from binary(op, ("bool",))
    for op in ("Add", "Sub", "Mul", "Div"):
        yield from binary(op, NUMERIC)
    yield from binary("Mod", INTEGERS)
    yield from binary("Mod", NUMERIC, attributes=(("fmod", 1),))
    for op in ("Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"):
        yield from binary(op, (*NUMERIC, "bool") if op == "Equal" else NUMERIC, "bool")
    yield from binary("Pow", ("f32", "f64", "f16", "i32", "i64"))
    for base, exponent in itertools.product(("f32", "f64", "f16", "i32", "i64"), ("f32", "f16", "f64", "i32", "i64")):
        if base != exponent:
            yield Work("Pow", (base, exponent), ((17,), (17,)), base)
            yield Work("Pow", (base, exponent), ((2, 1, 4), (3, 1)), base)
    for op, types in (("Max", NUMERIC), ("Min", NUMERIC), ("Sum", FLOATS), ("Mean", FLOATS)):
        yield from binary(op, types)
        for short in types:
            yield Work(op, (short,), ((9,),), short)
            for shapes in TRIPLES if short == "f32" else TRIPLES[:3]:
                yield Work(op, (short,) * 3, shapes, short)
    for short in (*NUMERIC, "bool"):
        for shapes in TRIPLES if short == "f32" else TRIPLES[:3]:
            yield Work("Where", ("bool", short, short), shapes, short, values="special")
    for short in NUMERIC:
        for shapes in (((17,), (), ()), ((2, 3), None, ()), ((33,), (), None), ((7,),), ((0, 3), (), ())):
            yield Work("Clip", (short,) * len(shapes), shapes, short)
        yield Work("Clip", (short,) * 3, ((65,), (), ()), short, values="special")
        for values in ("crossed bounds", *(("lower bound NaN", "upper bound NaN") if short in FLOATS else ())):
            yield Work("Clip", (short,) * 3, ((65,), (), ()), short, values=values)
    for values in ("special", "ordinary"):
        yield Work("Clip", ("f32",), ((65,),), "f32", (("min", -1.5), ("max", 2.0)), 6, values)
        yield Work("Clip", ("f32",), ((65,),), "f32", (("max", 2.0),), 6, values)
        yield Work("Clip", ("f32",), ((65,),), "f32", (), 6, values)
    for source, target in itertools.product(TYPES, TYPES):
        to = (("to", TYPES[target][1]),)
        yield Work("Cast", (source,), ((33,),), target, to, values="special")
        yield Work("Cast", (source,), ((2, 3),), target, to)
        yield Work("CastLike", (source, target), ((9,), (1,)), target)
    for op in ("Add", "Mul", "Equal", "Exp", "Tanh", "Sqrt"):  # an older opset
        count = 2 if op in ("Add", "Mul", "Equal") else 1
        yield Work(op, ("f32",) * count, ((9,),) * count, "bool" if op == "Equal" else "f32", opset=13)


# --- operands ---------------------------------------------------------------------------------------------------------------


def pool(short: str, kind: str) -> list[Any]:
    """The values that an array of a kind is filled with, in turn."""
    dtype = TYPES[short][0]
    if short == "bool":
        return [True, False, False, True]
    if short in INTEGERS:
        limits = np.iinfo(dtype)
        small = [1, 2, 3, 5, 7, 10, 100, 64] + ([-1, -2, -3, -7, -100] if limits.min else [])
        return small if kind == "ordinary" else [0, limits.max, limits.min, limits.max - 1, limits.min + 1, *small]
    if kind == "tail":
        return [-1, -5, -8.5, -9.5, -10.5, -12, -14, -17, -20, -30, -50, -80, -88, -100, -104, 9.5, 12, 17, 20, 88, 104, 11.5]
    limits = ml_dtypes.finfo(dtype)
    tiny, least, most = float(limits.smallest_subnormal), float(limits.tiny), float(limits.max)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, tiny, -tiny, least, -least, 3 * tiny, least - tiny, most, -most]
    special += [1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, 2.0, -2.0, 3.0, 0.49, -0.4]
    return [*special, 10.0, -10.0, 127.5, 255.0, 300.0, -129.0]


def operand(work: Work, place: int) -> np.ndarray | None:
    """An operand; its values depend on the case's name and the place."""
    shape, short = work.shapes[place], work.types[place]
    if shape is None:
        return None
    seed = hashlib.sha256(f"{work.name} {place}".encode()).digest()
    random = np.random.Generator(np.random.PCG64(int.from_bytes(seed[:8], "little")))
    count = int(np.prod(shape, dtype=int))
    dtype = TYPES[short][0]
    if "bound" in work.values and place:
        lower, upper = (3, 1) if work.values.startswith("crossed") else (-1.0, np.nan)
        if work.values.startswith("lower"):
            lower, upper = upper, 2.0
        return np.array(dtype(lower if place == 1 else upper), dtype).reshape(shape)
    values = list(np.resize(np.array(pool(short, work.values), object), max(count, len(pool(short, work.values)))))
    random.shuffle(values)
    values = values[:count]
    if short in FLOATS and work.values == "ordinary":
        values = (random.standard_normal(count) * 3).tolist()
    if work.op == "Clip" and place and work.values == "ordinary":
        values = [[1, 0][place == 1] if short in INTEGERS and short[0] == "u" else [-1, 2][place == 2]] * count
    if work.op == "Pow" and short in INTEGERS and place == 1:
        values = [abs(int(value)) % 6 for value in values]
    if work.op == "Pow" and short in FLOATS and work.types[0] in INTEGERS:
        values = [abs(float(value)) % 5 if np.isfinite(value) else 2.0 for value in values]
    if work.op in ("Div", "Mod") and work.types[0] in INTEGERS and place == 1:
        values = [value if value not in (0, -1) else 3 for value in values]
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.array([dtype(value) for value in values], dtype).reshape(shape)


# --- the runtime ------------------------------------------------------------------------------------------------------------


def model_of(work: Work) -> bytes:
    """The model: one node; of the shapes only the rank is given."""
    names = ["" if shape is None else f"x{place}" for place, shape in enumerate(work.shapes)]
    node = helper.make_node(work.op, names, ["y"], **dict(work.attributes))
    ranks = [None if shape is None else len(shape) for shape in work.shapes]
    values = [
        helper.make_tensor_value_info(name, TYPES[short][1], [None] * rank)
        for name, short, rank in zip(names, work.types, ranks, strict=True)
        if rank is not None
    ]
    rank = ranks[0] if work.op == "CastLike" else max(rank or 0 for rank in ranks)
    output = helper.make_tensor_value_info("y", TYPES[work.result][1], [None] * (rank or 0))
    graph = helper.make_graph([node], "case", values, [output])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", work.opset)], ir_version=IR_VERSION, producer_name=""
    )
    onnx.checker.check_model(model)
    return model.SerializeToString()


def run_model(model: bytes, work: Work, arrays: list[np.ndarray | None]) -> np.ndarray:
    """The runtime's result, without optimisations that would replace the operator."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    kept = []
    for place, (array, short) in enumerate(zip(arrays, work.types, strict=True)):
        if array is None:
            continue
        if short == "bf16":
            raw = np.ascontiguousarray(array.view(np.uint16)).reshape(array.shape)
            value = onnxruntime.OrtValue.ortvalue_from_numpy_with_onnx_type(raw, TYPES[short][1])
        else:
            value = onnxruntime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array).reshape(array.shape))
        kept.append(value)
        binding.bind_ortvalue_input(f"x{place}", value)
    binding.bind_output("y")
    session.run_with_iobinding(binding)
    (result,) = binding.get_outputs()
    dtype, shape = np.dtype(TYPES[work.result][0]), tuple(result.shape())
    if work.result != "bf16":
        return np.asarray(result.numpy(), dtype)
    count = int(np.prod(shape, dtype=int))
    content = ctypes.string_at(result.data_ptr(), 2 * count) if count else b""
    return np.frombuffer(content, np.uint16).view(dtype).reshape(shape)


# --- comparison -------------------------------------------------------------------------------------------------------------


def by_element(work: Work) -> bool:
    """Whether each difference is scaled by its own result: so in tails of transcendentals, which a large one would hide."""
    return work.op in _TRANSCENDENTAL and work.values == "tail"


def far(work: Work, got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where two results differ by more than the case allows."""
    limit = LIMIT if work.op in APPROXIMATE else 0.0
    if work.result not in FLOATS:
        return np.asarray(got != want)
    with np.errstate(all="ignore"):
        a, b = got.astype(np.float64), want.astype(np.float64)
        finite = np.isfinite(a) & np.isfinite(b)
        scale = np.abs(b) if by_element(work) else max(FLOOR, float(np.max(np.abs(b[finite]), initial=0.0)))
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        return np.asarray(~same & ~(finite & (np.abs(a - b) <= limit * scale)))


class Reason(NamedTuple):
    """Why the runtime deviates, and where: a predicate on the operands, its result and ours, element by element."""

    ops: tuple[str, ...]
    applies: Callable[..., Any]
    text: str


def nan_among(work: Work, operands: list[np.ndarray], got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where some operand is a NaN."""
    found = np.zeros(want.shape, bool)
    for each, short in zip(operands, work.types, strict=False):
        if short in FLOATS:
            found |= np.isnan(each.astype(np.float64))
    return found


def in_half(work: Work, operands: list[np.ndarray], got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where a float16 result is a neighbour of ours."""
    if work.result != "f16":
        return np.zeros(want.shape, bool)
    a, b = (each.view(np.int16).astype(np.int32) for each in (np.atleast_1d(got), np.atleast_1d(want)))
    return (np.abs(a - b) <= 1).reshape(want.shape)


def below(limit: float) -> Callable[..., np.ndarray]:
    """Where the first operand is below a limit."""
    return lambda work, operands, got, want: operands[0].astype(np.float64) < limit


def outside(work: Work, operands: list[np.ndarray], got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where a float is a NaN or beyond the integer type that it is converted to."""
    if work.types[0] not in FLOATS or work.result not in INTEGERS:
        return np.zeros(want.shape, bool)
    limits, x = np.iinfo(TYPES[work.result][0]), operands[0].astype(np.float64)
    return ~((np.trunc(x) >= float(limits.min)) & (np.trunc(x) < float(limits.max) + 1))


def always(work: Work, operands: list[np.ndarray], got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Everywhere."""
    return np.ones(want.shape, bool)


def integer_power(work: Work, operands: list[np.ndarray], got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where an integer power is undefined or at an end of its type."""
    if work.result not in INTEGERS:
        return np.zeros(want.shape, bool)
    limits = np.iinfo(TYPES[work.result][0])
    undefined = (operands[0] < 0) & (operands[1] != np.trunc(operands[1].astype(np.float64)))
    return undefined | (want == limits.max) | (want == limits.min)


def rounded_power(work: Work, operands: list[np.ndarray], got: np.ndarray, want: np.ndarray) -> np.ndarray:
    """Where an integer power needs more digits than a double has."""
    if work.result not in INTEGERS:
        return np.zeros(want.shape, bool)
    return np.array([abs(int(each)) > 1 << 53 for each in want.reshape(-1)], bool).reshape(want.shape)


_HALF_TWICE = "float16: the runtime rounds a float32 result a second time; ours is rounded once"
_TRANSCENDENTAL = ("Exp", "Log", "Tanh", "Sigmoid", "Erf", "Sin", "Cos", "Pow", "Gelu")

REASONS = (
    Reason(
        ("Cast", "CastLike"),
        outside,
        "a NaN, or outside of the integer type, where the runtime's conversion is undefined; ours saturates, NaN gives 0",
    ),
    Reason(
        ("Pow",),
        integer_power,
        "the runtime converts a double outside of the integer type, or a NaN, which is undefined; ours saturates, NaN gives 0",
    ),
    Reason(("Pow",), rounded_power, "the runtime rounds an integer power to a double; ours is the integer itself"),
    Reason(("Clip",), nan_among, "the runtime ignores a NaN bound; ours gives NaN by the rules of Max and Min"),
    Reason(("Sign",), nan_among, "the runtime gives 0 for the NaN of a half type, NaN for the wider ones; ours is NaN for all"),
    Reason(
        ("Gelu",),
        lambda work, operands, got, want: np.isneginf(operands[0].astype(np.float64)),
        "the runtime multiplies -inf by 0; ours is the limit, -0",
    ),
    Reason(
        ("Sum", "Mean"),
        lambda work, operands, got, want: np.full(want.shape, work.result == "f16"),
        "float16: the runtime adds in float32 and rounds at the end; ours rounds each step, as add does",
    ),
    Reason(_TRANSCENDENTAL, in_half, _HALF_TWICE),
    Reason(("Sigmoid",), below(-8.0), "the runtime's approximation loses the negative tail; ours is correctly rounded there"),
    Reason(
        ("Gelu",),
        below(-2.0),
        "the runtime's 0.5 * x * (1 + ...) cancels in the negative tail; ours is correctly rounded there",
    ),
)


def reasons_of(work: Work, operands: list[np.ndarray], got: np.ndarray, want: np.ndarray) -> dict[str, list[int]]:
    """The deviating elements (numbered in C order) by reason; an unknown one is listed under the empty reason."""
    left = far(work, got, want)
    if not left.any():
        return {}
    shaped = [np.broadcast_to(each, want.shape) for each in operands]
    found: dict[str, list[int]] = {}
    for reason in REASONS:
        if work.op in reason.ops:
            with np.errstate(all="ignore"):
                here = left & np.asarray(reason.applies(work, shaped, got, want))
            if here.any():
                found[reason.text] = np.flatnonzero(here).tolist()
                left = left & ~here
    if left.any():
        found[""] = np.flatnonzero(left).tolist()
    return found


# --- the file ---------------------------------------------------------------------------------------------------------------


def packed(array: np.ndarray, short: str) -> dict[str, Any]:
    """An array as plain values: little-endian bytes in base64."""
    size = np.dtype(TYPES[short][0]).itemsize
    content = np.ascontiguousarray(array).reshape(-1).view(f"u{size}").astype(f"<u{size}").tobytes()
    return {"dtype": short, "shape": list(array.shape), "data": base64.b64encode(content).decode()}


def case_of(work: Work) -> tuple[dict[str, Any] | None, list[str]]:
    """The case, or None where the runtime does not serve it; and messages about unknown deviations."""
    arrays = [operand(work, place) for place in range(len(work.types))]
    try:
        model = model_of(work)
        got = run_model(model, work, arrays)
    except Exception as error:  # NOT_IMPLEMENTED and type errors of the checker: not served
        return None, [f"not served: {type(error).__name__}"]
    attributes = dict(work.attributes)
    if work.op == "Clip" and work.opset < 11:
        limits = {"min": np.finfo(np.float32).min, "max": np.finfo(np.float32).max}
        arrays += [np.float32(attributes.get(name, limit)).reshape(()) for name, limit in limits.items()]
    given: list[np.ndarray | None] = [*arrays]
    if work.op == "Clip":
        given += [None] * (3 - len(given))
    choice = {name: value for name, value in attributes.items() if name in ("approximate", "fmod", "alpha", "beta")}
    choice = {name: float(np.float32(value)) if isinstance(value, float) else value for name, value in choice.items()}
    want = expected(canonical_name(work.op), given, choice, np.dtype(TYPES[work.result][0]))
    if got.shape != want.shape:
        return None, [f"{work.name}: shape {got.shape}, the references have {want.shape}"]
    deviations = reasons_of(work, [each for each in given if each is not None], got, want)
    messages = []
    for index in deviations.get("", [])[:4]:
        shown = [np.broadcast_to(each, want.shape).reshape(-1)[index] for each in given if each is not None]
        messages.append(f"{work.name}: {shown} gives {got.reshape(-1)[index]}, the references have {want.reshape(-1)[index]}")
    case: dict[str, Any] = {
        "name": work.name,
        "op": work.op,
        "opset": work.opset,
        "attributes": attributes,
        "limit": LIMIT if work.op in APPROXIMATE else 0,
        "scale": "element" if by_element(work) else "largest",
        "model": base64.b64encode(model).decode(),
        "inputs": [None if a is None else packed(a, t) for a, t in zip(arrays[: len(work.types)], work.types, strict=True)],
        "output": packed(got, work.result),
    }
    if deviations:
        case["deviations"] = [{"reason": reason, "elements": places} for reason, places in deviations.items()]
    return case, messages


def main() -> int:
    """Run every model and write the file."""
    cases, problems, dropped = [], [], 0
    served: dict[str, set[str]] = {}
    for work in works():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            case, messages = case_of(work)
        if case is None and messages[0].startswith("not served"):
            dropped += 1
            continue
        problems += messages
        if case is not None:
            cases.append(case)
            served.setdefault(work.op, set()).update(work.types)
    for message in problems:
        print(message)
    if problems:
        print(f"{len(problems)} elements deviate for no known reason: nothing written")
        return 1
    content = {
        "about": "Written by testdata/ops-elementwise/make_cases.py; tests/test_oracle.py reads it.",
        "runtime": f"onnxruntime {onnxruntime.__version__}, CPU",
        "onnx": onnx.__version__,
        "floor": FLOOR,
        "cases": cases,
    }
    text = json.dumps(content, separators=(",", ":"), ensure_ascii=False)
    with FILE.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed_file:
        packed_file.write(text.encode())
    deviating = sum("deviations" in case for case in cases)
    size = FILE.stat().st_size
    print(f"{FILE.name}: {len(cases)} cases, {deviating} with deviations, {size:,} bytes; {dropped} models not served")
    for op, types in sorted(served.items()):
        print(f"  {op}: {', '.join(short for short in TYPES if short in types)}")
    return 0


if __name__ == "__main__":
    with contextlib.suppress(BrokenPipeError):
        raise SystemExit(main())
