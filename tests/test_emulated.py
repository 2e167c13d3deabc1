"""Every kernel of the table on this CPU and on emulated older ones: what its assembly holds, and that its bits are the same.

Numba builds for one CPU a process, so each emulated CPU is one subprocess, which compiles every distinct loop of the table for
its widest path, inspects the assembly and prints digests of the results.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from functools import cache
from typing import Any
from unittest import mock

import numpy as np
import pytest
from support import X86
from support.processes import emulate, python
from support.table import Entry, distinct_loops, entries
from support.values import hard_values, pairs

import exactops
from exactops.codegen import loops
from exactops.codegen.target import host_target
from exactops.runtime import loader
from exactops.table.formats import FORMATS
from exactops.verification.reference import bits_of

#: Paths of the emulated CPUs, widest first.
LEVELS = {
    "x86-64": ("sse2", "scalar"),
    "x86-64-v2": ("sse2", "scalar"),
    "x86-64-v3": ("avx2", "sse2", "scalar"),
    "x86-64-v4": ("avx512", "avx2", "sse2", "scalar"),
}

#: The types of the default run. The campaign (``pytest -m campaign tests/test_emulated.py``) takes all.
CORE = ("f16", "f32", "f64", "i32", "bool")

FUSED = re.compile(r"\b(v?fn?m(add|sub)\w*|fml[as]\w*|fnm(add|sub|la|ls)\w*)\b")
#: A jump or call whose target is no local label: ``call body``, ``callq *%rax``, ``bl body``, ``jmp exp@PLT``.
X86_TARGET = re.compile(r"^\s+(?:call|jmp|j[a-z]+)q?\s+(\S+)")
ARM_TARGET = re.compile(r"^\s+(?:bl|b|blr|br|b\.[a-z]+|cbn?z\s+\w+,|tbn?z\s+\w+,\s*#\d+,)\s+(\S+)")
LIBRARY = re.compile(
    r"__svml|\b_?(expf?|logf?|powf?|sinf?|cosf?|tanhf?|erfc?f?|fmodf?|rintf?|floorf?|ceilf?|truncf?)@|__\w+[hsdt]f2"
)
#: float64 to float32 straight from memory names only its result, of half the width.
WIDE = {
    "avx512": r"%?zmm\d|vcvtpd2ps\s.*\), %ymm",
    "avx2": r"%?ymm\d|vcvtpd2psy",
    "sse2": r"%?xmm\d",
    "neon": r"\bv\d+\.|\bq\d+\b",
}

#: Kernels that may do without vector instructions of the path's width, and why.
NOT_WIDE: dict[str, str] = {
    "mod": "float modulus is a loop of long division",
}


def problems(key: Key, text: str, widths: tuple[int, ...]) -> list[str]:
    """What is wrong with the assembly of a loop."""
    code = [line.split("#", 1)[0].rstrip() if X86 else line for line in text.splitlines()]
    code = [line for line in code if line.startswith(("\t", " ")) and not line.lstrip().startswith(".")]
    body = "\n".join(code)
    found = []
    if not key.fast and FUSED.search(body):
        found.append(f"fused: {FUSED.search(body)[0]}")  # type: ignore[index]
    if LIBRARY.search(body):
        found.append(f"library: {LIBRARY.search(body)[0]}")  # type: ignore[index]
    defined = set(re.findall(r'^"?([\w.$]+)"?:', text, re.MULTILINE))
    loaded: dict[str, str] = {}
    for line in code:
        # JIT code calls its own body through a register: ``movabsq $body, %rax`` and ``callq *%rax``.
        load = re.match(r"\s+movabsq\s+\$([\w.$]+),\s*(%\w+)", line)
        if load:
            loaded[load[2]] = load[1]
        jump = (X86_TARGET if X86 else ARM_TARGET).match(line)
        if jump and loaded.pop(jump[1].lstrip("*"), jump[1].strip('"')) not in defined:
            found.append(f"leaves the loop: {line.strip()}")
    for bits, register in ((512, "zmm"), (256, "ymm")):
        if bits not in widths and re.search(rf"\b{register}\d", body):
            found.append(f"{register} on a CPU without it")
    floats = {"f32", "f64"}
    vector = key.path in WIDE and key.operator not in NOT_WIDE and floats & {*key.inputs, key.output} and key.lanes > 1
    if vector and not re.search(WIDE[key.path], body):
        found.append(f"no {key.path} register")
    return found


def loops_with(types: tuple[str, ...], mode: str, path: str) -> tuple[Key, ...]:
    """The distinct loops of a mode on a path whose operands and result have these types."""
    return tuple(key for key in distinct_loops(mode, path) if {*key.inputs, key.output} <= {*types})


def inspect(keys: tuple[Key, ...]) -> dict[str, list[str]]:
    """What is wrong with loops; compiles each once and keeps it for the call that follows."""
    target, found = host_target(), {}
    for key in keys:
        module = loops._optimised(key, target)
        with mock.patch.object(loops, "_optimised", lambda *_, module=module: module):
            wrong = problems(key, loops.assembly(key, target), target.vector_bits)
            loader.address(key)
        if wrong:
            found[str(tuple(key))] = wrong
    return found


# --- results ----------------------------------------------------------------------------------------------------------


@cache
def operand(short: str, place: int) -> np.ndarray:
    """Operands that bring pairs and single values that are hard; masks for bool."""
    if short == "bool":
        return np.random.default_rng(place).integers(0, 2, 2000).astype(np.bool_)
    left, right = pairs(short)
    both = np.concatenate([hard_values(short), left if place % 2 == 0 else right])
    return both if place < 2 else np.roll(both, 17 * place)


def digest(entry: Entry, path: str | None) -> str:
    """A digest of an entry's results on hard operands, in exact mode."""
    arrays = [operand(short, place) for place, short in enumerate(entry.types)]
    size = min(array.size for array in arrays)
    result = exactops.run(entry.operator.name, *(array[:size] for array in arrays), path=path, **dict(entry.attributes))
    return hashlib.sha256(f"{result.dtype}".encode() + bits_of(result).tobytes()).hexdigest()[:16]


def chosen(types: tuple[str, ...]) -> list[Entry]:
    """The entries of these types that have loops of their own: not cast_like (cast's), nor folds of one (the identity)."""
    found = []
    for entry in entries():
        target = dict(entry.attributes).get("to", types[0])
        own = entry.operator.name != "cast_like" and not (entry.operator.variadic and len(entry.types) == 1)
        if own and {*entry.types, target} <= {*types}:
            found.append(entry)
    return found


def digests(chosen: list[Entry], path: str | None) -> dict[str, str]:
    """The digest of each entry."""
    return {entry.name: digest(entry, path) for entry in chosen}


def report(*types: str) -> dict[str, Any]:
    """What a subprocess finds out about its CPU: every loop on the widest path, those of a few types on the others."""
    widest, *others = exactops.paths()
    keys = loops_with(types, "exact", widest)
    few = ("f32", "bool")
    return {
        "paths": exactops.paths(),
        "loops": len(keys),
        "problems": inspect(keys)
        | {f"other path: {k}": v for path in others for k, v in inspect(loops_with(few, "exact", path)).items()},
        "digests": digests(chosen(types), widest),
        "narrow": {path: digests(chosen(few), path) for path in others},
    }


@cache
def own_digest(entry: Entry) -> str:
    """The digest on this CPU's widest path: the measure of all others."""
    return digest(entry, exactops.paths()[0])


def differing(found: dict[str, str], types: tuple[str, ...]) -> list[str]:
    """The entries whose digest is another than on this CPU's widest path, or is missing."""
    mine = {entry.name: own_digest(entry) for entry in chosen(types)}
    assert mine
    return sorted(name for name in mine.keys() | found.keys() if mine.get(name) != found.get(name))


# --- tests ------------------------------------------------------------------------------------------------------------


def examine_level(level: str, types: tuple[str, ...]) -> None:
    """One emulated CPU, in a process of its own."""
    widest = LEVELS[level][0]
    if widest not in exactops.paths():
        pytest.skip(f"this CPU cannot run the {widest} code of {level}")
    program = "import json, sys, test_emulated; print(json.dumps(test_emulated.report(*sys.argv[1:])))"
    found = json.loads(python(program, *types, **emulate(level)))
    assert tuple(found["paths"]) == LEVELS[level]
    assert found["loops"] > 50
    assert not found["problems"]
    assert not differing(found["digests"], types)
    assert set(found["narrow"]) == set(LEVELS[level][1:])
    for path, values in found["narrow"].items():
        assert not differing(values, ("f32", "bool")), path


@pytest.mark.skipif(not X86, reason="x86-64 levels")
@pytest.mark.parametrize("level", list(LEVELS))
def test_an_emulated_cpu(level: str) -> None:
    # Levels 2 and 4 differ from their neighbours in few instructions: fewer types will do.
    examine_level(level, CORE if level in ("x86-64", "x86-64-v3") else ("f16", "f32", "bool"))


@pytest.mark.campaign
@pytest.mark.skipif(not X86, reason="x86-64 levels")
@pytest.mark.parametrize("level", list(LEVELS))
def test_an_emulated_cpu_with_every_type(level: str) -> None:
    examine_level(level, tuple(FORMATS))


@pytest.mark.parametrize("path", exactops.paths()[1:])
def test_the_paths_of_this_cpu_agree(path: str) -> None:
    assert not differing(digests(chosen(CORE), path), CORE)


@pytest.mark.campaign
@pytest.mark.parametrize("path", exactops.paths()[1:])
def test_the_paths_of_this_cpu_agree_with_every_type(path: str) -> None:
    every = tuple(FORMATS)
    assert not differing(digests(chosen(every), path), every)


@pytest.mark.parametrize("path", exactops.paths())
def test_the_assembly_on_this_cpu(path: str) -> None:
    """The loops of the default types on the widest path, those of float32 on the others."""
    keys = loops_with(CORE if path == exactops.paths()[0] else ("f32", "bool"), "exact", path)
    assert len(keys) > 30
    assert not inspect(keys)


@pytest.mark.campaign
@pytest.mark.parametrize("mode", ["exact", "fast"])
@pytest.mark.parametrize("path", exactops.paths())
def test_the_assembly_on_this_cpu_with_every_type(mode: str, path: str) -> None:
    assert not inspect(distinct_loops(mode, path))


def test_the_assembly_of_fast_mode() -> None:
    """Fast mode may fuse, but calls no library either."""
    keys = [key for key in distinct_loops("fast", exactops.paths()[0]) if key.fast and "bf16" not in key.inputs]
    assert keys
    assert not inspect(tuple(keys))


def test_bad_assembly_is_found() -> None:
    """A test of the tests: planted instructions are reported."""
    path = exactops.paths()[0]
    key = next(key for key in distinct_loops("exact", path) if key.operator == "add" and key.inputs[0] == "f32")
    good = loops.assembly(key, host_target())
    assert problems(key, good, (512, 256, 128)) == []
    planted = {
        "fused": "\tvfmadd213ps\t%zmm0, %zmm1, %zmm2\n" if X86 else "\tfmla\tv0.4s, v1.4s, v2.4s\n",
        "leaves": "\tcallq\texpf\n" if X86 else "\tbl\texpf\n",
    }
    for what, line in planted.items():
        assert any(what in each for each in problems(key, good + line, (512, 256, 128))), what
    if X86:
        assert any("leaves" in each for each in problems(key, good + "\tjmp\t__svml_expf16@PLT\n", (512, 256, 128)))
        assert any("leaves" in each for each in problems(key, good + "\tcallq\t*%rax\n", (512, 256, 128)))
        assert any("zmm" in each for each in problems(key, good + "\tvaddps\t%zmm0, %zmm1, %zmm2\n", (256, 128)))
    narrow = re.sub(r"zmm|ymm|xmm", "mm", good) if X86 else re.sub(r"\bv\d+\.|\bq\d+\b", "x0", good)
    assert any("no " in each for each in problems(key, narrow, (512, 256, 128)))


def test_fast_mode_does_fuse_where_it_may() -> None:
    """The search for fused instructions sees them where they are allowed."""
    if not host_target().fused:
        pytest.skip("this CPU has no fused multiply-add")
    path = exactops.paths()[0]
    keys = [key for key in distinct_loops("fast", path) if key.operator == "hard_swish" and key.inputs == ("f32",)]
    assert keys and all(key.fast for key in keys)
    assert all(FUSED.search(loops.assembly(key, host_target())) for key in keys)


@pytest.mark.parametrize("mode", ["exact", "fast"])
def test_distinct_loops_cover_the_table(mode: str) -> None:
    keys = distinct_loops(mode, exactops.paths()[0])
    assert {key.operator for key in keys} >= {entry.operator.name for entry in entries()} - {
        "cast_like", "clamp_min", "clamp_max", "clamp", "sum", "mean", "gelu_tanh",
    }  # fmt: skip
    for name, operator in exactops.operators().items():
        assert {e.types[-1 if operator.condition else 0] for e in entries() if e.operator.name == name} == {*operator.dtypes}
    assert len(FORMATS) == 13
    assert "exactops.codegen.loops" in sys.modules
