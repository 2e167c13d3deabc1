"""Contracts keep their word: every claim of every contract is checked by a test, here or in the module that it concerns.

``CLAIMS`` says which. A claim that nobody checks fails, and so does a claim that is wrong: faults are planted below.
"""

from __future__ import annotations

import copy
import functools
import hashlib
import itertools
import json
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jsonschema
import ml_dtypes
import numpy as np
import pytest
from support.processes import environment, python

import exactops
from exactops.cli import main
from exactops.codegen import loops
from exactops.codegen.target import host_target
from exactops.contracts import contract as contracts
from exactops.contracts import measurements
from exactops.records import files as record_files
from exactops.records import sources
from exactops.system import processors
from exactops.table.formats import FORMATS
from exactops.table.operator import Operator
from exactops.testing import assert_same_bits, bits_of, from_bits, lay_out, layout_names, mixed_values

ROOT = Path(__file__).resolve().parent.parent
OPERATORS = exactops.operators()
SCHEMA = contracts.schema()

Contract = dict[str, Any]
Variant = dict[str, Any]
Check = Callable[[Contract], None]


@functools.cache
def _contract(name: str) -> Contract:
    return exactops.contract(name)


def contract_of(name: str) -> Contract:
    """A fresh copy of an operator's contract."""
    return copy.deepcopy(_contract(name))


# --- calls that a contract describes ----------------------------------------------------------------------------------


def sample(short: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """Hard values of a type."""
    values = mixed_values(FORMATS[short].dtype, 257)
    chosen = np.random.default_rng(seed).integers(0, values.size, shape)
    return values[chosen]


def required(c: Contract) -> dict[str, Any]:
    """Values for the attributes without a default."""
    samples = {"number": 0.75, "integer": 3, "dtype": "f32"}
    return {a["name"]: samples[a["type"]] for a in c["attributes"] if a["required"] and a["type"] != "operand"}


def arrays(variant: Variant, shape: tuple[int, ...] = (37,), count: int = 2) -> list[np.ndarray]:
    """Operands of a variant."""
    return [sample(short, shape, seed) for seed, short in enumerate(variant["operand_dtypes"])]


def call(c: Contract, variant: Variant, operands: Any, **more: Any) -> Any:
    """The call that a variant describes."""
    return exactops.run(c["operator"], *operands, **{**required(c), **variant["attributes"]}, **more)


def served(c: Contract, few: bool = False) -> Iterator[Variant]:
    """The variants that are served; ``few``: one for each type of the first value operand."""
    seen = set()
    place = int(c["operands"][0]["role"] == "condition")
    for variant in c["variants"]:
        short = variant["operand_dtypes"][place]
        if variant["served"] and not (few and short in seen):
            seen.add(short)
            yield variant


def value(formula: str, **variables: int) -> int:
    """What a formula amounts to."""
    return int(eval(formula, {"__builtins__": {}, "min": min}, variables))


# --- the checks: each takes a contract and raises where it is wrong -----------------------------------------------------


def check_schema(c: Contract) -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(c)
    assert json.loads(json.dumps(c)) == c


def check_names(c: Contract) -> None:
    operator = OPERATORS[c["operator"]]
    package, _, function = c["function"].partition(".")
    assert package == "exactops" and getattr(exactops, function).__name__ == function
    assert c["names"][0] == c["operator"] and set(c["names"]) == set(operator.names)
    for name in c["names"]:
        assert exactops.contract(name, c["dtypes"][0])["operator"] == c["operator"]
    assert c["summary"][1:] in getattr(exactops, function).__doc__
    assert all(case[1:] in getattr(exactops, function).__doc__ for case in c["special_cases"])
    assert f"Category {c['class']}." in getattr(exactops, function).__doc__
    assert c["class_meaning"] in (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(c["dtypes"]) == set(operator.dtypes)


def check_onnx(c: Contract) -> None:
    onnx = pytest.importorskip("onnx")
    if c["onnx"] is None:
        known = {schema.name for schema in onnx.defs.get_all_schemas()}
        # An operator of the project's own has no ONNX operator of its name.
        assert "".join(part.title() for part in c["operator"].split("_")) not in known
        return
    history = [schema for schema in onnx.defs.get_all_schemas_with_history() if schema.name == c["onnx"]["type"]]
    assert min(schema.since_version for schema in history) <= c["onnx"]["opset"]["from"]
    assert c["onnx"]["type"] in c["names"]
    assert c["onnx"]["opset"]["to"] is None
    latest = onnx.defs.get_schema(c["onnx"]["type"])
    assert not latest.deprecated
    assert set(latest.attributes) <= {a["name"] for a in c["attributes"]}
    most = latest.inputs[-1].option == onnx.defs.OpSchema.FormalParameterOption.Variadic
    assert most == c["variadic"]
    if not most:
        assert len(latest.inputs) == len(c["operands"])
        optional = [i.option == onnx.defs.OpSchema.FormalParameterOption.Optional for i in latest.inputs]
        assert optional == [operand["optional"] for operand in c["operands"]]


def check_types(c: Contract) -> None:
    """What is served is served with the result's type; everything else is refused."""
    place = int(c["operands"][0]["role"] == "condition")
    for number, variant in enumerate(c["variants"]):
        operands = arrays(variant, (3,))
        if variant["served"]:
            # Of conversions and powers, which are many, the plan of all and the result of some.
            if len(c["variants"]) < 60 or number % 7 == 0:
                assert call(c, variant, operands).dtype == FORMATS[variant["result_dtype"]].dtype
            assert key_of(c, variant, "exact", "scalar").output == variant["result_dtype"]
            first = variant["operand_dtypes"][place]
            rule = c["result"]["dtype_rule"]
            target = variant["attributes"].get("to", variant["operand_dtypes"][-1])
            assert variant["result_dtype"] == {"same": first, "bool": "bool", "to": target}[rule]
        else:
            with pytest.raises(exactops.UnsupportedError, match=re.escape(variant["reason"])):
                call(c, variant, operands)
    listed = {variant["operand_dtypes"][place] for variant in c["variants"]}
    assert listed == set(c["dtypes"])
    attributes = next(iter(served(c)))["attributes"]
    for short in set(FORMATS) - listed:
        operands = [sample("bool" if place and not k else short, (3,)) for k in range(len(c["operands"]))]
        with pytest.raises(exactops.UnsupportedError, match=re.escape(c["refused_dtypes"].get(short, short))):
            exactops.run(c["operator"], *operands, **{**required(c), **attributes})
        with pytest.raises(exactops.UnsupportedError, match=re.escape(c["refused_dtypes"].get(short, short))):
            exactops.contract(c["operator"], dtype=short)
    assert not set(c["refused_dtypes"]) & listed


def check_operands(c: Contract) -> None:
    """Types of each operand, missing ones, keywords, and how many there may be."""
    variant = next(iter(served(c)))
    operands = arrays(variant, (5,))
    place = int(c["operands"][0]["role"] == "condition")
    with pytest.raises(TypeError):
        call(c, variant, [])
    if c["variadic"]:
        for count in (1, 2, 3, 7):
            call(c, variant, operands[:1] * count)
        return
    with pytest.raises(TypeError):
        call(c, variant, [*operands, operands[0]])
    first = variant["operand_dtypes"][place]
    allowed = {tuple(v["operand_dtypes"]) for v in c["variants"] if v["operand_dtypes"][place] == first}
    for position, operand in enumerate(c["operands"]):
        types = {each[position] for each in allowed}
        shared = operand["dtypes"] == "same as the value operands"
        assert types == ({first} if shared else set(operand["dtypes"]))
        if position:
            for short in set(FORMATS) - types:
                other = [*operands[:position], sample(short, (5,)), *operands[position + 1 :]]
                with pytest.raises(TypeError):
                    call(c, variant, other)
        left_out = [*operands[:position], None, *operands[position + 1 :]]
        if not operand["optional"]:
            with pytest.raises(TypeError):
                call(c, variant, left_out)
        else:
            check_missing(c, variant, left_out, position, operand)
        if operand["keyword"]:
            by_keyword = call(c, variant, left_out, **{operand["name"]: operands[position]})
            assert_same_bits(by_keyword, call(c, variant, operands))
        else:
            with pytest.raises(TypeError):
                call(c, variant, operands[:position], **{operand["name"]: operands[position]})
        if not operand["read"]:
            other = [*operands[:position], np.zeros((2, 3), operands[position].dtype), *operands[position + 1 :]]
            assert_same_bits(call(c, variant, other), call(c, variant, operands))


def check_missing(c: Contract, variant: Variant, left_out: list[Any], position: int, operand: dict[str, Any]) -> None:
    """A missing bound is what the contract says."""
    for each in served(c, few=True):
        storage = FORMATS[each["operand_dtypes"][0]]
        infinities = [np.inf, -np.inf] if storage.kind == "f" else [0, 1]
        x = np.concatenate([mixed_values(storage.dtype, 257), np.array(infinities).astype(storage.dtype)])
        upper = operand["name"] == "max"
        if x.dtype.kind in "iu":
            limits = np.iinfo(x.dtype)
            bound = np.array(limits.max if upper else limits.min, x.dtype)
        else:
            limits = ml_dtypes.finfo(x.dtype)
            bound = np.array(np.inf, x.dtype) if operand["missing"] == "unbounded bound" else np.array(limits.max, x.dtype)
            bound = bound if upper else -bound
        assert_same_bits(call(c, each, [x]), call(c, each, [x], **{operand["name"]: bound}))


def check_attributes(c: Contract) -> None:
    variant = next(iter(served(c)))
    operands = arrays(variant)
    with pytest.raises(TypeError, match="no_such_attribute"):
        call(c, variant, operands, no_such_attribute=1)

    def with_value(name: str, given: Any) -> Any:
        return call(c, {"attributes": {**variant["attributes"], name: given}}, operands)

    for attribute in c["attributes"]:
        name, kind = attribute["name"], attribute["type"]
        if kind == "operand":
            assert name in [operand["name"] for operand in c["operands"] if operand["keyword"]]
            continue
        others = {k: v for k, v in {**required(c), **variant["attributes"]}.items() if k != name}
        if attribute["required"]:
            with pytest.raises(TypeError, match=name):
                exactops.run(c["operator"], *operands, **others)
        elif name not in variant["attributes"] or variant["attributes"][name] == attribute["default"]:
            assert_same_bits(exactops.run(c["operator"], *operands, **others), with_value(name, attribute["default"]))
        bad: list[Any] = [(), np.ones(3)]
        if kind == "number":
            bad += ["1", None, True]
            for good in (0, -1.5, float("inf"), float("nan"), np.float32(2), 10**400):
                with_value(name, good)
            check_rounding(c, attribute, others)
        elif kind == "integer":
            bad += [attribute["minimum"] - 1, attribute["maximum"] + 1, 1.0, True, "1"]
            for good in (attribute["minimum"], attribute["maximum"], 0, np.int8(2)):
                with_value(name, good)
        elif kind == "dtype":
            bad += [None, 1.5, True, "no such type"]
            assert set(attribute["choices"]) == {v["attributes"][name] for v in c["variants"]}
        elif attribute.get("ignored"):
            for anything in (0, "x", None, 2.5):
                assert_same_bits(with_value(name, anything), call(c, variant, operands))
            continue
        else:
            assert set(attribute["choices"]) == {v["attributes"][name] for v in c["variants"]}
            bad += ["no such choice", 99, None, -1]
        for each in bad:
            with pytest.raises(ValueError, match=name):
                with_value(name, each)


def check_rounding(c: Contract, attribute: dict[str, Any], others: dict[str, Any]) -> None:
    """A number is rounded once to the type that is named: a value and its rounding give the same bits, of halves too."""
    third = 1 / 3
    for variant in served(c, few=True):
        short = variant["operand_dtypes"][0]
        element = attribute["rounded_to"] == "element" or short == "f64"
        rounded = float(np.array(third, FORMATS[short].dtype if element else np.float32))
        operands = arrays(variant, (200,))
        found = [exactops.run(c["operator"], *operands, **{**others, attribute["name"]: each}) for each in (third, rounded)]
        assert_same_bits(*found)
        if short == "f16" and not element:
            # Had it been rounded to the half type, this would be seen.
            twice = float(np.float16(third))
            other = exactops.run(c["operator"], *operands, **{**others, attribute["name"]: twice})
            assert (bits_of(other) != bits_of(found[0])).any()


def check_result(c: Contract) -> None:
    """Shape, rank, memory layout and kind of the result."""
    layout, rank = c["result"]["layout"], c["result"]["rank"]
    assert c["result"]["shape_rule"] == "broadcast of the operands that are read"
    for variant in served(c, few=True):
        read = [operand["read"] or c["variadic"] for operand in c["operands"]]
        for shapes in (((2, 1, 3), (4, 1), ()), ((3,), (), (2, 3)), ((0, 2), (1,), (1, 1))):
            operands = [sample(short, shape) for short, shape in zip(variant["operand_dtypes"], shapes, strict=False)]
            result = call(c, variant, operands)
            wanted = np.broadcast_shapes(*(o.shape for o, r in zip(operands, [*read, True], strict=False) if r))
            assert result.shape == wanted
            assert result.nbytes == value(variant["cost"]["memory"]["result"], n=result.size, k=2)
        for order in "CF":
            operands = [np.array(array, order=order) for array in arrays(variant, (5, 7))]
            result = call(c, variant, operands)
            flags = result.flags
            assert layout["dense"] == (flags.c_contiguous or flags.f_contiguous)
            assert layout["order"].startswith("K: C where") and (flags.c_contiguous if order == "C" else flags.f_contiguous)
            assert layout["aligned"] == flags.aligned and layout["writable"] == flags.writeable
            assert layout["owns_memory"] == flags.owndata and not any(np.shares_memory(result, o) for o in operands)
            assert layout["native_byte_order"] == result.dtype.isnative
        strided = call(c, variant, [lay_out(array, "strided") for array in arrays(variant, (5, 7))])
        assert layout["dense"] == strided.flags.c_contiguous
        scalars = [sample(short, (), 3) for short in variant["operand_dtypes"]]
        assert c["result"]["zero_dimensional"] == "a NumPy scalar, or out"
        alone = call(c, variant, scalars)
        assert isinstance(alone, np.generic) and np.ndim(alone) == rank["least"]
        out = np.empty((), FORMATS[variant["result_dtype"]].dtype)
        assert call(c, variant, scalars, out=out) is out
        operands = [sample(short, (1,) * rank["most"]) for short in variant["operand_dtypes"]]
        deep = call(c, variant, operands)
        assert deep.ndim == rank["most"] and call(c, variant, operands, out=deep) is deep
    with pytest.raises((ValueError, TypeError)):
        np.ones((1,) * (rank["most"] + 1))


#: Names of layouts in contracts, and in exactops.testing.
LAYOUTS = {
    "contiguous": "contiguous",
    "strided": "strided",
    "reversed": "reversed",
    "broadcast": "broadcast",
    "offset": "offset",
    "misaligned": "misaligned",
    "byte_swapped": "byte-swapped",
    "fortran": "fortran",
    "read_only": "read-only",
}


def check_layouts(c: Contract) -> None:
    """Every layout is accepted, and gives the bits of a contiguous copy."""
    assert set(c["layouts"]) == {*LAYOUTS, "zero_dimensional", "zero_size"}
    buffers = re.escape(f"stack buffers of {c['access']['buffer_elements']} elements")
    assert re.fullmatch(buffers, c["layouts"]["strided"]["route"])
    for variant in served(c, few=True):
        operands = arrays(variant, (9, 70))
        wanted = call(c, variant, operands)
        for name, layout in LAYOUTS.items():
            changed = [np.broadcast_to(o[:1], o.shape) if name == "broadcast" else o for o in operands]
            plain = [np.ascontiguousarray(o) for o in changed]
            possible = [lay_out(o, layout) if layout in layout_names(o) else o for o in plain]
            expected = call(c, variant, plain) if name == "broadcast" else wanted
            assert c["layouts"][name]["accepted"]
            assert_same_bits(call(c, variant, possible), expected)
        empty = call(c, variant, [o[:, :0] for o in operands])
        assert c["layouts"]["zero_size"]["accepted"] and empty.shape == (9, 0)
        single = call(c, variant, [o[3, 4] for o in operands])
        assert c["layouts"]["zero_dimensional"]["accepted"]
        assert_same_bits(np.asarray(single), wanted[3:4, 4].reshape(()))


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


#: Bytes that Python itself may allocate in a call.
SLACK = 20_000


def check_in_place(c: Contract) -> None:
    """Over the operands that are named, no temporary array is made."""
    names = [operand["name"] for operand in c["operands"] if operand["in_place_without_copy"]]
    assert names == c["aliasing"]["in_place_without_copy"]
    for variant in served(c, few=True):
        for name in names:
            position = [operand["name"] for operand in c["operands"]].index(name)
            operands = [np.ones(100_000, FORMATS[short].dtype) for short in variant["operand_dtypes"]]
            assert operands[position].dtype == FORMATS[variant["result_dtype"]].dtype
            peak = allocated(lambda o=operands, p=position, v=variant: call(c, v, o, out=o[p]))
            assert peak < min(SLACK, operands[position].nbytes / 2), f"{peak} bytes for {variant['operand_dtypes']}"


def check_memory(c: Contract) -> None:
    """Bytes moved, of the result and of temporaries, against arrays; the stack against the loop's code."""
    for variant in served(c):
        cost, n = variant["cost"], 1000
        moved = 0
        for k in (2, 3, 5) if c["variadic"] else (2,):
            operands = [np.ones(n, FORMATS[short].dtype) for short in variant["operand_dtypes"]]
            result = np.empty(n, FORMATS[variant["result_dtype"]].dtype)
            if c["variadic"]:
                moved = (k - 1) * (2 * operands[0].nbytes + result.nbytes)
                moved += 2 * result.nbytes if "mean" in c["names"] else 0
            else:
                read = [o for o, operand in zip(operands, c["operands"], strict=True) if operand["read"]]
                moved = sum(o.nbytes for o in read) + result.nbytes
                assert cost["bytes_per_element"]["operands"] == [o.itemsize for o in read]
            assert moved == value(cost["bytes_moved"], n=n, k=k), variant["operand_dtypes"]
            assert cost["bytes_per_element"]["result"] == result.itemsize
            assert value(cost["memory"]["result"], n=n, k=k) == result.nbytes
        assert set(cost["variables"]) == ({"n", "k"} if c["variadic"] else {"n"})
    for variant in served(c, few=True):
        n = 100_000
        for k in (2, 3, 4, 6) if c["variadic"] else (2,):
            operands = [np.ones(n, FORMATS[short].dtype) for short in variant["operand_dtypes"]]
            operands = operands[:1] * k if c["variadic"] else operands
            out = np.empty(n, FORMATS[variant["result_dtype"]].dtype)
            temporary = value(variant["cost"]["memory"]["temporary"], n=n, k=k)
            assert abs(allocated(lambda o=operands, v=variant, out=out: call(c, v, o, out=out)) - temporary) < SLACK
    # The buffers of the loop are all that it puts on the stack, but for single lanes.
    variant = next(iter(served(c)))
    buffers = [
        sum(map(int, re.findall(r"= alloca i8, i32 (\d+)", loops._build(key, host_target())[0])))
        for key in keys_of(c, variant, "exact", "scalar")
    ]
    assert variant["cost"]["memory"]["stack"] == max(buffers)


def key_of(c: Contract, variant: Variant, mode: str, path: str) -> Any:
    """The key of a variant's loop."""
    from exactops.frontend.plan import plan

    attributes = {**required(c), **variant["attributes"]}
    return plan(OPERATORS[c["operator"]], tuple(arrays(variant, (1,))), mode=mode, path=path, attributes=attributes).key


def keys_of(c: Contract, variant: Variant, mode: str, path: str) -> tuple[Any, ...]:
    """The keys of all loops of a call: of a fold there may be two."""
    from table import Entry, loops_of

    attributes = tuple({**required(c), **variant["attributes"]}.items())
    return loops_of(Entry(OPERATORS[c["operator"]], tuple(variant["operand_dtypes"]), attributes), mode, path)


def check_arithmetic(c: Contract) -> None:
    """The counts of plain kernels, against the instructions that the compiler gets."""
    import llvmlite.binding as llvm

    for variant in served(c, few=True):
        cost = variant["cost"]
        assert cost["class"] == ("transcendental" if c["class"] == "c" else "memory")
        assert "additions, subtractions, multiplications, divisions and roots" in cost["counted"]
        floats, integers = (value(cost[name]["exact"], n=1, k=2) for name in ("flops", "integer_operations"))
        if c["class"] == "c":
            assert floats > 1 or integers > 1
            assert value(cost["flops"]["fast"], n=1, k=2) > 1 or not variant["modes_differ"]
            continue
        if variant["operand_dtypes"][0] not in ("f32", "f64") or c["operator"] in ("mod", "powi_backward"):
            continue
        for mode in c["modes"] if variant["modes_differ"] else ["exact"]:
            parts = [part for key in keys_of(c, variant, mode, "scalar") for part in loops._build(key, host_target())[1]]
            text = "".join(str(llvm.parse_bitcode(part)) for part in parts)
            plain = len(re.findall(r"= (?:fadd|fsub|fmul|fdiv) ", text)) + len(re.findall(r"call [^\n]*@llvm\.sqrt", text))
            fused = 2 * len(re.findall(r"call [^\n]*@llvm\.fmuladd", text))
            assert plain + fused == value(cost["flops"][mode], n=1, k=2), (c["operator"], mode)


def check_determinism(c: Contract) -> None:
    """Exact mode: every path. Fast mode: exact mode's bits where they share a loop, else those of a path at any position."""
    assert c["modes"] == ["exact", "fast"] and c["determinism"]["exact"] == "bitwise_everywhere"
    for variant in served(c, few=True):
        operands = arrays(variant, (301,))
        wanted = call(c, variant, operands)
        for path in exactops.paths():
            assert_same_bits(call(c, variant, operands, path=path), wanted)
        fast = call(c, variant, operands, mode="fast")
        if not variant["modes_differ"] or c["determinism"]["fast"] == "bitwise_everywhere":
            for path in exactops.paths():
                assert_same_bits(call(c, variant, operands, mode="fast", path=path), wanted)
            continue
        for path in exactops.paths()[:1]:
            for start, stop in ((0, 301), (1, 301), (5, 300), (17, 18), (100, 167)):
                part = call(c, variant, [o[start:stop] for o in operands], mode="fast", path=path)
                assert_same_bits(part, fast[start:stop], nan="any")
                wide = call(c, variant, [lay_out(o[start:stop], "strided") for o in operands], mode="fast", path=path)
                assert_same_bits(wide, fast[start:stop], nan="any")


def check_paths(c: Contract) -> None:
    """The paths of this machine are among those named; groups fill a register."""
    named = {(each["path"], each["architecture"]): each["register_bits"] for each in c["paths"]}
    assert set(exactops.paths()) <= {path for path, architecture in named if architecture == host_target().architecture}
    bits = {path: bits for (path, _), bits in named.items()}
    for variant in served(c):
        elements = [*variant["computing"], FORMATS[variant["result_dtype"]].computing]
        widest = max(np.dtype(element).itemsize for element in elements)
        assert set(variant["lanes"]) == set(bits)
        for path, lanes in variant["lanes"].items():
            assert lanes == max(1, bits[path] // (8 * widest))
        inputs = [FORMATS[short].computing for short in variant["operand_dtypes"]]
        read = 1 if c["result"]["dtype_rule"] == "to" else len(inputs)
        assert variant["computing"][:read] == inputs[:read]
        path = exactops.paths()[0]
        assert key_of(c, variant, "exact", path).lanes == variant["lanes"][path]
        assert key_of(c, variant, "fast", path).fast == variant["modes_differ"]


def check_fast_paths(c: Contract) -> None:
    """Loops of their own for dense layouts are in the code, and a repeated call runs no Python code."""
    found = {each["when"]: each for each in c["fast_paths"]}
    own_loops = sum("loop" in each for each in c["fast_paths"])
    assert (own_loops > 0) == (c["class"] != "c")
    # One variant for each number of groups a turn.
    for groups, variant in {variant["groups_a_turn"]: variant for variant in served(c)}.items():
        key = key_of(c, variant, "exact", exactops.paths()[0])
        text, _ = loops._build(key, host_target())
        # The loops that take several groups a turn, by what they add to their position.
        several = len(re.findall(rf"= add i64 [^,]+, {key.lanes * groups}$", text, re.MULTILINE))
        assert several == (own_loops or 1)
    variant = next(iter(served(c)))
    operands = arrays(variant, (5,))
    attributes = {**required(c), **variant["attributes"]}

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
    short = [each for when, each in found.items() if "like one before" in when]
    assert (frames == ["repeated"]) == bool(short) and all(each["python_code"] is False for each in short)


#: NaNs with payloads and signs, quiet and signalling, by type.
NANS = {
    "f16": from_bits([0x7E01, 0xFFFF, 0x7C01], "f16"),
    "bf16": from_bits([0x7FC1, 0xFFFF, 0x7F81], "bf16"),
    "f32": from_bits([0x7FC00001, 0xFFFFFFFF, 0x7F800001], "f32"),
    "f64": from_bits([0x7FF8000000000001, 2**64 - 1, 0x7FF0000000000001], "f64"),
}


def check_nan(c: Contract) -> None:
    """Every NaN of an exact result is the one named."""
    for variant in served(c, few=True):
        storage = FORMATS[variant["result_dtype"]]
        assert (variant["nan"] is None) == (storage.kind != "f")
        types = [FORMATS[short] for short in variant["operand_dtypes"]]
        if variant["nan"] is None or "f" not in {each.kind for each in types}:
            continue
        operands = [NANS[each.short] if each.kind == "f" else np.ones(3, each.dtype) for each in types]
        result = call(c, variant, operands)
        found = bits_of(result)[np.isnan(result.astype(np.float64))]
        assert {int(each) for each in found} <= {int(variant["nan"], 16)}
        for mode in c["modes"]:
            canonical = mode == "exact" or not variant["modes_differ"]
            assert (variant["precision"][mode]["nan"] == "canonical") == canonical


def check_precision(c: Contract) -> None:
    """The bounds are consistent with each other and with the numbers of the type."""
    fast_limits = {"f16": 1, "bf16": 1, "f32": 2, "f64": 2}
    for variant in served(c):
        short = variant["result_dtype"]
        is_float = FORMATS[short].kind == "f"
        for mode, precision in variant["precision"].items():
            ulp, apart = precision["max_ulp"], precision["max_ulp_from_exact"]
            if mode == "exact" or not variant["modes_differ"]:
                assert apart == 0
            else:
                assert apart == (fast_limits[short] if c["class"] == "c" else None)
            rounds = c["class"] in "ac" or c["result"]["dtype_rule"] == "to"
            exact_class = {"a": 0.5, "b": 0.5 if rounds else 0.0, "c": 0.5, "d": None}[c["class"]] if is_float else 0.0
            if not is_float and c["class"] == "c":
                exact_class = None
            assert ulp == (None if exact_class is None or apart is None else exact_class + apart)
            assert precision["correctly_rounded"] == (ulp is not None and not apart)
            assert precision["definition"]
            if ulp is None or not is_float:
                assert precision["max_relative"] == precision["max_absolute_of_subnormal"] == ulp
                continue
            limits = ml_dtypes.finfo(FORMATS[short].dtype)
            assert precision["max_relative"] == ulp * float(limits.eps)
            smallest = float(from_bits([1], short)[0])
            assert precision["max_absolute_of_subnormal"] == (ulp * smallest or (smallest if ulp else 0))


def check_small_types(c: Contract) -> None:
    """The error of class c, over all values of float16, in exact arithmetic where fast mode is allowed to differ."""
    if c["class"] != "c":
        return
    for variant in served(c, few=True):
        if variant["operand_dtypes"] != ["f16"] or not variant["modes_differ"]:
            continue
        x = from_bits(np.arange(1 << 16, dtype=np.uint16), "f16")
        exact, fast = (call(c, variant, [x], mode=mode) for mode in ("exact", "fast"))
        finite = np.isfinite(exact.astype(np.float32))
        assert (np.isnan(exact) == np.isnan(fast)).all()

        def ordered(values: np.ndarray) -> np.ndarray:
            bits = bits_of(values).astype(np.int64)
            return np.where(bits & 0x8000, -(bits & 0x7FFF), bits)

        distance = np.abs(ordered(exact) - ordered(fast))[finite]
        assert distance.max(initial=0) <= variant["precision"]["fast"]["max_ulp_from_exact"]


def check_revision(c: Contract) -> None:
    """The digest is that of the files named, which are those that decide what a kernel computes."""
    package = Path(exactops.__file__).parent
    digest = hashlib.sha256()
    for name in c["sources"]:
        text = (package / name).read_bytes()
        digest.update(f"{name}:{len(text)}\n".encode() + text)
    assert c["revision"] == digest.hexdigest()
    operator = OPERATORS[c["operator"]]
    used = {module_of(kernel) for kernel in kernels(operator)}
    assert used <= set(c["sources"])
    assert {"lanes/vocabulary.py", "codegen/lowering/vectors.py", "table/formats.py"} <= set(c["sources"])


def kernels(operator: Operator) -> set[Callable[..., Any]]:
    """The lane functions of an operator for its types."""
    found = set()
    for short in operator.dtypes:
        for kind in contracts.kinds(operator, short):
            for key in kind.keys.values():
                kernel = operator.kernel_for(tuple(FORMATS[s] for s in key.inputs), FORMATS[key.output], dict(key.choices))
                found |= {function for function in (kernel.exact, kernel.fast) if function is not None}
    return found


def module_of(function: Callable[..., Any]) -> str:
    """The source file of a function, relative to the package."""
    return function.__module__.removeprefix("exactops.").replace(".", "/") + ".py"


def check_version(c: Contract) -> None:
    assert c["contract_version"] == contracts.VERSION
    assert re.fullmatch(r"\d+\.\d+", c["contract_version"])
    assert f"version {c['contract_version']}" in (ROOT / "docs" / "contracts.md").read_text(encoding="utf-8")


CHECKS: dict[str, Check] = {
    name.removeprefix("check_"): check
    for name, check in dict(globals()).items()
    if name.startswith("check_") and name not in ("check_missing", "check_rounding")
}


@pytest.mark.parametrize("name", list(OPERATORS))
@pytest.mark.parametrize("check", list(CHECKS))
def test_claims(check: str, name: str) -> None:
    """One check of one operator's contract."""
    CHECKS[check](contract_of(name))


GUARD_PAGES = """
import ctypes, mmap, sys
import numpy as np
import exactops
from exactops.contracts.contract import kinds
from exactops.table.formats import FORMATS
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
    for kind in {kind.operands[-1]: kind for s in operator.dtypes for kind in kinds(operator, s) if not kind.refused}.values():
        given = dict((*kind.attributes, *kind.travelling))
        for count in (1, 67):
            for at_end in (False, True):
                arrays = [between(FORMATS[s].dtype, count, at_end) for s in kind.operands]
                for array, short in zip(arrays, kind.operands):
                    array[...] = np.resize(mixed_values(array.dtype, 67), count)
                out = between(FORMATS[kind.keys["exact"].output].dtype, count, at_end)
                exactops.run(operator.name, *arrays, out=out, **given)
                done += 1
print(done)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs mprotect")
def test_nothing_is_read_or_written_outside() -> None:
    """Arrays at the edge of pages that may not be touched: one access too far would end the process."""
    assert int(python(GUARD_PAGES)) > 200


def test_access_says_what_holds() -> None:
    for name in OPERATORS:
        c = contract_of(name)
        access = c["access"]
        assert access["alignment"] == 1 and access["buffer_elements"] == loops.CHUNK
        assert not (access["reads_outside"] or access["writes_outside"] or access["operands_written"])
        assert all(c["aliasing"][claim] for claim in ("out_may_be_an_operand", "out_may_overlap_operands"))
        assert c["aliasing"]["same_bits_as_without_overlap"] and c["environment"]["restored_after_the_call"]
        assert not c["environment"]["exception_flags_left"]


# --- every claim has a test -------------------------------------------------------------------------------------------

HERE = "test_contracts.py::test_claims"

#: By the place of a claim in a contract: the tests that check it. ``*`` stands for any one step.
CLAIMS: dict[str, list[str]] = {
    "contract_version": [f"{HERE}[version-*]"],
    "operator": [f"{HERE}[names-*]"],
    "names": [f"{HERE}[names-*]", "test_operators.py::test_every_spelling_resolves_to_its_operator"],
    "function": [f"{HERE}[names-*]", "test_import.py::test_the_public_names"],
    "summary": [f"{HERE}[names-*]"],
    "onnx": [f"{HERE}[onnx-*]", "test_onnx_node.py::test_node_cases"],
    "class": [f"{HERE}[names-*]", f"{HERE}[precision-*]"],
    "class_meaning": [f"{HERE}[names-*]"],
    "dtypes": [f"{HERE}[types-*]"],
    "refused_dtypes": [f"{HERE}[types-*]", "test_operators.py::test_an_unserved_dtype_is_refused"],
    "variadic": [f"{HERE}[operands-*]", "test_plan.py::test_variadic_folds"],
    "operands": [f"{HERE}[operands-*]", "test_plan.py::test_operands_and_attribute_names"],
    "operands.*.in_place_without_copy": [f"{HERE}[in_place-*]"],
    "attributes": [f"{HERE}[attributes-*]", "test_plan.py::test_choices", "test_plan.py::test_integer_attributes"],
    "result.dtype_rule": [f"{HERE}[types-*]"],
    "result.shape_rule": [f"{HERE}[result-*]"],
    "result.rank": [f"{HERE}[result-*]"],
    "result.zero_dimensional": [f"{HERE}[result-*]"],
    "result.layout": [f"{HERE}[result-*]"],
    "layouts": [f"{HERE}[layouts-*]", "test_operators.py::test_values_and_layouts", "test_memory.py::test_misaligned"],
    "fast_paths": [f"{HERE}[fast_paths-*]"],
    "aliasing": ["test_memory.py::test_in_place_equals_out_of_place", "test_memory.py::test_shifted_overlap"],
    "aliasing.in_place_without_copy": [f"{HERE}[in_place-*]"],
    "access": [
        "test_contracts.py::test_nothing_is_read_or_written_outside",
        "test_contracts.py::test_access_says_what_holds",
        "test_memory.py::test_inputs_stay_and_nothing_is_written_outside",
        "test_memory.py::test_misaligned",
        "test_memory.py::test_every_length_around_the_buffers",
    ],
    "determinism": [
        f"{HERE}[determinism-*]",
        "test_memory.py::test_position_and_length_do_not_matter",
        "test_memory.py::test_threads_agree",
        "test_emulated.py::test_an_emulated_cpu",
    ],
    "environment": [
        "test_environment.py::test_foreign_settings_change_no_bit",
        "test_environment.py::test_no_flag_and_no_warning_is_left",
    ],
    "modes": [f"{HERE}[determinism-*]"],
    "paths": [f"{HERE}[paths-*]"],
    "special_cases": ["test_operators.py::test_special_cases"],
    "variants.*.operand_dtypes": [f"{HERE}[types-*]"],
    "variants.*.attributes": [f"{HERE}[attributes-*]"],
    "variants.*.served": [f"{HERE}[types-*]"],
    "variants.*.reason": [f"{HERE}[types-*]"],
    "variants.*.result_dtype": [f"{HERE}[types-*]"],
    "variants.*.computing": [f"{HERE}[paths-*]"],
    "variants.*.lanes": [f"{HERE}[paths-*]"],
    "variants.*.groups_a_turn": [f"{HERE}[fast_paths-*]"],
    "variants.*.nan": [f"{HERE}[nan-*]", "test_operators.py::test_values_and_layouts"],
    "variants.*.modes_differ": [f"{HERE}[paths-*]", f"{HERE}[determinism-*]"],
    "variants.*.precision": [
        f"{HERE}[precision-*]",
        f"{HERE}[small_types-*]",
        "test_operators.py::test_values_and_layouts",
        "test_proofs.py::test_prove_the_half_types",
    ],
    "variants.*.precision.*.nan": [f"{HERE}[nan-*]"],
    "variants.*.precision.*.audit": ["test_contracts.py::test_audits", "test_contracts.py::test_the_records_are_told"],
    "variants.*.cost.class": [f"{HERE}[arithmetic-*]"],
    "variants.*.cost.counted": [f"{HERE}[arithmetic-*]"],
    "variants.*.cost.flops": [f"{HERE}[arithmetic-*]"],
    "variants.*.cost.integer_operations": [f"{HERE}[arithmetic-*]", "test_contracts.py::test_integer_operations"],
    "variants.*.cost.variables": [f"{HERE}[memory-*]"],
    "variants.*.cost.bytes_moved": [f"{HERE}[memory-*]"],
    "variants.*.cost.bytes_per_element": [f"{HERE}[memory-*]"],
    "variants.*.cost.memory": [f"{HERE}[memory-*]"],
    "variants.*.cost.measured": ["test_contracts.py::test_measure_and_show"],
    "sources": [f"{HERE}[revision-*]", "test_contracts.py::test_proofs_and_contracts_mean_the_same_sources"],
    "revision": [f"{HERE}[revision-*]"],
}


def claims(value: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The places of all claims in a contract: those of plain values, ``*`` for the position in a list."""
    if isinstance(value, dict) and value:
        for name, each in value.items():
            yield from claims(each, (*place, name))
    elif isinstance(value, list) and value:
        for each in value:
            yield from claims(each, (*place, "*"))
    else:
        yield place


def covering(place: tuple[str, ...], known: dict[str, list[str]]) -> str | None:
    """The longest entry that covers a place."""
    for length in range(len(place), 0, -1):
        for entry in known:
            steps = entry.split(".")
            if len(steps) == length and all(step in ("*", part) for step, part in zip(steps, place, strict=False)):
                return entry
    return None


def unchecked(c: Contract) -> set[str]:
    """Claims that no test checks; a variant that is refused claims nothing else."""
    c = copy.deepcopy(c)
    for variant in c["variants"]:
        if not variant["served"]:
            for name in [name for name, each in variant.items() if each is None]:
                del variant[name]
    return {".".join(place) for place in set(claims(c)) if covering(place, CLAIMS) is None}


def test_every_claim_has_a_test() -> None:
    used = set()
    for name in OPERATORS:
        c = contract_of(name)
        assert not unchecked(c), name
        used |= {covering(place, CLAIMS) for place in set(claims(c))}
    assert used - {None} | {"variants.*.cost.measured"} == set(CLAIMS), "an entry that covers no claim"


def test_the_tests_of_the_claims_exist() -> None:
    """pytest collects each of them."""
    wanted = sorted({re.sub(r"\[.*", "", test) for tests in CLAIMS.values() for test in tests})
    files = sorted({test.partition("::")[0] for test in wanted})
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, cwd=ROOT / "tests", env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    collected = {re.sub(r"\[.*", "", line.rpartition("/")[2]) for line in done.stdout.splitlines() if "::" in line}
    assert set(wanted) <= collected
    for tests in CLAIMS.values():
        for test in tests:
            found = re.search(r"\[(\w+)-\*\]", test)
            assert found is None or found.group(1) in CHECKS, test


# --- planted faults -----------------------------------------------------------------------------------------------------


def _first(change: Callable[[Variant], Any]) -> Callable[[Contract], Any]:
    return lambda c: change(next(iter(served(c))))


def _over_x(c: Contract) -> None:
    """Claim that a call needs no temporary over x."""
    c["operands"][0].update(in_place_without_copy=True)
    c["aliasing"].update(in_place_without_copy=["x"])


#: A wrong claim by the check that must find it: operator and change.
PLANTED: list[tuple[str, str, Callable[[Contract], Any]]] = [
    ("schema", "exp", lambda c: c.update(surprise=1)),
    ("schema", "exp", lambda c: c["determinism"].update(exact="mostly")),
    ("schema", "mod", _first(lambda v: v.update(cost=None))),
    ("names", "exp", lambda c: c["names"].append("Exponential")),
    ("names", "exp", lambda c: c.update(summary="e to the power of two")),
    ("onnx", "gelu", lambda c: c["onnx"]["opset"].update({"from": 19})),
    ("onnx", "clip", lambda c: c["operands"][1].update(optional=False)),
    ("types", "exp", lambda c: c["dtypes"].append("i8")),
    ("types", "less", _first(lambda v: v.update(result_dtype="f32"))),
    ("types", "mod", lambda c: next(v for v in c["variants"] if not v["served"]).update(served=True, result_dtype="f16")),
    ("types", "neg", lambda c: c["refused_dtypes"].update(u8="it is too small")),
    ("operands", "where", lambda c: c["operands"][1].update(optional=True, missing=None)),
    ("operands", "clip", lambda c: c["operands"][2].update(missing="unbounded bound")),
    ("operands", "add", lambda c: c["operands"][1].update(keyword=True)),
    ("operands", "add", lambda c: c["operands"][1].update(read=False)),
    ("attributes", "leaky_relu", lambda c: c["attributes"][0].update(default=0.02)),
    ("attributes", "leaky_relu", lambda c: c["attributes"][0].update(rounded_to="element")),
    ("attributes", "powi", lambda c: c["attributes"][0].update(maximum=2**31)),
    ("attributes", "powi", lambda c: c["attributes"][0].update(required=False, default=1)),
    ("attributes", "mod", lambda c: c["attributes"][0]["choices"].append(2)),
    ("result", "add", lambda c: c["result"]["rank"].update(most=63)),
    ("result", "add", lambda c: c["result"]["layout"].update(writable=False)),
    ("layouts", "add", lambda c: c["layouts"]["strided"].update(route="direct")),
    ("layouts", "add", lambda c: c["layouts"]["reversed"].update(accepted=False)),
    ("in_place", "less", lambda c: c["operands"][0].update(in_place_without_copy=True)),
    ("in_place", "cast", _over_x),
    ("memory", "gelu", _first(lambda v: v["cost"].update(bytes_moved="6*n"))),
    ("memory", "sum", _first(lambda v: v["cost"]["memory"].update(temporary="0"))),
    ("memory", "exp", _first(lambda v: v["cost"]["memory"].update(stack=512))),
    ("arithmetic", "hard_swish", lambda c: [v["cost"]["flops"].update(exact="2*n") for v in c["variants"]]),
    ("determinism", "exp", _first(lambda v: v.update(modes_differ=False))),
    ("paths", "exp", _first(lambda v: v["lanes"].update(scalar=2))),
    ("paths", "add", _first(lambda v: v.update(modes_differ=True))),
    ("fast_paths", "mean", lambda c: c["fast_paths"].append({"when": "a call like one before", "python_code": False})),
    ("fast_paths", "exp", lambda c: c["fast_paths"].append({"when": "all operands dense", "loop": True})),
    ("fast_paths", "gelu", _first(lambda v: v.update(groups_a_turn=4))),
    ("fast_paths", "add", _first(lambda v: v.update(groups_a_turn=1))),
    ("nan", "add", _first(lambda v: v.update(nan="0xfe00"))),
    ("precision", "exp", _first(lambda v: v["precision"]["fast"].update(max_ulp=0.5))),
    ("precision", "add", _first(lambda v: v["precision"]["exact"].update(max_relative=0.0))),
    ("precision", "relu", _first(lambda v: v["precision"]["exact"].update(correctly_rounded=True))),
    ("small_types", "exp", _first(lambda v: v["precision"]["fast"].update(max_ulp_from_exact=-1))),
    ("revision", "exp", lambda c: c["sources"].remove("ops/exp.py")),
    ("revision", "exp", lambda c: c.update(revision="0" * 64)),
    ("version", "exp", lambda c: c.update(contract_version="1.99")),
]


@pytest.mark.parametrize(("check", "name", "plant"), PLANTED, ids=[f"{n}-{c}-{o}" for n, (c, o, _) in enumerate(PLANTED)])
def test_a_wrong_claim_is_found(check: str, name: str, plant: Callable[[Contract], Any]) -> None:
    c = contract_of(name)
    plant(c)
    assert c != contract_of(name)
    with pytest.raises((AssertionError, jsonschema.ValidationError, LookupError, TypeError, ValueError, pytest.fail.Exception)):
        CHECKS[check](c)


def test_every_check_can_fail() -> None:
    assert {check for check, _, _ in PLANTED} == set(CHECKS)


def test_an_unchecked_claim_is_found() -> None:
    c = contract_of("exp")
    c["result"]["colour"] = "blue"
    c["variants"][0]["cost"]["price"] = 7
    assert unchecked(c) == {"result.colour", "variants.*.cost.price"}


# --- the public function ------------------------------------------------------------------------------------------------


def test_one_type() -> None:
    c = exactops.contract("gelu", dtype="bfloat16")
    assert c["dtypes"] == ["bf16"] and {tuple(v["operand_dtypes"]) for v in c["variants"]} == {("bf16",)}
    for spelling in ("bf16", ml_dtypes.bfloat16, np.dtype(ml_dtypes.bfloat16)):
        assert exactops.contract("Gelu", spelling) == c
    check_schema(c)
    assert [v["attributes"] for v in c["variants"]] == [{"approximate": "none"}, {"approximate": "tanh"}]
    assert exactops.contract("add", np.float32) == exactops.contract("add", ">f4")


@pytest.mark.parametrize("dtype", ["f99", "complex64", object, 17, "i8"])
def test_a_type_that_is_not_served(dtype: Any) -> None:
    with pytest.raises(exactops.UnsupportedError):
        exactops.contract("gelu", dtype=dtype)


def test_no_such_operator() -> None:
    with pytest.raises(exactops.UnsupportedError, match="gelu"):
        exactops.contract("gelo")


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_integer_operations() -> None:
    """Of kernels whose arithmetic is plain to see."""
    for name, count in (("add", 1), ("mul", 1), ("square", 1), ("max", 0), ("and", 0)):
        c = contract_of(name)
        variant = next(v for v in served(c) if v["operand_dtypes"][0] in ("i32", "bool"))
        assert value(variant["cost"]["integer_operations"]["exact"], n=10, k=2) == 10 * count
        assert value(variant["cost"]["flops"]["exact"], n=10, k=2) == 0


# --- proofs -------------------------------------------------------------------------------------------------------------


def test_proofs_and_contracts_mean_the_same_sources() -> None:
    """The digests that a proof is recorded under are those that contracts look for."""
    pytest.importorskip("gmpy2")
    from exactops.verification import record

    for name in OPERATORS:
        assert record.digests(name) == {"kernel": sources.running_kernel(name), "engine": sources.running_engine()}


def proof(**changes: Any) -> dict[str, Any]:
    """An entry as the prover writes it."""
    entry = {
        "operator": "gelu",
        "dtype": "f16",
        "attributes": {},
        "mode": "exact",
        "inputs": 1 << 16,
        "not_correctly_rounded": 0,
        "sha256": "0" * 64,
        "kernel": sources.running_kernel("gelu"),
        "engine": sources.running_engine(),
        "date": "2026-01-01 00:00 UTC",
        "path": "scalar",
        "cpu": "x86_64 generic",
        "versions": {"numpy": "2.0"},
    }
    return {name: value for name, value in (entry | changes).items() if value is not None}


#: Records, and the statuses that follow for gelu of f16: erf form exact and fast, tanh form exact.
AUDITS: list[tuple[str, list[Any], tuple[str, str, str]]] = [
    ("none", [], ("not_proven", "not_proven", "not_proven")),
    ("whole", [proof()], ("proven", "not_proven", "not_proven")),
    ("tanh", [proof(attributes={"approximate": "tanh"})], ("not_proven", "not_proven", "proven")),
    ("spelled out", [proof(attributes={"approximate": "none"})], ("proven", "not_proven", "not_proven")),
    ("fault", [proof(not_correctly_rounded=1)], ("failed", "not_proven", "not_proven")),
    ("part", [proof(inputs=1000)], ("sampled", "not_proven", "not_proven")),
    ("pairs", [proof(pairs=65536)], ("sampled", "not_proven", "not_proven")),
    ("other kernel", [proof(kernel="1" * 64)], ("proven_for_other_sources", "not_proven", "not_proven")),
    ("other engine", [proof(engine="1" * 64)], ("proven_for_other_sources", "not_proven", "not_proven")),
    ("no engine", [proof(engine=None)], ("proven_for_other_sources", "not_proven", "not_proven")),
    ("old fault", [proof(kernel="1" * 64, not_correctly_rounded=1)], ("not_proven",) * 3),
    ("another type", [proof(dtype="f32", inputs=1 << 32)], ("not_proven",) * 3),
    ("another operator", [proof(operator="exp")], ("not_proven",) * 3),
    (
        "fast",
        [proof(mode="fast", not_correctly_rounded=None, beyond_limit=0, largest_error_ulp=1)],
        ("not_proven", "proven", "not_proven"),
    ),
    ("only a hash", [proof(inputs=None, not_correctly_rounded=None)], ("not_proven",) * 3),
    ("no counts", [proof(not_correctly_rounded=None)], ("not_proven",) * 3),
    ("no entry", [7, None, {}, "x"], ("not_proven",) * 3),
]


@pytest.mark.parametrize(("records", "statuses"), [each[1:] for each in AUDITS], ids=[each[0] for each in AUDITS])
def test_audits(records: Any, statuses: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "proofs.json"
    file.write_text(json.dumps({"about": "", "proofs": records}))
    monkeypatch.setattr(record_files, "find", lambda name: file)
    c = exactops.contract("gelu", "f16")
    check_schema(c)
    none, tanh = (variant["precision"] for variant in c["variants"])
    found = (none["exact"]["audit"], none["fast"]["audit"], tanh["exact"]["audit"])
    assert tuple(audit["status"] for audit in found) == statuses
    for audit in found:
        for told in audit["records"]:
            assert told["date"] == "2026-01-01 00:00 UTC" and told["cpu"] == "x86_64 generic"


@pytest.mark.parametrize(
    ("changes", "status"), [({}, "proven"), ({"pairs": 65536}, "sampled"), ({"inputs": 1 << 16}, "sampled")], ids=repr
)
def test_audits_of_pairs(changes: Any, status: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two operands the domain is all pairs; another type of the exponent is another matter."""
    file = tmp_path / "proofs.json"
    kernel = sources.running_kernel("pow")
    entry = proof(operator="pow", exponent="bf16", inputs=1 << 32, kernel=kernel) | changes
    file.write_text(json.dumps({"proofs": [entry]}))
    monkeypatch.setattr(record_files, "find", lambda name: file)
    for variant in exactops.contract("pow", "f16")["variants"]:
        found = variant["precision"]["exact"]["audit"]["status"]
        assert found == (status if variant["operand_dtypes"] == ["f16", "bf16"] else "not_proven")


@pytest.mark.parametrize("text", ["", "{", "[]", "7", '{"proofs": 7}', '{"proofs": {"a": 1}}', "\x00"])
def test_damaged_records_prove_nothing(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "proofs.json"
    file.write_text(text)
    monkeypatch.setattr(record_files, "find", lambda name: file)
    assert exactops.contract("exp", "f16")["variants"][0]["precision"]["exact"]["audit"]["status"] == "not_proven"
    monkeypatch.setattr(record_files, "find", lambda name: tmp_path / "none")
    assert exactops.contract("exp", "f16")["variants"][0]["precision"]["exact"]["audit"]["status"] == "not_proven"


def test_the_records_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the checkout's records hold of an operator stands in its contract, and nothing else."""
    found = record_files.find(record_files.PROOFS)
    assert found == ROOT / "exactops" / "records" / "proofs.json"
    copied = tmp_path / "proofs.json"  # of the checkout's file, which a campaign may be writing to
    copied.write_bytes(found.read_bytes())
    monkeypatch.setattr(record_files, "find", lambda name: copied)
    entries = json.loads(copied.read_text(encoding="utf-8"))["proofs"]
    hashes = {entry["sha256"] for entry in entries if "inputs" in entry and FORMATS[entry["dtype"]].kind == "f"}
    told = set()
    for name in OPERATORS:
        for variant in served(exactops.contract(name)):
            for precision in variant["precision"].values():
                told |= {record["sha256"] for record in precision["audit"]["records"]}
    assert told == hashes


def test_a_class_that_needs_no_proof() -> None:
    for name in ("add", "relu", "cast"):
        assert {v["precision"]["exact"]["audit"]["status"] for v in served(contract_of(name))} == {"by_definition"}


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


def test_measurements_of_other_sources_and_cpus(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_measure("exp", "--dtype", "f32", "--mode", "exact") == 0
    content = json.loads(data.read_text())
    content["measurements"][0]["revision"] = "other"
    data.write_text(json.dumps(content))
    (told,) = exactops.contract("exp", "f32")["variants"][0]["cost"]["measured"]
    assert told["current"] is False
    content["measurements"][0]["cpu"] = "another"
    data.write_text(json.dumps(content))
    assert exactops.contract("exp", "f32")["variants"][0]["cost"]["measured"] == []


DAMAGED = [
    "",
    "{",
    "null",
    "[]",
    '{"form": 1}',
    '{"form": 2, "measurements": []}',
    '{"form": 1, "measurements": [1, {}]}',
    "[" * 99999,
]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_file_counts_as_absent(data: Path, text: str) -> None:
    data.write_text(text)
    assert measurements.load() == []
    assert exactops.contract("exp", "f32")["variants"][0]["cost"]["measured"] == []
    assert run_measure("exp", "--dtype", "f32", "--mode", "exact") == 0
    assert len(measurements.load()) == 1


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("ns_per_element", -1),
        ("ns_per_element", "fast"),
        ("ns_per_element", float("nan")),
        ("ns_per_element", float("inf")),
        ("call_ns", None),
        ("call_ns", True),
        ("size", 0),
        ("size", 1.5),
        ("rounds", "3"),
        ("inputs", "f32"),
        ("inputs", [1]),
        ("attributes", []),
        ("attributes", {"x": []}),
        ("versions", {"numpy": 2}),
        ("core", "3"),
        ("cpu", None),
        ("surprise", 1),
    ],
)
def test_a_damaged_entry_counts_as_absent(data: Path, field: str, wrong: Any) -> None:
    assert run_measure("exp", "--dtype", "f32", "--mode", "exact") == 0
    content = json.loads(data.read_text())
    assert len(measurements.load()) == 1
    content["measurements"].append(content["measurements"][0] | {field: wrong})
    data.write_text(json.dumps(content))
    assert len(measurements.load()) == 1
    content["measurements"].pop(0)
    data.write_text(json.dumps(content))
    assert measurements.load() == []


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
    import os

    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("no affinity")
    before = os.sched_getaffinity(0)
    with processors.pinned() as core:
        assert os.sched_getaffinity(0) == {core} <= before
    assert os.sched_getaffinity(0) == before


def test_interleaved_calls_take_turns() -> None:
    order: list[str] = []
    calls = {name: functools.partial(order.append, name) for name in "abc"}
    found = measurements.interleaved(calls, 3)
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
    everything = json.loads(printed(capsys, "contracts", "--json"))
    assert [c["operator"] for c in everything] == list(OPERATORS)
    floats = json.loads(printed(capsys, "contracts", "--dtype", "f64", "--json"))
    assert {c["operator"] for c in floats} == {o.name for o in OPERATORS.values() if "f64" in o.dtypes}
    assert json.loads(printed(capsys, "contracts", "--schema")) == SCHEMA
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


def test_importing_the_package_imports_no_contract() -> None:
    program = (
        "import sys, exactops; print('exactops.contracts.contract' in sys.modules, 'contract' in dir(exactops), end=' ')\n"
        "exactops.contract('add', 'f32'); print('numba' in sys.modules, 'jsonschema' in sys.modules, 'gmpy2' in sys.modules)"
    )
    assert python(program).split() == ["False", "True", "False", "False", "False"]
    with pytest.raises(AttributeError):
        _ = exactops.no_such_name
