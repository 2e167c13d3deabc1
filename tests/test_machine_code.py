"""The machine code of every loop with a float in it, in both modes on every path of this machine.

Exact mode has no fused multiply-add, and no loop calls anything. The code is what runs, out of the kernel cache: after the
other tests have compiled it (conftest.py lets this module come last) there is little left to do but read it. Alone, with an
empty cache, this module compiles the whole table, which takes minutes.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import llvmlite.binding as llvm
import pytest
from support import X86
from support.machine_code import FLOATS, FUSED, compiled, foreign_symbols, inspect, instructions, machine_code, problems
from support.table import distinct_loops, entries, loops_of

import exactops
from exactops.codegen import loops
from exactops.codegen.specification import LoopSpecification
from exactops.codegen.target import host_target

MODES = ("exact", "fast")

pytestmark = pytest.mark.skipif("linux" not in host_target().machine.triple, reason="object files are not ELF")


@cache
def float_loops(mode: str, path: str) -> tuple[LoopSpecification, ...]:
    """The loops with a float operand or result. Those of fast mode are the ones that differ from exact mode's."""
    found = distinct_loops(mode, path)
    return tuple(loop for loop in found if FLOATS & {*loop.values} and loop.fast == (mode == "fast"))


def kernel_names(chosen: Any) -> set[str]:
    """Names of the kernels of loops."""
    return {step.kernel.name for loop in chosen for step in loop.steps}


@pytest.mark.parametrize("short", sorted(FLOATS))
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", exactops.paths())
def test_no_loop_fuses_in_exact_mode_or_calls(path: str, mode: str, short: str) -> None:
    """Every loop with a result of a float type, or with a result of another and a first operand of it."""
    mine = [loop for loop in float_loops(mode, path) if short == next(each for each in reversed(loop.values) if each in FLOATS)]
    assert len(mine) >= (3 if mode == "fast" else 20)
    wrong = inspect(mine)
    assert not wrong, f"{len(wrong)} of {len(mine)}: {list(wrong.items())[:5]}"


@pytest.mark.parametrize("path", exactops.paths())
def test_fast_mode_fuses_where_it_may(path: str) -> None:
    """The search for fused instructions sees them where they are allowed: in every kernel that may fuse, for every type."""
    if not host_target().fused:
        pytest.skip("this CPU has no fused multiply-add")
    fusing = [loop for loop in float_loops("fast", path) if any(step.kernel.fuses for step in loop.steps)]
    assert {loop.results[0] for loop in fusing} == FLOATS
    without = [
        loop.description
        for loop in fusing
        if not any(FUSED.match(each.split(" ", 1)[0]) for each in instructions(machine_code(loop)))
    ]
    assert not without


@pytest.mark.parametrize("path", exactops.paths())
def test_the_loops_are_those_of_the_table(path: str) -> None:
    """Every loop of every signature with a float is looked at, in both modes."""
    seen = {loop.description for mode in MODES for loop in float_loops(mode, path)}
    for mode in MODES:
        for entry in entries():
            for loop in loops_of(entry, mode, path):
                assert loop.description in seen or not FLOATS & {*loop.values}
        for short in FLOATS:
            assert sum(short in loop.inputs for loop in float_loops(mode, path)) >= 3
            assert sum(short in loop.results for loop in float_loops(mode, path)) >= 3


# --- planted faults -----------------------------------------------------------------------------------------------------------


def loop_of(kernel: str, short: str, mode: str = "exact", path: str = "") -> LoopSpecification:
    """The loop of a kernel, by the end of its name, with a result of a type."""
    return next(
        loop
        for loop in float_loops(mode, path or exactops.paths()[0])
        if loop.steps[0].kernel.name.endswith(f":{kernel}") and loop.results == (short,)
    )


def found_in(loop: LoopSpecification, code: bytes, widths: tuple[int, ...] = (512, 256, 128)) -> list[str]:
    """The problems of machine code as that of a loop."""
    return problems(loop, instructions(code), foreign_symbols(code), widths)


@pytest.mark.parametrize("path", exactops.paths())
@pytest.mark.parametrize("short", sorted(FLOATS))
def test_fused_results_of_one_type_are_found(short: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A template that fuses, in exact mode, where a result of one type is stored, and nowhere else."""
    if not host_target().fused:
        pytest.skip("this CPU has no fused multiply-add")
    right = loops._Body.group

    def group(body: Any, *given: Any) -> None:
        own = body.specification
        if own.results == (short,):
            body.specification = own._replace(fast=True)
        right(body, *given)
        body.specification = own

    monkeypatch.setattr(loops._Body, "group", group)
    loop, other = (loop_of("hard_swish", each, path=path) for each in (short, "f32" if short != "f32" else "f64"))
    assert any("fused" in each for each in found_in(loop, compiled(loop)))
    assert not found_in(other, compiled(other))


PLANTED = """
declare float @expf(float)
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
define float @calls(float %x) {
  %y = call float @expf(float %x)
  ret float %y
}
define void @fuses(ptr %p) {
  %x = load <4 x float>, ptr %p
  %y = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %x, <4 x float> %x, <4 x float> %x)
  store <4 x float> %y, ptr %p
  ret void
}
define void @wide(ptr %p) {
  %x = load <16 x float>, ptr %p
  %y = fadd <16 x float> %x, %x
  store <16 x float> %y, ptr %p
  ret void
}
define void @narrow(ptr %p) {
  %x = load i32, ptr %p
  %y = add i32 %x, %x
  store i32 %y, ptr %p
  ret void
}
"""


def planted(name: str) -> bytes:
    """The object code of one of the planted functions."""
    module = llvm.parse_assembly(PLANTED)
    for function in module.functions:
        if function.name != name and not function.is_declaration:
            function.linkage = "available_externally"
    machine = host_target().machine
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    return machine.emit_object(module)


def test_bad_code_is_found() -> None:
    """A test of the tests: planted code is reported."""
    loop = loop_of("add", "f32")
    assert found_in(loop, machine_code(loop)) == []
    assert "leaves the loop: expf" in found_in(loop, planted("calls"))
    assert any("fused" in each for each in found_in(loop, planted("fuses"))) == host_target().fused
    if exactops.paths()[0] != "scalar":
        assert any("no " in each for each in found_in(loop, planted("narrow")))
    if X86 and 512 in host_target().vector_bits:
        assert any("zmm" in each for each in found_in(loop, planted("wide"), (256, 128)))
