"""CPUs that kernels can be compiled for, and what LLVM can do on them. Imports LLVM, not Numba."""

from __future__ import annotations

import functools
import hashlib
import os
import re
from collections.abc import Iterator
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
    """A CPU that kernels are compiled for: a value, so that one process can compile for several.

    Attributes
    ----------
    architecture : str
        ``"x86_64"`` or ``"aarch64"``: that of this process.
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

    @staticmethod
    def of(name: str, features: str = "") -> Target:
        """The target of a CPU of this process's architecture.

        Parameters
        ----------
        name : str
            LLVM's name of it, such as ``"x86-64-v3"`` or ``"neoverse-n1"``.
        features : str
            Features beyond those that the name implies, or without them: ``"+avx512f,-fma"``.

        Returns
        -------
        Target
            What kernels can be compiled for. Whether they can be run here is another matter: :func:`check_runnable`.
        """
        return _probed(name, features)

    @functools.cached_property
    def label(self) -> str:
        """A short name that no other target has, for the names of types and symbols."""
        digest = hashlib.sha256(f"{self.name} {self.features}".encode()).hexdigest()[:8]
        return f"{self.name}_{digest}"

    @property
    def machine(self) -> llvm.TargetMachine:
        """The LLVM target machine; one for each target in a process."""
        return _machine(self.name, self.features)


@functools.cache
def _machine(name: str, features: str) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    triple = llvm.Target.from_default_triple()
    reloc = "static" if triple.name.startswith("x86") else "default"
    return triple.create_target_machine(cpu=name, features=features, opt=3, jit=True, reloc=reloc)


@functools.cache
def host_target() -> Target:
    """The target of this process: ``NUMBA_CPU_NAME`` and ``NUMBA_CPU_FEATURES`` where set, as for Numba, else the CPU itself.

    It is asked for where a call enters, and passed on from there.
    """
    name, features = os.environ.get("NUMBA_CPU_NAME"), os.environ.get("NUMBA_CPU_FEATURES")
    own_name, own_features = _own_name_and_features()
    return Target.of(own_name if name is None else name, own_features if features is None else features)


def _own_name_and_features() -> tuple[str, str]:
    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


@functools.cache
def _probed(name: str, features: str) -> Target:
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


def _functions(assembly: str) -> Iterator[tuple[str, str]]:
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


# --- whether this CPU can run it ----------------------------------------------------------------------------------------

#: The features whose instructions LLVM's code generator uses unasked. A CPU name implies others (SGX, AES, …), which a
#: virtual machine often hides; they do no harm.
_EMITTED = {
    "x86_64": re.compile(
        r"(sse|ssse|avx|fma|xop|tbm|f16c|gfni|bmi|lzcnt|popcnt|movbe|crc32|egpr|ndd|nf|ccmp|cf|zu|push2pop2|ppx)[\w.-]*"
    ),
    "aarch64": re.compile(r".*"),
}


def host_features() -> dict[str, bool]:
    """The features that LLVM knows of, and whether this CPU (and its operating system) has each; whatever the settings."""
    return dict(llvm.get_host_cpu_features())


def missing_features(target: Target) -> tuple[str, ...]:
    """The features that the code of a target may use and this CPU lacks."""
    if (target.name, target.features) == _own_name_and_features():
        return ()
    emitted = _EMITTED[target.architecture]
    lacking = [name for name, found in host_features().items() if not found and emitted.fullmatch(name)]
    return tuple(sorted(name for name, found in _has(target, lacking).items() if found))


def check_runnable(target: Target) -> None:
    """Refuse a target whose code this CPU cannot run: before it ends the process as an illegal instruction.

    Raises
    ------
    ValueError
        With the names of the missing features.
    """
    missing = missing_features(target)
    if missing:
        settings = [name for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES") if name in os.environ]
        source = f" (from {' and '.join(settings)})" if settings else ""
        raise ValueError(
            f"kernels for the CPU {target.name!r} with the features {target.features!r}{source} cannot run on this CPU, which "
            f"lacks {', '.join(missing)}"
        )


def _has(target: Target, names: list[str]) -> dict[str, bool]:
    """Whether a target has each of these features, by its name or by its list.

    LLVM does not tell the features that a name implies, but its inliner asks for them: a function is inlined only into one
    that has all of its features.
    """
    if not names:
        return {}
    functions = [
        f'define internal i32 @has_{number}(i32 %x) "target-features"="+{name}" {{\n'
        f"  %y = add i32 %x, {number + 1}\n  ret i32 %y\n}}\n"
        f"define i32 @probe_{number}(i32 %x) #0 {{\n  %y = call i32 @has_{number}(i32 %x)\n  ret i32 %y\n}}\n"
        for number, name in enumerate(names)
    ]
    attributes = f'attributes #0 = {{ "target-cpu"="{target.name}" "target-features"="{target.features}" }}\n'
    machine = target.machine
    module = llvm.parse_assembly("".join(functions) + attributes)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    passes = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    passes.getModulePassManager().run(module, passes)
    called = set(re.findall(r"call .*@has_(\d+)\(", str(module)))
    return {name: str(number) not in called for number, name in enumerate(names)}
