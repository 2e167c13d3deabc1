"""The machine code behind a proof: where it is the same, byte for byte, so are the results.

Object code depends on the kernel and the engine, on LLVM and on the CPU that it is made for. Sources change far more often than
the code that they lead to: then a proof need not be repeated, not even by the hash of all results. What is compared are whole
object files of the loops; how NumPy comes to call them (``runtime.ufuncs``) is covered by the fingerprints.
"""

from __future__ import annotations

import functools
import hashlib
import platform
from importlib.metadata import version

from exactops.codegen import loops
from exactops.codegen.paths import paths
from exactops.codegen.specification import LoopSpecification
from exactops.codegen.target import host_target
from exactops.frontend.named_loops import loops_of
from exactops.ops import OPERATORS
from exactops.table.signatures import signatures
from exactops.verification.campaign import Task


def made_by() -> str:
    """What object code depends on besides the sources: LLVM's version, the CPU and its features, the object format."""
    cpu = host_target()
    features = hashlib.sha256(cpu.features.encode()).hexdigest()[:16]
    return f"llvmlite {version('llvmlite')}, {platform.system()} {cpu.architecture}, {cpu.name} {features}"


def digests(task: Task) -> dict[str, str]:
    """By path of this machine, the SHA-256 of the object code of a task's loops."""
    return {path: _digest(_loops(task, path)) for path in paths()}


def _loops(task: Task, path: str) -> tuple[LoopSpecification, ...]:
    operator = OPERATORS[task.operator]
    given = {each.name: each.default for each in operator.attributes if each.kind == "choice"} | dict(task.attributes)
    for found in signatures(operator, task.dtype):
        exponent = len(found.operands) < 2 or task.operator != "pow" or found.operands[1] == (task.exponent or task.dtype)
        if exponent and all(given[name] == value for name, value in found.choices):
            return loops_of(found, task.mode, path)
    raise LookupError(f"{task.operator} has no loop for {task.dtype}")


@functools.cache
def _digest(specifications: tuple[LoopSpecification, ...]) -> str:
    found = hashlib.sha256()
    for specification in specifications:
        found.update(loops.machine_code(specification, host_target()))
    return found.hexdigest()
