"""The audit: functions with known faults, and functions without."""

from __future__ import annotations

import json
import sys
import threading
import types
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import exactops
from exactops.cli import main
from exactops.testing import audit, bits_of, from_bits
from exactops.testing.auditing import ASPECTS

FEW = 12_000


def flipped(array: np.ndarray, places) -> np.ndarray:
    """The last bit of some elements changed."""
    bits = bits_of(array).reshape(-1)
    bits[places] ^= bits.dtype.type(1)
    return bits.view(array.dtype).reshape(array.shape)


# --- functions that are right -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "dtype", "attributes"),
    [
        ("exp", "float32", {}),
        ("Exp", "bfloat16", {}),
        ("tanh", np.float16, {}),
        ("add", "f64", {}),
        ("div", "int32", {}),
        ("pow", "float32", {}),
        ("less", "float32", {}),
        ("where", "i8", {}),
        ("clip", "f16", {}),
        ("max", "f32", {}),
        ("not", "bool", {}),
        ("cast", "f32", {"to": "f16"}),
        ("cast_like", "f32", {}),
        ("leaky_relu", "f32", {"alpha": 0.3}),
        ("gelu", "f32", {"approximate": "tanh"}),
    ],
)
def test_exactops_itself_passes(op, dtype, attributes):
    operator = next(each for each in exactops.operators().values() if op in each.names)

    def function(*operands):
        return exactops.run(op, *operands, path=exactops.paths()[0], **attributes)

    report = audit(function, op, dtype, attributes=attributes, samples=FEW)
    assert report.passed and report.exact and report.reproducible
    assert (report.incorrect, report.worst, report.worst_ulp, report.specials, report.zero_signs) == (0, None, 0, 0, 0)
    assert report.share == 0 and report.noncanonical_nans == 0 and not report.modified_input
    assert report.operator == operator.name
    assert tuple(report.dependence) == ASPECTS
    assert all(found.compared and not found.refused for found in report.dependence.values())
    assert report.samples == (65_536 if op in ("Exp", "tanh") else 2 if op == "not" else FEW)


def test_ieee_operations_of_numpy_pass():
    for function, op in ((np.sqrt, "sqrt"), (np.multiply, "mul"), (np.floor, "floor"), (np.equal, "equal")):
        report = audit(function, op, samples=FEW)
        assert report.passed, str(report)


# --- functions that are not -------------------------------------------------------------------------------------------------


def test_numpy_exp_is_not_correctly_rounded():
    report = audit(np.exp, "exp")
    assert report.incorrect > 0 and not report.exact and not report.passed
    assert report.worst is not None and 1 <= report.worst_ulp <= 5
    assert report.confirmed is True  # MPFR has the same exact value
    (operand,) = report.worst.operands
    assert bits_of(report.worst.expected) == bits_of(exactops.exp(operand))
    assert report.specials == report.zero_signs == 0
    assert report.share == report.incorrect / report.samples


def test_every_number_of_a_half_type_is_tried():
    wrong = from_bits([0x3555], "f16")[0]
    report = audit(lambda x: flipped(exactops.tanh(x), bits_of(x).reshape(-1) == 0x3555), "tanh", "f16", samples=10)
    assert report.samples == 65_536 and report.incorrect == 1 and report.worst_ulp == 1
    assert report.worst.operands == (wrong,) and report.confirmed is True


def test_the_worst_result_is_found_with_its_operand():
    def function(x):
        y = np.array(exactops.exp(x))
        y.view(np.uint32)[(x > 0.9) & (x < 1.1)] += 3
        y.view(np.uint32)[x == 1.0] += 70
        return y

    report = audit(function, "exp", samples=50_000)
    assert report.worst.operands == (np.float32(1.0),) and report.worst_ulp == 73
    assert 0 < report.share < 0.1 and report.reproducible


def test_special_values_and_signs_of_zero():
    def no_nan(x):
        return np.where(np.isnan(x), np.float32(7), exactops.sin(x))

    report = audit(no_nan, "sin", samples=FEW)
    assert report.specials > 0 and np.isnan(report.special_example.operands[0])
    assert report.zero_signs == 0 and report.worst is None

    def positive_zero(x):
        return exactops.sin(x) + np.float32(0)

    report = audit(positive_zero, "sin", samples=FEW)
    assert report.zero_signs == report.incorrect == 1
    assert np.signbit(report.zero_sign_example.expected) and not np.signbit(report.zero_sign_example.actual)
    assert report.worst_ulp == 0 and not report.passed

    def overflows_early(x):
        return np.where(x > 88, np.float32(np.inf), exactops.exp(x))

    report = audit(overflows_early, "exp", samples=FEW)
    assert report.specials > 0 and report.worst is None and np.isinf(report.special_example.actual)


def test_payloads_of_nans_count_as_right():
    report = audit(np.negative, "neg", samples=FEW)
    assert report.passed and report.noncanonical_nans > 0


# --- dependence -------------------------------------------------------------------------------------------------------------


def exp_when(condition, place=slice(None)):
    """exp with wrong bits in a place where a condition holds for the operand."""
    return lambda x: flipped(exactops.exp(x), place) if condition(x) else exactops.exp(x)


def positions(x):
    """exp with a wrong bit in every 16th element."""
    return flipped(exactops.exp(x), slice(3, None, 16))


class Alternating:
    """exp with a wrong bit in every second call."""

    calls = 0

    def __call__(self, x):
        self.calls += 1
        return flipped(exactops.exp(x), 0) if self.calls % 2 and x.size > 1 else exactops.exp(x)


@pytest.mark.parametrize(
    ("aspect", "function"),
    [
        ("repetition", Alternating()),
        ("position", positions),
        ("length", exp_when(lambda x: x.size % 16 == 5)),
        ("stride", exp_when(lambda x: not x.flags.c_contiguous and min(x.strides, default=1) >= 0)),
        ("reversed", exp_when(lambda x: min(x.strides, default=1) < 0)),
        ("alignment", exp_when(lambda x: x.ctypes.data % 64 == 20)),
        ("threads", exp_when(lambda x: threading.current_thread() is not threading.main_thread())),
    ],
)
def test_a_planted_dependence_is_found(aspect, function):
    report = audit(function, "exp", samples=FEW)
    found = report.dependence[aspect]
    assert found.differ > 0 and found.where and found.example.ulp == 1, str(report)
    assert not report.reproducible and not report.passed
    if aspect in ("stride", "reversed", "threads"):  # nothing else shows these
        assert [name for name, each in report.dependence.items() if each.differ] == [aspect]
        assert report.exact


@pytest.mark.parametrize("aspect", ["misaligned", "broadcast"])
def test_rarer_layouts(aspect):
    def condition(x):
        return not x.flags.aligned if aspect == "misaligned" else 0 in x.strides

    report = audit(exp_when(condition), "exp", samples=FEW)
    found = report.dependence["alignment" if aspect == "misaligned" else "stride"]
    assert found.differ > 0 and ("odd address" if aspect == "misaligned" else "stride of 0") in found.where


def test_a_function_that_writes_to_its_operand_is_caught():
    def function(x):
        y = exactops.exp(x)
        if x.size:
            x.reshape(-1)[-1:] = 0
        return y

    report = audit(function, "exp", samples=FEW)
    assert report.modified_input.startswith("operand 0 in a call with") and not report.passed
    assert report.exact and report.reproducible  # each call gets fresh operands

    def second_only(x, y):
        z = exactops.add(x, y)
        np.negative(y, out=y)
        return z

    assert audit(second_only, "add", samples=FEW).modified_input.startswith("operand 1")


def test_layouts_that_are_refused():
    def function(x):
        if min(x.strides, default=1) < 0:
            raise ValueError("no negative strides")
        return exactops.exp(x)

    report = audit(function, "exp", samples=FEW)
    found = report.dependence["reversed"]
    assert found.compared == found.differ == 0 and len(found.refused) == 2 and "no negative strides" in found.refused[0]
    assert report.passed and "refused: a reversed view" in str(report) and "not seen" in str(report)


# --- bad input, determinism, output -----------------------------------------------------------------------------------------


def test_bad_input():
    with pytest.raises(exactops.UnsupportedError, match="did you mean"):
        audit(np.exp, "expp")
    with pytest.raises(exactops.UnsupportedError, match="i32"):
        audit(np.exp, "exp", "int32")
    with pytest.raises(TypeError, match="returned float64"):
        audit(lambda x: np.exp(x).astype(np.float64), "exp", samples=FEW)
    with pytest.raises(ValueError, match="returned shape"):
        audit(lambda x: exactops.exp(x)[:-1], "exp", samples=FEW)
    with pytest.raises(ValueError, match="samples=0"):
        audit(np.exp, "exp", samples=0)
    with pytest.raises(ValueError, match="adapter='numpy'"):
        audit(np.exp, "exp", adapter="numpy")
    with pytest.raises(TypeError, match="attribute"):
        audit(np.exp, "exp", attributes={"alpha": 1})
    with pytest.raises(ZeroDivisionError):
        audit(lambda x: 1 // 0, "exp", samples=FEW)


def test_the_same_seed_gives_the_same_report():
    one, two, other = (audit(np.exp, "exp", samples=FEW, seed=seed) for seed in (3, 3, 4))
    assert one.to_dict() == two.to_dict()
    assert one.to_dict() != other.to_dict()


def test_output():
    report = audit(positions, "exp", samples=FEW)
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["incorrect"] == report.incorrect and plain["passed"] is False
    assert plain["worst"]["operands"][0]["bits"].startswith("0x") and plain["worst"]["ulp"] == 1
    assert plain["dependence"]["position"]["example"]["actual"]["value"]
    assert all(question in str(report) for question, _, _ in report.rows())
    assert "positions as exp, float32" in str(report)
    advanced = []
    audit(exactops.neg, "neg", samples=FEW, advance=advanced.append)
    assert sum(advanced) == FEW


def test_a_plot(tmp_path: Path):
    pytest.importorskip("matplotlib")
    for dtype, op in (("float32", "sin"), ("bf16", "sin"), ("int32", "square")):
        report = audit(lambda x, op=op: flipped(exactops.run(op, x), slice(None, None, 3)), op, dtype, samples=FEW)
        file = tmp_path / f"{dtype}.png"
        report.plot(file)
        assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("dtype", ["f16", "bf16", "f32", "f64", "i8", "i64", "u8", "u64", "bool"])
@pytest.mark.parametrize("faulty", [False, True], ids=["exact", "faulty"])
def test_the_axes_of_a_plot(dtype: str, faulty: bool) -> None:
    """Groups of inputs lie in columns of their own from end to end of the axis, and the limits suit a plot without errors."""
    pytest.importorskip("matplotlib")
    from exactops.testing.auditing.plot import figure_of

    op = "not" if dtype == "bool" else "abs"

    def function(x: np.ndarray) -> np.ndarray:
        y = exactops.run(op, x)
        return flipped(y, slice(None, None, 5)) if faulty and dtype != "bool" else y

    report = audit(function, op, dtype, samples=4 * FEW)
    value, place, worst, share = report.points.T
    columns = {"bool": 2, "i8": 256, "u8": 256}.get(dtype, 1024)
    # Integers repeat some hard values often enough for several groups.
    assert place.size == columns and np.all(np.diff(place) >= 0) and np.unique(place).size > 0.8 * columns
    assert np.all((place < 0) == (value < 0)) and np.all(place[value == 0] == 0)
    figure = figure_of(report)
    figure.canvas.draw()
    errors, shares = figure.axes
    for axes, highest, least in ((errors, worst.max(), 1), (shares, 100 * share.max(), 1)):
        low, high = axes.get_ylim()
        assert low == 0 and high >= highest and high >= (highest or least)
        assert highest == 0 or high < 2 * max(highest, 1)
    pixels = shares.transData.transform(np.column_stack([place, share]))[:, 0]
    left, right = shares.bbox.x0, shares.bbox.x1
    assert np.ptp(pixels) > 0.85 * (right - left)
    assert np.unique(np.round(pixels)).size > 0.9 * min(columns, 300)
    assert len(shares.get_xticks()) >= 2
    assert [float(label.get_text().replace("\u2212", "-")) for label in shares.get_xticklabels()] == sorted(
        float(label.get_text().replace("\u2212", "-")) for label in shares.get_xticklabels()
    )


def test_a_plot_needs_matplotlib(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"exactops\[plot\]"):
        audit(exactops.neg, "neg", samples=100).plot(tmp_path / "x.png")


# --- adapters ---------------------------------------------------------------------------------------------------------------


class Tensor:
    """What stands in for a tensor of PyTorch."""

    def __init__(self, array: np.ndarray, bfloat16: bool = False) -> None:
        self.array = array
        self.dtype = "bfloat16" if bfloat16 else array.dtype

    def view(self, dtype):
        return Tensor(self.array, dtype == "bfloat16")

    def detach(self):
        return self

    def cpu(self):
        return self

    def numpy(self):
        assert self.dtype != "bfloat16"
        return self.array


def fake_torch() -> types.ModuleType:
    """A module with the few names of PyTorch that the adapter uses."""

    def from_numpy(array):
        if min(array.strides, default=1) < 0:
            raise ValueError("negative strides are not supported")
        assert array.dtype != ml_dtypes.bfloat16
        return Tensor(array)

    def exp(tensor):
        if tensor.dtype == "bfloat16":
            return Tensor(bits_of(exactops.exp(tensor.array.view(ml_dtypes.bfloat16))).view(np.int16), True)
        return Tensor(exactops.exp(tensor.array))

    module = types.ModuleType("torch")
    module.from_numpy, module.exp, module.bfloat16, module.int16 = from_numpy, exp, "bfloat16", "int16"
    return module


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_tensors(monkeypatch, dtype):
    torch = fake_torch()
    monkeypatch.setitem(sys.modules, "torch", torch)
    report = audit(torch.exp, "exp", dtype, adapter="torch", samples=FEW)
    assert report.passed and report.dependence["reversed"].refused


def test_tensors_need_torch(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match="PyTorch"):
        audit(np.exp, "exp", adapter="torch")


def test_an_adapter_of_ones_own():
    def function(values: list[float]) -> list[float]:
        return [float(exactops.exp(np.float32(each))) for each in values]

    adapter = (lambda array: array.reshape(-1).tolist(), lambda result: np.array(result, np.float32))
    with pytest.raises(ValueError, match="returned shape"):  # a matrix does not come back as one
        audit(lambda x: function(x)[:1], "exp", adapter=adapter, samples=50)
    report = audit(function, "exp", adapter=adapter, samples=50)
    assert report.exact and report.dependence["stride"].refused


# --- the command ------------------------------------------------------------------------------------------------------------


def refused(capsys, *arguments: str) -> str:
    """Run a command that must fail with one line on standard error."""
    assert main(["audit", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.count("\n") == 1, captured
    return captured.err


def test_command(capsys):
    assert main(["audit", "numpy.exp", "--op", "exp", "--samples", "50000"]) == 1
    text = capsys.readouterr().out
    assert "numpy.exp compared with exact exp, float32" in text and "not correctly rounded" in text and "MPFR agrees" in text
    assert main(["audit", "exactops:sqrt", "--op", "Sqrt", "--dtype", "float64", "--samples", "5000", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["passed"] is True and plain["dtype"] == "float64" and plain["function"] == "exactops:sqrt"


MODULE = """
import exactops
def leaky(x, slope=0.5, name=""):
    return exactops.leaky_relu(x, alpha=slope)
class group:
    leaky = staticmethod(leaky)
number = 3
"""


def test_command_with_a_module_of_the_folder(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "own_kernels_under_audit.py").write_text(MODULE)
    few = ["--samples", "3000"]
    own = "own_kernels_under_audit"
    assert main(["audit", f"{own}.leaky", "--op", "leaky_relu", "--attr", "alpha=0.5", *few]) == 0
    assert main(["audit", f"{own}:group.leaky", "--op", "leaky_relu", *few]) == 1
    attributes = ["--attr", "alpha=0.01", "--keyword", "slope=0.01", "--keyword", "name=some text"]
    assert main(["audit", f"{own}:group.leaky", "--op", "leaky_relu", *attributes, *few]) == 0
    capsys.readouterr()
    assert "is no function" in refused(capsys, f"{own}:number", "--op", "exp")
    assert "has no attribute 'other'" in refused(capsys, f"{own}.other", "--op", "exp")
    (tmp_path / "broken_module_under_audit.py").write_text("import a_module_that_does_not_exist")
    assert "a_module_that_does_not_exist" in refused(capsys, "broken_module_under_audit.f", "--op", "exp")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["numpy.exp", "--op", "expp"], "did you mean"),
        (["numpy.exp"], "--op"),
        (["numpy.exp", "--op", "exp", "--dtype", "complex64"], "complex64"),
        (["numpy.exp", "--op", "exp", "--dtype", "nothing"], "nothing"),
        (["numpy.exp", "--op", "exp", "--samples", "0"], "not positive"),
        (["numpy.exp", "--op", "exp", "--attr", "x"], "NAME=VALUE"),
        (["numpy.exp", "--op", "exp", "--keyword", "=3"], "NAME=VALUE"),
        (["numpy.exp", "--op", "exp", "--keyword", "nothing=3", "--samples", "100"], "TypeError"),
        (["numpy.add", "--op", "exp", "--samples", "100"], "TypeError"),
        (["numpy.no.such", "--op", "exp"], "no attribute"),
        (["no_such_module_at_all.f", "--op", "exp"], "No module named"),
        (["numpy.exp", "--op", "exp", "--adapter", "numpy"], "invalid choice"),
        ([":f", "--op", "exp"], ":f"),
    ],
)
def test_command_with_bad_input(capsys, arguments, message):
    assert message in refused(capsys, *arguments)


def test_command_without_matplotlib(capsys, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "exactops[plot]" in refused(capsys, "numpy.exp", "--op", "exp", "--plot", str(tmp_path / "x.png"))


def test_command_plots(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    file = tmp_path / "error.png"
    assert main(["audit", "numpy.exp", "--op", "exp", "--samples", "20000", "--plot", str(file)]) == 1
    assert file.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("missing/x.png", "missing/x.png: there is no such folder"),
        ("x.nothing", "the suffix .nothing"),
        ("x", "no suffix"),
        (".png", "no suffix"),
        ("folder.png", "folder.png is a folder"),
    ],
)
def test_a_plot_that_cannot_be_written_is_refused_before_the_work(capsys, tmp_path, monkeypatch, file, message):
    pytest.importorskip("matplotlib")
    (tmp_path / "folder.png").mkdir()

    def untouched(*arguments, **keywords):
        raise AssertionError("the audit has begun")

    monkeypatch.setattr("exactops.testing.auditing.audit", untouched)
    assert message in refused(capsys, "numpy.exp", "--op", "exp", "--plot", str(tmp_path / file))
    assert [each.name for each in tmp_path.iterdir()] == ["folder.png"]


@pytest.mark.parametrize("dtype", ["f16", "f32", "f64", "i16", "bool"])
def test_operands_of_several_sizes(dtype: str) -> None:
    """The condition of ``where`` is narrower than its values."""
    assert audit(np.where, "where", dtype, samples=1000).passed


@pytest.mark.parametrize("attributes", [{"min": 0, "max": 6}, {"max": 6}, {"min": 0}], ids=repr)
def test_bounds_that_are_given(attributes: dict[str, Any]) -> None:
    """A function of one operand with fixed bounds: they are not drawn as well."""

    def fixed(x: np.ndarray, *others: np.ndarray) -> np.ndarray:
        return np.asarray(exactops.clip(x, *others, **attributes))

    assert audit(fixed, "clip", "f32", attributes=attributes, samples=1000).passed


def test_a_module_that_fails_is_bad_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "failing_module.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert main(["audit", "failing_module.f", "--op", "sqrt"]) == 2
    assert "failing_module.f: ZeroDivisionError" in capsys.readouterr().err
