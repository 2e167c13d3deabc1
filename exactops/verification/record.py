"""What was proven, in ``exactops/records/proofs.json``: one entry for each operator, dtype, attributes and mode."""

from __future__ import annotations

import datetime
import json
import platform
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

from exactops.codegen.target import host_target
from exactops.records import proofs, sources
from exactops.system import files
from exactops.verification.campaign import Findings, Task, summary
from exactops.verification.machine_code import digests as code_digests
from exactops.verification.machine_code import made_by
from exactops.verification.multiprecision import gmpy2

_EXPLANATION = (
    "Written by `python -m exactops prove`. Each entry: all inputs of a dtype through one operator, held against correctly "
    "rounded values; with pairs or drawn, that many random inputs of the seed. "
    "sha256: SHA-256 of the concatenated SHA-256 digests of the results of chunks of 2**24 inputs, in the "
    "order of the inputs' bit patterns, results as little-endian bit patterns; hashes: the same by path. kernel: digest of "
    "the kernel's sources (ops and numerics); engine: of those that all kernels share (lanes, codegen, table, runtime). "
    "fused, of fast mode: whether the CPU had fused multiply-adds. "
    "code: SHA-256 of the object code of the loops, by path, as code_by made it. "
    "confirmed: when later sources were found to have the proven results: by hash, or by leading to the same object code."
)


#: Digests of the sources that results were made with, by level: fields of an entry.
Digests = dict[str, str]
_LEVELS = ("kernel", "engine")


def digests(operator: str) -> Digests:
    """The digests of an operator's sources as they are now."""
    return {"kernel": sources.kernel_digest(operator), "engine": sources.engine_digest()}


def identity(task: Task) -> dict[str, Any]:
    """What an entry is found by. Fast mode has other results where the CPU fuses multiply-adds than where it does not."""
    key = {"operator": task.operator, "dtype": task.dtype, "attributes": dict(task.attributes), "mode": task.mode}
    key |= {"exponent": task.exponent or task.dtype} if task.operator == "pow" else {}
    return key | ({"fused": host_target().fused} if task.mode == "fast" else {})


def entry_of(task: Task, found: Findings, path: str, seconds: float, processes: int, made_of: Digests) -> dict[str, Any]:
    """The entry of a finished run."""
    cpu = host_target()
    return {
        **identity(task),
        **_sample(task),
        **({} if task.hash_only else summary(found, task.mode)),
        "sha256": found.sha256,
        "hashes": {path: found.sha256},
        "path": path,
        **_code(task, path),
        **made_of,
        "date": _today(),
        "seconds": round(seconds, 1),
        "processes": processes,
        "cpu": f"{cpu.architecture} {cpu.name}",
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in ("exactops", "numpy", "numba", "llvmlite", "gmpy2")},
            "mpfr": gmpy2.mpfr_version().removeprefix("MPFR "),
        },
    }


def _sample(task: Task) -> dict[str, Any]:
    """The fields of an entry of a sample: how many inputs were drawn, with which seed, and what that does not say."""
    if not task.drawn:
        return {}
    fields: dict[str, Any] = {"pairs" if task.operator == "pow" else "drawn": task.drawn, "seed": task.seed}
    note = proofs.evidence(task.operator, task.dtype, task.mode)
    return fields | ({"evidence": note} if note else {})


def load(file: Path) -> dict[str, Any]:
    """The records, or empty ones where there is no file."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"about": _EXPLANATION, "proofs": []}


def check(file: Path) -> None:
    """Raise where the records cannot be read and replaced: before hours are spent on what would be entered.

    Raises
    ------
    ValueError
        The file is no JSON, or holds something else than records.
    OSError
        It cannot be read, or its folder not be written to.
    """
    records = load(file)
    proofs = records.get("proofs") if isinstance(records, dict) else None
    if not isinstance(proofs, list) or not all(isinstance(each, dict) for each in proofs):
        raise ValueError("it holds no records of proofs")
    with tempfile.TemporaryFile(dir=file.absolute().parent):
        pass


def _proof(file: Path, task: Task) -> dict[str, Any] | None:
    """The entry of a proof of this task, or of more inputs with its seed, without a fault."""
    key = identity(task)
    for entry in load(file)["proofs"]:
        if all(entry.get(name) == value for name, value in key.items()):
            whole = entry.get("inputs", 0) >= task.count and entry.get("seed", 0) == (task.seed if task.drawn else 0)
            return entry if whole and not faults_of(entry) else None
    return None


def is_current(file: Path, task: Task) -> bool:
    """Whether the present kernel is proven, in the present engine."""
    entry = _proof(file, task)
    return entry is not None and _made_of(entry) == digests(task.operator)


def _made_of(entry: dict[str, Any]) -> dict[str, Any]:
    """The digests of an entry; None for one that it lacks."""
    return {level: entry.get(level) for level in _LEVELS}


def proven_hash(file: Path, task: Task) -> str | None:
    """The hash of the results that were proven, of these or other sources; None if there is no proof of just these inputs."""
    entry = _proof(file, task)
    return entry["sha256"] if entry is not None and entry["inputs"] == task.count else None


def confirmed(file: Path, task: Task, path: str, made_of: Digests) -> dict[str, Any]:
    """The entry of a proof whose results other sources were found to give."""
    entry = _proof(file, task) or {}
    return {**entry, **made_of, **_code(task, path), "hashes": {path: entry["sha256"]}, "confirmed": _today()}


def _code(task: Task, path: str) -> dict[str, Any]:
    """The fields of an entry that say which machine code gave its results."""
    if task.evaluate is not None:
        return {}
    return {"code": {path: code_digests(task)[path]}, "code_by": made_by()}


def confirm_by_code(file: Path, task: Task, made_of: Digests) -> bool:
    """Whether the present sources lead to the machine code of a proof, on all its paths; the records then say so."""
    with files.locked(file):
        entry = _proof(file, task)
        if entry is None or entry.get("code_by") != made_by() or set(entry.get("code", ())) != set(entry["hashes"]):
            return False
        present = code_digests(task)
        if any(present.get(path) != digest for path, digest in entry["code"].items()):
            return False
        records = load(file)
        place = records["proofs"].index(entry)
        records["proofs"][place] = {**entry, **made_of, "confirmed": _today()}
        files.write_json(file, records)
    return True


def _today() -> str:
    return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")


def faults_of(entry: dict[str, Any]) -> int:
    """Results that an entry says are wrong, or in fast mode beyond the limit."""
    return entry.get("not_correctly_rounded", 0) or entry.get("beyond_limit", 0)


def contradicted(file: Path, task: Task, found: Findings) -> str | None:
    """The hash of these very inputs that was proven, where the results of exact mode have another."""
    proven = proven_hash(file, task) if task.mode == "exact" else None
    return proven if proven not in (None, found.sha256) else None


def store(file: Path, entry: dict[str, Any]) -> bool:
    """Merge an entry into the records and replace the file in one step; whether the entry is in it.

    An entry with counts replaces that of the same operator, dtype, attributes and mode; it keeps the hashes of other paths
    where the sources are the same. An entry of a ``hash_only`` run adds its path's hash to the entry of the same sources, or
    stands alone.
    """
    with files.locked(file):
        return _store(file, entry)


def _stands(old: dict[str, Any], entry: dict[str, Any]) -> bool:
    """Whether an entry is but fewer inputs than those of a proof that holds, or the hash of others."""
    more = _made_of(old) == _made_of(entry) and old.get("inputs", 0) > entry.get("inputs", 0)
    return more and not faults_of(entry)


def _store(file: Path, entry: dict[str, Any]) -> bool:
    records = load(file)
    names = ("operator", "dtype", "attributes", "mode", "exponent", "fused")
    key = [entry.get(name) for name in names]
    kept, old = [], None
    for other in records["proofs"]:
        if [other.get(name) for name in names] == key:
            old = other
        else:
            kept.append(other)
    same_inputs = old is not None and all(old.get(name) == entry.get(name) for name in (*_LEVELS, "seed", "pairs", "drawn"))
    if old is not None and same_inputs:
        hashes = {"hashes": old["hashes"] | entry["hashes"]}
        if "code" in entry and entry.get("code_by") == old.get("code_by"):
            hashes["code"] = old["code"] | entry["code"]
        entry = old | hashes if "inputs" not in entry and "inputs" in old else entry | hashes
    elif old is not None and _stands(old, entry):
        return False
    proofs = sorted([*kept, entry], key=lambda e: json.dumps([e.get(name, "") for name in names], sort_keys=True))
    files.write_json(file, {"about": _EXPLANATION, "proofs": proofs})
    return True
