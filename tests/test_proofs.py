"""The prover: its error bounds hold, it finds planted faults, its hash and records are what they say."""

from __future__ import annotations

import csv
import dataclasses
import functools
import hashlib
import itertools
import json
import math
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import exactops
from exactops.cli import main
from exactops.cli.prove import all_tasks
from exactops.codegen.target import host_target
from exactops.records import files as record_files
from exactops.records import sources
from exactops.table.formats import FORMATS, NUMERIC
from exactops.verification import campaign, powers, record
from exactops.verification.campaign import CHUNK, Task, examine, prove
from exactops.verification.decision import correctly_rounded, decode, encode, round_dyadic
from exactops.verification.filter import estimate, filtered, reference
from exactops.verification.functions import function_of, provable
from exactops.verification.multiprecision import gmpy2

F32 = FORMATS["f32"]
#: Digests of some sources.
MADE_OF = {"kernel": "kernel 1", "engine": "engine 1"}
TESTDATA = Path(__file__).parent.parent / "testdata"


def hard_cases(function: str) -> list[int]:
    found = []
    for path in sorted(TESTDATA.glob("hard_cases*_f32.csv")):
        with path.open() as file:
            found += [int(row["input_bits"], 16) for row in csv.DictReader(file) if row["function"] == function]
    return found


def samples(function: str, count: int) -> list[int]:
    """Inputs of every binade and sign; few binades above 1/4 for sin and cos, each of which needs its own table."""
    chance = random.Random(f"samples {function}")
    fields = [*range(125), 126, 127, 130, 151, 200, 254] if function in ("sin", "cos") else range(255)
    patterns = [chance.choice(fields) << 23 | chance.getrandbits(1) << 31 for _ in range(count)]
    return [pattern | chance.getrandbits(23) for pattern in patterns]


# --- the reference --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", provable())
def test_the_filter_keeps_its_bound(name):
    """The filter's value differs from MPFR's by less than its stated bound, hard cases included; and it decides nearly all."""
    function = function_of(name)
    inputs = samples(name, 1500) + hard_cases(name)
    if function.periodic:  # each binade above 1/4 has a table: keep their number small, and take them one after the other
        inputs = [bits for bits in inputs if bits & 0x7FFFFFFF < 0x3E800000 or bits >> 23 & 7 in (3, 6, 7)]
        inputs.sort(key=lambda bits: bits >> 23 & 0xFF)
    tried, largest = 0, 0.0
    for bits in inputs:
        found = estimate(function, bits)
        if found is None or not math.isfinite(found[2]):
            continue
        high, low, bound = found
        with gmpy2.context(precision=800):
            real = function.value(gmpy2.mpfr(decode(bits, F32)))
            error = float(abs(real - high - low))
        assert error <= bound, f"{name}({bits:#010x}): error {error:.3g}, bound {bound:.3g}"
        largest = max(largest, error / bound)
        tried += 1
    assert tried >= 200
    assert largest > 2.0**-40  # the bound says something


@pytest.mark.parametrize("name", provable())
def test_the_filter_decides_as_mpfr(name):
    """Every result that the filter decides is MPFR's."""
    function = function_of(name)
    chance = random.Random(f"decides {name}")
    for bits in [0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00001, *samples(name, 60), *hard_cases(name)[:40]]:
        start = max(0, bits - chance.randrange(4))
        results, undecided = filtered(function, start, bits + 1)
        if not undecided[-1]:
            assert results[-1] == correctly_rounded(function, bits, F32), f"{name}({bits:#010x})"


@pytest.mark.parametrize("name", provable())
def test_the_filter_leaves_little_to_mpfr(name):
    for start in (0x00000000, 0x33000000, 0x3F000000, 0x80000000, 0xC1000000):
        _, undecided = filtered(function_of(name), start, start + (1 << 16))
        assert np.count_nonzero(undecided) <= 400  # log and rsqrt of the smallest subnormals


def test_ties_of_subnormal_silu_are_decided():
    """x/2 is a tie between subnormals for every odd x, and x²/4 breaks it upwards for either sign."""
    function = function_of("silu")
    results, undecided = filtered(function, 1, 1001)
    assert not undecided.any()
    assert (results == np.arange(2, 1002) // 2).all()
    results, undecided = filtered(function, 0x80000001, 0x80000001 + 1000)
    assert not undecided.any()
    assert ((results ^ 0x80000000) == np.arange(1, 1001) // 2).all()


@pytest.mark.parametrize("short", ["f16", "bf16", "f32"])
def test_encode_and_decode(short):
    storage = FORMATS[short]
    unsigned = np.dtype(f"u{storage.size}")
    chance = random.Random(short)
    patterns = [0, 1, storage.nan, encode(math.inf, storage), *(chance.getrandbits(8 * storage.size) for _ in range(2000))]
    with np.errstate(invalid="ignore"):  # ml_dtypes and signalling NaNs
        values = np.array(patterns, unsigned).view(storage.dtype).astype(np.float64)
    for pattern, value in zip(patterns, values.tolist(), strict=True):
        assert decode(pattern, storage) == value or (math.isnan(value) and math.isnan(decode(pattern, storage)))
        assert encode(value, storage) == (storage.nan if math.isnan(value) else pattern)
    if short != "bf16":  # NumPy's own conversions round once
        for _ in range(2000):
            value = abs(chance.gauss(0, 1)) * 2.0 ** chance.randrange(-30, 20)
            mantissa, exponent = math.frexp(value)
            with np.errstate(over="ignore"):
                want = int(np.float64(value).astype(storage.dtype).view(unsigned))
            assert round_dyadic(int(mantissa * 2**53), exponent - 53, storage) == want


@pytest.mark.parametrize("name", ["log", "sin", "sigmoid", "gelu_tanh"])
def test_reference_of_odd_ranges(name):
    """A range that begins and ends anywhere has the results of its inputs."""
    whole, _ = reference(function_of(name), 0x3F7F0000, 0x3F820000)
    part, _ = reference(function_of(name), 0x3F7FFFF1, 0x3F810003)
    assert (part == whole[0xFFF1 : 0x20003 - 0x10000 + 0x10000]).all()


# --- planted faults -------------------------------------------------------------------------------------------------------


def flipped(x: np.ndarray, *, at: int, bit: int, op: str = "exp", **options) -> np.ndarray:
    """A kernel whose result has one bit flipped for one input."""
    y = np.array(exactops.run(op, x, **options))
    unsigned = np.dtype(f"u{x.dtype.itemsize}")
    y.view(unsigned)[x.view(unsigned) == at] ^= unsigned.type(1 << bit)
    return y


def test_a_flipped_bit_is_found():
    at = 0x3F812345
    task = Task("exp", start=0x3F800000, stop=0x3F840000, evaluate=functools.partial(flipped, at=at, bit=0))
    found = prove(task)
    right = correctly_rounded(function_of("exp"), at, F32)
    assert (found.inputs, found.wrong, found.worst, found.worst_input) == (0x40000, 1, 1, (at,))
    assert found.examples == [(at, right ^ 1, right)]


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_a_flipped_bit_of_a_half_type_is_found(dtype):
    found = prove(Task("exp", dtype, evaluate=functools.partial(flipped, at=0x3C01, bit=3)))
    assert (found.inputs, found.wrong, found.worst) == (65536, 1, 8)
    assert found.examples[0][0] == 0x3C01


@pytest.mark.parametrize(
    ("at", "bit", "count"),
    [
        (0x3F800001, 2, "wrong"),  # 4 ulp
        (0x80000000, 0, "special_mismatches"),  # exp(-0)
        (0xC3000000, 31, "zero_sign_mismatches"),  # exp(-128) = +0
        (0x43000000, 22, "nan_mismatches"),  # exp(128) = +inf
        (0x43000000, 31, "infinity_mismatches"),
    ],
)
def test_fast_mode_faults_are_found(at, bit, count):
    start = at & ~0xFFF
    task = Task("exp", mode="fast", start=start, stop=start + 0x1000, evaluate=functools.partial(flipped, at=at, bit=bit))
    found = prove(task)
    assert getattr(found, count) == 1
    assert found.wrong == 1
    assert found.examples[0][0] == at


def test_fast_mode_allows_what_the_contract_allows():
    found = prove(
        Task("exp", mode="fast", start=0x3F800000, stop=0x3F801000, evaluate=functools.partial(flipped, at=0x3F800003, bit=1))
    )
    assert (found.wrong, found.worst, found.worst_input) == (0, 2, (0x3F800003,))


def test_ulp_distance_across_zero():
    sign = np.uint32(0x80000000)
    bits = np.array([1, 0x80000001], np.uint32)
    assert campaign._distance(bits, bits[::-1], bits & ~sign, bits[::-1] & ~sign, sign).tolist() == [2, 2]
    most = np.array([0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF], np.uint64)
    sign = np.uint64(1 << 63)
    assert campaign._distance(most, most[::-1], most & ~sign, most & ~sign, sign).tolist() == [2 * 0x7FEFFFFFFFFFFFFF] * 2


# --- the hash and the records ---------------------------------------------------------------------------------------------


def identity(x: np.ndarray) -> np.ndarray:
    return x


def test_the_hash_is_what_it_says():
    """SHA-256 of the digests of chunks of 2**24 inputs, whatever the number of processes."""
    start, stop = CHUNK - (1 << 19), 2 * CHUNK + (1 << 19)
    task = Task("exp", start=start, stop=stop, hash_only=True, evaluate=identity)
    edges = [start, CHUNK, 2 * CHUNK, stop]
    digests = [hashlib.sha256(np.arange(a, b, dtype="<u4").tobytes()).digest() for a, b in itertools.pairwise(edges)]
    assert prove(task).sha256 == hashlib.sha256(b"".join(digests)).hexdigest()


def test_processes_do_not_matter():
    task = Task("exp", start=CHUNK - 4096, stop=CHUNK + 4096)
    alone, together = prove(task, 1), prove(task, 2)
    assert alone == together
    assert alone.wrong == 0
    assert len(alone.digests) == 2


def test_findings_add_up():
    whole = examine(Task("exp"), 0x3F800000, 0x3F808000)
    halves = examine(Task("exp"), 0x3F800000, 0x3F804000)
    halves.add(examine(Task("exp"), 0x3F804000, 0x3F808000))
    assert (whole.inputs, whole.wrong, whole.undecided) == (halves.inputs, halves.wrong, halves.undecided)


def test_records_are_merged(tmp_path):
    file = tmp_path / "proofs.json"
    task, found = Task("exp", "f16"), prove(Task("exp", "f16", hash_only=True))
    full = record.entry_of(task, found, "scalar", 1.0, 1, MADE_OF)
    only = record.entry_of(Task("exp", "f16", hash_only=True), found, "sse2", 1.0, 1, MADE_OF)
    record.store(file, full)
    record.store(file, record.entry_of(Task("exp", "bf16"), found, "scalar", 1.0, 1, MADE_OF))
    record.store(file, only)
    entries = json.loads(file.read_text())["proofs"]
    assert [entry["dtype"] for entry in entries] == ["bf16", "f16"]
    assert entries[1]["hashes"] == {"scalar": found.sha256, "sse2": found.sha256}
    assert entries[1]["not_correctly_rounded"] == 0
    record.store(file, {**only, "kernel": "other"})
    entries = json.loads(file.read_text())["proofs"]
    assert entries[1]["hashes"] == {"sse2": found.sha256}
    assert "not_correctly_rounded" not in entries[1]
    assert {path.name for path in tmp_path.iterdir()} == {"proofs.json", ".proofs.json.lock"}


def test_a_hash_of_other_pairs_replaces_no_proof(tmp_path):
    file, found = tmp_path / "proofs.json", campaign.Findings(inputs=1000, digests={0: b"0"})
    record.store(file, record.entry_of(Task("pow", drawn=1000), found, "scalar", 1.0, 1, MADE_OF))
    for count, paths in ((1000, {"scalar", "sse2"}), (2000, {"scalar", "sse2"})):
        task = Task("pow", drawn=count, hash_only=True)
        record.store(file, record.entry_of(task, found, "sse2", 1.0, 1, MADE_OF))
        (entry,) = json.loads(file.read_text())["proofs"]
        assert (entry["inputs"], entry["pairs"], set(entry["hashes"])) == (1000, 1000, paths)


def test_a_fault_replaces_any_proof(tmp_path):
    file, found = tmp_path / "proofs.json", campaign.Findings(inputs=1000, digests={0: b"0"})
    assert record.store(file, record.entry_of(Task("pow", drawn=1000, seed=1), found, "scalar", 1.0, 1, MADE_OF))
    fewer = Task("pow", drawn=10, seed=2)
    found = campaign.Findings(inputs=10, digests={0: b"1"})
    assert not record.store(file, record.entry_of(fewer, found, "scalar", 1.0, 1, MADE_OF))
    found.wrong = 3
    assert record.store(file, record.entry_of(fewer, found, "scalar", 1.0, 1, MADE_OF))
    (entry,) = json.loads(file.read_text())["proofs"]
    assert (entry["inputs"], entry["not_correctly_rounded"]) == (10, 3)
    assert record._proof(file, Task("pow", drawn=1000, seed=1)) is None


def test_a_hash_that_contradicts_a_proof_is_a_failure(tmp_path, capsys):
    file = tmp_path / "proofs.json"
    arguments = ["prove", "exp", "--dtype", "bf16", "--record", str(file)]
    assert main(arguments) == 0
    before = file.read_text()
    assert main([*arguments, "--hash-only", "--path", "scalar"]) == 0
    file.write_text(re.sub(r'"sha256": "\w+"', f'"sha256": "{"0" * 64}"', before))
    damaged = file.read_text()
    capsys.readouterr()
    assert main([*arguments, "--hash-only", "--path", "scalar"]) == 1
    assert "the results proven have the SHA-256 000" in capsys.readouterr().err
    assert file.read_text() == damaged


@pytest.mark.parametrize("content", ["", "{", "null", "[]", "7", '{"proofs": 7}', '{"proofs": [3]}'])
@pytest.mark.parametrize("what", [["exp", "--dtype", "bf16"], ["--all", "--dtype", "bf16"]])
def test_unreadable_records_are_refused_before_the_work(content, what, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(campaign, "timed", lambda *_: pytest.fail("the work began"))
    file = tmp_path / "proofs.json"
    file.write_text(content)
    assert main(["prove", *what, "--record", str(file)]) == 2
    assert capsys.readouterr().err.startswith(f"exactops prove: error: --record {file}: ")
    assert file.read_text() == content


@pytest.mark.parametrize("mode", ["exact", "fast"])
def test_fast_mode_has_a_record_for_either_kind_of_cpu(mode, tmp_path, monkeypatch):
    """Without fused multiply-adds fast mode has other results, which a scan of a CPU with them says nothing of."""
    file, task = tmp_path / "proofs.json", Task("exp", "f16", mode)
    found = campaign.Findings(inputs=task.count, digests={0: b"0"})
    for fused in (True, False):
        monkeypatch.setattr(record, "host_target", lambda fused=fused: dataclasses.replace(host_target(), fused=fused))
        assert record.is_current(file, task) == (mode == "exact" and not fused)
        record.store(file, record.entry_of(task, found, "scalar", 1.0, 1, record.digests("exp")))
        assert record.is_current(file, task)
    entries = json.loads(file.read_text())["proofs"]
    assert [entry.get("fused") for entry in entries] == ([None] if mode == "exact" else [False, True])


@pytest.mark.parametrize("level", ["kernel", "engine"])
@pytest.mark.parametrize("other", ["of other sources", None])
def test_an_entry_of_other_sources_is_not_current_until_it_is_confirmed(level, other, tmp_path):
    """Also one that does not say of which engine it is, as older files have them; then its hash is enough."""
    file, task = tmp_path / "proofs.json", Task("exp", "f16")
    arguments = ["prove", "--all", "--dtype", "f16", "--mode", "exact", "--record", str(file)]
    assert main(["prove", "exp", "--dtype", "f16", "--record", str(file)]) == 0
    assert record.is_current(file, task)
    records = json.loads(file.read_text())
    records["proofs"][0][level] = other
    if other is None:
        del records["proofs"][0][level]
    file.write_text(json.dumps(records))
    assert not record.is_current(file, task)
    with pytest.MonkeyPatch.context() as patch:
        table = {"exp": exactops.operators()["exp"]}
        patch.setattr(exactops, "operators", lambda: table)
        patch.setattr(campaign, "reference", lambda *_: pytest.fail("proven anew"))
        assert main(arguments) == 0
    assert record.is_current(file, task)
    (entry,) = json.loads(file.read_text())["proofs"]
    assert entry["not_correctly_rounded"] == 0 and "confirmed" in entry


# --- the command ----------------------------------------------------------------------------------------------------------


def test_prove_a_range(capsys):
    assert main(["prove", "Exp", "--start", "0x3f800000", "--stop", "0x3f808000"]) == 0
    printed = capsys.readouterr().out
    assert "32,768 inputs" in printed
    assert "not correctly rounded: 0" in printed


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_prove_the_half_types(dtype, capsys, tmp_path):
    file = tmp_path / "proofs.json"
    assert main(["prove", "exp", "--dtype", dtype, "--record", str(file), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    (entry,) = json.loads(file.read_text())["proofs"]
    assert printed == entry | {"examples": []}
    assert (entry["inputs"], entry["not_correctly_rounded"]) == (65536, 0)
    assert (entry["kernel"], entry["engine"]) == (sources.kernel_digest("exp"), sources.engine_digest())


def test_failures_are_reported(capsys, monkeypatch):
    """The command names a planted fault and fails."""
    fault = functools.partial(flipped, at=0x3F801234, bit=4)
    monkeypatch.setattr(campaign.Task, "kernel", property(lambda task: fault))
    arguments = ["prove", "exp", "--start", "0x3f800000", "--stop", "0x3f808000"]
    assert main(arguments) == 1
    printed = capsys.readouterr().out
    assert "not correctly rounded: 1" in printed
    assert "0x3f801234" in printed
    assert main([*arguments, "--json"]) == 1
    (example,) = json.loads(capsys.readouterr().out)["examples"]
    assert example["operands"] == ["0x3f801234"]
    assert int(example["got"], 16) ^ int(example["expected"], 16) == 16


def test_without_gmpy2_the_command_says_what_to_install():
    code = "import sys; sys.modules['gmpy2'] = None; from exactops.cli import main; sys.exit(main(['prove', 'exp']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'exactops[test]'" in done.stderr


def test_prove_fast_mode(capsys):
    assert main(["prove", "exp", "--mode", "fast", "--start", "0x3f800000", "--stop", "0x3f804000"]) == 0
    assert "largest error" in capsys.readouterr().out


def test_prove_all_fills_the_gaps(capsys, monkeypatch, tmp_path):
    """Only what is missing, or was proven for another kernel, is proven."""
    file = tmp_path / "proofs.json"
    monkeypatch.setattr(record, "digests", lambda operator: {"kernel": f"sources of {operator}", "engine": "1"})
    record.store(file, {"operator": "exp", "dtype": "bf16", "attributes": {}, "mode": "exact", "kernel": "old", "hashes": {}})
    task = Task("erf", "bf16")
    found = campaign.Findings(inputs=65536, digests={0: b"0"})
    entry = record.entry_of(task, found, "scalar", 1.0, 1, record.digests("erf"))
    record.store(file, {name: value for name, value in entry.items() if name not in ("code", "code_by")})
    found.wrong = 1
    record.store(file, record.entry_of(Task("log", "bf16"), found, "scalar", 1.0, 1, record.digests("log")))
    table = {name: operator for name, operator in exactops.operators().items() if name in ("exp", "erf", "log", "gelu")}
    monkeypatch.setattr(exactops, "operators", lambda: table)
    assert record.is_current(file, task)
    arguments = ["prove", "--all", "--dtype", "bf16", "--mode", "exact", "--record", str(file)]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "erf" not in printed
    assert all(f"{name} " in printed for name in table if name != "erf")
    assert main(arguments) == 0
    assert "inputs" not in capsys.readouterr().out
    # Another engine with the same results needs no other proof; the record of erf claims results that no kernel has.
    monkeypatch.setattr(record, "digests", lambda operator: {"kernel": f"sources of {operator}", "engine": "2"})
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "erf bf16 exact" in printed
    assert printed.count("decided by MPFR") == 1
    assert printed.count("the machine code is that of the proof") == len(table)  # gelu has two forms
    entries = json.loads(file.read_text())["proofs"]
    assert all(entry["engine"] == "2" and entry["not_correctly_rounded"] == 0 for entry in entries)
    # Without a record of the machine code the hash of the results tells.
    for entry in entries:
        del entry["code"]
    file.write_text(json.dumps({"about": "", "proofs": entries}))
    monkeypatch.setattr(record, "digests", lambda operator: {"kernel": f"sources of {operator}", "engine": "3"})
    assert main(arguments) == 0
    assert capsys.readouterr().out.count("the results are those that were proven") == len(table) + 1


def test_hash_only(capsys):
    hashes = set()
    for path in exactops.paths():
        assert (
            main(["prove", "exp", "--hash-only", "--path", path, "--start", "0x3f800000", "--stop", "0x3f804000", "--json"])
            == 0
        )
        hashes.add(json.loads(capsys.readouterr().out)["sha256"])
    assert len(hashes) == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name an operator"),
        (["exp", "--all"], "name an operator"),
        (["--all", "--start", "7"], "whole proofs"),
        (["add"], "there are proofs for"),
        (["expp"], "no operator"),
        (["exp", "--start", "7", "--stop", "7"], "no range"),
        (["exp", "--dtype", "f16", "--stop", "65537"], "no range"),
        (["exp", "--path", "mmx"], "mmx"),
        (["exp", "--attr", "alpha=1"], "no attribute"),
        (["exp", "--record", "/nowhere/at/all.json"], "no such folder"),
        (["exp", "--count", "7"], "leave out --count"),
        (["exp", "--exponent", "f64"], "--exponent is for pow"),
        (["pow", "--exponent", "u8"], "with bases of f32 one of"),
        (["exp", "--dtype", "f64", "--count", "0"], "--count"),
    ],
)
def test_bad_input(arguments, message, capsys):
    assert main(["prove", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_the_records_of_the_package():
    """What the records claim: all inputs, none wrong, and the same hash on every path."""
    file = record_files.find(record_files.PROOFS)
    for entry in record.load(file)["proofs"]:
        name = f"{entry['operator']} {entry['dtype']} {entry['mode']}"
        if "inputs" in entry:
            # Pairs of float32 and inputs of float64 cannot be exhausted; of everything else all inputs are gone through.
            drawn = (entry["operator"] == "pow" and entry["dtype"] == "f32") or entry["dtype"] == "f64"
            if entry["dtype"] == "f64":
                assert "a sample" in entry["evidence"] and entry["inputs"] == entry["pairs" if "pairs" in entry else "drawn"]
            assert drawn or entry["inputs"] >= 1 << (8 * FORMATS[entry["dtype"]].size), name
            assert entry.get("not_correctly_rounded", 0) == entry.get("beyond_limit", 0) == 0, name
        if entry["mode"] == "exact":
            assert set(entry["hashes"].values()) == {entry["sha256"]}, name


@pytest.mark.parametrize("fused", [True, False])
def test_every_kernel_is_proven_as_it_is(fused, monkeypatch):
    """The records cover every transcendental kernel, fast ones with and without fused multiply-adds, as its sources are now.

    After a change of a kernel: ``python -m exactops prove --all``, which takes a hash where the results are those that were
    proven, then the same with the paths, and with ``NUMBA_CPU_NAME=x86-64 NUMBA_CPU_FEATURES=`` for fast mode.
    """
    file = record_files.find(record_files.PROOFS)
    monkeypatch.setattr(record, "host_target", lambda: dataclasses.replace(host_target(), fused=fused))
    tasks = list(all_tasks())
    # Modes and types; gelu has two forms; pow three types of exponents that are drawn, all pairs of the half types, and with
    # bases of float64 exponents of every type; powi seven exponents for all but float32.
    assert len(tasks) == 2 * (4 * (len(provable()) + 1) + 3 * 3 + 2 + len(NUMERIC) + 3 * 7)
    missing = []
    for task in tasks:
        entry = record._proof(file, task)
        current = record.is_current(file, task)
        every = task.mode == "exact" and task.dtype == "f32" and not task.drawn
        one_hash = not every or set(entry["hashes"]) == {"avx512", "avx2", "sse2", "scalar"}
        if not (current and one_hash):
            missing.append(task)
    assert not missing


# --- pow and powi ---------------------------------------------------------------------------------------------------------


def test_the_filter_of_pow_keeps_its_bound():
    x, y = powers.draw(5, 0, "f32")
    logs, exponentials = powers._tables()
    chance = random.Random("pow")
    tried, largest = 0, 0.0
    for index in chance.sample(range(x.size), 6000):
        base, exponent = abs(decode(int(x[index]), F32)), float(y[index])
        if powers.special_power(base, exponent, True, False)[0] or abs(exponent) > 2.0**60:
            continue
        high, low, bound = powers.power(base, exponent, logs, exponentials)
        with gmpy2.context(precision=400):
            real = gmpy2.mpfr(base) ** gmpy2.mpfr(exponent)
            if high in (1.25 * 2.0**128, 2.0**-151):  # out of range
                assert real > 2.0**128 if high > 1 else real < 2.0**-150
                continue
            error = float(abs(real - high - low))
        assert error <= bound, f"{base!r} ** {exponent!r}: error {error:.3g}, bound {bound:.3g}"
        largest = max(largest, error / bound)
        tried += 1
    assert tried > 2000
    assert largest > 2.0**-12


@pytest.mark.parametrize("exponent", ["f32", "f64", "i64"])
def test_the_reference_of_pow_is_mpfr(exponent):
    x, y = powers.draw(6, 1, exponent)
    chosen = np.random.default_rng(3).choice(x.size, 2000, replace=False)
    x, y = x[chosen], y[chosen]
    with np.errstate(invalid="ignore"):
        y = y if exponent == "i64" else y.astype(np.float64)
    results, _, undecided = powers.reference(x, y, F32)
    assert undecided < 100
    for bits, power, result in zip(x.tolist(), y.tolist(), results.tolist(), strict=True):
        assert powers.correctly_rounded_power(bits, power, F32) == result, f"{bits:#010x} ** {power!r}"


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_the_reference_of_pow_of_half_types_is_mpfr(dtype):
    storage = FORMATS[dtype]
    chance = np.random.default_rng(4)
    x, y = chance.integers(0, 1 << 16, (2, 3000), dtype=np.uint16)
    with np.errstate(invalid="ignore"):
        wide = y.view(storage.dtype).astype(np.float64)
    results, _, _ = powers.reference(x, wide, storage)
    for bits, power, result in zip(x.tolist(), wide.tolist(), results.tolist(), strict=True):
        assert powers.correctly_rounded_power(bits, power, storage) == result, f"{bits:#06x} ** {power!r}"


@pytest.mark.parametrize(
    ("x", "y", "want"),
    [
        (math.nan, 0.0, 1.0),
        (1.0, math.nan, 1.0),
        (-1.0, math.inf, 1.0),
        (-1.0, -math.inf, 1.0),
        (-0.0, -3.0, -math.inf),
        (-0.0, -2.0, math.inf),
        (-0.0, -0.5, math.inf),
        (-0.0, 3.0, -0.0),
        (-0.0, 0.5, 0.0),
        (-0.0, math.inf, 0.0),
        (-0.0, -math.inf, math.inf),
        (0.5, math.inf, 0.0),
        (-2.0, math.inf, math.inf),
        (0.5, -math.inf, math.inf),
        (2.0, -math.inf, 0.0),
        (-math.inf, 3.0, -math.inf),
        (-math.inf, 2.0, math.inf),
        (-math.inf, -3.0, -0.0),
        (-math.inf, -2.0, 0.0),
        (math.inf, 0.5, math.inf),
        (math.inf, -0.5, 0.0),
        (-8.0, 1.0 / 3.0, math.nan),
        (-2.0, 3.0, -8.0),
        (-2.0, -2.0, 0.25),
        (4.0, 0.5, 2.0),
        (-1.0, 2.0**60, 1.0),
        (3.0, 1e300, math.inf),
        (0.9, 1e300, 0.0),
    ],
)
def test_special_cases_of_the_reference_of_pow(x, y, want):
    bits = encode(x, F32)
    results, _, _ = powers.reference(np.array([bits], np.uint32), np.array([y]), F32)
    assert results[0] == encode(want, F32)
    assert powers.correctly_rounded_power(bits, y, F32) == encode(want, F32)


def test_an_exact_tie_goes_to_even():
    """4097**2 has 25 bits and ends in 1: a tie."""
    results, _, undecided = powers.reference(np.array([encode(4097.0, F32)], np.uint32), np.array([2.0]), F32)
    assert undecided == 1
    assert decode(int(results[0]), F32) == 4097**2 - 1


def test_pairs_are_reproducible():
    one, two, other = (powers.draw(seed, 2, "f32") for seed in (1, 1, 2))
    assert (one[0] == two[0]).all()
    assert (one[1].view(np.uint32) == two[1].view(np.uint32)).all()
    assert (one[0] != other[0]).any()
    assert one[0].size == one[1].size == powers.BATCH


def pow_flipped(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    result = np.array(exactops.pow(x, y))
    result.view(np.uint32)[777] ^= 1
    return result


@pytest.mark.skipif("pow" not in exactops.operators(), reason="pow is not served")
def test_pow_by_the_command(capsys):
    assert main(["prove", "pow", "--pairs", "20000", "--seed", "9", "--no-record"]) == 0
    assert "20,000 inputs" in capsys.readouterr().out
    found = prove(Task("pow", drawn=2000, evaluate=pow_flipped))
    x, y = powers.draw(0, 0, "f32")
    assert found.wrong == 1
    assert found.examples[0][:2] == (int(x[777]), int(y.view(np.uint32)[777]))


@pytest.mark.skipif("pow" not in exactops.operators(), reason="pow is not served")
@pytest.mark.parametrize("dtype", ["f16", "bf16"])
def test_pow_of_half_types_by_the_command(dtype):
    for start in (0x3C000000, 0xC3810000):
        found = prove(Task("pow", dtype, start=start, stop=start + 0x10000))
        assert (found.inputs, found.wrong) == (0x10000, 0)


@pytest.mark.skipif("powi" not in exactops.operators(), reason="powi is not served")
@pytest.mark.parametrize("exponent", [-7, -1, 0, 2, 3, 2**31 - 1])
def test_powi_by_the_command(exponent):
    options = ["--attr", f"exp={exponent}", "--start", "0x3f7ff000", "--stop", "0x3f801000"]
    assert main(["prove", "powi", *options]) == 0
