"""Hold the fingerprints against machines that this one can stand for. Run from anywhere, in an environment with exactops::

    python tools/verify_machines.py [--only x86 | arm] [--quick] [--record] [--folder DIR]

* x86-64: each level (baseline, v2, v3, v4) that this CPU can run, every path, in processes whose kernels are compiled for that
  level alone; on this CPU 1, 2 and 8 threads of the caller's, and every foreign floating-point environment.
* aarch64: an arm64 CPython under user-mode emulation, set up in ``--folder`` (by default in the user's cache folder) from
  Debian's packages and Python's wheels; then some operators on every path, foreign environments, and a look at the assembly.

Exit code 0 if all bits are those of the fingerprints, 1 if not, and 77 if the emulated machine cannot be set up here (no
Debian, no right to install packages, no network) and nothing else was asked for.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.path.insert(1, str(Path(__file__).resolve().parent))

from debian import Unavailable, check_debian, install_wheels, run, unpack

from exactops.records import files as record_files
from exactops.system import control_register, files
from exactops.system.control_register import ENVIRONMENTS

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = 77

LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")
THREADS = (1, 2, 8)

#: What runs under the emulator on both paths and in foreign environments, and how many operators run in one process there.
ARM_QUICK = ("add", "sqrt", "exp", "clip", "hard_swish")
ARM_GROUP = 8
#: The other types there, and operators in which each of their families of kernels runs: decoding, integers, float64, casts.
ARM_TYPES = ("f16", "bf16", "f64", "i8", "i16", "i32", "i64", "u8", "u32", "u64")
ARM_OF_TYPES = (
    ("add", "mul", "div", "mod"),
    ("max", "clip", "where", "less"),
    ("sqrt", "round", "hard_swish", "scaled_add"),
    ("exp", "tanh", "gelu", "pow", "powi"),
    ("cast",),
)

#: Debian packages of its stable release: the interpreter, and the libraries that wheels need beside it.
PACKAGES = ("python3.11", "libstdc++6", "libgomp1")
WHEELS = ("numpy", "llvmlite", "numba", "ml_dtypes", "platformdirs")
EMULATOR = "qemu-aarch64-static"

#: What each machine was found to give, in the order of the runs.
FOUND: list[dict[str, Any]] = []


# --- verify in a process of its own -------------------------------------------------------------------------------------


def verify(title: str, command: Sequence[str], arguments: Sequence[str], **settings: str) -> bool:
    """Run ``exactops verify`` and say what it found; whether all bits agree."""
    environment = {name: value for name, value in os.environ.items() if name not in ("EXACTOPS_PATH", "NUMBA_CPU_NAME")}
    environment.pop("NUMBA_CPU_FEATURES", None)
    environment |= {"PYTHONPATH": str(ROOT), "EXTRA_PYTHONPATH": str(ROOT), **settings}
    start = time.perf_counter()
    run = subprocess.run(
        [*command, "-m", "exactops", "verify", "--json", *arguments],
        env=environment, cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    try:
        report = json.loads(run.stdout)
    except ValueError:
        print(f"{title}: FAILED, exit code {run.returncode}\n{run.stdout[-2000:]}{run.stderr[-2000:]}", flush=True)
        return False
    outcome = "ok" if not report["differing"] else f"FAILED: {report['differing']} differ"
    print(f"{title}: {', '.join(report['paths'])}: {report['compared']:,} compared, {outcome}, {seconds:.0f} s", flush=True)
    machine = report["machine"]
    found = {
        "machine": title,
        "cpu": f"{machine['architecture']} {machine['cpu']}",
        **{name: report[name] for name in ("paths", "threads", "environment", "sample", "compared", "differing")},
        "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "versions": machine["versions"],
    }
    FOUND.append(found)
    for result in report["results"]:
        if not result["ok"]:
            named = f"{result['operator']}({', '.join(result['types'])}) {result['attributes']} on {result['path']}"
            print(f"  {named}: {result.get('error') or json.dumps(result.get('first_difference'))}")
    return not report["differing"] and run.returncode == 0


def x86(quick: bool) -> bool:
    """Levels, threads and environments on this CPU: the whole short form (quick: float32, a sample of the inputs)."""
    from exactops.codegen.paths import paths

    own = paths()
    selection = ["--dtype", "f32", "--sample", "32"] if quick else []
    agree = True
    for level in LEVELS:
        needs = {"x86-64-v3": "avx2", "x86-64-v4": "avx512"}.get(level)
        if needs and needs not in own:
            print(f"{level}: this CPU cannot run it")
            continue
        agree &= verify(level, [sys.executable], selection, NUMBA_CPU_NAME=level, NUMBA_CPU_FEATURES="")
    for threads in THREADS:
        agree &= verify(f"{threads} threads of the caller's", [sys.executable], [*selection, "--threads", str(threads)])
    for name in ENVIRONMENTS:
        arguments = [*selection, "--environment", name, "--threads", "2"]
        agree &= verify(f"environment {name}", [sys.executable], arguments)
    return agree


def record() -> None:
    """Enter what was found, in place of older entries of the same machines."""
    file = record_files.writable(record_files.MACHINES)
    digest = hashlib.sha256(record_files.find(record_files.FINGERPRINTS).read_bytes()).hexdigest()
    machines = json.loads(file.read_text(encoding="utf-8"))["machines"] if file.is_file() else []
    entries = {entry["machine"]: entry for entry in machines}
    entries |= {found["machine"]: found | {"fingerprints": digest} for found in FOUND}
    about = "Written by `python tools/verify_machines.py --record`. fingerprints: SHA-256 of fingerprints.json as it was then."
    files.write_json(file, {"about": about, "machines": list(entries.values())})


# --- the emulated arm64 machine ---------------------------------------------------------------------------------------------


def set_up(folder: Path) -> Path:
    """The interpreter of the emulated machine; set up once a folder."""
    interpreter = folder / "python"
    if interpreter.is_file():
        return interpreter
    check_debian()
    if not shutil.which(EMULATOR):
        if os.geteuid() != 0:
            raise Unavailable(f"{EMULATOR} is missing, and only root may install qemu-user-static")
        run(["apt-get", "update", "-qq"])
        run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "qemu-user-static"])
    system = unpack(folder, PACKAGES, architecture="arm64")
    install_wheels(folder / "site", [_pinned(name) for name in WHEELS], "3.11", "aarch64", dependencies=False)
    libraries = f"{system}/lib/aarch64-linux-gnu:{system}/usr/lib/aarch64-linux-gnu"
    text = (
        "#!/bin/sh\n"
        f'exec {EMULATOR} -L "{system}" -E LD_LIBRARY_PATH="{libraries}" -E PYTHONHOME="{system}/usr" \\\n'
        f'  -E PYTHONPATH="$EXTRA_PYTHONPATH:{folder / "site"}" -E PYTHONDONTWRITEBYTECODE=1 \\\n'
        f'  "{system}/usr/bin/python3.11" "$@"\n'
    )
    unfinished = folder / "python.new"
    unfinished.write_text(text, encoding="utf-8")
    unfinished.chmod(0o755)
    machine = run([str(unfinished), "-c", "import platform, numpy, numba; print(platform.machine())"]).strip()
    if machine != "aarch64":
        raise Unavailable(f"the emulated interpreter says that it runs on {machine}")
    unfinished.rename(interpreter)
    return interpreter


def _pinned(name: str) -> str:
    """The package in the version that this environment has, so that both machines run the same; else any version."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{name}=={version(name)}"
    except PackageNotFoundError:
        return name


def arm(folder: Path, quick: bool) -> bool:
    """Every operator on the emulated machine (quick: a handful), foreign environments, and its assembly."""
    interpreter = str(set_up(folder))
    settings = {"EXACTOPS_CACHE_DIR": str(folder / "kernels")}
    one = ["--processes", "1", "--sample", "32"]
    arguments = [*one, "--operator", *ARM_QUICK, "--dtype", "f32"]
    agree = verify("aarch64, emulated", [interpreter], arguments, **settings)
    arguments = [*one, "--operator", "add", "exp", "--dtype", "f16", "bf16", "--path", "neon"]
    agree &= verify("aarch64, emulated, half types", [interpreter], arguments, **settings)
    if not quick:
        from exactops import operators

        for short in ("f32", "bool"):
            names = [name for name, operator in operators().items() if short in operator.dtypes and name not in ARM_QUICK]
            if short == "bool":
                names = [name for name in names if len(operators()[name].dtypes) == 1]
            for start in range(0, len(names), ARM_GROUP):
                group = names[start : start + ARM_GROUP]
                arguments = [*one, "--path", "neon", "--dtype", short, "--operator", *group]
                agree &= verify(f"aarch64, emulated, {' '.join(group)}", [interpreter], arguments, **settings)
        for group in ARM_OF_TYPES:
            arguments = ["--processes", "1", "--sample", "64", "--path", "neon", "--dtype", *ARM_TYPES, "--operator", *group]
            agree &= verify(f"aarch64, emulated, other types, {' '.join(group)}", [interpreter], arguments, **settings)
    few = ["--processes", "1", "--sample", "64", "--operator", *ARM_QUICK, "--dtype", "f32", "--path", "neon", "--threads", "2"]
    for name in ("all",) if quick else ENVIRONMENTS:
        agree &= verify(f"aarch64, emulated, environment {name}", [interpreter], [*few, "--environment", name], **settings)
    inside = {**os.environ, "EXTRA_PYTHONPATH": str(ROOT), **settings}
    look = [interpreter, __file__, "--assembly", *(["--quick"] if quick else [])]
    done = subprocess.run(look, env=inside, capture_output=True, text=True, check=False)
    print(f"aarch64, assembly: {done.stdout.strip() or done.stderr.strip()[-2000:]}", flush=True)
    return agree and done.returncode == 0


# --- inside it ----------------------------------------------------------------------------------------------------------------

#: Kernels whose assembly is looked at: operator, types, and the vector arithmetic that has to be there.
LOOKED_AT = (
    ("add", ("f32", "f32"), r"\bfadd\s+v\d+\.4s"),
    ("mul", ("f64", "f64"), r"\bfmul\s+v\d+\.2d"),
    ("sqrt", ("f32",), r"\bfsqrt\s+v\d+\.4s"),
    ("round", ("f32",), r"\bfrint[inx]\s+v\d+\.4s"),
    ("scaled_add", ("f32", "f32"), r"\bfmul\s+v\d+\.4s"),
    ("hard_swish", ("f16",), r"\bfmul\s+v\d+\.4s"),
    ("add", ("i16", "i16"), r"\badd\s+v\d+\.8h"),
    ("exp", ("f32",), r"\bfmul\s+v\d+\.2d"),
    ("tanh", ("bf16",), r"\bfdiv\s+v\d+\.2d"),
    ("gelu", ("f32",), r"\bfmul\s+v\d+\.2d"),
)
FUSED = re.compile(r"\bf(?:n?m(?:add|sub)|ml[as])\b")
#: An unconditional branch: to the body of the loop or to another place in it, which have labels, or away.
CALL = re.compile(r"^\s+(?:b|bl|br|blr)\s+(\S+)$", re.MULTILINE)
#: The control register, saved, set and set back.
WRITES, READS = re.compile(r"\bmsr\s+fpcr", re.IGNORECASE), re.compile(r"\bmrs\s+x\d+, fpcr", re.IGNORECASE)


def environments_have_effect() -> bool:
    """Whether arithmetic on this machine does follow the settings: otherwise that they change no bit would show nothing."""
    one, three, tiny = (float(text) for text in ("1", "3", "1e-310"))
    third = one / three
    with control_register.environment("round-up"):
        above = one / three
    with control_register.environment("flush-to-zero"):
        flushed = tiny * one
    return above > third and flushed == 0.0


def assembly(quick: bool = False) -> int:
    """Look at NEON kernels (quick: half of them); run on the machine itself. Exit code 1 if one is not what it should be."""
    kernels = LOOKED_AT[::2] if quick else LOOKED_AT
    from exactops.codegen import loops
    from exactops.codegen.target import host_target
    from exactops.frontend.named_loops import loop_of
    from exactops.ops import find_operator
    from exactops.table.signatures import signature

    problems = [] if environments_have_effect() else ["foreign environments have no effect here"]
    for operator, types, arithmetic in kernels:
        choices = {"approximate": "none"} if operator == "gelu" else {}
        found = signature(find_operator(operator), types, choices)
        text = loops.assembly(loop_of(found, "exact", "neon"), host_target())
        labels = set(re.findall(r"^([\w.$]+):", text, re.MULTILINE))
        name = f"{operator}({', '.join(types)})"
        if not re.search(arithmetic, text):
            problems.append(f"{name} lacks {arithmetic}")
        if FUSED.search(text):
            problems.append(f"{name} has {FUSED.search(text)[0]}")  # type: ignore[index]
        problems += [f"{name} calls {target}" for target in CALL.findall(text) if target not in labels]
        if len(WRITES.findall(text)) < 2 or not READS.search(text):
            problems.append(f"{name} does not guard FPCR")
    print("; ".join(problems) or f"{len(kernels)} kernels: vector arithmetic, nothing fused, no call outside, FPCR guarded: ok")
    return int(bool(problems))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["x86", "arm"], help="only these machines")
    parser.add_argument("--quick", action="store_true", help="a handful of operators")
    parser.add_argument("--folder", type=Path, help="where the emulated machine is, or is set up")
    parser.add_argument("--record", action="store_true", help="enter what was found in exactops/records/machines.json")
    parser.add_argument("--assembly", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.assembly:
        return assembly(chosen.quick)
    agree = True
    if chosen.only != "arm" and platform.machine().lower() in ("x86_64", "amd64"):
        agree &= x86(chosen.quick)
    if chosen.only != "x86":
        import platformdirs

        # Not the folder that EXACTOPS_CACHE_DIR names: the machine is to outlive the kernels of one run.
        folder = chosen.folder or Path(platformdirs.user_cache_dir("exactops")) / "arm64"
        try:
            agree &= arm(folder.absolute(), chosen.quick)
        except Unavailable as reason:
            print(f"aarch64 is skipped: {reason}")
            if chosen.only == "arm" and agree:
                return SKIPPED
    if chosen.record:
        record()
    print("all bits agree" if agree else "FAILED")
    return int(not agree)


if __name__ == "__main__":
    sys.exit(main())
