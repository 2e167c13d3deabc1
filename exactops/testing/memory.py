"""Layouts of arrays in memory: the same values, stored in another way, among elements that must not be touched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from exactops.testing.bits import bits_of, storage_named
from exactops.testing.hard import mixed_values


def _surroundings(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """An array full of values that would show in a result: NaNs, infinities and numbers of every size."""
    size = int(np.prod(shape, dtype=np.int64))
    return np.resize(mixed_values(dtype, min(max(size, 1), 1021)), size).astype(dtype, copy=False).reshape(shape)


def _store(view: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Write values bit for bit (an assignment of NumPy may quieten a NaN)."""
    unsigned = np.dtype(f"u{view.dtype.itemsize}")
    view.view(unsigned)[...] = bits_of(values)
    return view


def _contiguous(values: np.ndarray) -> np.ndarray:
    return _store(_surroundings(values.shape, values.dtype), values)


def _fortran(values: np.ndarray) -> np.ndarray:
    return _store(_surroundings(values.shape[::-1], values.dtype).T, values)


def _axes_rotated(values: np.ndarray) -> np.ndarray:
    shape = (values.shape[-1], *values.shape[:-1])
    return _store(np.moveaxis(_surroundings(shape, values.dtype), 0, -1), values)


def _strided(values: np.ndarray, step: int = 3) -> np.ndarray:
    shape = (*values.shape[:-1], max(1, values.shape[-1] * step))
    return _store(_surroundings(shape, values.dtype)[..., 1 % step : values.shape[-1] * step : step], values)


def _reversed(values: np.ndarray) -> np.ndarray:
    return _store(_surroundings(values.shape, values.dtype)[(slice(None, None, -1),) * values.ndim], values)


def _reversed_stride(values: np.ndarray) -> np.ndarray:
    shape = (*values.shape[:-1], 2 * values.shape[-1])
    return _store(_surroundings(shape, values.dtype)[..., ::-2], values)


def _misaligned(values: np.ndarray) -> np.ndarray:
    memory = _surroundings((values.size + 2,), values.dtype).view(np.uint8)
    view = memory[1 : 1 + values.nbytes].view(values.dtype).reshape(values.shape)
    return _store(view, values)


def _offset(values: np.ndarray) -> np.ndarray:
    memory = _surroundings((values.size + 12,), values.dtype)
    return _store(memory[5 : 5 + values.size].reshape(values.shape), values)


def _padded(values: np.ndarray) -> np.ndarray:
    shape = (*values.shape[:-1], values.shape[-1] + 3)
    return _store(_surroundings(shape, values.dtype)[..., 2:-1], values)


def _byte_swapped(values: np.ndarray) -> np.ndarray:
    swapped = np.empty(values.shape, values.dtype.newbyteorder())
    unsigned = np.dtype(f"u{values.dtype.itemsize}").newbyteorder()
    swapped.view(unsigned)[...] = bits_of(values)
    return swapped


def _repeats(values: np.ndarray, axis: int) -> bool:
    """Whether all elements along an axis have the same bits."""
    bits = bits_of(values)
    return values.shape[axis] > 0 and bool((bits == bits.take([0], axis)).all())


def _broadcast(values: np.ndarray) -> np.ndarray:
    index = tuple(slice(0, 1) if _repeats(values, axis) else slice(None) for axis in range(values.ndim))
    return np.broadcast_to(_contiguous(values[index]), values.shape)


def _read_only(values: np.ndarray) -> np.ndarray:
    copy = _contiguous(values)
    copy.flags.writeable = False
    return copy


def _scalar(values: np.ndarray) -> Any:
    return _contiguous(values)[()]


def _has_axes(values: np.ndarray) -> bool:
    return values.ndim >= 1


def _swappable(values: np.ndarray) -> bool:
    return values.dtype.itemsize > 1 and storage_named(values.dtype).short != "bf16"


#: By name: whether an array can have this layout, and the function that gives it to a copy.
LAYOUTS: dict[str, tuple[Callable[[np.ndarray], bool], Callable[[np.ndarray], Any]]] = {
    "contiguous": (lambda values: True, _contiguous),
    "strided": (_has_axes, _strided),
    "reversed": (_has_axes, _reversed),
    "reversed stride": (_has_axes, _reversed_stride),
    "offset": (lambda values: True, _offset),
    "padded": (_has_axes, _padded),
    "fortran": (lambda values: values.ndim >= 2, _fortran),
    "rotated axes": (lambda values: values.ndim >= 2, _axes_rotated),
    "misaligned": (lambda values: values.dtype.itemsize > 1, _misaligned),
    "byte-swapped": (_swappable, _byte_swapped),
    "broadcast": (lambda values: any(_repeats(values, axis) for axis in range(values.ndim)), _broadcast),
    "read-only": (lambda values: True, _read_only),
    "scalar": (lambda values: values.ndim == 0, _scalar),
}

#: Layouts that an output can have as well.
WRITABLE = tuple(name for name in LAYOUTS if name not in ("broadcast", "read-only", "scalar"))


def layout_names(values: Any) -> tuple[str, ...]:
    """Names of the layouts that an array can have, for :func:`lay_out`.

    ``"broadcast"`` (a stride of 0) needs an axis along which the elements are alike, ``"scalar"`` (a NumPy scalar) an array
    without axes, ``"byte-swapped"`` a type of two byte orders.
    """
    values = np.asarray(values)
    return tuple(name for name, (fits, _) in LAYOUTS.items() if fits(values))


def lay_out(values: Any, layout: str) -> Any:
    """A copy of an array in another memory layout, bit for bit, in fresh memory.

    The memory around and between its elements holds other values, NaNs among them, which show in a result that was computed
    from the wrong place.

    Parameters
    ----------
    values : array_like
        Of a dtype that exactops stores, in native byte order.
    layout : str
        One of :func:`layout_names` of the array.

    Returns
    -------
    numpy.ndarray or numpy.generic
        Of the same dtype (``"byte-swapped"``: in the other byte order), shape and bits.

    Raises
    ------
    ValueError
        The array cannot have this layout, or is not in native byte order.

    Examples
    --------
    >>> import numpy as np
    >>> from exactops.testing import lay_out
    >>> lay_out(np.float32([1, 2, 3]), "reversed").strides
    (-4,)
    """
    values = np.asarray(values)
    if not values.dtype.isnative:
        raise ValueError(f"an array of {values.dtype.str}: it must be in native byte order")
    names = layout_names(values)
    if layout not in names:
        raise ValueError(f"layout={layout!r}: an array of {values.dtype} and shape {values.shape} can be {', '.join(names)}")
    return LAYOUTS[layout][1](values)


def memory_of(array: np.ndarray) -> np.ndarray:
    """The bytes of the whole allocation that an array is a view of."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return np.lib.stride_tricks.as_strided(array, (array.size,), (array.itemsize,)).view(np.uint8)
