"""Functions over lanes: helpers of kernels, and kernels themselves."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
from numba.core import compiler, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.extending import lower_builtin
from numba.core.registry import cpu_target
from numba.core.typing.templates import AbstractTemplate, infer_global

from exactops.codegen import lowering
from exactops.lanes.wide_integers import SCALAR_FUNCTIONS


@dataclass(frozen=True)
class Lowered:
    """A function over lanes as LLVM bitcode, with what is needed to call it."""

    signature: Any
    description: Any
    bitcode: bytes


def _flags(inline: bool) -> compiler.Flags:
    flags = compiler.Flags()
    flags.no_compile = flags.no_cpython_wrapper = flags.no_cfunc_wrapper = flags.no_rewrites = True
    flags.forceinline = inline
    flags.error_model = "numpy"
    return flags


_INLINED, _CALLED = _flags(True), _flags(False)

_lowered: dict[tuple, Lowered] = {}


def lower(function: Callable[..., Any], kinds: Sequence[types.Type]) -> Lowered:
    """Lower a function over lanes for these argument types, once a process; they say the mode and the target.

    Only Numba's front half runs (typing and lowering): no machine code is made. A function over lanes is always inlined, one
    of scalars never, and code that leads to its call counts as rarely run.
    """
    kinds = [types.unliteral(kind) for kind in kinds]
    key = (function, *kinds)
    found = _lowered.get(key)
    if found is not None:
        return found
    lowering.register()
    # Numba's own lock and no other: a thread that compiles a user's function holds it when it comes here.
    with global_compiler_lock:
        found = _lowered.get(key)
        if found is None:
            found = _lowered[key] = _lower(function, tuple(kinds))
    return found


def _lower(function: Callable[..., Any], kinds: tuple[types.Type, ...]) -> Lowered:
    # Numba cleans up each function with the costs of this process's CPU in mind. So code for another target may rarely choose
    # other instructions than a process of its own would; what it computes is the same.
    called = function in SCALAR_FUNCTIONS
    flags = _CALLED if called else _INLINED
    compiled = compiler.compile_extra(cpu_target.typing_context, cpu_target.target_context, function, kinds, None, flags, {})
    module = llvm.parse_assembly(compiled.library.get_llvm_str())
    for defined in module.functions:
        # A helper may be linked in twice (odr), and before its caller is (weak: linkonce would be dropped).
        if not defined.is_declaration:
            defined.linkage = "weak_odr"
        if called and defined.name == compiled.fndesc.mangled_name:
            defined.add_function_attribute("noinline")
            defined.add_function_attribute("cold")
    for variable in module.global_variables:
        # Numba makes one environment a function, a global that lane code never reads. The tables of lookups are private
        # already, and have to stay so: equal names in two modules are two tables.
        if variable.name.startswith("_ZN08NumbaEnv"):
            variable.linkage = "internal"
    return Lowered(compiled.signature, compiled.fndesc, module.as_bitcode())


def call_lowered(context, builder, function: Callable[..., Any], kinds: Sequence[types.Type], values: Sequence[Any]):
    """Emit a call of a function over lanes inside a function that Numba is lowering, and link it in."""
    lowered = lower(function, kinds)
    # Straight into the module that Numba is making: its own way of adding one optimises the functions anew each time.
    module = context.active_code_library._final_module
    if not any(f.name == lowered.description.mangled_name and not f.is_declaration for f in module.functions):
        module.link_in(llvm.parse_bitcode(lowered.bitcode))
    _, result = context.call_internal_no_propagate(builder, lowered.description, lowered.signature, values)
    return result


_known: set[Callable[..., Any]] = set()


def make_known(function: Callable[..., Any]) -> None:
    """Tell Numba of a lane function. Each compile reads what has been registered since the last one by itself."""
    if function in _known:
        return
    _known.add(function)

    class Template(AbstractTemplate):
        key = function

        def generic(self, args, kws):
            return None if kws else lower(function, args).signature

    # The lowering first: a compile in another thread that knows the type of the function has to find it.
    lower_builtin(function, types.VarArg(types.Any))(functools.partial(_lower_call, function))
    infer_global(function, types.Function(Template))


def _lower_call(function, context, builder, sig, args):
    return call_lowered(context, builder, function, sig.args, args)
