"""Fingerprints: the stream of inputs, the records, what ``verify`` finds, and that it finds planted faults."""

from __future__ import annotations

import base64
import hashlib
import importlib.util
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from support import ARM, DEFAULT_CONTROL, X86, control, read_control
from support.processes import emulate, environment

import exactops
from exactops.cli import main
from exactops.records import files as record_files
from exactops.system import control_register
from exactops.table.formats import FORMATS
from exactops.verification import inputs, machine
from exactops.verification.fingerprints import form, long_form, making, results
from exactops.verification.fingerprints.entries import Entry, entries
from exactops.verification.fingerprints.results import CHUNK, HEAD, Settings

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "exactops" / "records" / "fingerprints.json"
NO_HARD_CASES = np.zeros((0, 2), np.uint64)


def entry_of(name: str) -> Entry:
    """The entry of that name."""
    return next(entry for entry in entries() if entry.name == name)


@pytest.fixture(scope="module")
def recorded() -> dict[str, Any]:
    """The committed file."""
    return json.loads(FILE.read_text(encoding="utf-8"))


# --- the stream -----------------------------------------------------------------------------------------------------------


def split_mix(counter: int) -> int:
    """SplitMix64 in Python integers, from its definition."""
    word = (1 << 64) - 1
    z = (counter + 1) * 0x9E3779B97F4A7C15 & word
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & word
    z = (z ^ z >> 27) * 0x94D049BB133111EB & word
    return z ^ z >> 31


def test_the_generator_is_split_mix() -> None:
    index = np.array([0, 1, 12345, (1 << 20) - 1], np.uint64)
    for place in range(3):
        a, b = inputs._random(index, place)
        for k, number in enumerate(index.tolist()):
            assert (int(a[k]), int(b[k])) == (split_mix(8 * number + 2 * place), split_mix(8 * number + 2 * place + 1))
    # The published first outputs for the seed 0.
    assert [hex(split_mix(k)) for k in range(2)] == ["0xe220a8397b1dcdaf", "0x6e789e6aa1b965f4"]


@pytest.mark.parametrize("short", ["f16", "bf16", "u16", "i16", "i8", "u8", "bool"])
def test_small_types_have_every_pattern(short: str) -> None:
    total = inputs.count((short,))
    (found,) = inputs.operands((short,), np.arange(total, dtype=np.uint64), NO_HARD_CASES)
    assert total == 1 << (8 * FORMATS[short].size)
    assert np.array_equal(np.sort(found), np.arange(total))


def test_pairs_of_bytes_are_complete() -> None:
    left, right = inputs.operands(("i8", "i8"), np.arange(1 << 16, dtype=np.uint64), NO_HARD_CASES)
    assert len({*zip(left.tolist(), right.tolist(), strict=True)}) == 1 << 16


@pytest.mark.parametrize("types", [("f32",), ("f64", "f64"), ("i32", "i32"), ("bool", "u16", "u16"), ("f32", "i64")])
def test_any_part_of_a_stream_is_the_same(types: tuple[str, ...]) -> None:
    hard = np.arange(1, 3 * len(types) + 1, dtype=np.uint64).reshape(3, -1)
    whole = results.stream(types, [0, 1, 127], hard)
    for number, chunk in enumerate((0, 1, 127)):
        for part, all_of_it in zip(results.stream(types, [chunk], hard), whole, strict=True):
            assert np.array_equal(part, all_of_it[number * CHUNK : (number + 1) * CHUNK])


@pytest.mark.parametrize("name", control_register.ENVIRONMENTS)
def test_the_stream_does_not_depend_on_the_environment(name: str) -> None:
    wanted = results.stream(("f64", "f64"), [3], NO_HARD_CASES)
    with control(control_register.value_of(name)):
        found = results.stream(("f64", "f64"), [3], NO_HARD_CASES)
    assert all(np.array_equal(a, b) for a, b in zip(wanted, found, strict=True))


# --- the records ----------------------------------------------------------------------------------------------------------


def test_every_operator_and_type_has_a_fingerprint(recorded: dict[str, Any]) -> None:
    names = [form.name_of(record) for record in recorded["short"]]
    assert len(names) == len(set(names))
    assert names == [entry.name for entry in entries()], "run: python -m exactops verify --write"
    served = {(entry.operator, entry.dtype) for entry in entries()}
    assert served == {(name, short) for name, operator in exactops.operators().items() for short in operator.dtypes}
    casts = {(entry.types[0], entry.result) for entry in entries() if entry.operator == "cast"}
    assert casts == {(a, b) for a in FORMATS for b in FORMATS}


def test_the_records_are_whole(recorded: dict[str, Any]) -> None:
    for record in recorded["short"]:
        size = np.dtype(FORMATS[record["result"]].dtype).itemsize
        assert len(base64.b64decode(record["head"])) == size * min(HEAD, record["inputs"])
        assert len(base64.b64decode(record["chunks"])) == 4 * -(-record["inputs"] // CHUNK)
        assert len(record["sha256"]) == 64
    assert {*recorded["streams"]} == {", ".join(entry.types) for entry in entries()}


def hard(recorded: dict[str, Any], *types: str) -> np.ndarray:
    """The hard cases of operands of these types in the file."""
    return form.hard_of(types, recorded["hard_cases"].get(", ".join(types), ""))


def test_the_hard_cases_are_in_the_streams(recorded: dict[str, Any]) -> None:
    """Those of the tables in testdata, behind the structured inputs: of pow as pairs."""
    assert recorded["hard_cases"] == form.hard_cases(ROOT / "testdata"), (
        "run: python -m exactops verify --write --hard-cases testdata"
    )
    for types, least in ((("f32",), 5000), (("f32", "f32"), 1000)):
        cases = hard(recorded, *types)
        assert len(cases) >= least
        index = np.arange(1 << 14, dtype=np.uint64)
        stream = np.stack(inputs.operands(types, index, cases), 1)
        places = [k for k in range(len(stream)) if (stream[k] == cases[0]).all()]
        assert any((stream[k : k + len(cases)] == cases).all() for k in places)


def test_a_hash_is_that_of_the_bytes(recorded: dict[str, Any]) -> None:
    """What another implementation has to do, in full: abs is a bit operation."""
    index = np.arange(1 << 20, dtype=np.uint64)
    (x,) = inputs.operands(("f32",), index, hard(recorded, "f32"))
    assert recorded["streams"]["f32"] == hashlib.sha256(x.astype("<u4").tobytes()).hexdigest()
    result = np.where(x & 0x7FFFFFFF > 0x7F800000, 0x7FC00000, x & 0x7FFFFFFF).astype("<u4")
    record = next(r for r in recorded["short"] if form.name_of(r) == "abs(f32)")
    assert record["sha256"] == hashlib.sha256(result.tobytes()).hexdigest()
    chunk = hashlib.sha256(result[CHUNK : 2 * CHUNK].tobytes()).digest()
    assert base64.b64decode(record["chunks"])[4:8] == chunk[:4]


def test_the_first_results_are_those_of_the_references(recorded: dict[str, Any]) -> None:
    """Every record of the file against integer arithmetic and MPFR: what is recorded is right, not merely reproducible."""
    wrong = []
    for record, entry in zip(recorded["short"], entries(), strict=True):
        index = np.arange(min(HEAD, entry.count), dtype=np.uint64)
        expected = results.by_reference(entry, inputs.operands(entry.types, index, hard(recorded, *entry.types)))
        assert expected is not None, entry.name
        if expected.astype(expected.dtype.newbyteorder("<")).tobytes() != base64.b64decode(record["head"]):
            wrong.append(entry.name)
    assert not wrong


def test_long_forms_are_those_of_the_proofs(recorded: dict[str, Any]) -> None:
    known = {form.name_of(record): record["sha256"] for record in recorded["long"]}
    for record in making.long_of_proofs(record_files.find(record_files.PROOFS)):
        assert known.get(form.name_of(record), record["sha256"]) == record["sha256"]
    assert "exp(f32)" in known


def test_the_long_form_is_that_of_prove() -> None:
    """One chunk of 2**24 inputs, by both commands' code."""
    from exactops.verification import campaign

    number, path = 0x3F, exactops.paths()[0]
    start = number * campaign.CHUNK
    task = campaign.Task("sqrt", path=path, hash_only=True)
    found = campaign.examine(task, start, start + campaign.CHUNK)
    assert found.digests[number] == long_form.long_digest(entry_of("sqrt(f32)"), path, number, Settings(threads=2))


# --- verify ---------------------------------------------------------------------------------------------------------------


def verify(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Run the command in this process; the exit code and what it printed."""
    code = main(["verify", "--json", "--processes", "1", *arguments])
    return code, json.loads(capsys.readouterr().out)


OPERATORS = ("add", "exp", "cast", "clip", "div", "where", "round", "scaled_add")


def test_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    """Some operators on every path, a part of the inputs; the whole is ``python -m exactops verify``."""
    code, found = verify(capsys, "--operator", *OPERATORS, "--dtype", "f32", "i16", "--sample", "16")
    assert code == 0 and found["differing"] == 0
    assert found["paths"] == list(exactops.paths())
    assert {(r["operator"], r["path"]) for r in found["results"]} == {(o, p) for o in OPERATORS for p in exactops.paths()}
    facts = found["machine"]
    assert facts["rounding"] == "to nearest" and not facts["flush_to_zero"] and facts["versions"]["numpy"] == np.__version__


def load_tool() -> ModuleType:
    """tools/verify_machines.py as a module."""
    specification = importlib.util.spec_from_file_location("verify_machines", ROOT / "tools" / "verify_machines.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.skipif(not X86, reason="x86-64 levels")
def test_the_oldest_level(capsys: pytest.CaptureFixture[str]) -> None:
    """As tools/verify_machines.py does it for every level."""
    tool = load_tool()
    arguments = ["--operator", "exp", "add", "cast", "round", "--dtype", "f32", "--sample", "32", "--processes", "1"]
    assert tool.verify("x86-64", [sys.executable], arguments, **emulate("x86-64"))
    assert "sse2, scalar" in capsys.readouterr().out


def test_foreign_environments_have_an_effect() -> None:
    assert load_tool().environments_have_effect()


@pytest.mark.skipif(not ARM, reason="looks at NEON code")
def test_neon_assembly() -> None:
    assert load_tool().assembly() == 0


def test_the_emulated_machine_is_optional(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it cannot be set up, the script says so and has an exit code of its own."""
    tool = load_tool()
    monkeypatch.setattr(tool.shutil, "which", lambda name: None)
    assert tool.main(["--only", "arm", "--folder", str(tmp_path)]) == tool.SKIPPED


@pytest.mark.parametrize("settings", [Settings(threads=2), Settings(threads=8)], ids=["2 threads", "8 threads"])
def test_callers_threads(capsys: pytest.CaptureFixture[str], settings: Settings) -> None:
    arguments = ("--operator", "exp", "add", "cast", "--dtype", "f32", "--sample", "8", "--threads", str(settings.threads))
    code, found = verify(capsys, *arguments)
    assert code == 0 and found["compared"] == 15 * len(exactops.paths())


@pytest.mark.parametrize("name", control_register.ENVIRONMENTS)
def test_foreign_environments(capsys: pytest.CaptureFixture[str], name: str) -> None:
    arguments = ("--operator", "exp", "add", "sqrt", "cast", "scaled_add", "--dtype", "f32", "--sample", "16", "--threads", "2")
    code, _ = verify(capsys, *arguments, "--environment", name)
    assert code == 0
    assert read_control() == DEFAULT_CONTROL


def test_the_report_names_a_foreign_environment() -> None:
    with control(control_register.value_of("all")):
        facts = machine.facts()
    assert facts["flush_to_zero"] and facts["denormals_are_zero"] and facts["rounding"] == "toward zero"


def test_the_whole_short_form_of_one_operator(capsys: pytest.CaptureFixture[str]) -> None:
    """In processes of their own, as a table."""
    code = main(["verify", "--operator", "sqrt", "--processes", "2"])
    text = capsys.readouterr().out
    assert code == 0
    assert "All bits are those of" in text and "sqrt" in text and "rounding to nearest" in text


def planted(monkeypatch: pytest.MonkeyPatch, name: str, pattern: int, only: str | None) -> None:
    """Flip the last bit of the result of one operator for one pattern of the first operand, on one path or on all."""
    honest: Callable[..., np.ndarray] = results.compute

    def faulty(entry: Entry, path: str | None, patterns: Any, settings: Settings) -> np.ndarray:
        found = honest(entry, path, patterns, settings)
        if entry.operator == name and only in (None, path):
            found = found ^ (patterns[0] == pattern).astype(found.dtype)
        return found

    monkeypatch.setattr(results, "compute", faulty)


@pytest.mark.parametrize("where", ["one path", "every path"])
def test_a_planted_bit_is_named_in_the_long_form(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """One wrong bit for one operand of 2**24: by another path, else the chunk is named."""
    entry, settings, path = entry_of("neg(f32)"), Settings(), exactops.paths()[0]
    digests = [long_form.long_digest(entry, path, 0, settings)]
    record = long_form.long_record(entry, long_form.long_hash(digests), digests)
    assert long_form.long_verdict(entry, path, digests, record, exactops.paths(), settings).ok
    planted(monkeypatch, "neg", 0xABCDEF, path if where == "one path" else None)
    digests = [long_form.long_digest(entry, path, 0, settings)]
    verdict = long_form.long_verdict(entry, path, digests, record, exactops.paths()[:2], settings)
    assert not verdict.ok and verdict.difference is not None
    if where == "one path":
        assert verdict.difference.number == 0xABCDEF
        assert verdict.difference.inputs[0].startswith("0x00abcdef")
        assert verdict.difference.output.startswith("0x80abcdee")
        assert verdict.difference.expected.startswith("0x80abcdef")
    else:
        assert str(verdict.difference).startswith("within elements 0 to 16777215 of the stream")


def test_the_long_form_by_the_command(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Chunks of a toy size; an entry without a record is a failure, not passed over."""

    def toy(entry: Entry, path: str | None, number: int, settings: Settings) -> bytes:
        return hashlib.sha256(f"{entry.name} {number}".encode()).digest()

    monkeypatch.setattr(long_form, "long_digest", toy)
    pool = "exactops.cli.verify.ProcessPoolExecutor"
    monkeypatch.setattr(pool, lambda processes, mp_context: ThreadPoolExecutor(processes))
    file = tmp_path / "fingerprints.json"
    assert main(["verify", "--write", "--full", "--operator", "neg", "--file", str(file)]) == 0
    capsys.readouterr()
    assert main(["verify", "--full", "--operator", "neg", "--file", str(file)]) == 0
    assert "the long form" in capsys.readouterr().out
    assert main(["verify", "--full", "--operator", "neg", "floor", "--file", str(file)]) == 1
    assert "the file has no long form of it" in capsys.readouterr().out


def test_every_long_form_is_recorded(recorded: dict[str, Any]) -> None:
    wanted = {entry.name for entry in entries() if long_form.has_long_form(entry)}
    assert {form.name_of(record) for record in recorded["long"]} == wanted


@pytest.mark.parametrize("where", ["one path", "every path"])
@pytest.mark.parametrize("name", ["exp", "sqrt"])
def test_a_planted_bit_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, where: str, name: str, recorded: dict[str, Any]
) -> None:
    """One wrong bit for one operand of 2**20, found although every path may have it: then by the independent reference."""
    (x,) = results.stream(("f32",), [5], hard(recorded, "f32"))
    pattern = int(x[4321]) & 0x7FFFFFFF
    place = int(np.flatnonzero(x & 0x7FFFFFFF == pattern)[0])
    pattern = int(x[place])
    path = exactops.paths()[0]
    planted(monkeypatch, name, pattern, path if where == "one path" else None)
    code, found = verify(capsys, "--operator", name, "--dtype", "f32")
    bad = [result for result in found["results"] if not result["ok"]]
    assert code == 1
    assert {result["path"] for result in bad} == ({path} if where == "one path" else {*exactops.paths()})
    difference = bad[0]["first_difference"]
    operand = np.array(pattern, np.uint32).view(np.float32)
    right = int(exactops.run(name, operand[()]).view(np.uint32))
    if difference["element"] >= 5 * CHUNK:  # the pattern may be a structured one, too
        assert difference["element"] == 5 * CHUNK + place
    assert difference["inputs"][0].startswith(f"0x{pattern:08x}")
    assert difference["expected"].startswith(f"0x{right:08x}")
    assert difference["output"].startswith(f"0x{right ^ 1:08x}")


def test_a_planted_fault_in_a_kernel_is_found(tmp_path: Path) -> None:
    """A copy of the package whose square is wrong in one bit for one operand, on every path."""
    shutil.copytree(ROOT / "exactops", tmp_path / "exactops", ignore=shutil.ignore_patterns("__pycache__"))
    kernels = tmp_path / "exactops" / "ops" / "arithmetic.py"
    honest = "def square(x):\n    return x * x\n"
    wrong = "def square(x):\n    y = x * x\n    return select(x == 1.5, from_bits(bits(y) ^ 1), y)\n"
    text = kernels.read_text(encoding="utf-8")
    assert honest in text
    text = text.replace(honest, wrong).replace("from exactops.lanes import", "from exactops.lanes import bits, from_bits,", 1)
    kernels.write_text(text, encoding="utf-8")
    command = ["-m", "exactops", "verify", "--file", str(FILE), "--operator", "square", "--dtype", "f32", "--json"]
    settings = environment() | {"PYTHONPATH": str(tmp_path)}
    run = subprocess.run([sys.executable, *command], cwd=tmp_path, env=settings, capture_output=True, text=True, check=False)
    assert run.returncode == 1, run.stderr
    found = json.loads(run.stdout)["results"]
    assert {result["path"] for result in found} == {*exactops.paths()}
    for result in found:
        difference = result["first_difference"]
        assert difference["inputs"] == ["0x3fc00000 (1.5)"]
        assert difference["output"].startswith("0x40100001")
        assert difference["expected"].startswith("0x40100000")


def test_bad_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (
        ["--operator", "no_such"], ["--dtype", "f99"], ["--path", "avx1"], ["--sample", "0"], ["--environment", "none"],
        ["--file", "no/such.json"], ["--operator", "not", "--dtype", "f32"], ["--write", "--sample", "2"],
    ):  # fmt: skip
        assert main(["verify", *arguments]) == 2
        assert capsys.readouterr().err.count("\n") == 1


# --- writing --------------------------------------------------------------------------------------------------------------


def test_write_is_refused_where_the_references_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All paths agree on a wrong result."""
    file = tmp_path / "fingerprints.json"
    planted(monkeypatch, "sqrt", 0x3C6E, None)
    arguments = ["--operator", "sqrt", "--dtype", "f16", "--processes", "1"]
    assert main(["verify", "--write", "--file", str(file), *arguments]) == 1
    assert not file.exists()
    assert "0x3c6e (1.107421875) gives 0x3c37 (1.0537109375) on every path, 0x3c36" in capsys.readouterr().out


def test_write_is_refused_where_paths_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if len(exactops.paths()) < 2:
        pytest.skip("one path")
    file = tmp_path / "fingerprints.json"
    arguments = ["verify", "--write", "--file", str(file), "--operator", "sqrt", "--dtype", "f16", "--processes", "1"]
    planted(monkeypatch, "sqrt", 0x3E00, exactops.paths()[-1])
    assert main(arguments) == 1
    assert not file.exists()
    assert "0x3e00 (1.5) gives" in capsys.readouterr().out
    monkeypatch.undo()
    assert main(arguments) == 0
    written = json.loads(file.read_text(encoding="utf-8"))
    committed = json.loads(FILE.read_text(encoding="utf-8"))
    (record,) = written["short"]
    assert record == next(r for r in committed["short"] if form.name_of(r) == "sqrt(f16)")
    assert main(["verify", "--file", str(file), "--operator", "sqrt", "--dtype", "f16", "--processes", "1"]) == 0


NO_RECORDS: dict[str, Any] = {"short": [], "long": [], "streams": {}, "hard_cases": {}}


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "null", "[]", "3"),
        *(
            json.dumps(NO_RECORDS | part)
            for part in ({"short": 3}, {"short": [{}]}, {"streams": []}, {"hard_cases": {"f32": "?"}})
        ),
    ],
)
def test_a_file_of_something_else_is_refused(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "fingerprints.json"
    file.write_text(content)
    assert main(["verify", "--operator", "not", "--path", "scalar", "--file", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"exactops verify: error: {file}: ")


@pytest.mark.parametrize("part", ["sha256", "head", "chunks", "result"])
def test_a_damaged_record_is_refused(part: str, recorded: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "fingerprints.json"
    for damaged in (None, "?", recorded["short"][0][part][:-3]):
        first = {name: value for name, value in recorded["short"][0].items() if damaged is not None or name != part}
        first |= {part: damaged} if damaged is not None else {}
        file.write_text(json.dumps(recorded | {"short": [first]}))
        if part == "result" and damaged is not None:
            continue  # of an operator that has no such type: simply no entry
        with pytest.raises(ValueError):
            form.load(file)


def test_the_machines_that_were_tried() -> None:
    """What the last whole runs of the tool found: every machine of its lists, and no difference."""
    tool = load_tool()
    machines = json.loads(record_files.find(record_files.MACHINES).read_text(encoding="utf-8"))["machines"]
    names = {entry["machine"] for entry in machines}
    wanted = [*tool.LEVELS, *(f"{count} threads of the caller's" for count in tool.THREADS)]
    wanted += [f"{machine}environment {name}" for machine in ("", "aarch64, emulated, ") for name in tool.ENVIRONMENTS]
    wanted += ["aarch64, emulated", "aarch64, emulated, half types"]
    wanted += [f"aarch64, emulated, other types, {' '.join(group)}" for group in tool.ARM_OF_TYPES]
    assert {*wanted} <= names
    assert all(entry["compared"] > 0 and entry["differing"] == 0 for entry in machines)
