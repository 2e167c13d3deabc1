"""Every kernel of the table on this CPU and on emulated older ones: what its assembly holds, and that its bits are the same.

Numba builds for one CPU a process, so each emulated CPU is one subprocess, which compiles every distinct loop of the table for
its widest path, inspects the assembly and prints digests of the results.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import Any

import numpy as np
import pytest
from support import X86
from support.machine_code import inspect
from support.processes import emulate, python
from support.table import Entry, distinct_loops, entries
from support.values import hard_values, pairs

import exactops
from exactops.codegen.specification import LoopSpecification
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


def loops_with(types: tuple[str, ...], mode: str, path: str) -> tuple[LoopSpecification, ...]:
    """The distinct loops of a mode on a path whose operands and results have these types."""
    return tuple(loop for loop in distinct_loops(mode, path) if {*loop.values} <= {*types})


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
        own = entry.operator.name != "cast_like" and not (entry.operator.fold is not None and len(entry.types) == 1)
        if own and {*entry.types, target} <= {*types}:
            found.append(entry)
    return found


def digests(chosen: list[Entry], path: str | None) -> dict[str, str]:
    """The digest of each entry."""
    return {entry.name: digest(entry, path) for entry in chosen}


def report(*types: str) -> dict[str, Any]:
    """What a subprocess finds out about its CPU: every loop on the widest path, those of a few types on the others."""
    widest, *others = exactops.paths()
    wide = loops_with(types, "exact", widest)
    few = ("f32", "bool")
    return {
        "paths": exactops.paths(),
        "loops": len(wide),
        "problems": inspect(wide)
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


@pytest.mark.parametrize("mode", ["exact", "fast"])
def test_distinct_loops_cover_the_table(mode: str) -> None:
    loops = distinct_loops(mode, exactops.paths()[0])
    kernels = {step.kernel.name for loop in loops for step in loop.steps}
    assert kernels >= {entry.signature.kernel.name for entry in entries()}
    for name, operator in exactops.operators().items():
        assert {entry.signature.value for entry in entries() if entry.operator.name == name} == {*operator.dtypes}
    assert len(FORMATS) == 13
