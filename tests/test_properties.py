"""Properties that every operator has, tried on drawn calls, and a planted fault for each that must be found.

A property is a function of the engine (:func:`exactops.run`, or a faulty stand-in for it), an example and a source of further
draws. The default run tries a bounded, fixed set of examples. A campaign draws many more, others each time::

    pytest -m campaign tests/test_properties.py
"""

from __future__ import annotations

import dataclasses
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from support import DEFAULT_CONTROL, FOREIGN, control, read_control
from support.values import same_bits, within_ulp

import exactops
from exactops.table.formats import FLOATS, FORMATS, INTEGERS
from exactops.table.operator import Operator
from exactops.testing import (
    Call,
    arrays,
    assert_same_bits,
    attributes,
    bits_of,
    calls,
    lay_out,
    layout_names,
    layouts,
    operand_shapes,
)
from exactops.testing.memory import memory_of
from exactops.verification.reference import expected, permitted_fast

#: Called like exactops.run.
Engine = Callable[..., Any]
Check = Callable[[Engine, Any, st.DataObject], None]

COMMON = settings(
    deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large], report_multiple_bugs=False
)
settings.register_profile("properties", COMMON, max_examples=250, derandomize=True, database=None)
settings.register_profile("campaign", COMMON, max_examples=40_000, print_blob=True)
#: For planted faults: a sound engine passes, a faulty one is found (and its example not shrunk).
settings.register_profile("sound", COMMON, max_examples=40, derandomize=True, database=None)
settings.register_profile("faults", COMMON, max_examples=400, derandomize=True, database=None, phases=[Phase.generate])

THREADS = 4


class Property(NamedTuple):
    """A property, the strategy of its examples (for some operators and types), and faults that it must find.

    A fault is a function from an engine to a faulty one; ``plain`` and ``types`` are the operators and types that it is tried
    with.
    """

    check: Check
    examples: Callable[..., st.SearchStrategy[Any]]
    faults: tuple[Callable[[Engine], Engine], ...]
    plain: tuple[str, ...]
    types: tuple[str, ...]


PROPERTIES: dict[str, Property] = {}


def holds(
    *faults: Callable[[Engine], Engine],
    examples: Callable[..., st.SearchStrategy[Any]] = calls,
    plain: tuple[str, ...] = ("add", "neg", "exp"),
    types: tuple[str, ...] = ("f32",),
) -> Callable[[Check], Check]:
    """Enter a property into the table, with the faults that it must find."""

    def enter(check: Check) -> Check:
        PROPERTIES[check.__name__] = Property(check, examples, faults, plain, types)
        return check

    return enter


def engine(*arguments: Any, **more: Any) -> Any:
    """exactops.run, of which no warning and no floating-point error may come."""
    with np.errstate(all="raise"):
        if threading.current_thread() is not threading.main_thread():
            return exactops.run(*arguments, **more)  # filters of warnings are not the thread's own
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return exactops.run(*arguments, **more)


def small(**more: Any) -> st.SearchStrategy[Call]:
    """Calls of few elements, for slow references."""
    return calls(max_size=20, **more)


def not_empty(**more: Any) -> st.SearchStrategy[Call]:
    """Calls whose operands that matter are arrays of one element or more."""
    return calls(min_side=1, **more)


# --- faults -----------------------------------------------------------------------------------------------------------------


def flipped(result: Any, place: int, bit: int = 0) -> Any:
    """A copy of a result with one bit of one element changed."""
    array = np.array(result)
    if array.size > place:
        bits = bits_of(array).reshape(-1)
        bits[place] ^= bits.dtype.type(1 << bit)
        array = bits.view(array.dtype).reshape(array.shape)
    return array if isinstance(result, np.ndarray) else array[()]


def rewritten(run: Engine, change: Callable[..., Any]) -> Engine:
    """A faulty engine: its results, those in ``out`` included, are changed by ``change(result, operands, more)``."""

    def faulty(name: str, *operands: Any, **more: Any) -> Any:
        result = run(name, *operands, **more)
        changed = change(result, operands, more)
        out = more.get("out")
        if out is None:
            return changed
        if changed is not result:
            out[...] = changed
        return out

    return faulty


def one_bit_in_one_lane(run: Engine) -> Engine:
    """The last bit of element 3 is wrong."""
    return rewritten(run, lambda result, operands, more: flipped(result, 3))


def one_bit_on_one_path(run: Engine) -> Engine:
    """The last bit of element 1 is wrong on the widest path."""
    return rewritten(
        run, lambda result, operands, more: flipped(result, 1) if more.get("path") == exactops.paths()[0] else result
    )


def lost_sign_of_zero(run: Engine) -> Engine:
    """Fast mode makes every zero positive."""

    def change(result: Any, operands: Sequence[Any], more: dict[str, Any]) -> Any:
        return np.where(np.asarray(result) == 0, np.zeros_like(result), result) if more.get("mode") == "fast" else result

    return rewritten(run, change)


def fast_mode_far_off(run: Engine) -> Engine:
    """Fast mode is 6 ulp off in element 2."""
    return rewritten(
        run, lambda result, operands, more: flipped(flipped(result, 2, 1), 2, 2) if more.get("mode") == "fast" else result
    )


def payload_of_nan_kept(run: Engine) -> Engine:
    """NaNs of the first operand come out with their sign."""

    def change(result: Any, operands: Sequence[Any], more: dict[str, Any]) -> Any:
        sign = np.signbit(operands[0]) & np.isnan(operands[0]) & np.isnan(result)
        return np.where(sign, -np.asarray(result), result).astype(np.asarray(result).dtype)

    return rewritten(run, change)


def strided_loop_differs(run: Engine) -> Engine:
    """A wrong bit where an operand is not contiguous."""

    def change(result: Any, operands: Sequence[Any], more: dict[str, Any]) -> Any:
        contiguous = all(each.flags.c_contiguous for each in operands if isinstance(each, np.ndarray))
        return result if contiguous else flipped(result, 0)

    return rewritten(run, change)


def misaligned_loop_differs(run: Engine) -> Engine:
    """A wrong bit where an operand is misaligned."""

    def change(result: Any, operands: Sequence[Any], more: dict[str, Any]) -> Any:
        aligned = all(each.flags.aligned for each in operands if isinstance(each, np.ndarray))
        return result if aligned else flipped(result, 0)

    return rewritten(run, change)


def byte_order_ignored(run: Engine) -> Engine:
    """Operands in the other byte order are read as if they were native."""

    def faulty(name: str, *operands: Any, **more: Any) -> Any:
        native = [each.view(each.dtype.newbyteorder("=")) if isinstance(each, np.ndarray) else each for each in operands]
        return run(name, *native, **more)

    return faulty


def first_group_differs(run: Engine) -> Engine:
    """A wrong bit in the first element of long arrays, which go through the widest registers."""
    return rewritten(run, lambda result, operands, more: flipped(result, 0) if np.size(result) >= 16 else result)


def tail_differs(run: Engine) -> Engine:
    """A wrong bit in the last element of an odd number of elements."""
    return rewritten(
        run, lambda result, operands, more: flipped(result, np.size(result) - 1) if np.size(result) % 2 else result
    )


def broadcast_loop_differs(run: Engine) -> Engine:
    """A wrong bit where the operands have several shapes."""

    def change(result: Any, operands: Sequence[Any], more: dict[str, Any]) -> Any:
        return flipped(result, 0) if len({np.shape(each) for each in operands}) > 1 else result

    return rewritten(run, change)


def zero_stride_loop_differs(run: Engine) -> Engine:
    """A wrong bit where an operand has a stride of 0."""

    def change(result: Any, operands: Sequence[Any], more: dict[str, Any]) -> Any:
        return flipped(result, 0) if any(0 in getattr(each, "strides", ()) for each in operands) else result

    return rewritten(run, change)


def no_scalars(run: Engine) -> Engine:
    """Operands without axes give an array without axes instead of a scalar."""
    return rewritten(run, lambda result, operands, more: np.asarray(result))


def leaves_an_element_of_out(run: Engine) -> Engine:
    """The last element of ``out`` is not written."""

    def faulty(name: str, *operands: Any, **more: Any) -> Any:
        out = more.pop("out", None)
        if out is None or not out.size:
            return run(name, *operands, **more, **({} if out is None else {"out": out}))
        before = out.copy()
        run(name, *operands, out=out, **more)
        out[(-1,) * out.ndim] = before[(-1,) * out.ndim]
        return out

    return faulty


def returns_another_array(run: Engine) -> Engine:
    """What is returned is a copy of ``out``."""
    return lambda name, *operands, **more: np.copy(run(name, *operands, **more))


def writes_beside_out(run: Engine) -> Engine:
    """The last byte of the allocation that ``out`` is a view of is changed."""

    def faulty(name: str, *operands: Any, **more: Any) -> Any:
        result = run(name, *operands, **more)
        if "out" in more and memory_of(more["out"]).size:
            memory_of(more["out"])[-1] ^= 1
        return result

    return faulty


def clears_out_first(run: Engine) -> Engine:
    """The output is cleared before the operands are read, as if they could not be the same memory."""

    def faulty(name: str, *operands: Any, **more: Any) -> Any:
        if "out" in more:
            more["out"][...] = 0
        return run(name, *operands, **more)

    return faulty


def ignores_where(run: Engine) -> Engine:
    """All elements are written, selected or not."""

    def faulty(name: str, *operands: Any, **more: Any) -> Any:
        more.pop("where", None)
        return run(name, *operands, **more)

    return faulty


def overwrites_an_operand(run: Engine) -> Engine:
    """The first element of the first operand loses its sign."""

    def faulty(name: str, *operands: Any, **more: Any) -> Any:
        result = run(name, *operands, **more)
        if isinstance(operands[0], np.ndarray) and operands[0].size and operands[0].flags.writeable:
            operands[0].reshape(-1)[:1] = np.abs(operands[0].reshape(-1)[:1])
        return result

    return faulty


def differs_in_threads(run: Engine) -> Engine:
    """A wrong bit in every thread but the main one."""
    main = threading.main_thread()
    return rewritten(run, lambda result, operands, more: result if threading.current_thread() is main else flipped(result, 0))


def differs_under_settings(run: Engine) -> Engine:
    """A wrong bit under a foreign floating-point setting."""
    return rewritten(run, lambda result, operands, more: result if read_control() == DEFAULT_CONTROL else flipped(result, 0))


def mixes_up_calls(run: Engine) -> Engine:
    """A remembered call is recognised by its operator and its dtype alone: the attributes of the first are used for all."""
    remembered: dict[Any, dict[str, Any]] = {}

    def faulty(name: str, *operands: Any, **more: Any) -> Any:
        own = {key: value for key, value in more.items() if key not in ("mode", "path", "out", "where")}
        if "where" not in more:
            key = (name, *(getattr(each, "dtype", type(each)) for each in operands))
            own = remembered.setdefault(key, own)
        return run(
            name, *operands, **{key: value for key, value in more.items() if key in ("mode", "path", "out", "where")}, **own
        )

    return faulty


# --- properties -------------------------------------------------------------------------------------------------------------


@holds(one_bit_in_one_lane, payload_of_nan_kept, examples=small)
def results_are_the_defined_ones(run: Engine, call: Call, data: st.DataObject) -> None:
    """Exact mode gives the bits that the independent reference defines."""
    path = data.draw(st.sampled_from(exactops.paths()))
    wanted = expected(call.name, call.operands, dict(call.attributes), call.result.dtype)
    same_bits(call.run(run, path=path), wanted, (), path)


@holds(one_bit_on_one_path)
def paths_agree(run: Engine, call: Call, data: st.DataObject) -> None:
    """Every register width gives the bits of one lane at a time."""
    wanted = call.run(run, path="scalar")
    for path in exactops.paths():
        same_bits(call.run(run, path=path), wanted, (), path)


@holds(lost_sign_of_zero, fast_mode_far_off, examples=small, plain=("neg", "mul", "sin"))
def modes_agree(run: Engine, call: Call, data: st.DataObject) -> None:
    """Fast mode gives exact mode's values, but for what it may round or fuse differently."""
    path = data.draw(st.sampled_from(exactops.paths()))
    exact, fast = call.run(run, path=path), call.run(run, path=path, mode="fast")
    if call.result.kind == "f" and (call.operator.category == "c" or call.name == "powi_backward"):
        # A composition of a transcendental and a product adds the product's rounding.
        limit = 5 if call.name == "powi_backward" else 1 if call.result.size == 2 else 2
        within_ulp(fast, exact, limit, (), path)
    else:
        fused = permitted_fast(call.name, call.operands, dict(call.attributes), call.result.dtype)
        same_bits(fast, exact, (), path, any_nan=True, alternatives=[np.asarray(each) for each in fused])


@holds(strided_loop_differs, misaligned_loop_differs, byte_order_ignored)
def layouts_do_not_matter(run: Engine, call: Call, data: st.DataObject) -> None:
    """Operands in any layout, each its own, give the bits of contiguous copies."""
    path = data.draw(st.sampled_from(exactops.paths()))
    stored = call.map(lambda array: data.draw(layouts(array)))
    assert_same_bits(stored.run(run, path=path), call.run(run, path=path), message=f"{path}, {_layouts_of(stored)}")


def _layouts_of(call: Call) -> list[Any]:
    return [getattr(each, "strides", None) for each in call.operands]


@holds(tail_differs, one_bit_in_one_lane, first_group_differs, examples=not_empty)
def positions_do_not_matter(run: Engine, call: Call, data: st.DataObject) -> None:
    """Elements in another order, parts of the array, and single elements give the same bits."""
    path = data.draw(st.sampled_from(exactops.paths()))
    flat = call.broadcast().map(lambda array: array.reshape(-1))
    whole = np.asarray(flat.run(run, path=path))
    size = whole.size
    order = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).permutation(size)
    assert_same_bits(flat.map(lambda array: array[order]).run(run, path=path), whole[order], message="in another order")
    start = data.draw(st.integers(0, size - 1))
    part = slice(start, data.draw(st.integers(start, size)))
    assert_same_bits(flat.map(lambda array: array[part]).run(run, path=path), whole[part], message=f"{part}")
    place = data.draw(st.integers(0, size - 1))
    assert_same_bits(flat.map(lambda array: array[place]).run(run, path=path), whole[place], message=f"element {place} alone")


@holds(broadcast_loop_differs, zero_stride_loop_differs, no_scalars)
def broadcasting_does_not_matter(run: Engine, call: Call, data: st.DataObject) -> None:
    """Operands of any rank from 0 to 5 give the bits of operands copied to the full shape; no axes give a scalar."""
    path = data.draw(st.sampled_from(exactops.paths()))
    result, full = call.run(run, path=path), call.broadcast().run(run, path=path)
    assert_same_bits(result, full)
    assert np.shape(result) == call.shape
    assert isinstance(result, np.ndarray) == (call.shape != ())
    views = call.map(lambda array: np.broadcast_to(array, call.shape))
    assert_same_bits(views.run(run, path=path), full, message="strides of 0")


@holds(writes_beside_out, leaves_an_element_of_out, returns_another_array)
def out_is_written_and_nothing_else(run: Engine, call: Call, data: st.DataObject) -> None:
    """An output in any layout receives the result; no byte between and around its elements changes."""
    mode, path = data.draw(st.sampled_from(("exact", "fast"))), data.draw(st.sampled_from(exactops.paths()))
    wanted = np.asarray(call.run(run, mode=mode, path=path))
    layout = data.draw(st.sampled_from(sorted(_writable(wanted))))
    out, model = (lay_out(np.zeros_like(wanted), layout) for _ in range(2))
    assert call.run(run, out=out, mode=mode, path=path) is out
    unsigned = np.dtype(f"u{model.dtype.itemsize}")
    model.view(unsigned if model.dtype.isnative else unsigned.newbyteorder())[...] = bits_of(wanted)
    assert_same_bits(memory_of(out), memory_of(model), message=layout)


def _writable(array: np.ndarray) -> set[str]:
    return set(layout_names(array)) - {"broadcast", "read-only", "scalar"}


@holds(clears_out_first)
def in_place_is_like_out_of_place(run: Engine, call: Call, data: st.DataObject) -> None:
    """The output may be an operand, or memory that overlaps one, ahead or behind."""
    path = data.draw(st.sampled_from(exactops.paths()))
    wanted = np.asarray(call.run(run, path=path))
    fitting = [
        position
        for position in call.read
        if isinstance(call.operands[position], np.ndarray)
        and call.operands[position].shape == wanted.shape
        and call.operands[position].dtype == wanted.dtype
    ]
    if not fitting:
        return
    position = data.draw(st.sampled_from(fitting))
    operand = call.operands[position]
    distance = data.draw(st.integers(-3, 3))
    memory = np.zeros(operand.size + 6, operand.dtype)
    source, out = (memory[3 + shift : 3 + shift + operand.size].reshape(operand.shape) for shift in (0, distance))
    source.view(f"u{source.itemsize}")[...] = bits_of(operand)
    own = call.with_operands([source if number == position else each for number, each in enumerate(call.operands)])
    assert own.run(run, out=out, path=path) is out
    assert_same_bits(out, wanted, message=f"over operand {position}, {distance} elements apart")


@holds(ignores_where, examples=not_empty)
def where_selects(run: Engine, call: Call, data: st.DataObject) -> None:
    """Selected elements are computed, the others keep their bits."""
    path = data.draw(st.sampled_from(exactops.paths()))
    wanted = np.asarray(call.run(run, path=path))
    mask = data.draw(arrays("bool", wanted.shape))
    before = data.draw(arrays(wanted.dtype, wanted.shape))
    out = before.copy()
    call.run(run, out=out, where=mask, path=path)
    assert_same_bits(out[mask], wanted[mask], message="selected")
    assert_same_bits(out[~mask], before[~mask], nan="bits", message="not selected")


@holds(overwrites_an_operand, plain=("neg", "add"))
def operands_are_not_written(run: Engine, call: Call, data: st.DataObject) -> None:
    """No call changes a byte of its operands or of the memory around them."""
    path = data.draw(st.sampled_from(exactops.paths()))
    stored = call.map(lambda array: data.draw(layouts(array)))
    memories = [memory_of(each) for each in stored.arrays]
    before = [memory.copy() for memory in memories]
    for mode in ("exact", "fast"):
        stored.run(run, mode=mode, path=path)
    for memory, copy in zip(memories, before, strict=True):
        assert_same_bits(memory, copy)


@holds(differs_in_threads)
def threads_do_not_matter(run: Engine, call: Call, data: st.DataObject) -> None:
    """Calls at the same time, of this call and another, give what one thread alone gets."""
    both = (call, data.draw(calls((call.name,), (call.operator.dtypes[0],), max_size=40)))
    wanted = [each.run(run) for each in both]
    barrier = threading.Barrier(THREADS)
    messages: list[str] = []

    def work(number: int) -> None:
        barrier.wait()
        try:
            for turn in range(6):
                which = (number + turn) % 2
                assert_same_bits(both[which].run(run), wanted[which], nan="bits")
        except Exception as error:
            messages.append(f"{type(error).__name__}: {error}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not messages, messages[0]


@holds(differs_under_settings)
def floating_point_settings_do_not_matter(run: Engine, call: Call, data: st.DataObject) -> None:
    """A foreign rounding mode, flush-to-zero or denormals-are-zero setting changes no bit and stays in force."""
    mode, path = data.draw(st.sampled_from(("exact", "fast"))), data.draw(st.sampled_from(exactops.paths()))
    wanted = call.run(run, mode=mode, path=path)
    setting = FOREIGN[data.draw(st.sampled_from(sorted(FOREIGN)))]
    with control(setting):
        result = call.run(run, mode=mode, path=path)
        after = read_control()
    assert after == setting & ~0x3F or after == setting
    assert_same_bits(result, wanted, nan="bits")


@st.composite
def sequences(
    draw: Callable[..., Any], operators: Sequence[str] | None = None, dtypes: Sequence[str] | None = None
) -> tuple[list[Call], list[int]]:
    """Several calls of one operator, and an order in which they are made, with repetitions."""
    name = draw(st.sampled_from(operators or list(exactops.operators())))
    found = draw(st.lists(calls((name,), dtypes, max_size=12), min_size=2, max_size=4))
    return found, draw(st.lists(st.integers(0, len(found) - 1), min_size=4, max_size=10))


@holds(mixes_up_calls, examples=sequences, plain=("leaky_relu", "powi"))
def earlier_calls_do_not_matter(run: Engine, sequence: tuple[list[Call], list[int]], data: st.DataObject) -> None:
    """A call gives the same bits whatever was called before, by every spelling; ``where=True`` never takes the short way."""
    found, order = sequence
    wanted = [call.run(run, where=True) for call in found]
    for number in order:
        call = found[number]
        assert_same_bits(call.run(run), wanted[number], nan="bits", message=f"call {number}")
        special = {each.name for each in call.operator.other_names if each.is_special}  # of some types, or of one attribute
        spelling = data.draw(st.sampled_from([name for name in call.operator.names if name not in special]))
        again = dataclasses.replace(call, name=spelling).run(run)
        assert_same_bits(again, wanted[number], nan="bits", message=f"call {number} as {spelling}")
        named = getattr(exactops, call.operator.function)(*call.operands, **call.attributes)
        assert_same_bits(named, wanted[number], nan="bits", message=f"call {number} by its function")


class Step(NamedTuple):
    """One operator of a chain: its operands are earlier values, by number."""

    name: str
    operands: tuple[int, ...]
    attributes: dict[str, Any]


class Chain(NamedTuple):
    """An expression of several operators: the values it begins with, and its steps."""

    start: tuple[np.ndarray, ...]
    steps: tuple[Step, ...]


def _chainable(operator: Operator, short: str) -> bool:
    return short in operator.dtypes and operator.results == ("same",) and operator.value_position == 0


@st.composite
def chains(draw: Callable[..., Any], operators: Sequence[str] | None = None, dtypes: Sequence[str] | None = None) -> Chain:
    """Random expressions over one type, of 2 to 6 operators."""
    short = draw(st.sampled_from(dtypes or (*FLOATS, *FLOATS, *INTEGERS)))
    table = exactops.operators()
    names = [name for name in operators or table if _chainable(table[name], short)]
    shapes = draw(operand_shapes(draw(st.integers(1, 3)), max_size=80)).operands
    start = tuple(draw(arrays(short, shape)) for shape in shapes)
    steps: list[Step] = []
    for number in range(draw(st.integers(2, 6))):
        name = draw(st.sampled_from(names))
        operator, known = table[name], len(start) + number
        count = draw(st.integers(1, 3)) if operator.fold is not None else len(operator.operands)
        # The value made last is always used, so that the steps make one expression.
        taken = [known - 1, *(draw(st.integers(0, known - 1)) for _ in range(count - 1))]
        steps.append(Step(name, tuple(draw(st.permutations(taken))), draw(attributes(operator, short))))
    return Chain(start, tuple(steps))


def values_of(
    run: Engine, chain: Chain, path: str, store: Callable[[np.ndarray], Any], in_place: bool = False
) -> list[np.ndarray]:
    """The value of each step; operands are stored anew for each, and may be overwritten by its result."""
    values = list(chain.start)
    for step in chain.steps:
        operands = [store(values[number]) for number in step.operands]
        more = dict(step.attributes)
        shape = np.broadcast_shapes(*(each.shape for each in operands))
        if in_place and isinstance(operands[0], np.ndarray) and operands[0].shape == shape:
            more["out"] = operands[0]
        result = np.asarray(run(step.name, *operands, path=path, **more))
        values.append(np.array(result, values[0].dtype))
    return values[len(chain.start) :]


@holds(one_bit_on_one_path, clears_out_first, strided_loop_differs, examples=chains, plain=("add", "mul", "exp", "tanh"))
def chains_agree(run: Engine, chain: Chain, data: st.DataObject) -> None:
    """An expression of several operators has the same bits on every path, in any layout, in place and not."""
    wanted = values_of(run, chain, "scalar", np.copy)
    for path in exactops.paths():
        results = {
            "plain": values_of(run, chain, path, np.copy),
            "in place": values_of(run, chain, path, np.copy, in_place=True),
            "laid out": values_of(run, chain, path, lambda array: data.draw(layouts(array))),
        }
        for how, values in results.items():
            for step, result, want in zip(chain.steps, values, wanted, strict=True):
                assert_same_bits(result, want, message=f"{step.name}, {path}, {how}")


# --- the tests --------------------------------------------------------------------------------------------------------------


def examine(prop: Property, run: Engine, profile: str, **more: Any) -> None:
    """Try a property of an engine on the examples of a profile."""

    @settings(settings.get_profile(profile))
    @given(prop.examples(**more), st.data())
    def attempt(example: Any, data: st.DataObject) -> None:
        prop.check(run, example, data)

    attempt()


@pytest.mark.parametrize("name", PROPERTIES)
def test_property(name: str) -> None:
    examine(PROPERTIES[name], engine, "properties")


FAULTS = [(name, fault) for name, prop in PROPERTIES.items() for fault in prop.faults]


@pytest.mark.parametrize(("name", "fault"), FAULTS, ids=[f"{name}-{fault.__name__}" for name, fault in FAULTS])
def test_planted_fault_is_found(name: str, fault: Callable[[Engine], Engine]) -> None:
    """Without the fault such examples pass; with it one of them fails."""
    prop = PROPERTIES[name]
    examples = {"operators": prop.plain, "dtypes": prop.types}
    examine(prop, engine, "sound", **examples)
    with pytest.raises(AssertionError):
        examine(prop, fault(engine), "faults", **examples)


def test_every_property_has_a_fault() -> None:
    assert all(prop.faults for prop in PROPERTIES.values())


@pytest.mark.campaign
@pytest.mark.parametrize("name", PROPERTIES)
def test_campaign(name: str, request: pytest.FixtureRequest) -> None:
    if "campaign" not in request.config.getoption("-m").replace("not campaign", ""):
        pytest.skip("a campaign has a command of its own")
    examine(PROPERTIES[name], engine, "campaign")


def test_the_examples_are_of_all_kinds() -> None:
    """Every operator and every type is drawn when it is asked for, with all ranks and kinds of operands."""
    seen: set[Any] = set()
    table = exactops.operators()
    for asked in [((name,), None) for name in table] + [(None, (short,)) for short in FORMATS]:

        @settings(
            settings.get_profile("properties"),
            max_examples=30 if asked[0] in (("clip",), ("clamp",)) else 12,
            phases=[Phase.generate],
        )
        @given(calls(*asked, max_size=8))
        def draw(call: Call) -> None:
            call.run(engine)
            seen.update({call.name, call.result.short, len(call.shape)})
            seen.update(type(each).__name__ for each in call.operands)

        draw()
    missing = ({*table, *FORMATS, *range(6)} | {"ndarray", "int", "float", "NoneType"}) - seen
    assert not missing
