"""The command line, mostly called in process: every command with good and with bad input."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import exactops
from exactops import cli
from exactops.cli import demo, main, parser
from exactops.cli import run as run_command
from exactops.table.operator import CATEGORIES

BF16 = np.dtype(ml_dtypes.bfloat16)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder; files are named without it."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ramp(shape, dtype=np.float32) -> np.ndarray:
    """Values of a shape, no two neighbours alike."""
    return np.linspace(-3, 4, int(np.prod(shape))).astype(dtype).reshape(shape)


def refused(capsys: pytest.CaptureFixture, *arguments: str) -> str:
    """Run a command that must fail: exit code 2, one line on standard error, nothing else. Returns the line."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1 and captured.err.endswith("\n"), captured.err
    assert "Traceback" not in captured.err
    return captured.err


def same(path: str, expected: np.ndarray) -> bool:
    """Whether a file holds exactly these bits, this dtype and this shape."""
    found = np.load(path)
    expected = np.asarray(expected)
    return (
        found.shape == expected.shape
        and found.dtype.itemsize == expected.dtype.itemsize
        and (found.dtype == expected.dtype or expected.dtype == BF16)
        and found.tobytes() == expected.tobytes()
    )


# --- info, ops, demo, the top ------------------------------------------------------------------------------------------------


def test_info(capsys):
    assert main(["info"]) == 0
    text = capsys.readouterr().out
    assert all(path in text for path in exactops.paths())
    assert main(["info", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["paths"] == list(exactops.paths())
    assert facts["exactops"] == exactops.__version__
    assert facts["numpy"] == np.__version__
    assert facts["default_path"] in facts["paths"]
    assert facts["cached_kernels"] >= 0


def test_info_reports_a_bad_default_path(capsys, monkeypatch):
    from exactops.codegen.paths import default_path

    monkeypatch.setenv("EXACTOPS_PATH", "mmx")
    default_path.cache_clear()
    try:
        assert "EXACTOPS_PATH='mmx'" in refused(capsys, "info")
    finally:
        default_path.cache_clear()


def test_ops(capsys):
    assert main(["ops"]) == 0
    text = capsys.readouterr().out
    assert all(f"\n{name} " in text for name in exactops.operators())
    assert all(f"\n  {letter}: {meaning}\n" in text for letter, meaning in CATEGORIES.items())
    assert main(["ops", "--json"]) == 0
    table = json.loads(capsys.readouterr().out)
    assert [entry["name"] for entry in table] == list(exactops.operators())
    assert main(["ops", "LeakyRelu", "clip", "--json"]) == 0
    leaky, clip = json.loads(capsys.readouterr().out)
    assert leaky["name"] == "leaky_relu" and leaky["attributes"][0]["default"] == 0.01
    assert [operand["missing"] for operand in clip["operands"]] == [None, "least finite", "largest finite"]
    assert "did you mean 'exp'" in refused(capsys, "ops", "expp")


def test_demo(capsys, monkeypatch):
    monkeypatch.setattr(demo, "SIGNIFICANDS", 64)
    assert main(["demo"]) == 0
    lines = capsys.readouterr().out.splitlines()
    hashes = {word for line in lines for word in line.split() if len(word) == 64}
    assert len(hashes) == 1
    assert "32,768" in lines[-1] and "bit for bit" in lines[-1]


def test_demo_fails_when_one_path_differs(capsys, monkeypatch):
    monkeypatch.setattr(demo, "SIGNIFICANDS", 64)
    right = exactops.exp

    def faulty(x, path):
        result = right(x, path=path)
        if path == "scalar":
            result.view(np.uint32)[12345] ^= 1
        return result

    monkeypatch.setattr(exactops, "exp", faulty)
    assert main(["demo"]) == 1
    assert "Failed" in capsys.readouterr().out.splitlines()[-1]


def test_demo_values_cover_every_sign_and_exponent():
    x = demo.values(1 << 15)
    patterns = x.view(np.uint32).reshape(512, 1 << 15)
    assert np.array_equal(patterns[:, 7] >> 23, np.arange(512))
    assert np.all(patterns >> 23 == patterns[:, :1] >> 23)
    assert np.all(patterns[:, 1:] > patterns[:, :-1])
    assert np.all(np.isin([0, 0x80000000, 0x7F800000, 0xFF800000, 0x7FFFFF], patterns[:, [0, -1]]))
    for view in demo.layouts(x[:1000]).values():
        assert view.tobytes() == x[:1000].tobytes()


@pytest.mark.parametrize("line", ["", "bogus", "--bogus", "demo extra", "info --bogus", "run", "run exp", "run exp x.npy"])
def test_usage_errors_are_one_line(capsys, line):
    assert "error:" in refused(capsys, *line.split())


def test_help_and_version(capsys):
    assert main(["--help"]) == 0
    text = capsys.readouterr().out
    assert all(command in text for command in ("info", "ops", "run", "demo"))
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.strip() == f"exactops {exactops.__version__}"
    assert main(["run", "--help"]) == 0


def test_every_command_explains_itself():
    """Descriptions are sentences; the lines of help are fragments in lower case, as argparse's own are."""
    (commands,) = (action for action in parser()._actions if action.dest == "command")
    assert set(commands.choices) == {file.stem for file in Path(cli.__file__).parent.glob("[!_]*.py")}
    for choice in commands._choices_actions:
        assert choice.help and choice.help[0].islower() and not choice.help.endswith("."), choice.dest
    for name, command in commands.choices.items():
        assert command.description[0].isupper() and command.description.endswith("."), name
        for action in command._actions:
            assert action.help and not action.help.endswith("."), (name, action.dest)
            assert action.help[0].islower() or action.help.split()[0].isupper(), (name, action.dest)


# --- assembly --------------------------------------------------------------------------------------------------------------


def assembly(capsys: pytest.CaptureFixture, *arguments: str) -> tuple[str, str]:
    """The first line, which says what the loop is, and the assembly."""
    assert main(["assembly", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    title, _, text = captured.out.partition("\n")
    return title, text


def test_assembly_of_every_operator(capsys):
    """By name alone, with the attributes that have no default."""
    needed = {
        "cast": ["to=f16"],
        "mod": ["fmod=1"],
        "powi": ["exp=3"],
        "powi_backward": ["exp=3"],
        "scaled_add": ["alpha=2", "beta=3"],
    }
    for operator in exactops.operators().values():
        attributes = [word for text in needed.get(operator.name, []) for word in ("--attr", text)]
        title, text = assembly(capsys, operator.name, "--path", "scalar", *attributes)
        short = "f32" if "f32" in operator.dtypes else operator.dtypes[0]
        assert re.match(rf"# {operator.name}, .*\b{short}\b.* to .*, path scalar, CPU ", title), title
        assert "exactops_loop_" in text and "ret" in text


def test_assembly_of_types_modes_and_paths(capsys):
    found = {}
    for path in exactops.paths():
        for mode in ("exact", "fast"):
            title, found[path, mode] = assembly(capsys, "Exp", "--dtype", "bfloat16", "--mode", mode, "--path", path)
            assert title.startswith(f"# exp, bf16 to bf16, {mode} mode, path {path}, CPU ")
    assert len(set(found.values())) == len(found)
    title, _ = assembly(capsys, "leaky_relu", "--attr", "alpha=0.25", "--dtype", "f16")
    assert title.startswith(f"# leaky_relu, f16, f32 to f16, both modes, path {exactops.paths()[0]}, ")
    assert assembly(capsys, "add", "--mode", "fast")[1] == assembly(capsys, "add")[1]
    bounds = ["--attr", "min=0", "--attr", "max=6"]
    assert assembly(capsys, "clip", *bounds)[1] == assembly(capsys, "clip")[1]  # bounds travel as operands
    assert assembly(capsys, "gelu", "--attr", "approximate=tanh")[1] != assembly(capsys, "gelu")[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "OP"),
        (["expp"], "did you mean 'exp'"),
        (["exp", "--dtype", "i32"], "exp does not serve i32"),
        (["exp", "--dtype", "float23"], "float23"),
        (["exp", "--mode", "quick"], "invalid choice"),
        (["exp", "--path", "mmx"], "--path='mmx': this CPU has the paths"),
        (["exp", "--attr", "alpha=1"], "no attribute 'alpha'"),
        (["leaky_relu", "--attr", "alpha"], "NAME=VALUE"),
        (["cast"], "needs the attribute 'to'"),
        (["cast", "--attr", "to=f23"], "no such dtype"),
    ],
)
def test_assembly_refuses_bad_input(capsys, arguments, message):
    assert message in refused(capsys, "assembly", *arguments)


# --- run: results --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@pytest.mark.parametrize("shape", [(), (1,), (37,), (5, 7), (3, 1, 11), (2, 3, 4, 5), (0,), (4, 0, 3)])
@pytest.mark.parametrize("order", ["C", "F"])
def test_shapes_orders_and_blocks(folder, monkeypatch, shape, size, order):
    monkeypatch.setattr(run_command, "BLOCK", size)
    x = np.asarray(ramp(shape), order=order)
    np.save("x.npy", x)
    assert main(["run", "exp", "x.npy", "-o", "y.npy"]) == 0
    assert same("y.npy", exactops.exp(x))
    assert os.listdir(folder) == ["x.npy", "y.npy"] or sorted(os.listdir(folder)) == ["x.npy", "y.npy"]


def test_a_fortran_file_gives_a_fortran_file(folder):
    np.save("x.npy", np.asfortranarray(ramp((6, 7))))
    assert main(["run", "relu", "x.npy", "-o", "y.npy"]) == 0
    assert np.load("y.npy").flags.f_contiguous


@pytest.mark.parametrize("size", [1, 5, 1 << 20])
@pytest.mark.parametrize(
    ("first", "second"), [((), (4, 5)), ((5,), (4, 5)), ((4, 1), (5,)), ((3, 4, 5), (4, 1)), ((1,), ()), ((2, 1), (0,))]
)
def test_broadcasting(folder, monkeypatch, first, second, size):
    monkeypatch.setattr(run_command, "BLOCK", size)
    x, y = ramp(first), ramp(second) + np.float32(0.5)
    np.save("x.npy", x)
    np.save("y.npy", y)
    assert main(["run", "Sub", "x.npy", "y.npy", "-o", "z.npy"]) == 0
    assert same("z.npy", exactops.sub(x, y))
    np.save("f.npy", np.asfortranarray(x))
    assert main(["run", "Sub", "y.npy", "f.npy", "-o", "z.npy"]) == 0
    assert same("z.npy", exactops.sub(y, x))


def test_blocks_divide_a_shape():
    for shape in [(), (1,), (10,), (3, 4), (2, 3, 4, 5), (7, 1, 2)]:
        for size in (1, 2, 3, 8, 100):
            counts = np.zeros(shape, int)
            for block in run_command.blocks(shape, size):
                counts[block] += 1
                assert counts[block].size <= size
            assert np.all(counts == 1)
    assert list(run_command.blocks((3, 0), 4)) == []


def test_variadic_three_operands_conditions_and_bounds(folder):
    x, y, z = ramp(20), ramp(20)[::-1].copy(), np.float32(1.5)
    np.save("x.npy", x)
    np.save("y.npy", y)
    np.save("z.npy", z)
    np.save("c.npy", x > y)
    assert main(["run", "mean", "x.npy", "y.npy", "z.npy", "-o", "o.npy"]) == 0
    assert same("o.npy", exactops.mean(x, y, z))
    assert main(["run", "where", "c.npy", "x.npy", "z.npy", "-o", "o.npy"]) == 0
    assert same("o.npy", exactops.where(x > y, x, z))
    assert main(["run", "clip", "x.npy", "--attr", "min=-1", "--attr", "max=2.5", "-o", "o.npy"]) == 0
    assert same("o.npy", exactops.clip(x, -1, 2.5))
    assert main(["run", "less", "x.npy", "y.npy", "-o", "o.npy"]) == 0
    assert same("o.npy", x < y)


def test_attributes_modes_and_paths(folder):
    x = ramp(100)
    np.save("x.npy", x)
    for path in exactops.paths():
        assert main(["run", "leaky_relu", "x.npy", "--attr", "alpha=0.25", "--path", path, "-o", "y.npy"]) == 0
        assert same("y.npy", exactops.leaky_relu(x, alpha=0.25))
    assert main(["run", "hard_sigmoid", "x.npy", "--mode", "fast", "-o", "y.npy"]) == 0
    assert same("y.npy", exactops.hard_sigmoid(x, mode="fast"))
    assert main(["run", "sign", "x.npy", "--attr", "nan=nan", "-o", "y.npy"]) == 0
    assert same("y.npy", exactops.sign(x))
    for target in ("float16", "10", "f16"):
        assert main(["run", "cast", "x.npy", "--attr", f"to={target}", "-o", "y.npy"]) == 0
        assert same("y.npy", x.astype(np.float16))


def test_cast_like_asks_only_for_the_dtype(folder):
    np.save("x.npy", ramp((3, 4)))
    np.save("like.npy", np.zeros((7, 2), np.int8))
    assert main(["run", "cast_like", "x.npy", "like.npy", "-o", "y.npy"]) == 0
    assert same("y.npy", ramp((3, 4)).astype(np.int8))


def test_bfloat16_files(folder):
    x = ramp(50).astype(BF16)
    np.save("x.npy", x)
    assert np.load("x.npy").dtype.kind == "V"
    assert main(["run", "exp", "x.npy", "--dtype", "bfloat16", "-o", "y.npy"]) == 0
    assert same("y.npy", exactops.exp(x))
    assert np.load("y.npy").dtype == np.load("x.npy").dtype
    assert main(["run", "cast", "y.npy", "--dtype", "bfloat16", "--attr", "to=float32", "-o", "w.npy"]) == 0
    assert same("w.npy", exactops.exp(x).astype(np.float32))
    assert main(["run", "cast", "w.npy", "--attr", "to=bfloat16", "-o", "y.npy"]) == 0
    assert same("y.npy", exactops.exp(x))
    np.save("c.npy", np.arange(50) % 2 == 0)
    assert main(["run", "where", "c.npy", "x.npy", "y.npy", "--dtype", "bfloat16", "-o", "z.npy"]) == 0
    assert same("z.npy", exactops.where(np.arange(50) % 2 == 0, x, exactops.exp(x)))


def test_byte_swapped_files(folder):
    x = ramp(30)
    np.save("x.npy", x.astype(">f4"))
    assert main(["run", "exp", "x.npy", "-o", "y.npy"]) == 0
    assert same("y.npy", exactops.exp(x))


@pytest.mark.parametrize("name", ["x.npy", "link.npy", "./x.npy"])
def test_the_output_may_be_an_input(folder, monkeypatch, name):
    monkeypatch.setattr(run_command, "BLOCK", 4)
    x = ramp((9, 3))
    np.save("x.npy", x)
    Path("link.npy").symlink_to("x.npy")
    row = ramp((3,))
    np.save("row.npy", row)
    assert main(["run", "add", "x.npy", "row.npy", "-o", name]) == 0
    assert same("x.npy", x + row)
    assert Path("link.npy").is_symlink()
    # Broadcasting makes the result larger than the input it replaces.
    assert main(["run", "add", "row.npy", "x.npy", "-o", "row.npy"]) == 0
    assert same("row.npy", row + (x + row))


def test_an_existing_output_keeps_its_permissions(folder):
    np.save("x.npy", ramp(3))
    np.save("y.npy", ramp(3))
    os.chmod("y.npy", 0o640)
    assert main(["run", "exp", "x.npy", "-o", "y.npy"]) == 0
    assert os.stat("y.npy").st_mode & 0o777 == 0o640


# --- run: bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["expp", "x.npy"], "did you mean 'exp'"),
        (["exp", "missing.npy"], "missing.npy: No such file"),
        (["exp", "."], "directory"),
        (["exp", "text.npy"], "text.npy: not a .npy file"),
        (["exp", "empty.npy"], "empty.npy: not a .npy file"),
        (["exp", "short.npy"], "short.npy: not a .npy file"),
        (["exp", "objects.npy"], "objects.npy: not a .npy file"),
        (["exp", "archive.npz"], "archive.npz: not a .npy file"),
        (["exp", "integers.npy"], "exp does not serve i32"),
        (["exp", "complex.npy"], "complex64"),
        (["exp", "strings.npy"], "exp does not serve dtype"),
        (["add", "x.npy"], "takes 2 operands"),
        (["exp", "x.npy", "x.npy"], "takes 1 operand"),
        (["add", "x.npy", "integers.npy"], "must share one"),
        (["add", "x.npy", "other.npy"], "(6,) and (4,), which do not broadcast"),
        (["where", "x.npy", "x.npy", "x.npy"], "the condition must be bool"),
        (["exp", "raw.npy"], "--dtype bfloat16"),
        (["exp", "x.npy", "--dtype", "bfloat16"], "no operand holds raw two-byte elements"),
        (["exp", "x.npy", "--dtype", "float32"], "invalid choice"),
        (["exp", "x.npy", "--mode", "quick"], "the modes are"),
        (["exp", "x.npy", "--path", "mmx"], "this CPU has the paths"),
        (["exp", "x.npy", "--attr", "alpha=1"], "no attribute 'alpha'"),
        (["leaky_relu", "x.npy", "--attr", "alpah=1"], "did you mean 'alpha'"),
        (["leaky_relu", "x.npy", "--attr", "alpha"], "NAME=VALUE"),
        (["leaky_relu", "x.npy", "--attr", "=1"], "NAME=VALUE"),
        (["leaky_relu", "x.npy", "--attr", "alpha=steep"], "'steep' is not a number"),
        (["leaky_relu", "x.npy", "--attr", "alpha=1", "--attr", "alpha=2"], "given twice"),
        (["clip", "integers.npy", "--attr", "min=0.5"], "0.5"),
        (["clip", "integers.npy", "--attr", "min=99999999999"], "does not fit int32"),
        (["sign", "x.npy", "--attr", "nan=one"], "must be one of"),
        (["cast", "x.npy"], "needs the attribute 'to'"),
        (["cast", "x.npy", "--attr", "to=float23"], "no such dtype"),
        (["cast", "x.npy", "--attr", "to=8"], "STRING"),
        (["scaled_add", "x.npy", "x.npy", "--attr", "alpha=1"], "needs the attribute 'beta'"),
        (["mod", "x.npy", "x.npy"], "fmod=1"),
    ],
)
def test_bad_input_is_refused_and_leaves_nothing(folder, capsys, arguments, message):
    np.save("x.npy", ramp(6))
    np.save("other.npy", ramp(4))
    np.save("integers.npy", np.arange(6, dtype=np.int32))
    np.save("complex.npy", np.zeros(6, np.complex64))
    np.save("strings.npy", np.array(["a", "b"]))
    np.save("objects.npy", np.array([{}], object))
    np.save("raw.npy", ramp(6).astype(BF16))
    np.savez("archive.npz", x=ramp(6))
    Path("text.npy").write_text("1 2 3\n")
    Path("empty.npy").write_bytes(b"")
    Path("short.npy").write_bytes(Path("x.npy").read_bytes()[:-5])
    before = sorted(os.listdir(folder))
    assert message in refused(capsys, "run", *arguments, "-o", "result.npy")
    assert sorted(os.listdir(folder)) == before


def test_an_output_that_cannot_be_written(folder, capsys):
    np.save("x.npy", ramp(6))
    Path("folder.npy").mkdir()
    assert "No such file" in refused(capsys, "run", "exp", "x.npy", "-o", "missing/y.npy")
    assert "not a regular file" in refused(capsys, "run", "exp", "x.npy", "-o", "folder.npy")
    assert sorted(os.listdir(folder)) == ["folder.npy", "x.npy"]


def test_a_full_disk_leaves_nothing(folder, capsys, monkeypatch):
    np.save("x.npy", ramp(6))
    before = Path("x.npy").read_bytes()

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    assert "x.npy: No space left" in refused(capsys, "run", "exp", "x.npy", "-o", "x.npy")
    assert os.listdir(folder) == ["x.npy"]
    assert Path("x.npy").read_bytes() == before


@pytest.mark.parametrize("stop", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_stopped_run_leaves_nothing(folder, capsys, monkeypatch, request, stop):
    if sys.platform == "win32":
        pytest.skip("no such signals")
    # A process started in the background of a shell inherits these signals as ignored.
    before = {each: signal.signal(each, signal.SIG_DFL) for each in (signal.SIGTERM, signal.SIGHUP)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: [signal.signal(each, handler) for each, handler in before.items()])
    monkeypatch.setattr(run_command, "BLOCK", 4)
    x = ramp(20)
    np.save("x.npy", x)
    right, calls = exactops.run, []

    def stopped(*arguments, **keywords):
        calls.append(1)
        if len(calls) == 3:
            os.kill(os.getpid(), getattr(signal, stop))
        return right(*arguments, **keywords)

    monkeypatch.setattr(exactops, "run", stopped)
    assert main(["run", "exp", "x.npy", "-o", "x.npy"]) == 130
    assert capsys.readouterr().err == "exactops run: interrupted\n"
    assert len(calls) == 3
    assert os.listdir(folder) == ["x.npy"]
    assert same("x.npy", x)


# --- as a process --------------------------------------------------------------------------------------------------------


def process(*arguments: str, **keywords) -> subprocess.CompletedProcess:
    """Run ``python -m exactops`` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "exactops", *arguments], capture_output=True, text=True, check=False, **keywords
    )


def test_as_a_process(folder):
    x = ramp((4, 5))
    np.save("x.npy", x)
    done = process("run", "exp", "x.npy", "-o", "y.npy")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert same("y.npy", exactops.exp(x))
    failed = process("run", "exp", "missing.npy", "-o", "y.npy")
    assert failed.returncode == 2
    assert failed.stderr == "exactops run: error: missing.npy: No such file or directory\n"


def test_the_import_is_light():
    """Neither the compiler nor the command line's libraries come with the package."""
    code = "import sys, exactops; print([m for m in ('numba', 'llvmlite', 'rich', 'argparse') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_only_the_command_line_imports_rich():
    """In no module outside the command line, nor in a process that compiles and calls operators."""
    package = Path(exactops.__file__).parent
    importing = [
        file for file in package.rglob("*.py") if re.search(r"^\s*(import|from) rich\b", file.read_text(encoding="utf-8"), re.M)
    ]
    assert [file.relative_to(package).as_posix() for file in importing] == ["cli/_common.py"]
    code = (
        "import sys, numpy as np, exactops, exactops.testing, exactops.contracts, exactops.verification\n"
        "exactops.exp(np.ones(3, np.float32)), exactops.run('add', np.ones(3), 1)\n"
        "print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# --- streams, signals, resources ------------------------------------------------------------------------------------------

LIGHT = ["verify", "--operator", "not", "--path", "scalar", "--processes", "1"]


@pytest.mark.skipif(sys.platform == "win32", reason="shells differ")
@pytest.mark.parametrize("arguments", [["info"], ["ops"], ["contracts", "not"], LIGHT], ids=lambda a: a[0])
@pytest.mark.parametrize("stream", ["| true", ">&-", "2>&-", ">&- 2>&-"])
def test_streams_that_are_closed(arguments, stream):
    """A reader that has had enough, and streams that a caller closed, are no failure."""
    command = " ".join([sys.executable, "-m", "exactops", *arguments, stream, "; exit ${PIPESTATUS[0]}"])
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr + done.stdout


def test_a_narrow_encoding():
    done = process("ops", env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0, done.stderr
    assert "relu" in done.stdout


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="no process groups")
def test_a_terminated_proof_leaves_no_process():
    pytest.importorskip("gmpy2")
    arguments = ["prove", "exp", "--hash-only", "--path", "scalar", "--processes", "2", "--no-record", "--stop", "0x20000000"]
    running = subprocess.Popen(
        [sys.executable, "-m", "exactops", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    time.sleep(4)  # in imports, or at work: both must end
    running.terminate()
    output, _ = running.communicate(timeout=120)  # ends when the last process has let go of the pipe
    assert running.returncode == 130, output
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.killpg(running.pid, 0)
            time.sleep(0.1)


def test_a_worker_that_is_killed_is_reported(monkeypatch, capsys):
    from concurrent.futures.process import BrokenProcessPool

    def broken(arguments):
        raise BrokenProcessPool("killed")

    monkeypatch.setattr("exactops.cli.info.run", broken)
    assert main(["info"]) == 2
    assert "a worker process ended" in capsys.readouterr().err


def test_memory_that_is_not_there(capsys):
    assert main(["measure", "exp", "--dtype", "f32", "--size", str(10**14)]) == 2
    assert "not enough memory" in capsys.readouterr().err


def test_a_path_of_the_environment_that_does_not_exist():
    done = process(*LIGHT[:3], env={**os.environ, "EXACTOPS_PATH": "bogus"})
    assert done.returncode == 2
    assert done.stderr.startswith("exactops verify: error: EXACTOPS_PATH='bogus'")
