"""From LLVM IR to machine code for a target: linking, optimising, code generation. Imports LLVM, not Numba."""

from __future__ import annotations

from collections.abc import Iterable

import llvmlite.binding as llvm

from exactops.codegen.target import Target

#: What names of tables in memory begin with; a digest of the content follows.
TABLE_PREFIX = "exactops_table_"


def link_and_optimise(text: str, parts: Iterable[bytes], keep: tuple[str, ...], target: Target) -> llvm.ModuleRef:
    """Link LLVM IR with the bitcode of the functions it calls, and optimise; only the symbols in ``keep`` stay visible."""
    machine = target.machine
    module = llvm.parse_assembly(text)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    for bitcode in parts:
        part = llvm.parse_bitcode(bitcode)
        part.triple, part.data_layout = machine.triple, str(machine.target_data)
        module.link_in(part)
    for function in module.functions:
        if function.name in keep:
            continue
        if not function.is_declaration:
            function.linkage = "internal"
        elif not function.name.startswith("llvm."):
            raise RuntimeError(f"{keep[0]} calls {function.name}, which is no lane operation")
    for variable in module.global_variables:
        # Tables of one content have one name, so that linking has merged them.
        if variable.name.startswith(TABLE_PREFIX):
            variable.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    # The lanes are explicit already: these passes would only cost compile time.
    options.loop_vectorization = options.slp_vectorization = options.loop_unrolling = False
    passes = llvm.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    # Numba numbers the functions of a process in the names that it gives them; object code should not depend on what was
    # compiled before.
    called = [function for function in module.functions if not function.is_declaration and function.name.startswith("_Z")]
    for number, function in enumerate(called):
        function.name = f"called_{number}"
    return module


def machine_code(module: llvm.ModuleRef, target: Target) -> bytes:
    """Object code of an optimised module."""
    return target.machine.emit_object(module)


def assembly(module: llvm.ModuleRef, target: Target) -> str:
    """The assembly of the same, for inspection."""
    return target.machine.emit_assembly(module)
