"""Machine code in this process: the addresses of compiled loops."""

from __future__ import annotations

import functools
import threading

import llvmlite.binding as llvm

from exactops.codegen import loops
from exactops.codegen.specification import LoopSpecification
from exactops.codegen.target import check_runnable, host_target
from exactops.runtime import object_cache

_lock = threading.Lock()


def address(specification: LoopSpecification) -> int:
    """The address of the compiled loop: from the disk cache, or compiled and kept there."""
    check_runnable(host_target())
    name = object_cache.key_of(specification.description)
    # A kernel from elsewhere may change while its name stays: it is compiled in each process.
    kept = specification.is_packaged
    code = object_cache.load(name) if kept else None
    if code is None:
        code = loops.machine_code(specification, host_target())
        if kept:
            object_cache.save(name, code)
    (found,) = load(code, loops.symbol(specification))
    return found


def load(code: bytes, *symbols: str) -> tuple[int, ...]:
    """Load machine code of the host target into the process; the addresses of its functions and variables.

    Raises
    ------
    ValueError
        This CPU lacks features that the host target has been given.
    """
    with _lock:
        engine = _engine()
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        return tuple(engine.get_function_address(name) or engine.get_global_value_address(name) for name in symbols)


@functools.cache
def _engine() -> llvm.ExecutionEngine:
    check_runnable(host_target())
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), host_target().machine)
