"""Compiled kernels on disk: used again, private, never trusted, and never in the way."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support import X86
from support.processes import emulate, finish, python, start

from exactops.runtime import object_cache as cache

POSIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="users and permissions as POSIX has them")

#: What a process does with the cache: a call, then whether Numba was needed, the warnings, and the sum of the bits.
PROGRAM = """
import sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import numpy as np, exactops
    x = np.linspace(-3, 3, 1000, dtype=np.float32)
    total = sum(int(exactops.run(op, x, x).view(np.uint32).sum()) for op in sys.argv[1:])
print("numba" in sys.modules, len(caught), [w.category.__name__ for w in caught], total)
"""


def run(folder: Path | str | None, *operators: str, **settings: str | None) -> tuple[bool, int, str]:
    """Whether a process with this cache folder compiled anything, how often it warned, and the sum of the result."""
    return parse(
        python(PROGRAM, *(operators or ("add",)), EXACTOPS_CACHE_DIR=None if folder is None else str(folder), **settings)
    )


def parse(output: str) -> tuple[bool, int, str]:
    """The line that PROGRAM prints."""
    compiled, warned, rest = output.strip().split(" ", 2)
    assert "[]" in rest or "CacheWarning" in rest
    return compiled == "True", int(warned), rest.rsplit("] ", 1)[1]


def files(folder: Path) -> list[Path]:
    """The kernels in a cache folder."""
    return sorted(path for path in folder.rglob("*") if not path.is_dir())


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, str]:
    """A folder with one kernel, that kernel's file, and the sum of the result."""
    folder = tmp_path_factory.mktemp("filled")
    # Another operator first: what the package compiles besides kernels is then there already.
    run(folder, "mul")
    before = files(folder)
    compiled, warned, total = run(folder)
    assert (compiled, warned) == (True, 0)
    (file,) = set(files(folder)) - {*before}
    return file, file.read_bytes(), total


@pytest.fixture
def kernel(filled: tuple[Path, bytes, str]) -> Iterator[Path]:
    """The file of that kernel, whole again after the test."""
    file, content, _ = filled
    yield file
    if file.is_dir() and not file.is_symlink():
        file.rmdir()
    else:
        file.unlink(missing_ok=True)
    file.write_bytes(content)
    file.chmod(0o600)


# --- use --------------------------------------------------------------------------------------------------------------


def test_a_second_process_compiles_nothing(filled: tuple[Path, bytes, str]) -> None:
    file, content, total = filled
    before = file.stat()
    assert run(file.parent.parent) == (False, 0, total)
    assert file.read_bytes() == content and file.stat().st_mtime_ns == before.st_mtime_ns
    assert file in files(file.parent)


@POSIX
def test_the_folder_and_its_files_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "deeper" / "still"
    old = os.umask(0)
    try:
        run(folder)
    finally:
        os.umask(old)
    assert files(folder)
    for file in files(folder):
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0


@pytest.mark.skipif(not X86, reason="x86-64 levels")
def test_another_cpu_has_files_of_its_own(filled: tuple[Path, bytes, str], kernel: Path) -> None:
    """Two CPUs may share a home: each compiles for itself, and both keep what they made."""
    _, content, total = filled
    folder = kernel.parent.parent
    before = files(folder)
    assert run(folder, **emulate("x86-64")) == (True, 0, total)
    assert len(files(folder)) > len(before)
    assert run(folder, **emulate("x86-64")) == (False, 0, total)
    assert run(folder) == (False, 0, total)
    assert kernel.read_bytes() == content
    for file in files(folder):
        if file not in before:
            file.unlink()


def test_keys_differ_by_all_that_code_depends_on(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {cache.key_of("one"), cache.key_of("two")}
    for environment in ("other sources", "other numba"):
        monkeypatch.setattr(cache, "_environment", lambda environment=environment: environment)
        keys.add(cache.key_of("one"))
    assert len(keys) == 4
    assert all(len(key) == 64 and set(key) <= set("0123456789abcdef") for key in keys)


def test_the_environment_names_versions_cpu_and_sources() -> None:
    import llvmlite
    import numba

    from exactops.codegen.target import host_target

    text = cache._environment()
    for part in (numba.__version__, llvmlite.__version__, host_target().name, host_target().features, cache._sources()):
        assert part in text


def test_several_processes_start_with_an_empty_folder(tmp_path: Path) -> None:
    operators = ("add", "mul", "sub", "max", "min", "div")
    processes = [start(PROGRAM, *operators, EXACTOPS_CACHE_DIR=str(tmp_path)) for _ in range(4)]
    found = {parse(finish(process)) for process in processes}
    assert len({total for _, _, total in found}) == 1
    assert {warned for _, warned, _ in found} == {0}
    assert len(files(tmp_path)) >= len(operators)
    assert all(len(file.name) == 64 for file in files(tmp_path))  # no temporary file
    assert run(tmp_path, *operators)[:2] == (False, 0)


# --- files that are not to be trusted ---------------------------------------------------------------------------------


def _flip(content: bytes, position: int) -> bytes:
    return content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :]


def _resealed(content: bytes) -> bytes:
    """The content of another kernel: a valid file, under the wrong name."""
    start = len(cache._MAGIC) + cache._DIGEST
    code = content[start:] + b"\0"
    return cache._MAGIC + hashlib.sha256(b"another key" + code).digest() + code


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "magic only": lambda content: content[: len(cache._MAGIC)],
    "half": lambda content: content[: len(content) // 2],
    "last byte missing": lambda content: content[:-1],
    "one byte more": lambda content: content + b"\0",
    "other magic": lambda content: _flip(content, 3),
    "digest flipped": lambda content: _flip(content, len(cache._MAGIC) + 5),
    "code flipped": lambda content: _flip(content, len(content) - 40),
    "zeros": lambda content: bytes(len(content)),
    "another kernel": _resealed,
    "no object code": lambda content: b"not a kernel" * 100,
}


@pytest.mark.parametrize("damage", list(DAMAGE))
def test_a_damaged_file_is_not_loaded(filled: tuple[Path, bytes, str], kernel: Path, damage: str) -> None:
    _, content, _ = filled
    kernel.write_bytes(DAMAGE[damage](content))
    assert cache_load(kernel) is None


def test_a_damaged_file_is_compiled_anew_and_replaced(filled: tuple[Path, bytes, str], kernel: Path) -> None:
    _, content, total = filled
    kernel.write_bytes(_flip(content, len(content) - 40))
    assert run(kernel.parent.parent) == (True, 0, total)
    assert cache_load(kernel) == content[len(cache._MAGIC) + cache._DIGEST :]
    assert run(kernel.parent.parent) == (False, 0, total)


def cache_load(file: Path) -> bytes | None:
    """What this process would load of a kernel's file."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EXACTOPS_CACHE_DIR", str(file.parent.parent))
        return cache.load(file.name)


def test_a_whole_file_is_loaded(filled: tuple[Path, bytes, str], kernel: Path) -> None:
    """A test of the tests: untouched, the file is good."""
    assert cache_load(kernel) == filled[1][len(cache._MAGIC) + cache._DIGEST :]


@POSIX
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666, 0o777])
def test_a_file_that_others_may_write_is_not_loaded(kernel: Path, mode: int) -> None:
    kernel.chmod(mode)
    assert cache_load(kernel) is None


@POSIX
def test_another_users_file_is_not_loaded(kernel: Path) -> None:
    try:
        os.chown(kernel, 12345, -1)
    except PermissionError:
        pytest.skip("only root gives files away")
    assert cache_load(kernel) is None


@POSIX
def test_another_users_folder_is_not_used(filled: tuple[Path, bytes, str], kernel: Path) -> None:
    total = filled[2]
    folder = kernel.parent
    try:
        os.chown(folder, 12345, -1)
    except PermissionError:
        pytest.skip("only root gives files away")
    try:
        assert run(folder.parent) == (True, 1, total)
    finally:
        os.chown(folder, os.geteuid(), -1)


@POSIX
@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702])
def test_a_folder_that_others_may_write_is_not_used(filled: tuple[Path, bytes, str], kernel: Path, mode: int) -> None:
    total = filled[2]
    kernel.parent.chmod(mode)
    try:
        assert cache_load_quietly(kernel) is None
        if mode == 0o770:
            assert run(kernel.parent.parent) == (True, 1, total)
    finally:
        kernel.parent.chmod(0o700)


def cache_load_quietly(file: Path) -> bytes | None:
    """cache_load without the one warning, which another test counts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cache, "_warn_once", lambda message: None)
        return cache_load(file)


@POSIX
def test_a_symbolic_link_is_not_followed(filled: tuple[Path, bytes, str], kernel: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "kernel"
    elsewhere.write_bytes(filled[1])
    elsewhere.chmod(0o600)
    kernel.unlink()
    kernel.symlink_to(elsewhere)
    assert cache_load(kernel) is None
    assert run(kernel.parent.parent) == (True, 0, filled[2])
    assert not kernel.is_symlink()
    assert elsewhere.read_bytes() == filled[1]


@POSIX
def test_a_pipe_does_not_hang(filled: tuple[Path, bytes, str], kernel: Path) -> None:
    kernel.unlink()
    os.mkfifo(kernel)
    assert cache_load(kernel) is None
    assert run(kernel.parent.parent) == (True, 0, filled[2])
    assert kernel.is_file()


def test_a_folder_in_place_of_a_file(filled: tuple[Path, bytes, str], kernel: Path) -> None:
    kernel.unlink()
    kernel.mkdir()
    assert cache_load(kernel) is None
    compiled, warned, total = run(kernel.parent.parent)
    assert compiled and warned <= 1 and total == filled[2]
    assert not [file for file in files(kernel.parent) if len(file.name) != 64]


# --- folders that cannot be used --------------------------------------------------------------------------------------


def test_a_path_through_a_file(tmp_path: Path, filled: tuple[Path, bytes, str]) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    assert run(blocker / "cache", "add", "mul")[:2] == (True, 1)
    assert run(blocker)[:2] == (True, 1)
    assert blocker.read_text() == "in the way"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc")
def test_a_folder_that_cannot_be_made() -> None:
    """/proc takes no folders, not even from root."""
    assert run("/proc/exactops", "add", "mul")[:2] == (True, 1)


def test_a_name_that_no_system_takes() -> None:
    compiled, warned, _ = run("x" * 5000)
    assert compiled and warned == 1


@POSIX
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder(tmp_path: Path) -> None:
    (tmp_path / "kernels").mkdir(mode=0o500)
    assert run(tmp_path, "add", "mul")[:2] == (True, 1)
    assert files(tmp_path) == []


@POSIX
def test_a_folder_that_refuses_writes_is_read(filled: tuple[Path, bytes, str], kernel: Path) -> None:
    """A filled read-only folder serves what it has, without a warning (simulated: root may write everywhere)."""
    program = (
        "import os, errno\n"
        "honest = os.open\n"
        "def refuse(path, flags, *more):\n"
        "    if flags & os.O_CREAT: raise OSError(errno.EROFS, 'Read-only file system')\n"
        "    return honest(path, flags, *more)\n"
        "os.open = refuse\n" + PROGRAM
    )
    folder = str(kernel.parent.parent)
    before = files(kernel.parent)
    assert parse(python(program, "add", EXACTOPS_CACHE_DIR=folder))[:2] == (False, 0)
    assert parse(python(program, "add", "mul", "sub", EXACTOPS_CACHE_DIR=folder))[:2] == (True, 1)
    assert files(kernel.parent) == before


@POSIX
@pytest.mark.parametrize("home", [None, "/nonexistent/home"])
def test_without_a_home(home: str | None) -> None:
    """At most one warning, and a result: wherever the platform then puts its caches."""
    settings = {"HOME": home, "XDG_CACHE_HOME": "/proc/nowhere" if home is None else None}
    compiled, warned, _ = run(None, "add", "mul", **settings)
    assert compiled or warned == 0
    assert warned <= 1


#: A user id that the system has no entry for: there is no home to be found. Run before the program proper.
NOBODY = """
import os, pwd
def unknown(user): raise KeyError(user)
pwd.getpwuid = unknown
for name in [each for each in os.environ if each == "HOME" or each.startswith("XDG_")]: del os.environ[name]
"""


@POSIX
def test_a_user_that_the_system_does_not_know() -> None:
    """A result, and the one warning that kernels are not kept."""
    settings = {"EXACTOPS_CACHE_DIR": None, "HOME": None}
    compiled, warned, total = parse(python(NOBODY + PROGRAM, "add", "mul", **settings))
    assert compiled and warned == 1
    assert total == run(None, "add", "mul")[2]


@POSIX
@pytest.mark.parametrize(
    "arguments",
    [
        *(["info"], ["info", "--json"], ["contracts", "exp"], ["contracts", "exp", "--dtype", "f32", "--json"]),
        ["verify", "--operator", "abs", "--dtype", "i8", "--path", "scalar", "--processes", "1"],
        ["measure", "abs", "--dtype", "i8", "--size", "64", "--rounds", "1", "--no-store"],
    ],
    ids=" ".join,
)
def test_commands_of_a_user_that_the_system_does_not_know(arguments: list[str]) -> None:
    program = NOBODY + (
        "import sys, contextlib, io\n"
        "from exactops.cli import main\n"
        "complaints = io.StringIO()\n"
        "with contextlib.redirect_stderr(complaints): code = main(sys.argv[1:])\n"
        "print(code, complaints.getvalue().count('warning'), len(complaints.getvalue().splitlines()))"
    )
    lines = python(program, *arguments, EXACTOPS_CACHE_DIR=None, HOME=None).splitlines()
    assert lines[-1] in ("0 0 0", "0 1 1")
    assert len(lines) > 1


@POSIX
def test_a_user_without_a_folder_learns_how_to_keep_measurements() -> None:
    program = NOBODY + (
        "import sys\nfrom exactops.cli import main\n"
        "sys.stderr = sys.stdout\n"
        "print(main(['measure', 'abs', '--dtype', 'i8', '--size', '64', '--rounds', '1']))"
    )
    output = python(program, EXACTOPS_CACHE_DIR=None, HOME=None)
    assert output.splitlines()[-1] == "2" and "EXACTOPS_CACHE_DIR" in output


# --- a disk that is full ----------------------------------------------------------------------------------------------


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty cache folder of this process."""
    monkeypatch.setenv("EXACTOPS_CACHE_DIR", str(tmp_path))
    cache._warned.clear()
    return tmp_path


def full(*arguments: object, **more: object) -> None:
    """What a full disk answers."""
    raise OSError(errno.ENOSPC, "No space left on device")


def full_after_half(path: Path, content: bytes) -> None:
    """A disk that fills up meanwhile."""
    with path.open("wb") as file:
        file.write(content[: len(content) // 2])
    full()


@pytest.mark.parametrize("when", ["at the start", "meanwhile", "at the end"])
def test_a_full_disk_leaves_nothing(monkeypatch: pytest.MonkeyPatch, empty: Path, when: str) -> None:
    key = cache.key_of("full disk")
    with monkeypatch.context() as patch:
        place, name, fault = {
            "at the start": (os, "open", full),
            "meanwhile": (Path, "write_bytes", full_after_half),
            "at the end": (os, "replace", full),
        }[when]
        patch.setattr(place, name, fault)
        with pytest.warns(cache.CacheWarning, match="No space left"):
            cache.save(key, b"code" * 1000)
        cache.save(key, b"code" * 1000)  # the second time silently
    assert files(empty) == []
    assert cache.load(key) is None
    cache.save(key, b"code")
    assert cache.load(key) == b"code"
    assert [file.name for file in files(empty)] == [key]


def test_the_count_of_kernels(empty: Path) -> None:
    assert cache.statistics() == (0, 0)
    cache.save(cache.key_of("one"), b"code")
    count, size = cache.statistics()
    assert count == 1 and size == len(cache._MAGIC) + cache._DIGEST + 4
