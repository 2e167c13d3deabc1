"""Contracts keep their word: what they claim is held against what calls, results, memory and machine code really are.

Contracts are derived, so nothing here derives them a second time. A check takes a contract and raises where it is wrong; wrong
claims are planted below, and each check must find some.
"""

from __future__ import annotations

import copy
import functools
import itertools
import json
import math
import os
import re
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import jsonschema
import ml_dtypes
import numpy as np
import pytest
from support import X86
from support.processes import python

import exactops
from exactops.cli import main
from exactops.codegen import loops
from exactops.codegen.target import host_target
from exactops.contracts import measurements, measuring, schema
from exactops.frontend.named_loops import loop_of
from exactops.frontend.plan import plan
from exactops.records import files as record_files
from exactops.records import sources
from exactops.system import processors
from exactops.table.formats import EVERY, FORMATS
from exactops.table.signatures import signatures
from exactops.testing import assert_same_bits, bits_of, from_bits, lay_out, layout_names, mixed_values

ROOT = Path(__file__).resolve().parent.parent
OPERATORS = exactops.operators()

#: Operators of every kind of signature: of one operand, of two, with a condition, a fold, numbers, missing operands, types of
#: their own and types of the result that a call chooses.
KINDS = ("relu", "add", "less", "where", "mean", "leaky_relu", "clip", "pow", "powi", "cast", "cast_like")

Contract = dict[str, Any]
Variant = dict[str, Any]
Check = Callable[[Contract], None]


@functools.cache
def _contract(name: str) -> Contract:
    return exactops.contract(name)


def contract_of(name: str) -> Contract:
    """A fresh copy of an operator's contract."""
    return copy.deepcopy(_contract(name))


# --- calls that a contract describes ------------------------------------------------------------------------------------


def sample(short: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Hard values of a type."""
    values = mixed_values(FORMATS[short].dtype, 257)
    return values[np.random.default_rng(seed).integers(0, values.size, shape)]


def arrays(variant: Variant, shape: tuple[int, ...] = (37,)) -> list[np.ndarray]:
    """Operands of a variant."""
    return [sample(short, shape, seed) for seed, short in enumerate(variant["operand_dtypes"])]


def attributes_of(c: Contract, variant: Variant) -> dict[str, Any]:
    """The keyword arguments that a variant needs."""
    samples = {"number": 0.75, "integer": 3}
    needed = {a["name"]: samples[a["type"]] for a in c["attributes"] if a["required"] and a["type"] in samples}
    return needed | variant["attributes"]


def call(c: Contract, variant: Variant, operands: Any, **more: Any) -> Any:
    """The call that a variant describes."""
    return exactops.run(c["operator"], *operands, **{**attributes_of(c, variant), **more})


def served(c: Contract) -> Iterator[Variant]:
    """The variants that are served."""
    return (variant for variant in c["variants"] if variant["served"])


def variant_of(c: Contract, *types: str) -> Variant:
    """The first variant that is served, or that of these operand types."""
    found = next((each for each in served(c) if not types or each["operand_dtypes"] == list(types)), None)
    if found is None:
        raise LookupError(f"{c['operator']} has no variant {types}")
    return found


def dtype_of(variant: Variant) -> np.dtype:
    """The dtype of the first result."""
    return FORMATS[variant["results"][0]["dtype"]].dtype


def value(formula: str, **variables: int) -> int:
    """What a formula amounts to."""
    return int(eval(formula, {"__builtins__": {}, "min": min}, variables))


def loop_for(c: Contract, variant: Variant, mode: str, path: str) -> Any:
    """The loop of a variant; of a fold that of a step."""
    for found in signatures(OPERATORS[c["operator"]]):
        if list(found.operands) == variant["operand_dtypes"] and dict(found.choices) == variant["attributes"]:
            return loop_of(found, mode, path)
    raise LookupError(variant)


# --- types, operands, attributes ----------------------------------------------------------------------------------------


def check_schema(c: Contract) -> None:
    jsonschema.Draft202012Validator(schema()).validate(c)
    assert json.loads(json.dumps(c)) == c


def check_onnx(c: Contract) -> None:
    """ONNX's own description agrees."""
    onnx = pytest.importorskip("onnx")
    if c["onnx"] is None:
        known = {each.name for each in onnx.defs.get_all_schemas()}
        # An operator of the project's own has no ONNX operator of its name.
        assert "".join(part.title() for part in c["operator"].split("_")) not in known
        return
    history = [each for each in onnx.defs.get_all_schemas_with_history() if each.name == c["onnx"]["type"]]
    assert min(each.since_version for each in history) <= c["onnx"]["opset"]["from"]
    latest = onnx.defs.get_schema(c["onnx"]["type"])
    assert not latest.deprecated
    option = onnx.defs.OpSchema.FormalParameterOption
    assert (latest.inputs[-1].option == option.Variadic) == c["variadic"]
    names = {each["name"] for each in (*c["attributes"], *c["operands"])}
    assert set(latest.attributes) <= names
    assert len(latest.outputs) == len(c["results"])
    if not c["variadic"]:
        assert [each.option == option.Optional for each in latest.inputs] == [each["optional"] for each in c["operands"]]


def check_types(c: Contract) -> None:
    """What is served gives the result's type; everything else is refused, for the reason given."""
    operator = OPERATORS[c["operator"]]
    place = operator.value_position
    for variant in c["variants"]:
        operands, attributes = tuple(arrays(variant, (3,))), attributes_of(c, variant)
        if variant["served"]:
            assert plan(operator, operands, attributes).dtype == dtype_of(variant)
        else:
            with pytest.raises(exactops.UnsupportedError, match=re.escape(variant["reason"])):
                call(c, variant, operands)
    first = variant_of(c)
    listed = {variant["operand_dtypes"][place] for variant in c["variants"]}
    assert set(c["dtypes"]) == listed and not set(c["refused_dtypes"]) & listed
    for short in set(EVERY) - listed:
        operands = arrays({"operand_dtypes": [short if old != "bool" else old for old in first["operand_dtypes"]]}, (3,))
        if first["operand_dtypes"][place] == "bool":
            operands = arrays({"operand_dtypes": [short] * len(operands)}, (3,))
        reason = re.escape(c["refused_dtypes"].get(short, short))
        with pytest.raises(exactops.UnsupportedError, match=reason):
            call(c, first, operands)
        with pytest.raises(exactops.UnsupportedError, match=reason):
            exactops.contract(c["operator"], dtype=short)


def check_aliases(c: Contract) -> None:
    """A narrower spelling refuses the types that it does not serve, and sets what it implies."""
    for alias in c["aliases"]:
        for variant in served(c):
            short, given = variant["operand_dtypes"][0], variant["attributes"]
            if any(given[name] != value for name, value in alias["preset"].items()):
                with pytest.raises(TypeError):
                    exactops.run(alias["name"], *arrays(variant, (3,)), **given)
            elif short not in alias["dtypes"]:
                with pytest.raises(exactops.UnsupportedError, match=re.escape(alias["reason"])):
                    exactops.run(alias["name"], *arrays(variant, (3,)), **given)
        short = alias["dtypes"][0]
        variant = next(
            v for v in served(c) if short in v["operand_dtypes"] and alias["preset"].items() <= v["attributes"].items()
        )
        operands = arrays(variant)
        assert_same_bits(exactops.run(alias["name"], *operands), call(c, variant, operands))


def check_operands(c: Contract) -> None:
    """Operands that may be missing, that may be given by keyword, and that are not read."""
    variant = variant_of(c)
    operands = arrays(variant, (5,))
    for position, operand in enumerate(() if c["variadic"] else c["operands"]):
        left_out = [*operands[:position], None, *operands[position + 1 :]]
        if operand["optional"]:
            check_missing(c, position, operand)
        else:
            with pytest.raises(TypeError):
                call(c, variant, left_out)
        if operand["keyword"]:
            by_keyword = call(c, variant, left_out, **{operand["name"]: operands[position]})
            assert_same_bits(by_keyword, call(c, variant, operands))
        else:
            with pytest.raises(TypeError):
                call(c, variant, operands[:position], **{operand["name"]: operands[position]})
        if not operand["read"]:
            other = [*operands[:position], np.zeros((2, 3), operands[position].dtype), *operands[position + 1 :]]
            assert_same_bits(call(c, variant, other), call(c, variant, operands))


def check_missing(c: Contract, position: int, operand: dict[str, Any]) -> None:
    """A missing operand is what the contract says."""
    side, _, what = operand["missing"].partition(" ")
    for short in ("f16", "f32", "i8", "u16"):
        variant = variant_of(c, *[short] * len(c["operands"]))
        dtype = FORMATS[short].dtype
        limits = ml_dtypes.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
        upper = side in ("largest", "plus")
        bound = limits.max if upper else limits.min
        if what == "infinity" and dtype.kind == "f":
            bound = np.inf if upper else -np.inf
        x = np.concatenate(
            [mixed_values(dtype, 257), np.array([np.inf, -np.inf] if dtype.kind == "f" else [0, 1]).astype(dtype)]
        )
        given = call(c, variant, [x], **{operand["name"]: np.array(bound, dtype)})
        assert_same_bits(call(c, variant, [x]), given)


def check_attributes(c: Contract) -> None:
    """Defaults, ranges and choices are those of calls; a number is rounded once, to the type that is named."""
    defaults = {each["name"]: each["default"] for each in c["attributes"] if not each["required"]}
    variant = next(v for v in served(c) if all(defaults.get(name, given) == given for name, given in v["attributes"].items()))
    operands = arrays(variant)
    for attribute in c["attributes"]:
        name, kind = attribute["name"], attribute["type"]
        others = {k: v for k, v in attributes_of(c, variant).items() if k != name}

        def with_value(given: Any, name: str = name, others: dict[str, Any] = others) -> Any:
            return exactops.run(c["operator"], *operands, **others, **{name: given})

        if attribute["required"]:
            with pytest.raises(TypeError, match=name):
                exactops.run(c["operator"], *operands, **others)
        else:
            assert_same_bits(exactops.run(c["operator"], *operands, **others), with_value(attribute["default"]))
        if kind == "integer":
            with_value(attribute["minimum"])
            with_value(attribute["maximum"])
            bad = [attribute["minimum"] - 1, attribute["maximum"] + 1, 1.0]
        elif kind == "number":
            check_rounding(c, attribute, others)
            bad = ["1", None]
        elif kind == "ignored":
            for anything in (0, "x", None, 2.5):
                assert_same_bits(with_value(anything), with_value(attribute["default"]))
            bad = []
        else:
            assert set(attribute["choices"]) == {v["attributes"][name] for v in c["variants"]}
            bad = ["no such choice", 99, None]
        for each in bad:
            with pytest.raises(ValueError, match=name):
                with_value(each)


def check_rounding(c: Contract, attribute: dict[str, Any], others: dict[str, Any]) -> None:
    """A value and its rounding to the type give the same bits; rounded to another type it gives others."""
    third = 1 / 3
    variant = variant_of(c)
    assert variant["operand_dtypes"][0] == "f16"
    operands = arrays(variant, (200,))
    values = {"value": third, "computing": float(np.float32(third)), "element": float(np.float16(third))}
    found = {
        key: bits_of(exactops.run(c["operator"], *operands, **others, **{attribute["name"]: v})) for key, v in values.items()
    }
    assert (found["value"] == found[attribute["rounded_to"]]).all()
    assert (found["computing"] != found["element"]).any() == (attribute["rounded_to"] == "computing")


# --- results and layouts ------------------------------------------------------------------------------------------------


def check_result(c: Contract) -> None:
    """Shape, rank, memory layout and kind of the result."""
    (result,) = c["results"]
    layout, rank = result["layout"], result["rank"]
    variant = variant_of(c)
    read = [each["read"] for each in c["operands"]] if not c["variadic"] else [True, True]
    for shapes in (((2, 1, 3), (4, 1), ()), ((3,), (), (2, 3)), ((0, 2), (1,), (1, 1))):
        operands = [sample(short, shape) for short, shape in zip(variant["operand_dtypes"], shapes, strict=False)]
        wanted = np.broadcast_shapes(*(o.shape for o, is_read in zip(operands, read, strict=True) if is_read))
        assert call(c, variant, operands).shape == wanted
    for order in "CF":
        operands = [np.array(array, order=order) for array in arrays(variant, (5, 7))]
        found = call(c, variant, operands)
        assert layout["order"].startswith("K: C where")
        assert layout["dense"] == (found.flags.c_contiguous if order == "C" else found.flags.f_contiguous)
        assert (layout["aligned"], layout["writable"]) == (found.flags.aligned, found.flags.writeable)
        assert layout["owns_memory"] == found.flags.owndata and layout["native_byte_order"] == found.dtype.isnative
    scalars = [sample(short, (), 3) for short in variant["operand_dtypes"]]
    assert result["zero_dimensional"] == "a NumPy scalar, or out"
    assert isinstance(call(c, variant, scalars), np.generic) and rank["least"] == 0
    out = np.empty((), dtype_of(variant))
    assert call(c, variant, scalars, out=out) is out
    deep = [sample(short, (1,) * rank["most"]) for short in variant["operand_dtypes"]]
    assert call(c, variant, deep).ndim == rank["most"]
    with pytest.raises((ValueError, TypeError)):
        np.ones((1,) * (rank["most"] + 1))


#: Names of layouts in contracts, and in exactops.testing.
LAYOUTS = {name: name for name in ("contiguous", "strided", "reversed", "broadcast", "offset", "misaligned", "fortran")}
LAYOUTS |= {"byte_swapped": "byte-swapped", "read_only": "read-only"}


def check_layouts(c: Contract) -> None:
    """Every layout is accepted, and gives the bits of a contiguous copy."""
    assert set(c["layouts"]) == {*LAYOUTS, "zero_dimensional", "zero_size"}
    assert all(each["accepted"] for each in c["layouts"].values())
    variant = variant_of(c)
    for name, layout in LAYOUTS.items():
        operands = arrays(variant, (9, 70))
        if name == "broadcast":
            operands = [np.broadcast_to(each[:1], each.shape) for each in operands]
        laid_out = [lay_out(each, layout) if layout in layout_names(each) else each for each in operands]
        assert_same_bits(call(c, variant, laid_out), call(c, variant, [np.ascontiguousarray(each) for each in operands]))
    operands = arrays(variant, (9, 70))
    assert call(c, variant, [each[:, :0] for each in operands]).shape == (9, 0)
    wanted = call(c, variant, operands)
    assert_same_bits(np.asarray(call(c, variant, [each[3, 4] for each in operands])), wanted[3:4, 4].reshape(()))


# --- memory and machine code --------------------------------------------------------------------------------------------

#: Bytes that Python itself may allocate in a call.
SLACK = 20_000


def allocated(function: Callable[[], Any]) -> int:
    """The most bytes that a call has allocated at once, NumPy's arrays included."""
    function()
    function()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        function()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def check_in_place(c: Contract) -> None:
    """Over the operands that are named no temporary array is made."""
    named = [each["name"] for each in c["operands"] if each["in_place_without_copy"]]
    assert named == c["aliasing"]["in_place_without_copy"]
    for position, operand in enumerate(c["operands"]):
        variant = variant_of(c)
        operands = [np.ones(100_000, FORMATS[short].dtype) for short in variant["operand_dtypes"]]
        if operand["name"] in named:
            out = operands[position]
            assert all(FORMATS[each["operand_dtypes"][position]].dtype == dtype_of(each) for each in served(c))
            assert allocated(lambda o=operands, v=variant, out=out: call(c, v, o, out=out)) < SLACK


def check_memory(c: Contract) -> None:
    """Bytes of results and of temporary arrays are what calls allocate; the stack holds the loop's buffers."""
    variant, n = variant_of(c), 100_000
    memory = variant["cost"]["memory"]
    for k in (2, 3, 4, 6) if c["variadic"] else (2,):
        operands = [np.ones(n, FORMATS[short].dtype) for short in variant["operand_dtypes"]]
        operands = operands[:1] * k if c["variadic"] else operands
        out, sizes = np.empty(n, dtype_of(variant)), variant["cost"]["bytes_per_element"]
        assert value(memory["results"], n=n, k=k) == out.nbytes and sizes["results"] == [out.itemsize]
        temporary = value(memory["temporary"], n=n, k=k)
        found = allocated(lambda o=operands, out=out: call(c, variant, o, out=out))
        assert abs(found - temporary) < SLACK
        if not c["variadic"]:
            read = sum(o.nbytes for o, operand in zip(operands, c["operands"], strict=True) if operand["read"])
            assert value(variant["cost"]["bytes_moved"], n=n) == read + out.nbytes
    if not c["variadic"]:
        text, _ = loops._build(loop_for(c, variant, "exact", "scalar"), host_target())
        assert memory["stack"] == sum(map(int, re.findall(r"= alloca i8, i32 (\d+)", text)))


def check_arithmetic(c: Contract) -> None:
    """The operations counted are the instructions that the compiler gets."""
    import llvmlite.binding as llvm

    variant = next(each for each in served(c) if set(each["operand_dtypes"]) == {"f32"})
    for mode in c["modes"] if variant["modes_differ"] else ["exact"]:
        _, parts = loops._build(loop_for(c, variant, mode, "scalar"), host_target())
        text = "".join(str(llvm.parse_bitcode(part)) for part in parts)
        plain = len(re.findall(r"= (?:fadd|fsub|fmul|fdiv) ", text)) + len(re.findall(r"call [^\n]*@llvm\.sqrt", text))
        fused = 2 * len(re.findall(r"call [^\n]*@llvm\.fmuladd", text))
        assert plain + fused == value(variant["cost"]["flops"][mode], n=1, k=2), (c["operator"], mode)


#: By type, the packed addition of x86-64.
_ADDITIONS = {"f16": "addps", "f32": "addps", "f64": "addpd", "i8": "paddb", "i32": "paddd", "u64": "paddq"}


def check_lanes(c: Contract) -> None:
    """The assembly adds as many lanes at once, and as many groups a turn, as the contract says (of the operator add)."""
    own_loops = sum("loop" in each for each in c["fast_paths"])
    for (short, name), path in itertools.product(_ADDITIONS.items(), exactops.paths()):
        variant = variant_of(c, short, short)
        text = loops.assembly(loop_for(c, variant, "exact", path), host_target())
        registers = re.findall(rf"\bv?{name}\s.*%([xyz])mm\d+", text)
        lanes = variant["lanes"][path]
        if path == "scalar":
            assert lanes == 1
            continue
        size = lanes * np.dtype(variant["computing"][0]).itemsize
        assert set(registers) == {{16: "x", 32: "y", 64: "z"}[size]}, (short, path)
        # Loops that take several groups a turn, then one that takes one.
        assert len(registers) == own_loops * variant["groups_a_turn"] + 1, (short, path)


def check_fast_paths(c: Contract) -> None:
    """A call that is repeated runs no Python code where the contract says so, and makes no plan."""
    variant = variant_of(c)
    operands, attributes = arrays(variant, (5,)), attributes_of(c, variant)

    def repeated() -> Any:
        return exactops.run(c["operator"], *operands, **attributes)

    for _ in range(3):
        repeated()
    frames = []
    sys.setprofile(lambda frame, event, argument: frames.append(frame.f_code.co_name) if event == "call" else None)
    try:
        repeated()
    finally:
        sys.setprofile(None)
    claims = [each.get("python_code", True) for each in c["fast_paths"] if each.get("planned") is False]
    assert "plan" not in frames and claims
    assert (frames == ["repeated"]) == (False in claims)


# --- precision ----------------------------------------------------------------------------------------------------------


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _gelu_tanh(x: np.ndarray) -> np.ndarray:
    inner = 2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return x / (1 + np.exp(-inner))


_erf, _erfc = (np.vectorize(function, otypes=[np.float64]) for function in (math.erf, math.erfc))

#: True values, by functions that share nothing with the kernels; in double they are right to some 1e-15.
TRUTHS: dict[str, Callable[..., np.ndarray]] = {
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": _sigmoid,
    "silu": lambda x: x * _sigmoid(x),
    "erf": _erf,
    "erfc": _erfc,
    "gelu": lambda x: x * 0.5 * _erfc(-x / math.sqrt(2)),
    "gelu_tanh": _gelu_tanh,
    "pow": np.power,
    "add": np.add,
    "mul": np.multiply,
    "div": np.divide,
    "sqrt": np.sqrt,
}


def check_precision(c: Contract) -> None:
    """No result is further from the true value than the contract says, and none of fast mode from exact mode's."""
    for short in ("f16", "f32"):
        stored = FORMATS[short]
        variant = variant_of(c, *[short] * len(c["operands"]))
        patterns = np.random.default_rng(1).integers(0, 1 << stored.bits, (len(c["operands"]), 20_000), np.uint64)
        operands = [from_bits(each.astype(f"u{stored.size}"), short) for each in patterns]
        if c["operator"] in ("sin", "cos", "pow"):
            # Values near 1, beside those of all magnitudes.
            operands = [np.concatenate([each, np.linspace(0.01, 30, 5000).astype(each.dtype)]) for each in operands]
        with np.errstate(all="ignore"):
            true = TRUTHS[c["operator"]](*(each.astype(np.float64) for each in operands))
        results = {mode: call(c, variant, operands, mode=mode) for mode in c["modes"]}
        largest = float(stored.value(stored.largest).astype(np.float64))
        kept = (np.abs(true) <= largest) & (np.abs(true) > 1e-290)
        true, exponent = true[kept], np.frexp(np.where(kept, true, 1))[1][kept]
        unit = np.exp2(np.maximum(exponent - stored.precision, stored.quantum_exponent).astype(np.float64))
        normal = exponent - 1 >= stored.least_exponent
        for mode, result in results.items():
            claim = variant["results"][0]["precision"][mode]
            error = np.abs(result[kept].astype(np.float64) - true)
            # The true values are doubles, and rounded themselves.
            tolerance = np.abs(true) * 1e-14
            assert (error <= claim["max_ulp"] * unit + tolerance).all(), (short, mode)
            assert (error[normal] <= claim["max_relative"] * np.abs(true[normal]) * (1 + 1e-9) + tolerance[normal]).all()
            assert (error[~normal] <= claim["max_absolute_of_subnormal"] * (1 + 1e-9)).all()
            apart = np.abs(places(result[kept]) - places(results["exact"][kept]))
            assert apart.max(initial=0) <= claim["max_ulp_from_exact"], (short, mode)
            assert claim["correctly_rounded"] == (claim["max_ulp"] <= 0.5)


def places(values: np.ndarray) -> np.ndarray:
    """Floats as integers in their order, so that a difference counts the values in between."""
    bits = bits_of(values).astype(np.int64)
    sign = 1 << (8 * values.itemsize - 1)
    return np.where(bits & sign, -(bits & (sign - 1)), bits)


def check_nan(c: Contract) -> None:
    """Every NaN of an exact result is the one named."""
    for short in ("f16", "bf16"):
        stored = FORMATS[short]
        variant = next(each for each in served(c) if each["operand_dtypes"][-1] == short)
        quiet = stored.nan
        patterns = [quiet | 1, quiet | stored.sign_bit, stored.infinity | 1, (1 << stored.bits) - 1]
        operands = [
            from_bits(np.array(patterns, f"u{stored.size}"), short) if each == short else np.ones(4, FORMATS[each].dtype)
            for each in variant["operand_dtypes"]
        ]
        result = call(c, variant, operands)
        found = {int(each) for each in bits_of(result)[np.isnan(result.astype(np.float64))]}
        assert found == {int(variant["results"][0]["nan"], 16)}


# --- which operators each check is made of ------------------------------------------------------------------------------

#: The float32 kernels of which every operation is an instruction on every path.
PLAIN = ("add", "mul", "square", "div", "sqrt", "reciprocal", "relu", "leaky_relu", "hard_sigmoid", "hard_swish", "scaled_add")

CHECKED: dict[str, tuple[Check, tuple[str, ...]]] = {
    "schema": (check_schema, tuple(OPERATORS)),
    "onnx": (check_onnx, tuple(OPERATORS)),
    "types": (check_types, tuple(OPERATORS)),
    "aliases": (check_aliases, ("div", "mod")),
    "operands": (check_operands, (*KINDS, "clamp", "clamp_min")),
    "attributes": (check_attributes, ("leaky_relu", "hard_sigmoid", "scaled_add", "powi", "mod", "sign", "gelu", "cast")),
    "result": (check_result, KINDS),
    "layouts": (check_layouts, KINDS),
    "in_place": (check_in_place, tuple(OPERATORS)),
    "memory": (check_memory, (*KINDS, "sum", "max")),
    "arithmetic": (check_arithmetic, PLAIN),
    "lanes": (check_lanes, ("add",) if X86 else ()),
    "fast_paths": (check_fast_paths, tuple(OPERATORS)),
    "precision": (check_precision, tuple(TRUTHS)),
    "nan": (check_nan, ("add", "exp", "relu", "max", "sqrt", "cast", "where", "mean", "clip")),
}


@pytest.mark.parametrize("check", CHECKED)
def test_claims(check: str) -> None:
    """One claim of the contracts of all operators that it says something of."""
    function, names = CHECKED[check]
    wrong = {}
    for name in names:
        try:
            function(contract_of(name))
        except (AssertionError, pytest.fail.Exception, jsonschema.ValidationError) as error:
            wrong[name] = str(error)
    assert not wrong


def test_groups_of_all_kernels() -> None:
    """The loop over dense arrays goes forward by the lanes and groups of the contract, in kernels of every kind."""
    for name, types in (
        ("relu", ("f16",)),
        ("less", ("i8", "i8")),
        ("exp", ("f32",)),
        ("erf", ("bf16",)),
        ("pow", ("f32", "i32")),
    ):
        c = contract_of(name)
        variant, path = variant_of(c, *types), exactops.paths()[0]
        text, _ = loops._build(loop_for(c, variant, "exact", path), host_target())
        step = variant["lanes"][path] * variant["groups_a_turn"]
        own_loops = sum("loop" in each for each in c["fast_paths"])
        assert len(re.findall(rf"= add i64 [^,]+, {step}$", text, re.MULTILINE)) == (own_loops or 1), name


def test_integer_operations() -> None:
    """Of kernels whose arithmetic is plain to see."""
    for name, count in (("add", 1), ("mul", 1), ("square", 1), ("max", 0), ("and", 0)):
        c = contract_of(name)
        variant = next(v for v in served(c) if v["operand_dtypes"][0] in ("i32", "bool"))
        assert value(variant["cost"]["integer_operations"]["exact"], n=10, k=2) == 10 * count
        assert value(variant["cost"]["flops"]["exact"], n=10, k=2) == 0


GUARD_PAGES = """
import ctypes, mmap, sys
import numpy as np
import exactops
from exactops.contracts.operands import call_attributes
from exactops.table.formats import FORMATS
from exactops.table.signatures import signatures
from exactops.testing import mixed_values
page, size = mmap.PAGESIZE, 3 * mmap.PAGESIZE
libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
kept = []

def between(dtype, count, at_end):
    # An array that ends where a page without access begins, or begins where one ends.
    memory = mmap.mmap(-1, size)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for guard in (start, start + 2 * page):
        assert libc.mprotect(guard, page, 0) == 0
    kept.append(memory)
    nbytes = count * dtype.itemsize
    offset = 2 * page - nbytes if at_end else page
    return np.frombuffer(memory, np.uint8)[offset : offset + nbytes].view(dtype)

done = 0
for operator in exactops.operators().values():
    every = list(signatures(operator))
    for found in every if operator.name in ("add", "less", "where") else every[:1]:
        for count in (1, 67):
            for at_end in (False, True):
                arrays = [between(FORMATS[short].dtype, count, at_end) for short in found.operands]
                for array in arrays:
                    array[...] = np.resize(mixed_values(array.dtype, 67), count)
                out = between(FORMATS[found.results[0]].dtype, count, at_end)
                exactops.run(operator.name, *arrays, out=out, **call_attributes(found))
                done += 1
print(done)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs mprotect")
def test_nothing_is_read_or_written_outside() -> None:
    """Arrays at the edge of pages that may not be touched: one access too far would end the process."""
    access = contract_of("add")["access"]
    assert not (access["reads_outside"] or access["writes_outside"] or access["operands_written"])
    assert int(python(GUARD_PAGES)) > 200


# --- planted faults -----------------------------------------------------------------------------------------------------


def _first(change: Callable[[Variant], Any]) -> Callable[[Contract], Any]:
    return lambda c: change(variant_of(c))


def _precision(mode: str, **claims: Any) -> Callable[[Contract], Any]:
    return lambda c: [v["results"][0]["precision"][mode].update(claims) for v in served(c)]


def _in_place(name: str) -> Callable[[Contract], Any]:
    """Claim that a call needs no temporary over an operand."""

    def change(c: Contract) -> None:
        next(each for each in c["operands"] if each["name"] == name).update(in_place_without_copy=True)
        c["aliasing"]["in_place_without_copy"].append(name)

    return change


#: A wrong claim by the check that must find it: operator and change.
PLANTED: list[tuple[str, str, Callable[[Contract], Any]]] = [
    ("schema", "exp", lambda c: c.update(surprise=1)),
    ("schema", "exp", lambda c: c["determinism"].update(exact="mostly")),
    ("schema", "mod", _first(lambda v: v.update(cost=None))),
    ("onnx", "gelu", lambda c: c["onnx"]["opset"].update({"from": 19})),
    ("onnx", "clip", lambda c: c["operands"][1].update(optional=False)),
    ("types", "exp", lambda c: c["dtypes"].append("i8")),
    ("types", "less", _first(lambda v: v["results"][0].update(dtype="f32"))),
    ("types", "mod", lambda c: next(v for v in c["variants"] if not v["served"]).update(reason="not today")),
    ("types", "neg", lambda c: c["refused_dtypes"].update(u8="it is too small")),
    ("aliases", "div", lambda c: c["aliases"][0]["dtypes"].remove("f32")),
    ("aliases", "mod", lambda c: c["aliases"][0].update(preset={"fmod": 0})),
    ("operands", "where", lambda c: c["operands"][1].update(optional=True, missing="least finite")),
    ("operands", "clip", lambda c: c["operands"][2].update(missing="plus infinity")),
    ("operands", "add", lambda c: c["operands"][1].update(keyword=True)),
    ("operands", "add", lambda c: c["operands"][1].update(read=False)),
    ("attributes", "leaky_relu", lambda c: c["attributes"][0].update(default=0.02)),
    ("attributes", "leaky_relu", lambda c: c["attributes"][0].update(rounded_to="element")),
    ("attributes", "powi", lambda c: c["attributes"][0].update(maximum=2**31)),
    ("attributes", "powi", lambda c: c["attributes"][0].update(required=False, default=1)),
    ("attributes", "mod", lambda c: c["attributes"][0]["choices"].append(2)),
    ("result", "add", lambda c: c["results"][0]["rank"].update(most=63)),
    ("result", "add", lambda c: c["results"][0]["layout"].update(writable=False)),
    ("layouts", "add", lambda c: c["layouts"]["reversed"].update(accepted=False)),
    ("in_place", "less", _in_place("x")),
    ("in_place", "cast", _in_place("x")),
    ("memory", "add", _first(lambda v: v["cost"].update(bytes_moved="8*n"))),
    ("memory", "sum", _first(lambda v: v["cost"]["memory"].update(temporary="0"))),
    ("memory", "relu", _first(lambda v: v["cost"]["memory"].update(stack=512))),
    ("arithmetic", "hard_swish", lambda c: [v["cost"]["flops"].update(exact="2*n") for v in c["variants"]]),
    ("lanes", "add", lambda c: [v["lanes"].update(sse2=2) for v in c["variants"]]),
    ("lanes", "add", _first(lambda v: v.update(groups_a_turn=1))),
    ("fast_paths", "mean", lambda c: c["fast_paths"].append({"when": "always", "planned": False, "python_code": False})),
    ("fast_paths", "exp", lambda c: c["fast_paths"].pop()),
    ("precision", "exp", _precision("fast", max_ulp=0.5, correctly_rounded=True)),
    ("precision", "exp", _precision("fast", max_ulp_from_exact=0)),
    ("precision", "add", _precision("exact", max_relative=1e-9)),
    ("precision", "sin", _precision("exact", max_ulp=0.4)),
    ("precision", "sin", _precision("exact", correctly_rounded=False)),
    ("nan", "add", _first(lambda v: v["results"][0].update(nan="0xfe00"))),
]


@pytest.mark.parametrize("number", range(len(PLANTED)), ids=[f"{check}-{name}" for check, name, _ in PLANTED])
def test_a_wrong_claim_is_found(number: int) -> None:
    check, name, plant = PLANTED[number]
    if name not in CHECKED[check][1]:
        pytest.skip("not on this machine")
    c = contract_of(name)
    plant(c)
    assert c != contract_of(name)
    with pytest.raises((AssertionError, jsonschema.ValidationError, LookupError, TypeError, ValueError, pytest.fail.Exception)):
        CHECKED[check][0](c)


def test_every_check_can_fail() -> None:
    assert {check for check, _, _ in PLANTED} == set(CHECKED)


# --- the public function ------------------------------------------------------------------------------------------------


def test_one_type() -> None:
    c = exactops.contract("gelu", dtype="bfloat16")
    assert c["dtypes"] == ["bf16"] and {tuple(v["operand_dtypes"]) for v in c["variants"]} == {("bf16",)}
    for spelling in ("bf16", ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16)):
        assert exactops.contract("Gelu", spelling) == c
    assert [v["attributes"] for v in c["variants"]] == [{"approximate": "none"}, {"approximate": "tanh"}]
    assert exactops.contract("add", np.float32) == exactops.contract("add", ">f4")


@pytest.mark.parametrize("dtype", ["f99", "complex64", object, 17, "i8"])
def test_a_type_that_is_not_served(dtype: Any) -> None:
    with pytest.raises(exactops.UnsupportedError):
        exactops.contract("gelu", dtype=dtype)


def test_no_such_operator() -> None:
    with pytest.raises(exactops.UnsupportedError, match="gelu"):
        exactops.contract("gelo")


def test_the_schema_and_the_page_are_of_this_version() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    version = contract_of("exp")["contract_version"]
    assert f"version {version}" in (ROOT / "docs" / "contracts.md").read_text(encoding="utf-8")


def test_importing_the_package_imports_no_contract() -> None:
    program = (
        "import sys, exactops; print('exactops.contracts' in sys.modules, 'contract' in dir(exactops), end=' ')\n"
        "exactops.contract('add', 'f32'); print('numba' in sys.modules, 'jsonschema' in sys.modules, 'gmpy2' in sys.modules)"
    )
    assert python(program).split() == ["False", "True", "False", "False", "False"]


# --- proofs -------------------------------------------------------------------------------------------------------------


def proof(operator: str = "gelu", **changes: Any) -> dict[str, Any]:
    """An entry as the prover writes it."""
    entry = {
        "operator": operator,
        "dtype": "f16",
        "attributes": {},
        "mode": "exact",
        "inputs": 1 << 16,
        "not_correctly_rounded": 0,
        "sha256": "0" * 64,
        "kernel": sources.kernel_digest(operator),
        "engine": sources.engine_digest(),
        "date": "2026-01-01 00:00 UTC",
        "path": "scalar",
        "cpu": "x86_64 generic",
        "versions": {"numpy": "2.0"},
    }
    return {name: value for name, value in (entry | changes).items() if value is not None}


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """A function that puts a text in the place of the recorded proofs."""
    file = tmp_path / "proofs.json"
    monkeypatch.setattr(record_files, "find", lambda name: file)
    return lambda text: void(file.write_text(text, encoding="utf-8"))


def void(_: object) -> None:
    """Nothing."""


def audit_of(variant: Variant, mode: str = "exact") -> dict[str, Any]:
    """The audit of a variant's first result."""
    return variant["results"][0]["precision"][mode]["audit"]


#: Records, and the statuses that follow for gelu of f16: erf form exact and fast, tanh form exact.
AUDITS: list[tuple[str, list[Any], tuple[str, str, str]]] = [
    ("none", [], ("not_proven", "not_proven", "not_proven")),
    ("whole", [proof()], ("proven", "not_proven", "not_proven")),
    ("tanh", [proof(attributes={"approximate": "tanh"})], ("not_proven", "not_proven", "proven")),
    ("spelled out", [proof(attributes={"approximate": "none"})], ("proven", "not_proven", "not_proven")),
    ("fault", [proof(not_correctly_rounded=1)], ("failed", "not_proven", "not_proven")),
    ("fault beside a proof", [proof(), proof(not_correctly_rounded=1)], ("failed", "not_proven", "not_proven")),
    ("part", [proof(inputs=1000)], ("sampled", "not_proven", "not_proven")),
    ("pairs", [proof(pairs=65536)], ("sampled", "not_proven", "not_proven")),
    ("other sources", [proof(kernel="1" * 64)], ("proven_for_other_sources", "not_proven", "not_proven")),
    ("another engine", [proof(engine="1" * 64)], ("proven_for_other_sources", "not_proven", "not_proven")),
    ("no engine", [proof(engine=None)], ("proven_for_other_sources", "not_proven", "not_proven")),
    ("old fault", [proof(kernel="1" * 64, not_correctly_rounded=1)], ("not_proven",) * 3),
    ("another type", [proof(dtype="f32", inputs=1 << 32)], ("not_proven",) * 3),
    ("another operator", [proof(operator="exp")], ("not_proven",) * 3),
    ("fast", [proof(mode="fast", not_correctly_rounded=None, beyond_limit=0)], ("not_proven", "proven", "not_proven")),
    ("only a hash", [proof(inputs=None, not_correctly_rounded=None)], ("not_proven",) * 3),
    ("no counts", [proof(not_correctly_rounded=None)], ("not_proven",) * 3),
    ("no entry", [7, None, {}, "x"], ("not_proven",) * 3),
]


@pytest.mark.parametrize(("records", "statuses"), [each[1:] for each in AUDITS], ids=[each[0] for each in AUDITS])
def test_audits(records: list[Any], statuses: tuple[str, ...], recorded: Callable[[str], None]) -> None:
    recorded(json.dumps({"about": "", "proofs": records}))
    c = exactops.contract("gelu", "f16")
    check_schema(c)
    none, tanh = c["variants"]
    assert (audit_of(none)["status"], audit_of(none, "fast")["status"], audit_of(tanh)["status"]) == statuses


@pytest.mark.parametrize(
    ("changes", "status"), [({}, "proven"), ({"pairs": 65536}, "sampled"), ({"inputs": 1 << 16}, "sampled")], ids=repr
)
def test_audits_of_pairs(changes: Any, status: str, recorded: Callable[[str], None]) -> None:
    """Of two operands the domain is all pairs; another type of the exponent is another matter."""
    recorded(json.dumps({"proofs": [proof("pow", exponent="bf16", inputs=1 << 32) | changes]}))
    for variant in exactops.contract("pow", "f16")["variants"]:
        assert audit_of(variant)["status"] == (status if variant["operand_dtypes"] == ["f16", "bf16"] else "not_proven")


def test_damaged_records_prove_nothing(recorded: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("", "{", "[]", "7", '{"proofs": 7}', '{"proofs": {"a": 1}}', "\x00"):
        recorded(text)
        assert audit_of(exactops.contract("exp", "f16")["variants"][0])["status"] == "not_proven"
    monkeypatch.setattr(record_files, "find", lambda name: Path("no such folder") / name)
    assert audit_of(exactops.contract("exp", "f16")["variants"][0])["status"] == "not_proven"


def test_the_records_are_told(recorded: Callable[[str], None]) -> None:
    """Each record of a float result stands in the contract of its operator, and nothing else does."""
    text = (ROOT / "exactops" / "records" / record_files.PROOFS).read_text(encoding="utf-8")
    recorded(text)
    entries = [each for each in json.loads(text)["proofs"] if "inputs" in each]
    told = set()
    for name in {each["operator"] for each in entries} | {"add", "relu"}:
        for variant in served(exactops.contract(name)):
            for precision in variant["results"][0]["precision"].values():
                told |= {record["sha256"] for record in precision["audit"]["records"]}
                assert (precision["audit"]["status"] == "by_definition") == (
                    OPERATORS[name].category != "c" or FORMATS[variant["results"][0]["dtype"]].kind != "f"
                )
    assert told == {each["sha256"] for each in entries if FORMATS[each["dtype"]].kind == "f"}


# --- measuring ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder of its own; kernels stay where they are."""
    file = tmp_path / "measurements.json"
    monkeypatch.setattr(measurements, "file", lambda: file)
    return file


def run_measure(*arguments: str) -> int:
    """Measure, quickly and badly."""
    return main(["measure", *arguments, "--size", "64", "--rounds", "1"])


@functools.cache
def measured() -> measurements.Measurement:
    """A measurement of exp, of float32."""
    (task,) = measuring.tasks(OPERATORS["exp"], "f32", ("exact",))
    (found,) = measuring.measure([task], ["scalar"], size=64, rounds=1, core=None)
    return found


def shown() -> list[dict[str, Any]]:
    """The measurements in the contract of exp, of float32."""
    return exactops.contract("exp", "f32")["variants"][0]["cost"]["measured"]


def test_measure_and_show(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run_measure("gelu", "mean", "--dtype", "f32", "--path", "all") == 0
    capsys.readouterr()
    c = exactops.contract("gelu", "f32")
    check_schema(c)
    for variant in c["variants"]:
        found = variant["cost"]["measured"]
        every = set(itertools.product(("exact", "fast"), exactops.paths()))
        assert {(each["mode"], each["path"]) for each in found} == every
        assert all(each["current"] and each["size"] == 64 and each["rounds"] == 1 for each in found)
        assert all(each["cpu"] == measurements.cpu() and each["versions"]["numpy"] == np.__version__ for each in found)
        assert all(each["ns_per_element"] >= 0 and each["call_ns"] > 0 for each in found)
    assert all(not variant["cost"]["measured"] for variant in exactops.contract("gelu", "f16")["variants"])
    # A newer measurement replaces an older one, others stay.
    count = len(measurements.load())
    assert run_measure("gelu", "--dtype", "f32", "--json") == 0
    printed = json.loads(capsys.readouterr().out)
    assert len(measurements.load()) == count and len(printed) == 4
    assert main(["contracts", "gelu", "--dtype", "f32"]) == 0
    assert f"({exactops.paths()[0]})" in capsys.readouterr().out


def test_measurements_of_other_sources_and_cpus(data: Path) -> None:
    measurements.store([measured()])
    assert [each["current"] for each in shown()] == [True]
    measurements.store([replace(measured(), revision="other")])
    assert [each["current"] for each in shown()] == [False]
    data.unlink()
    measurements.store([replace(measured(), cpu="another")])
    assert shown() == []


def test_a_damaged_file_counts_as_absent(data: Path) -> None:
    texts = ("", "{", "null", "[]", '{"form": 2}', '{"form": 1, "measurements": []}', '{"form": 2, "measurements": [1, {}]}')
    for text in (*texts, "[" * 99999):
        data.write_text(text)
        assert measurements.load() == [] and shown() == []
        measurements.store([measured()])
        assert measurements.load() == [measured()]


#: Fields and what none of them may hold.
DAMAGED: list[tuple[str, Any]] = [
    *(("ns_per_element", each) for each in (-1, "fast", float("nan"), float("inf"))),
    *(("call_ns", each) for each in (None, True)),
    *(("size", each) for each in (0, 1.5)),
    *(("inputs", each) for each in ("f32", [1])),
    *(("results", each) for each in ("f32", [None])),
    *(("attributes", each) for each in ([], {"x": []})),
    ("rounds", "3"),
    ("versions", {"numpy": 2}),
    ("core", "3"),
    ("cpu", None),
    ("surprise", 1),
]


def test_a_damaged_entry_counts_as_absent(data: Path) -> None:
    measurements.store([measured()])
    content = json.loads(data.read_text())
    content["measurements"] += [asdict(measured()) | {field: wrong} for field, wrong in DAMAGED]
    content["measurements"] += [{name: each for name, each in asdict(measured()).items() if name != "mode"}]
    data.write_text(json.dumps(content))
    assert measurements.load() == [measured()]


def test_the_folder_of_the_file() -> None:
    program = "from exactops.contracts import measurements; print(measurements.file())"
    assert python(program, EXACTOPS_CACHE_DIR="/some/where").strip() == str(Path("/some/where/measurements.json"))
    found = Path(python(program, EXACTOPS_CACHE_DIR=None).strip())
    assert found.name == "measurements.json" and "exactops" in found.parts


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(measurements, "file", lambda: tmp_path / "file" / "measurements.json")
    assert run_measure("exp", "--dtype", "f32", "--mode", "exact") == 2
    assert "cannot write" in capsys.readouterr().err
    assert run_measure("exp", "--dtype", "f32", "--mode", "exact", "--no-store") == 0


def test_the_process_is_pinned_and_freed() -> None:
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("no affinity")
    before = os.sched_getaffinity(0)
    with processors.pinned() as core:
        assert os.sched_getaffinity(0) == {core} <= before
    assert os.sched_getaffinity(0) == before


def test_interleaved_calls_take_turns() -> None:
    order: list[str] = []
    calls = {name: functools.partial(order.append, name) for name in "abc"}
    found = measuring.interleaved(calls, 3)
    assert set(found) == {"a", "b", "c"} and all(seconds > 0 for seconds in found.values())
    assert order[-1] == "b"  # the third round begins with the third call


# --- the commands -------------------------------------------------------------------------------------------------------


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command prints."""
    assert main(arguments) == 0
    return capsys.readouterr().out


def test_contracts_by_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    one = json.loads(printed(capsys, "contracts", "Gelu", "--dtype", "bfloat16", "--json"))
    assert one == exactops.contract("gelu", "bf16")
    floats = json.loads(printed(capsys, "contracts", "--dtype", "f64", "--json"))
    assert [c["operator"] for c in floats] == [o.name for o in OPERATORS.values() if "f64" in o.dtypes]
    assert json.loads(printed(capsys, "contracts", "--schema")) == schema()
    text = printed(capsys, "contracts", "mod")
    assert "refused" in text and "fmod=1" in text
    text = printed(capsys, "contracts", "exp")
    assert "bitwise everywhere" in text and "same path bitwise" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["contracts", "gelo"], "gelu"),
        (["contracts", "gelu", "--dtype", "i8"], "does not serve i8"),
        (["contracts", "--dtype", "f99"], "f99"),
        (["measure", "gelo"], "gelu"),
        (["measure", "not", "--dtype", "f32"], "does not serve f32"),
        (["measure", "--dtype", "f99"], "f99"),
        (["measure", "exp", "--path", "avx1024"], "avx1024"),
        (["measure", "exp", "--size", "1"], "too few"),
        (["measure", "exp", "--rounds", "0"], "not positive"),
        (["measure", "exp", "--rounds", "x"], "invalid"),
    ],
)
def test_bad_input(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1 and message in captured.err
