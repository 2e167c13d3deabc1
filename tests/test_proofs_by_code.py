"""Proofs confirmed by machine code: only where every byte of every path's object code is that of the proof."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.processes import python

import exactops
from exactops.verification import campaign, machine_code, record
from exactops.verification.campaign import Task

TASK = Task("exp", "f16")
NEW = {"kernel": "kernel 2", "engine": "engine 2"}


@pytest.fixture(scope="module")
def entry():
    """A proof of one path by older sources."""
    found, seconds = campaign.timed(TASK, 1, lambda inputs: None)
    return record.entry_of(TASK, found, exactops.paths()[0], seconds, 1, {"kernel": "kernel 1", "engine": "engine 1"})


def stored(file: Path, entry: dict) -> dict:
    record.store(file, entry)
    (found,) = record.load(file)["proofs"]
    return found


def test_the_same_code_confirms(tmp_path, entry):
    file = tmp_path / "proofs.json"
    before = stored(file, entry)
    assert set(before["code"]) == {exactops.paths()[0]}
    assert record.confirm_by_code(file, TASK, NEW)
    (after,) = record.load(file)["proofs"]
    assert {name: after[name] for name in NEW} == NEW
    assert after["confirmed"] and after["sha256"] == before["sha256"] and after["hashes"] == before["hashes"]


@pytest.mark.parametrize("fault", ["other code", "no code", "a path without code", "another compiler", "a wrong result"])
def test_anything_else_does_not(tmp_path, entry, fault):
    file = tmp_path / "proofs.json"
    path = exactops.paths()[0]
    changed = json.loads(json.dumps(entry))
    if fault == "other code":
        changed["code"][path] = "0" * 64
    elif fault == "no code":
        del changed["code"]
    elif fault == "a path without code":
        changed["hashes"]["another"] = changed["sha256"]
    elif fault == "another compiler":
        changed["code_by"] = "llvmlite 0"
    else:
        changed["not_correctly_rounded"] = 1
    before = stored(file, changed)
    assert not record.confirm_by_code(file, TASK, NEW)
    assert record.load(file)["proofs"] == [before]


def test_no_proof_is_none(tmp_path):
    assert not record.confirm_by_code(tmp_path / "proofs.json", TASK, NEW)


def test_each_kernel_has_code_of_its_own():
    tasks = [
        TASK,
        Task("exp", "f16", "fast"),
        Task("exp"),
        Task("log", "f16"),
        Task("pow", "f16"),
        Task("pow", "f16", exponent="i64"),
    ]
    found = [machine_code.digests(task) for task in tasks]
    assert all(set(each) == set(exactops.paths()) for each in found)
    every = [digest for each in found for digest in each.values()]
    assert len(set(every)) == len(every)


def test_code_does_not_depend_on_what_was_compiled_before():
    """Accurate phases are functions of their own in the object code, and Numba numbers all that a process compiles."""
    machine_code.digests(Task("sigmoid", "f64"))
    program = (
        "from exactops.verification import machine_code\nfrom exactops.verification.campaign import Task\n"
        "print(sorted(machine_code.digests(Task('rsqrt', 'f64')).items()))"
    )
    assert python(program).strip() == str(sorted(machine_code.digests(Task("rsqrt", "f64")).items()))
