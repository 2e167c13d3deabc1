"""Targets as values: code for other CPUs in one process, what a path promises, and CPUs that cannot run here."""

from __future__ import annotations

import json
import re

import numba
import pytest
from support import ARM, X86
from support.processes import emulate, python

from exactops.codegen import loops, target
from exactops.codegen.paths import WIDTHS, paths_of
from exactops.codegen.specification import LoopSpecification
from exactops.codegen.target import Target, host_target
from exactops.frontend.named_loops import loop_of
from exactops.ops import OPERATORS
from exactops.table.formats import FORMATS
from exactops.table.signatures import signatures

x86_only = pytest.mark.skipif(not X86, reason="x86-64 levels")

LEVELS = {
    "x86-64": ("sse2", "scalar"),
    "x86-64-v2": ("sse2", "scalar"),
    "x86-64-v3": ("avx2", "sse2", "scalar"),
    "x86-64-v4": ("avx512", "avx2", "sse2", "scalar"),
}


def loop(operator: str, short: str, path: str, mode: str = "exact") -> LoopSpecification:
    """The loop of an operator for operands of one type."""
    return loop_of(next(signatures(OPERATORS[operator], short)), mode, path)


def specifications(path: str) -> dict[str, LoopSpecification]:
    """Kernels of every kind of lowering that depends on the target: rounding, half types, lookups, fused arithmetic."""
    return {
        "add": loop("add", "f32", path),
        "floor": loop("floor", "f16", path),
        "exp": loop("exp", "f32", path),
        "hard_swish": loop("hard_swish", "f32", path, "fast"),
    }


def assemblies(level: str | None, path: str) -> dict[str, str]:
    """The assembly of :func:`specifications`, for a CPU by name or for this process."""
    cpu = host_target() if level is None else Target.of(level)
    return {name: loops.assembly(each, cpu) for name, each in specifications(path).items()}


def widest_register(assembly: str) -> int:
    """Bits of the widest vector register that a listing names."""
    return max(
        (bits for bits, name in ((512, "zmm"), (256, "ymm"), (128, "xmm")) if re.search(rf"%{name}\d", assembly)), default=0
    )


# --- a target is a value ------------------------------------------------------------------------------------------------


@x86_only
def test_a_target_is_a_value() -> None:
    one, same, other = Target.of("x86-64-v3"), Target.of("x86-64-v3", ""), Target.of("x86-64-v3", "-fma")
    assert one == same and hash(one) == hash(same) and one.label == same.label
    assert one != other and one.label != other.label and one.fused and not other.fused
    assert {level: paths_of(Target.of(level)) for level in LEVELS} == LEVELS
    assert [Target.of(level).half for level in LEVELS] == [False, False, True, True]
    assert [Target.of(level).rounding for level in LEVELS] == [False, True, True, True]


@x86_only
def test_lanes_of_two_targets_are_two_types() -> None:
    """Numba compares types by their names; a helper lowered for one CPU must not be found for another."""
    from exactops.codegen.lowering.types import Vec

    one, other = (Vec(numba.float32, 8, False, Target.of(level)) for level in ("x86-64", "x86-64-v3"))
    assert one != other and one.mask != other.mask and one == Vec(numba.float32, 8, False, Target.of("x86-64"))
    assert other.of(numba.float64).target == other.mask.target == Target.of("x86-64-v3")


@x86_only
@pytest.mark.parametrize(("level", "path"), [("x86-64", "sse2"), ("x86-64-v3", "avx2"), ("x86-64-v4", "avx512")])
def test_code_for_another_cpu_is_the_code_of_its_own_process(level: str, path: str) -> None:
    """Also after the same kernels were compiled for this CPU: nothing of one target is left in another."""
    assemblies(None, "sse2")
    program = f"import json, test_target; print(json.dumps(test_target.assemblies(None, {path!r})))"
    own = json.loads(python(program, **emulate(level)))
    assert assemblies(level, path) == own
    assert own["add"] != assemblies("x86-64-v2" if level == "x86-64-v3" else "x86-64-v3", path)["add"]


def test_only_the_entry_points_ask_for_the_host() -> None:
    """Compiling for a target asks for no other."""
    program = """
from exactops.codegen import target

def refuse():
    raise AssertionError("asked for the host's target")

own = target.host_target()
target.host_target = refuse
import test_target
print(len(test_target.assemblies(own.name, test_target.paths_of(own)[0])))
"""
    level = emulate("x86-64-v3") if X86 else {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    assert int(python(program, **level)) == 4


def test_the_entry_point_is_light() -> None:
    """Numba imports it, and so does whoever looks at it."""
    program = "import sys, exactops.codegen.lowering; print([m for m in ('numba', 'llvmlite') if m in sys.modules])"
    assert python(program).strip() == "[]"


# --- what a path promises -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [path for widths in WIDTHS.values() for path in widths])
def test_a_group_fills_one_register_of_the_path(path: str) -> None:
    bits = next(widths[path] for widths in WIDTHS.values() if path in widths)
    for each in specifications(path).values():
        assert each.lanes * 8 * max(FORMATS[short].computing_size for short in each.values) == bits


@x86_only
def test_instructions_are_the_targets_not_the_paths() -> None:
    """A kernel that computes in the stored type uses the path's registers; one that computes in float64 those of the CPU."""
    found = {level: {op: widest_register(text) for op, text in assemblies(level, "sse2").items()} for level in LEVELS}
    assert {level: widths["add"] for level, widths in found.items()} == dict.fromkeys(LEVELS, 128)
    # Two registers of float32 at once, in float64.
    assert [widths["exp"] for widths in found.values()] == [128, 128, 256, 512]
    assert widest_register(assemblies("x86-64-v3", "avx2")["exp"]) == 256


# --- CPUs that cannot run here ------------------------------------------------------------------------------------------


def pretend(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    """Let LLVM's query of this CPU find what a level has, and no more."""
    names = list(target.host_features())
    found = target._has(Target.of(level), names)
    monkeypatch.setattr(target, "host_features", lambda: found)
    monkeypatch.setattr(target, "_own_name_and_features", lambda: (level, ""))


@x86_only
def test_missing_features_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, "x86-64-v3")
    for level in ("x86-64", "x86-64-v2", "x86-64-v3", "haswell", "sandybridge"):
        assert target.missing_features(Target.of(level)) == ()
    for name, features in (("skylake-avx512", ""), ("x86-64-v4", ""), ("x86-64-v4", "+fma")):
        assert {"avx512f", "avx512vl", "avx512dq", "avx512bw"} <= {*target.missing_features(Target.of(name, features))}
    assert target.missing_features(Target.of("x86-64-v3", "+avx512f")) == ("avx512f",)
    without = "-avx512f,-avx512vl,-avx512dq,-avx512bw,-avx512cd"
    assert target.missing_features(Target.of("x86-64-v4", without)) == ()
    assert target.missing_features(Target.of("x86-64", "+gfni,+aes,+sha,+pku")) == ("gfni",)
    with pytest.raises(ValueError, match=r"'skylake-avx512'.*lacks .*avx512f"):
        target.check_runnable(Target.of("skylake-avx512"))


def test_the_host_itself_is_runnable() -> None:
    assert target.missing_features(host_target()) == ()
    assert any(target.host_features().values()) or ARM


REFUSED = """
import sys, numpy as np, exactops
from exactops.codegen import loops, target
from exactops.frontend.named_loops import loop_of
from exactops.table.signatures import signatures

if sys.argv[1] == "pretend":
    found = target._has(target.Target.of("x86-64-v3"), list(target.host_features()))
    target.host_features = lambda: found
    target._own_name_and_features = lambda: ("x86-64-v3", "")
for call in (lambda: exactops.add(np.ones(100, np.float32), 1), lambda: exactops.run("exp", np.ones(100, np.float16))):
    try:
        call()
    except ValueError as error:
        print(error)
specification = loop_of(next(signatures(exactops.operators()["add"], "f32")), "exact", "sse2")
text = loops.assembly(specification, target.host_target())
print("vaddps" in text)
"""


@x86_only
@pytest.mark.parametrize(
    ("settings", "lacks"),
    [
        ({"NUMBA_CPU_NAME": "skylake-avx512", "NUMBA_CPU_FEATURES": ""}, "avx512f"),
        ({"NUMBA_CPU_FEATURES": "+avx512f", "NUMBA_CPU_NAME": "x86-64-v3"}, "avx512f"),
    ],
)
def test_a_cpu_that_cannot_run_here_is_an_error(settings: dict[str, str], lacks: str) -> None:
    """Not an illegal instruction; to look at its code stays possible."""
    first, second, assembled = python(REFUSED, "pretend", **settings).strip().splitlines()
    assert first == second and lacks in first and all(name in first for name in settings)
    assert assembled == "True"


@x86_only
def test_a_feature_that_this_cpu_lacks_is_an_error(tmp_path: object) -> None:
    """The same without pretending: by a feature that only CPUs of one maker of 2011 to 2015 have; from a filled cache too."""
    if target.host_features()["xop"]:
        pytest.skip("this CPU has XOP")
    settings = {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "+xop", "EXACTOPS_CACHE_DIR": str(tmp_path)}
    for _ in range(2):
        first, second, _ = python(REFUSED, "as it is", **settings).strip().splitlines()
        assert first == second and first.endswith("lacks fma4, sse4a, xop")
