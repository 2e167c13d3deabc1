"""Machine code in this process: the addresses of compiled loops."""

from __future__ import annotations

import functools
import threading

import llvmlite.binding as llvm

from exactops.codegen import loops
from exactops.codegen.key import Key
from exactops.codegen.target import check_runnable, host_target
from exactops.runtime import object_cache

_lock = threading.Lock()


def address(key: Key) -> int:
    """The address of the compiled loop: from the disk cache, or compiled and kept there."""
    check_runnable(host_target())
    name = object_cache.key_of(repr(tuple(key)))
    code = object_cache.load(name)
    if code is None:
        code = loops.machine_code(key, host_target())
        object_cache.save(name, code)
    (found,) = load(code, loops.symbol(key))
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
