"""The only loop template: a kernel over lanes becomes compiled code with NumPy's inner-loop signature.

The loop is built as LLVM IR, so that one template serves any number of operands::

    loop(char **args, npy_intp *dims, npy_intp *steps, void *data)
        save the floating-point environment, set the default
        body(args, dims[0], steps)                      never inlined: see lanes/environment.py
        restore it

    body: for each chunk of elements (all of them, or 256 where some operand is strided)
        gather strided operands into stack buffers; a scalar operand is a buffer of equal lanes
        groups of the path's lanes:  load, decode, kernel, encode, canonical NaN, store
        one lane at a time:          the same, for the tail
        scatter a strided result

NumPy may pass overlapping memory where the result lies at or behind an operand in the direction of the loop: every load of
a group happens before its store, groups run forward, and nothing is marked ``noalias``.
"""

from __future__ import annotations

import functools
import hashlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import llvmlite.binding as llvm

from exactops.codegen import compiler
from exactops.codegen.specification import LoopSpecification
from exactops.codegen.target import Target
from exactops.table.formats import FORMATS, Format

if TYPE_CHECKING:
    from numba.core import types

#: Elements of a strided operand that are gathered at once.
CHUNK = 256


def assembly(specification: LoopSpecification, target: Target) -> str:
    """The assembly of a loop, for inspection."""
    return compiler.assembly(_optimised(specification, target), target)


def machine_code(specification: LoopSpecification, target: Target) -> bytes:
    """Object code of a loop; its function is called :func:`symbol`."""
    return compiler.machine_code(_optimised(specification, target), target)


def symbol(specification: LoopSpecification) -> str:
    """The name of a loop in its object code."""
    return f"exactops_loop_{hashlib.sha256(specification.description.encode()).hexdigest()[:16]}"


def _optimised(specification: LoopSpecification, target: Target) -> llvm.ModuleRef:
    text, parts = _build(specification, target)
    return compiler.link_and_optimise(text, parts, (symbol(specification),), target)


def _build(specification: LoopSpecification, target: Target) -> tuple[str, list[bytes]]:
    """The loop as LLVM IR text, and the bitcode of the lane functions that it calls."""
    from llvmlite import ir
    from numba.core.registry import cpu_target

    from exactops.codegen import environment

    # Numba's context knows how to call the functions that it lowered.
    context = cpu_target.target_context
    word, pointer = ir.IntType(64), ir.IntType(8).as_pointer()
    module = ir.Module(symbol(specification))
    body = ir.Function(module, ir.FunctionType(ir.VoidType(), [pointer.as_pointer(), word, word.as_pointer()]), "body")
    body.linkage = "internal"
    body.attributes.add("noinline")
    template = _Body(context, body, specification, target)
    template.emit()

    kind = ir.FunctionType(ir.VoidType(), [pointer.as_pointer(), word.as_pointer(), word.as_pointer(), pointer])
    loop = ir.Function(module, kind, symbol(specification))
    builder = ir.IRBuilder(loop.append_basic_block("entry"))
    saved = environment.enter(builder, target)
    builder.call(body, [loop.args[0], builder.load(loop.args[1]), loop.args[2]])
    environment.leave(builder, target, saved)
    builder.ret_void()
    return str(module), list(template.parts.values())


class _Body:
    """Emits the body of one loop."""

    def __init__(self, context, function, specification: LoopSpecification, target: Target):
        from llvmlite import ir

        self.ir, self.context, self.specification, self.target = ir, context, specification, target
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.arguments, self.count, self.steps = function.args
        self.word, self.byte = ir.IntType(64), ir.IntType(8)
        self.inputs = [FORMATS[short] for short in specification.inputs]
        self.outputs = [FORMATS[short] for short in specification.results]
        self.lanes, self.unroll, self.registers = specification.lanes, specification.unroll, specification.registers
        #: Bitcode of each lane function called, by symbol.
        self.parts: dict[str, bytes] = {}

    # -- small helpers

    def constant(self, value: int):
        return self.word(value)

    def advance(self, address, elements, size):
        """The address so many elements further on."""
        return self.builder.gep(address, [self.builder.mul(elements, size)])

    @contextmanager
    def loop(self, start, stop, step):
        """A forward loop: yields the position. ``start`` may be at or beyond ``stop``; the step is positive."""
        builder = self.builder
        before = builder.block
        head, body, after = (builder.append_basic_block(name) for name in ("head", "body", "after"))
        builder.branch(head)
        builder.position_at_end(head)
        position = builder.phi(self.word)
        position.add_incoming(start, before)
        builder.cbranch(builder.icmp_signed("<", position, stop), body, after)
        builder.position_at_end(body)
        yield position
        position.add_incoming(builder.add(position, step), builder.block)
        builder.branch(head)
        builder.position_at_end(after)

    def copy_element(self, storage: Format, source, target):
        """Copy one stored element between byte addresses."""
        element = self.ir.IntType(8 * storage.size).as_pointer()
        value = self.builder.load(self.builder.bitcast(source, element))
        value.align = 1
        self.builder.store(value, self.builder.bitcast(target, element)).align = 1

    def buffer(self, storage: Format):
        """Stack memory for one chunk of an operand."""
        array = self.builder.alloca(self.byte, CHUNK * storage.size)
        array.align = 64
        return array

    # -- the template

    def emit(self) -> None:
        builder, operands, inputs = self.builder, [*self.inputs, *self.outputs], len(self.inputs)
        addresses, steps = [], []
        for position in range(len(operands)):
            index = [self.constant(position)]
            addresses.append(builder.load(builder.gep(self.arguments, index)))
            steps.append(builder.load(builder.gep(self.steps, index)))
        buffers = [self.buffer(each) for each in operands]
        dense = [builder.icmp_signed("==", step, self.constant(s.size)) for step, s in zip(steps, operands, strict=True)]
        scalar = [builder.icmp_signed("==", step, self.constant(0)) for step in steps[:inputs]]
        strided = [builder.not_(builder.or_(d, s)) for d, s in zip(dense, scalar, strict=False)]
        strided += [builder.not_(each) for each in dense[inputs:]]
        any_strided = functools.reduce(builder.or_, strided)
        chunk = builder.select(any_strided, self.constant(CHUNK), self.count)
        # A chunk of 0 would never end.
        with builder.if_then(builder.icmp_signed("<=", self.count, self.constant(0))):
            builder.ret_void()
        for k, storage in enumerate(self.inputs):
            with (
                builder.if_then(scalar[k]),
                self.loop(self.constant(0), self.constant(self.lanes * self.registers), self.constant(1)) as j,
            ):
                self.copy_element(storage, addresses[k], self.advance(buffers[k], j, self.constant(storage.size)))
        advances = [
            builder.select(is_scalar, self.constant(0), self.constant(s.size))
            for is_scalar, s in zip(scalar, self.inputs, strict=True)
        ] + [self.constant(each.size) for each in self.outputs]
        with self.loop(self.constant(0), self.count, chunk) as start:
            rest = builder.sub(self.count, start)
            length = builder.select(builder.icmp_signed("<", rest, chunk), rest, chunk)
            places = []
            for k, storage in enumerate(operands):
                here = self.advance(addresses[k], start, steps[k])
                if k < inputs:
                    with builder.if_then(strided[k]), self.loop(self.constant(0), length, self.constant(1)) as j:
                        source = self.advance(here, j, steps[k])
                        self.copy_element(storage, source, self.advance(buffers[k], j, self.constant(storage.size)))
                places.append(builder.select(dense[k], here, buffers[k]))
            whole = builder.and_(length, self.constant(-self.lanes)) if self.lanes > 1 else self.constant(0)
            if self.lanes > 1:
                self.groups(places, advances, dense, scalar, whole)
            with self.loop(whole, length, self.constant(1)) as i:
                self.group(places, advances, i, 1)
            for k in range(inputs, len(operands)):
                with builder.if_then(strided[k]), self.loop(self.constant(0), length, self.constant(1)) as j:
                    source = self.advance(buffers[k], j, self.constant(operands[k].size))
                    here = self.advance(addresses[k], start, steps[k])
                    self.copy_element(operands[k], source, self.advance(here, j, steps[k]))
        builder.ret_void()

    def groups(self, places, advances, dense, scalar, whole) -> None:
        """The loop over whole groups.

        Where a kernel wants several groups a turn, the common layouts, in which the distances are constants, have them: all
        operands dense, and all but the first scalar (which then stay in registers).
        """
        builder, zero, lanes = self.builder, self.constant(0), self.lanes
        done = builder.alloca(self.word)
        builder.store(zero, done)

        def several(distances, groups: int) -> None:
            wide = builder.and_(whole, self.constant(-lanes * groups))
            with self.loop(zero, wide, self.constant(lanes * groups)) as i:
                self.group(places, distances, i, lanes, groups)
            builder.store(wide, done)

        if self.unroll > 1:
            inputs, results = ([self.constant(each.size) for each in part] for part in (self.inputs, self.outputs))
            all_dense = functools.reduce(builder.and_, dense[: len(inputs)])
            with builder.if_then(all_dense):
                several([*inputs, *results], self.unroll)
            if len(inputs) > 1:
                first_dense = functools.reduce(builder.and_, [dense[0], *scalar[1:]])
                with builder.if_then(first_dense):
                    several([inputs[0], *[zero] * (len(inputs) - 1), *results], self.unroll)
        elif self.registers > 1:
            wide = builder.and_(whole, self.constant(-lanes * self.registers))
            with self.loop(zero, wide, self.constant(lanes * self.registers)) as i:
                self.group(places, advances, i, lanes * self.registers)
            builder.store(wide, done)
        with self.loop(builder.load(done), whole, self.constant(lanes)) as i:
            self.group(places, advances, i, lanes)

    def group(self, places, advances, position, lanes: int, groups: int = 1) -> None:
        """Some groups of lanes, from memory to memory: all are loaded before one store writes their results."""
        from exactops.codegen.lowering.core import concatenate, element_type
        from exactops.codegen.lowering.memory import load_lanes, store_lanes
        from exactops.codegen.lowering.types import Vec

        loaded = []
        for number in range(groups):
            place = self.builder.add(position, self.constant(number * lanes))
            stored = []
            for k, operand in enumerate(self.inputs):
                kind = Vec(element_type(operand.element), lanes, self.specification.fast, self.target)
                address = self.advance(places[k], place, advances[k])
                stored.append((load_lanes(self.builder, address, self.context.get_value_type(kind)), kind))
            loaded.append(stored)
        computed = [self.compute(stored) for stored in loaded]
        for k, output in enumerate(self.outputs):
            results = [values[k] for values in computed]
            if output.kind == "b":
                # Masks join at no cost, and one store takes them all.
                results = [concatenate(self.builder, results)]
            for number, result in enumerate(results):
                place = self.builder.add(position, self.constant(number * lanes))
                argument = len(self.inputs) + k
                store_lanes(self.builder, result, self.advance(places[argument], place, advances[argument]))

    def compute(self, stored: list) -> list:
        """The stored lanes of all results, from the stored lanes of the inputs, which are pairs of value and kind."""
        from exactops.lanes import storage

        formats = [FORMATS[short] for short in self.specification.values]
        values = list(stored)
        decoded: dict[int, tuple] = {}

        def lanes_of(number: int) -> tuple:
            if number not in decoded:
                value, kind = values[number]
                decoded[number] = self.call(storage.decoder(formats[number]), [value], [kind])[0]
            return decoded[number]

        for step in self.specification.steps:
            arguments = [lanes_of(number) for number in step.arguments]
            function = step.kernel.function(self.specification.fast)
            for value, kind in self.call(function, [value for value, _ in arguments], [kind for _, kind in arguments]):
                output = formats[len(values)]
                value, kind = self.call(storage.encoder(output, str(kind.element)), [value], [kind])[0]
                if not self.specification.fast:
                    value, kind = self.call(storage.canonical_nan(output), [value], [kind])[0]
                values.append((value, kind))
        return [values[number][0] for number in self.specification.outputs]

    def call(self, function, values: list, kinds: list[types.Type]) -> list[tuple]:
        """Call a lane function, and link it; its results as pairs of value and kind. None is the identity."""
        from numba.core import types

        from exactops.codegen.lowering.functions import lower

        if function is None:
            return [(values[0], kinds[0])]
        lowered = lower(function, kinds)
        self.parts[lowered.description.mangled_name] = lowered.bitcode
        _, result = self.context.call_internal_no_propagate(self.builder, lowered.description, lowered.signature, values)
        kind: Any = lowered.signature.return_type
        if isinstance(kind, types.BaseTuple):
            several: Any = kind
            return [(self.builder.extract_value(result, place), each) for place, each in enumerate(several)]
        return [(result, kind)]
