"""The only loop template: a kernel over lanes becomes compiled code with NumPy's inner-loop signature.

The loop is built as LLVM IR, so that one template serves any number of operands::

    loop(char **args, npy_intp *dims, npy_intp *steps, void *data)
        save the floating-point environment, set the default
        body(args, dims[0], steps)                      never inlined: see environment.py
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
from typing import TYPE_CHECKING

import llvmlite.binding as llvm

from exactops.codegen import compiler
from exactops.codegen.key import Key
from exactops.codegen.target import Target
from exactops.ops import OPERATORS
from exactops.table.formats import STORAGES, Storage

if TYPE_CHECKING:
    from numba.core import types

#: Elements of a strided operand that are gathered at once.
CHUNK = 256

#: Groups a turn of the loop, for the cheap kernels whose loop would otherwise count for as much as the work.
UNROLL = 4


def assembly(key: Key, target: Target) -> str:
    """The assembly of a loop, for inspection."""
    return compiler.assembly(_optimised(key, target), target)


def machine_code(key: Key, target: Target) -> bytes:
    """Object code of a loop; its function is called :func:`symbol`."""
    return compiler.machine_code(_optimised(key, target), target)


def symbol(key: Key) -> str:
    """The name of a loop in its object code."""
    digest = hashlib.sha256(repr(tuple(key)).encode()).hexdigest()[:16]
    return f"exactops_{key.operator}_{digest}"


def _optimised(key: Key, target: Target) -> llvm.ModuleRef:
    text, parts = _build(key, target)
    return compiler.link_and_optimise(text, parts, (symbol(key),), target)


def _build(key: Key, target: Target) -> tuple[str, list[bytes]]:
    """The loop as LLVM IR text, and the bitcode of the lane functions that it calls."""
    from llvmlite import ir
    from numba.core.registry import cpu_target

    from exactops.codegen import environment

    # Numba's context knows how to call the functions that it lowered.
    context = cpu_target.target_context
    word, pointer = ir.IntType(64), ir.IntType(8).as_pointer()
    module = ir.Module(symbol(key))
    body = ir.Function(module, ir.FunctionType(ir.VoidType(), [pointer.as_pointer(), word, word.as_pointer()]), "body")
    body.linkage = "internal"
    body.attributes.add("noinline")
    template = _Body(context, body, key, target)
    template.emit()

    kind = ir.FunctionType(ir.VoidType(), [pointer.as_pointer(), word.as_pointer(), word.as_pointer(), pointer])
    loop = ir.Function(module, kind, symbol(key))
    builder = ir.IRBuilder(loop.append_basic_block("entry"))
    saved = environment.enter(builder, target)
    builder.call(body, [loop.args[0], builder.load(loop.args[1]), loop.args[2]])
    environment.leave(builder, target, saved)
    builder.ret_void()
    return str(module), list(template.parts.values())


class _Body:
    """Emits the body of one loop."""

    def __init__(self, context, function, key: Key, target: Target):
        from llvmlite import ir

        self.ir, self.context, self.key, self.target = ir, context, key, target
        self.builder = ir.IRBuilder(function.append_basic_block("entry"))
        self.arguments, self.count, self.steps = function.args
        self.word, self.byte = ir.IntType(64), ir.IntType(8)
        self.inputs = [STORAGES[short] for short in key.inputs]
        self.output = STORAGES[key.output]
        kernel = key.kernel
        self.kernel = kernel.fast if key.fast and kernel.fast is not None else kernel.exact
        self.registers = kernel.registers
        self.cheap = OPERATORS[key.operator].cheap
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

    def copy_element(self, storage: Storage, source, target):
        """Copy one stored element between byte addresses."""
        element = self.ir.IntType(8 * storage.size).as_pointer()
        value = self.builder.load(self.builder.bitcast(source, element))
        value.align = 1
        self.builder.store(value, self.builder.bitcast(target, element)).align = 1

    def buffer(self, storage: Storage):
        """Stack memory for one chunk of an operand."""
        array = self.builder.alloca(self.byte, CHUNK * storage.size)
        array.align = 64
        return array

    # -- the template

    def emit(self) -> None:
        builder, operands = self.builder, [*self.inputs, self.output]
        addresses, steps = [], []
        for position in range(len(operands)):
            index = [self.constant(position)]
            addresses.append(builder.load(builder.gep(self.arguments, index)))
            steps.append(builder.load(builder.gep(self.steps, index)))
        buffers = [self.buffer(storage) for storage in operands]
        dense = [builder.icmp_signed("==", step, self.constant(s.size)) for step, s in zip(steps, operands, strict=True)]
        scalar = [builder.icmp_signed("==", step, self.constant(0)) for step in steps[:-1]]
        strided = [builder.not_(builder.or_(d, s)) for d, s in zip(dense, scalar, strict=False)] + [builder.not_(dense[-1])]
        any_strided = functools.reduce(builder.or_, strided)
        chunk = builder.select(any_strided, self.constant(CHUNK), self.count)
        # A chunk of 0 would never end.
        with builder.if_then(builder.icmp_signed("<=", self.count, self.constant(0))):
            builder.ret_void()
        for k, storage in enumerate(self.inputs):
            with (
                builder.if_then(scalar[k]),
                self.loop(self.constant(0), self.constant(self.key.lanes * self.registers), self.constant(1)) as j,
            ):
                self.copy_element(storage, addresses[k], self.advance(buffers[k], j, self.constant(storage.size)))
        advances = [
            builder.select(is_scalar, self.constant(0), self.constant(s.size))
            for is_scalar, s in zip(scalar, self.inputs, strict=True)
        ] + [self.constant(self.output.size)]
        with self.loop(self.constant(0), self.count, chunk) as start:
            rest = builder.sub(self.count, start)
            length = builder.select(builder.icmp_signed("<", rest, chunk), rest, chunk)
            places = []
            for k, storage in enumerate(operands):
                here = self.advance(addresses[k], start, steps[k])
                if k < len(self.inputs):
                    with builder.if_then(strided[k]), self.loop(self.constant(0), length, self.constant(1)) as j:
                        source = self.advance(here, j, steps[k])
                        self.copy_element(storage, source, self.advance(buffers[k], j, self.constant(storage.size)))
                places.append(builder.select(dense[k], here, buffers[k]))
            whole = builder.and_(length, self.constant(-self.key.lanes)) if self.key.lanes > 1 else self.constant(0)
            if self.key.lanes > 1:
                self.groups(places, advances, dense, scalar, whole)
            with self.loop(whole, length, self.constant(1)) as i:
                self.group(places, advances, i, 1)
            with builder.if_then(strided[-1]), self.loop(self.constant(0), length, self.constant(1)) as j:
                source = self.advance(buffers[-1], j, self.constant(self.output.size))
                here = self.advance(addresses[-1], start, steps[-1])
                self.copy_element(self.output, source, self.advance(here, j, steps[-1]))
        builder.ret_void()

    def groups(self, places, advances, dense, scalar, whole) -> None:
        """The loop over whole groups.

        Where the loop costs as much as the kernel, the common layouts, in which the distances are constants, go several groups
        a turn: all operands dense, and all but the first scalar (which then stay in registers).
        """
        builder, zero, lanes = self.builder, self.constant(0), self.key.lanes
        done = builder.alloca(self.word)
        builder.store(zero, done)

        def several(distances, groups: int) -> None:
            wide = builder.and_(whole, self.constant(-lanes * groups))
            with self.loop(zero, wide, self.constant(lanes * groups)) as i:
                self.group(places, distances, i, lanes, groups)
            builder.store(wide, done)

        if not self.cheap:
            if self.registers > 1:
                wide = builder.and_(whole, self.constant(-lanes * self.registers))
                with self.loop(zero, wide, self.constant(lanes * self.registers)) as i:
                    self.group(places, advances, i, lanes * self.registers)
                builder.store(wide, done)
        else:
            sizes = [self.constant(storage.size) for storage in (*self.inputs, self.output)]
            all_dense = functools.reduce(builder.and_, dense[:-1])
            with builder.if_then(all_dense):
                several(sizes, UNROLL)
            if len(self.inputs) > 1:
                first_dense = functools.reduce(builder.and_, [dense[0], *scalar[1:]])
                with builder.if_then(first_dense):
                    several([sizes[0], *[zero] * (len(self.inputs) - 1), sizes[-1]], UNROLL)
        with self.loop(builder.load(done), whole, self.constant(lanes)) as i:
            self.group(places, advances, i, lanes)

    def group(self, places, advances, position, lanes: int, groups: int = 1) -> None:
        """Some groups of lanes, from memory to memory: all are loaded before one store writes their results."""
        from exactops.codegen.lowering.core import concatenate, element_type
        from exactops.codegen.lowering.memory import load_lanes, store_lanes
        from exactops.codegen.lowering.types import Vec
        from exactops.lanes import storage

        loaded = []
        for number in range(groups):
            place = self.builder.add(position, self.constant(number * lanes))
            values, kinds = [], []
            for k, operand in enumerate(self.inputs):
                kind = Vec(element_type(operand.element), lanes, self.key.fast, self.target)
                address = self.advance(places[k], place, advances[k])
                values.append(load_lanes(self.builder, address, self.context.get_value_type(kind)))
                kinds.append(kind)
            loaded.append((values, kinds))
        results = []
        for values, kinds in loaded:
            decoded = [
                self.call(storage.decoder(operand), [value], [kind])
                for operand, value, kind in zip(self.inputs, values, kinds, strict=True)
            ]
            value, kind = self.call(self.kernel, [value for value, _ in decoded], [kind for _, kind in decoded])
            value, kind = self.call(storage.encoder(self.output, str(kind.element)), [value], [kind])
            if not self.key.fast:
                value, kind = self.call(storage.canonical_nan(self.output), [value], [kind])
            results.append(value)
        if self.output.kind == "b":
            # Masks join at no cost, and one store takes them all.
            results = [concatenate(self.builder, results)]
        for number, result in enumerate(results):
            place = self.builder.add(position, self.constant(number * lanes))
            store_lanes(self.builder, result, self.advance(places[-1], place, advances[-1]))

    def call(self, function, values: list, kinds: list[types.Type]):
        """Call a lane function, and link it. None is the identity."""
        from exactops.codegen.lowering.functions import lower

        if function is None:
            return values[0], kinds[0]
        lowered = lower(function, kinds)
        self.parts[lowered.description.mangled_name] = lowered.bitcode
        _, result = self.context.call_internal_no_propagate(self.builder, lowered.description, lowered.signature, values)
        kind = lowered.signature.return_type
        return result, kind
