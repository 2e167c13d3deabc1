"""The CPU that kernels are compiled for, and what LLVM can do on it. Imports LLVM, not Numba."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass

import llvmlite.binding as llvm

# One function a question; the answer is read off the assembly that LLVM emits for this very target. A feature list cannot
# answer it: a CPU name implies features of its own, and an explicit list may take some away.
_PROBES = """
define void @probe_512(ptr %p) {
  %x = load <8 x double>, ptr %p, align 1
  %y = fadd <8 x double> %x, %x
  store <8 x double> %y, ptr %p, align 1
  ret void
}
define void @probe_512_bytes(ptr %p) {
  %x = load <64 x i8>, ptr %p, align 1
  %y = add <64 x i8> %x, %x
  store <64 x i8> %y, ptr %p, align 1
  ret void
}
define void @probe_256(ptr %p) {
  %x = load <8 x i32>, ptr %p, align 1
  %y = add <8 x i32> %x, %x
  store <8 x i32> %y, ptr %p, align 1
  ret void
}
define void @probe_rounding(ptr %p) {
  %x = load <4 x float>, ptr %p, align 1
  %y = call <4 x float> @llvm.floor.v4f32(<4 x float> %x)
  store <4 x float> %y, ptr %p, align 1
  ret void
}
define void @probe_half(ptr %p) {
  %x = load <4 x half>, ptr %p, align 1
  %y = fpext <4 x half> %x to <4 x float>
  store <4 x float> %y, ptr %p, align 1
  ret void
}
define void @probe_fused(ptr %p) {
  %x = load <4 x float>, ptr %p, align 1
  %y = call <4 x float> @llvm.fmuladd.v4f32(<4 x float> %x, <4 x float> %x, <4 x float> %x)
  store <4 x float> %y, ptr %p, align 1
  ret void
}
declare <4 x float> @llvm.floor.v4f32(<4 x float>)
declare <4 x float> @llvm.fmuladd.v4f32(<4 x float>, <4 x float>, <4 x float>)
"""


@dataclass(frozen=True)
class Target:
    """The CPU that kernels are compiled for.

    Attributes
    ----------
    architecture : str
        ``"x86_64"`` or ``"aarch64"``.
    name, features : str
        LLVM's name of the CPU and its explicit feature list.
    vector_bits : tuple of int
        Register widths that vector instructions exist for, widest first.
    rounding, half, fused : bool
        Whether floor, ceil and rint, the conversions of binary16, and a fused multiply-add are single instructions.
    """

    architecture: str
    name: str
    features: str
    vector_bits: tuple[int, ...]
    rounding: bool
    half: bool
    fused: bool

    @property
    def machine(self) -> llvm.TargetMachine:
        """The LLVM target machine; one a process."""
        return _machine(self.name, self.features)


@functools.cache
def _machine(name: str, features: str) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    target = llvm.Target.from_default_triple()
    reloc = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(cpu=name, features=features, opt=3, jit=True, reloc=reloc)


def cpu_name_and_features() -> tuple[str, str]:
    """The CPU as Numba sees it: ``NUMBA_CPU_NAME`` and ``NUMBA_CPU_FEATURES`` where set, else LLVM's host query."""
    name, features = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
    return (
        llvm.get_host_cpu_name() if name is None else name,
        llvm.get_host_cpu_features().flatten() if features is None else features,
    )


@functools.cache
def target() -> Target:
    """The target of this process, probed once."""
    name, features = cpu_name_and_features()
    machine = _machine(name, features)
    module = llvm.parse_assembly(_PROBES)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    assembly = dict(_functions(machine.emit_assembly(module)))
    architecture = "aarch64" if machine.triple.startswith(("aarch64", "arm64")) else "x86_64"
    if architecture == "aarch64":
        return Target(architecture, name, features, (128,), rounding=True, half=True, fused=True)
    wide = [
        bits
        for bits, found in (
            (512, "zmm" in assembly["probe_512"] and "zmm" in assembly["probe_512_bytes"]),
            (256, "ymm" in assembly["probe_256"]),
        )
        if found
    ]
    return Target(
        architecture,
        name,
        features,
        (*wide, 128),
        rounding="call" not in assembly["probe_rounding"] and "jmp" not in assembly["probe_rounding"],
        half="call" not in assembly["probe_half"],
        fused="vfmadd" in assembly["probe_fused"],
    )


def _functions(assembly: str):
    """The functions of an assembly listing as ``(name, body)``."""
    name = ""
    lines: list[str] = []
    for line in assembly.splitlines():
        label = line.split(":", 1)[0].strip('"_') if line and not line[0].isspace() and ":" in line else ""
        if label.startswith("probe_"):
            if name:
                yield name, "\n".join(lines)
            name, lines = label, []
        lines.append(line)
    yield name, "\n".join(lines)
