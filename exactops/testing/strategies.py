"""Hypothesis strategies for element-wise functions. This module needs Hypothesis, which is in the extra ``test``."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise ImportError(
        "the strategies of exactops.testing need Hypothesis: pip install 'exactops[test]' (or pip install hypothesis)"
    ) from error

from exactops.ops import OPERATORS, find_operator
from exactops.table.formats import EVERY, FORMATS, Format
from exactops.table.operator import Attribute, Operator
from exactops.table.signatures import operand_types, signatures
from exactops.testing.bits import from_bits, storage_named
from exactops.testing.call import Call
from exactops.testing.hard import PLAIN, hard_bits, mixed_values, related
from exactops.testing.memory import WRITABLE, lay_out, layout_names

#: The largest rank of a drawn shape, by default.
MAX_RANK = 5
#: The most elements of a drawn array, by default: several groups of the widest registers and a rest.
MAX_SIZE = 300

#: Lengths around the numbers of lanes in use, and around the block of the strided loop.
_LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 127, 128, 129, 255, 256, 257)

#: Up to so many elements are drawn one by one, so that a failing example shrinks to plain values.
_ONE_BY_ONE = 10

_INT32 = (0, 1, 2, 3, -1, -2, 4, 5, 7, -3, 17, -7, 63, 64, 127, 128, 1000, -1000, 2**31 - 1, -(2**31))
_NUMBERS: tuple[float, ...] = (
    0.0,
    1.0,
    -1.0,
    0.5,
    -0.0,
    2.0,
    0.01,
    0.2,
    1 / 3,
    -1.7,
    1e-3,
    6.0,
    1e5,
    1e39,
    -1e300,
    1e-40,
    5e-324,
    2.0**-150,
)
_NUMBERS += (math.inf, -math.inf, math.nan, 16777217.0, 1.0 + 2.0**-24, 65520.0)


class OperandShapes(NamedTuple):
    """Shapes that broadcast, and the shape they broadcast to."""

    operands: tuple[tuple[int, ...], ...]
    result: tuple[int, ...]


def _bits(storage: Format) -> st.SearchStrategy[int]:
    """Bits of one element: a hard value or any at all."""
    if storage.kind == "b":
        return st.integers(0, 1)
    hard = hard_bits(storage.short)
    return st.sampled_from(hard[:PLAIN]) | st.sampled_from(hard) | st.integers(0, (1 << (8 * storage.size)) - 1)


@st.composite
def _shapes(draw: Callable[..., Any], min_rank: int, max_rank: int, min_side: int, max_size: int) -> tuple[int, ...]:
    rank = draw(st.integers(min_rank, max_rank))
    sides: list[int] = []
    room = max(max_size, 1)
    for left in range(rank, 0, -1):
        # A single axis may take all the room; of several each gets its share, so that the last are not all 1.
        most = max(min_side, room if left == 1 else math.ceil(room ** (1 / left)))
        lengths = [length for length in _LENGTHS if min_side <= length <= most]
        some = st.integers(min_side, max(min_side, min(most, 6)))
        side = draw(some | st.sampled_from(lengths) if lengths else some)
        sides.append(side)
        room = max(1, room // max(side, 1))
    return tuple(draw(st.permutations(sides))) if rank > 1 else tuple(sides)


def shapes(
    min_rank: int = 0, max_rank: int = MAX_RANK, min_side: int = 0, max_size: int = MAX_SIZE
) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes of arrays: empty ones, axes of length 1, and lengths around the usual numbers of lanes.

    Parameters
    ----------
    min_rank, max_rank : int
        Number of axes.
    min_side : int
        The shortest axis; 0 allows empty arrays.
    max_size : int
        The most elements, where ``min_side`` leaves it possible.

    Returns
    -------
    SearchStrategy of tuple of int
    """
    return _shapes(min_rank, max_rank, min_side, max_size)


@st.composite
def operand_shapes(
    draw: Callable[..., Any], count: int, max_rank: int = MAX_RANK, min_side: int = 0, max_size: int = MAX_SIZE
) -> OperandShapes:
    """Shapes of several operands that broadcast together.

    Parameters
    ----------
    count : int
        How many operands.
    max_rank, min_side, max_size
        Of the result, as for :func:`shapes`.

    Returns
    -------
    SearchStrategy of OperandShapes
        A named tuple: the shapes of the ``operands``, and that of the ``result``.
    """
    full = draw(shapes(0, max_rank, min_side, max_size))
    found = []
    for _ in range(count):
        kind = draw(st.integers(0, 2)) if full else 0
        shape = full
        if kind == 1:  # fewer axes
            shape = full[draw(st.integers(1, len(full))) :]
        if kind:
            shape = tuple(1 if draw(st.booleans()) else side for side in shape)
        found.append(shape)
    return OperandShapes(tuple(found), np.broadcast_shapes(*found))


@st.composite
def _arrays(draw: Callable[..., Any], dtype: Any, shape: Any) -> np.ndarray:
    storage = storage_named(draw(dtype) if isinstance(dtype, st.SearchStrategy) else dtype)
    if shape is None:
        shape = shapes()
    if isinstance(shape, st.SearchStrategy):
        shape = draw(shape)
    shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)
    if any(side < 0 for side in shape):
        raise ValueError(f"shape={shape}: no axis has a negative length")
    size, element = math.prod(shape), _bits(storage)
    if size <= _ONE_BY_ONE:
        return from_bits([draw(element) for _ in range(size)], storage.dtype).reshape(shape)
    values = mixed_values(storage.dtype, size, draw(st.integers(0, 2**32 - 1)))
    for place, bits in draw(st.lists(st.tuples(st.integers(0, size - 1), element), max_size=3)):
        values[place : place + 1] = from_bits([bits], storage.dtype)
    values = values.reshape(shape)
    repeated = draw(st.integers(0, 3 + len(shape)))
    if repeated > 3:  # all alike along one axis, which can then be stored once
        axis = repeated - 4
        values = np.array(np.broadcast_to(values.take([0], axis), shape), order="C")
    return values


def arrays(dtype: Any, shape: Any = None) -> st.SearchStrategy[np.ndarray]:
    """Contiguous arrays of one dtype, rich in hard values.

    A third of the elements come from :func:`hard_values`, a third are numbers of every size, a third random bits, NaNs with
    payloads among them. Small arrays are drawn element by element, so that failing examples shrink to plain values;
    larger ones from a seed, with a few elements drawn on top. Some are constant along an axis.

    Parameters
    ----------
    dtype : dtype_like or SearchStrategy
        A NumPy dtype, its name, a short name such as ``"bf16"``, or a strategy for them.
    shape : int, tuple of int or SearchStrategy, optional
        :func:`shapes` by default.

    Returns
    -------
    SearchStrategy of numpy.ndarray

    Examples
    --------
    >>> from hypothesis import given
    >>> from exactops.testing import arrays, assert_same_bits
    >>> @given(arrays("float32"))
    ... def test_a_copy_has_the_same_bits(x):
    ...     assert_same_bits(x.copy(), x, nan="bits")
    """
    return _arrays(dtype, shape)


def layouts(array: Any, writable: bool = False) -> st.SearchStrategy[Any]:
    """The same array in other memory layouts, bit for bit, in fresh memory.

    Contiguous, strided, reversed, offset, padded, in Fortran's order, with rotated axes, misaligned, byte-swapped,
    read-only; with a stride of 0 where the elements are alike along an axis; a NumPy scalar where there are no axes.
    :func:`layout_names` and :func:`lay_out` give them one by one.

    Parameters
    ----------
    array : array_like
        The values.
    writable : bool
        Only layouts that can be written to.

    Returns
    -------
    SearchStrategy of numpy.ndarray or numpy.generic
    """
    names = [name for name in layout_names(array) if not writable or name in WRITABLE]
    return st.sampled_from(names).map(functools.partial(lay_out, array))


def _value(attribute: Attribute) -> st.SearchStrategy[Any]:
    """Values of one attribute."""
    if attribute.kind == "ignored":
        return st.just(attribute.default)
    if attribute.kind == "choice":
        return st.sampled_from(attribute.choices)
    if attribute.kind == "dtype":
        return st.sampled_from(EVERY)
    if attribute.kind == "int32":
        return st.sampled_from(_INT32) | st.integers(-(2**31), 2**31 - 1)
    return st.sampled_from(_NUMBERS) | st.floats() | st.integers(-1000, 1000)


@st.composite
def _attributes(draw: Callable[..., Any], operator: Operator, storage: Format | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for attribute in operator.attributes:
        if not attribute.required and draw(st.booleans()):
            continue
        found[attribute.name] = draw(_value(attribute))
    chosen = [each.name for each in operator.attributes if each.kind == "choice"]
    if storage is not None and chosen and storage.short in operator.dtypes:
        # Of the choices those that are served for the type.
        served = [dict(each.choices) for each in signatures(operator, storage.short)]
        given = {name: found.get(name, attribute_default(operator, name)) for name in chosen}
        if not any(all(each[name] == given[name] for name in chosen) for each in served):
            found |= {name: draw(st.sampled_from(served))[name] for name in chosen}
    return found


def attribute_default(operator: Operator, name: str) -> Any:
    """The default of an attribute."""
    return next(each.default for each in operator.attributes if each.name == name)


def attributes(operator: str | Operator, dtype: Any = None) -> st.SearchStrategy[dict[str, Any]]:
    """Keyword arguments that an operator accepts, from its declaration.

    Those with a default are left out half of the time. Numbers include infinities, NaN, and values that are rounded when they
    become the operator's type. Bounds that can be operands are left to :func:`calls`.

    Parameters
    ----------
    operator : str or Operator
        Any spelling of an operator.
    dtype : dtype_like, optional
        Type of the operands; it matters for ``mod``, which serves floats with ``fmod=1`` only.

    Returns
    -------
    SearchStrategy of dict
    """
    found = operator if isinstance(operator, Operator) else find_operator(operator)
    return _attributes(found, None if dtype is None else storage_named(dtype))


def _python_numbers(storage: Format) -> st.SearchStrategy[Any]:
    """Python numbers that go with arrays of a type."""
    if storage.kind == "b":
        return st.booleans()
    if storage.kind == "f":
        return st.sampled_from(_NUMBERS) | st.floats() | st.integers(-(2**70), 2**70)
    limits = np.iinfo(storage.dtype)
    low, high = int(limits.min), int(limits.max)
    small = st.sampled_from([each for each in (0, 1, 2, 3, 7, -1, -2, low, high) if low <= each <= high])
    return small | st.integers(low, high)


#: Python numbers whose type is their own: int64 or float64.
_FREE_NUMBERS = _python_numbers(FORMATS["i64"]) | st.sampled_from(_NUMBERS) | st.floats()


def _operand_types(draw: Callable[..., Any], operator: Operator, short: str) -> list[str]:
    """The type of each operand."""
    if operator.fold is not None:
        return [short] * draw(st.integers(1, 4))
    count = draw(st.integers(operator.required, len(operator.operands)))
    types = []
    for operand in operator.operands[:count]:
        allowed = operand_types(operand, short)
        same = short in allowed and draw(st.booleans())
        types.append(short if same else draw(st.sampled_from(allowed)))
    return types


@st.composite
def _calls(
    draw: Callable[..., Any],
    operators: Sequence[str],
    dtypes: Sequence[str] | None,
    numbers: bool,
    max_rank: int,
    min_side: int,
    max_size: int,
) -> Call:
    operator = OPERATORS[draw(st.sampled_from(operators))]
    short = draw(st.sampled_from([each for each in operator.dtypes if dtypes is None or each in dtypes]))
    types = _operand_types(draw, operator, short)
    shape = draw(operand_shapes(len(types), max_rank, min_side, max_size)).operands
    operands: list[Any] = []
    for position, each in enumerate(types):
        partner: Any = operands[position - 1] if position else None
        kind = 0
        if isinstance(partner, np.ndarray) and partner.shape == shape[position] and types[position - 1] == each:
            kind = draw(st.integers(0, 7))
        if kind > 3:
            operands.append(related(partner, kind - 4, draw(st.integers(0, 2**16))))
        else:
            operands.append(draw(arrays(each, shape[position])))
    if operator.required < len(operands) == len(operator.operands) and draw(st.booleans()):
        operands[draw(st.integers(operator.required, len(operands) - 1))] = None
    roles = [_role(operator, position) for position in range(len(operands))]
    if numbers and len(operands) > 1 and "like" not in roles and draw(st.integers(0, 3)) == 3:
        # A Python number in one place; an array of the value type stays.
        position = draw(st.integers(roles.index("value"), len(operands) - 1))
        if operands[position] is not None and any(
            isinstance(each, np.ndarray) for each in _values(operator, operands, position)
        ):
            free = roles[position] == "own type"
            operands[position] = draw(_FREE_NUMBERS if free else _python_numbers(FORMATS[types[position]]))
    return Call(operator.name, tuple(operands), draw(attributes(operator, short)))


def _values(operator: Operator, operands: Sequence[Any], without: int) -> list[Any]:
    """The operands of the value type, one left out."""
    return [
        operand for position, operand in enumerate(operands) if position != without and _role(operator, position) == "value"
    ]


def _role(operator: Operator, position: int) -> str:
    """The role of an operand; those of a fold have one."""
    return operator.operands[min(position, len(operator.operands) - 1)].role


def calls(
    operators: Sequence[str] | None = None,
    dtypes: Sequence[Any] | None = None,
    *,
    numbers: bool = True,
    max_rank: int = MAX_RANK,
    min_side: int = 0,
    max_size: int = MAX_SIZE,
) -> st.SearchStrategy[Call]:
    """Calls of the operators of the table that exactops serves: an operator, operands that broadcast, attributes.

    Parameters
    ----------
    operators : sequence of str, optional
        Spellings of the operators to draw from; all by default.
    dtypes : sequence of dtype_like, optional
        Types of the first value operand; by default all that the operator serves.
    numbers : bool
        Whether Python numbers occur in place of arrays.
    max_rank, min_side, max_size
        Of the result, as for :func:`shapes`.

    Returns
    -------
    SearchStrategy of Call

    Raises
    ------
    ValueError
        No operator serves any of the dtypes.
    """
    for name, given in (("operators", operators), ("dtypes", dtypes)):
        if isinstance(given, str):
            raise TypeError(f"{name}={given!r}: it must be a sequence of them, such as [{given!r}]")
    shorts = None if dtypes is None else tuple(storage_named(dtype).short for dtype in dtypes)
    names = [find_operator(name).name for name in operators] if operators is not None else list(OPERATORS)
    served = [name for name in names if shorts is None or set(shorts) & set(OPERATORS[name].dtypes)]
    if not served:
        raise ValueError("no operator that was named serves any of the dtypes that were named")
    return _calls(served, shorts, numbers, max_rank, min_side, max_size)
