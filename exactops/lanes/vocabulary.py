"""The lane operations that kernels are written in.

A kernel is an ordinary Python function over *lanes*: the elements of one SIMD register, all of one type. It uses Python's
operators (``+ - * /``, comparisons, ``& | ^ ~ << >>``) and the functions of this module, and nothing else. Every function
here has two meanings that agree bit for bit:

* its body, which works on NumPy arrays. It is the definition, and lets any kernel be run and tested without a compiler;
* its lowering to LLVM vector instructions in :mod:`exactops.codegen.lowering`, used whenever Numba compiles the kernel.

Python numbers in an expression are weak, as in NumPy: they take the element type of the lanes beside them.
Importing this module imports neither Numba nor LLVM.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

#: Lanes: inside a kernel a vector of one element type, outside it a NumPy array.
Lanes = Any

_Function = TypeVar("_Function", bound=Callable[..., Any])

#: Functions that kernels may call, besides the operations below: filled by :func:`lane_function`.
LANE_FUNCTIONS: dict[Callable[..., Any], None] = {}
_watchers: list[Callable[[Callable[..., Any]], None]] = []


def lane_function(function: _Function) -> _Function:
    """Mark a helper made of lane operations, so that kernels may call it.

    The function stays an ordinary Python function (and runs on NumPy arrays); where a kernel that calls it is compiled,
    it is compiled for the lanes at hand and always inlined.
    """
    LANE_FUNCTIONS[function] = None
    for watcher in _watchers:
        watcher(function)
    return function


def watch_lane_functions(watcher: Callable[[Callable[..., Any]], None]) -> None:
    """Call ``watcher`` with every lane function: those there are, and each that is made later (some perhaps twice)."""
    _watchers.append(watcher)
    for function in list(LANE_FUNCTIONS):
        watcher(function)


# --- choice -------------------------------------------------------------------------------------------------------------


def select(mask: Lanes, chosen: Lanes, otherwise: Lanes) -> Lanes:
    """Lane by lane ``chosen`` where ``mask`` is set, else ``otherwise``. Either may be a Python number, not both."""
    like = chosen if isinstance(chosen, (np.ndarray, np.generic)) else otherwise
    return np.where(mask, np.asarray(chosen, like.dtype), np.asarray(otherwise, like.dtype))


def any_lane(mask: Lanes) -> bool:
    """Whether the mask is set in at least one lane."""
    return bool(np.any(mask))


def all_lanes(mask: Lanes) -> bool:
    """Whether the mask is set in every lane."""
    return bool(np.all(mask))


def is_fast(lanes: Lanes) -> bool:
    """Whether these lanes belong to a fast-mode kernel: a constant when the kernel is compiled."""
    return False


# --- arithmetic ---------------------------------------------------------------------------------------------------------


def mul_add(x: Lanes, y: Lanes, z: Lanes) -> Lanes:
    """``x * y + z``: the product rounded, then the sum. In fast mode rounded once where the CPU has a fused instruction."""
    return x * y + z


def sqrt(x: Lanes) -> Lanes:
    """Square root, correctly rounded."""
    with np.errstate(all="ignore"):
        return np.sqrt(x)


def floor(x: Lanes) -> Lanes:
    """Largest integer not above x; keeps the sign of zero."""
    return np.floor(x)


def ceil(x: Lanes) -> Lanes:
    """Smallest integer not below x; keeps the sign of zero."""
    return np.ceil(x)


def rint(x: Lanes) -> Lanes:
    """Nearest integer, ties to even; keeps the sign of zero."""
    return np.rint(x)


def trunc(x: Lanes) -> Lanes:
    """Integer part, towards zero; keeps the sign of zero."""
    return np.trunc(x)


def absolute(x: Lanes) -> Lanes:
    """Float lanes with the sign bit cleared (of a NaN too)."""
    return np.abs(x)


def copy_sign(magnitude: Lanes, sign: Lanes) -> Lanes:
    """The magnitude of the first operand with the sign bit of the second (float lanes)."""
    return np.copysign(magnitude, sign)


def is_nan(x: Lanes) -> Lanes:
    """Mask of the lanes that hold a NaN."""
    return x != x


def truncated_quotient(x: Lanes, y: Lanes) -> Lanes:
    """Integer quotient rounded toward zero. No lane of ``y`` may be 0, no pair may be (MIN, -1): mask them out first."""
    quotient = x // y
    if x.dtype.kind == "i":
        quotient = np.where((quotient < 0) & (quotient * y != x), quotient + np.ones_like(quotient), quotient)
    return quotient


# --- bits and types -----------------------------------------------------------------------------------------------------


def bits(x: Lanes) -> Lanes:
    """The bit patterns of float lanes, as unsigned integers of the same width."""
    x = np.asarray(x)
    return x.view(f"u{x.itemsize}")


def from_bits(x: Lanes) -> Lanes:
    """The float lanes whose bit patterns these unsigned (or signed) integers are."""
    x = np.asarray(x)
    return x.view(f"f{x.itemsize}")


def signed(x: Lanes) -> Lanes:
    """The same bits as signed integers."""
    x = np.asarray(x)
    return x.view(f"i{x.itemsize}")


def unsigned(x: Lanes) -> Lanes:
    """The same bits as unsigned integers."""
    x = np.asarray(x)
    return x.view(f"u{x.itemsize}")


def convert(x: Lanes, element: str) -> Lanes:
    """Convert values to another element type: ``"float32"``, ``"float64"``, ``"int8"`` … ``"uint64"``, ``"bool"``.

    Float to float and integer to float round once, to nearest even. Float to integer truncates toward zero and saturates at
    the target's range, NaN gives 0. Integer to integer wraps modulo 2**n. To bool: ``x != 0``. From bool: 0 or 1.
    """
    x, target = np.asarray(x), np.dtype(element)
    if target.kind == "b":
        return x != 0
    with np.errstate(all="ignore"):
        if x.dtype.kind != "f" or target.kind == "f":
            return x.astype(target)
        limits = np.iinfo(target)
        whole = np.trunc(x)
        # Comparisons against powers of two are exact in every float type; the limits themselves need not be.
        high, low = whole >= float(2 ** (target.itemsize * 8 - (target.kind == "i"))), whole < float(limits.min)
        safe = np.where(high | low | (x != x), np.zeros_like(whole), whole).astype(target)
        return np.where(high, target.type(limits.max), np.where(low, target.type(limits.min), safe))


def from_half(pattern: Lanes) -> Lanes:
    """binary16 bit patterns (uint16 lanes) as float32."""
    with np.errstate(all="ignore"):
        return np.asarray(pattern).view(np.float16).astype(np.float32)


def to_half(x: Lanes) -> Lanes:
    """float32 rounded once to binary16 bit patterns (uint16 lanes)."""
    with np.errstate(all="ignore"):
        return np.asarray(x).astype(np.float16).view(np.uint16)


def lane_count(lanes: Lanes) -> int:
    """Number of lanes: a constant when the kernel is compiled."""
    return int(np.size(lanes))


# --- tables and memory --------------------------------------------------------------------------------------------------


def lookup(table: tuple[float, ...], index: Lanes) -> Lanes:
    """``table[index]`` lane by lane: float64 lanes for a table of Python floats, int64 lanes for one of Python ints.

    ``table`` is a tuple of constants whose length is a power of two; only the low bits of the integer lanes ``index`` count.
    """
    values = np.array(table, np.float64 if isinstance(table[0], float) else np.int64)
    return values[np.asarray(index).astype(np.int64) & (len(table) - 1)]


def lookup_single(table: tuple[float, ...], index: Lanes) -> Lanes:
    """As :func:`lookup`, but float32 lanes; the entries are doubles that float32 holds exactly."""
    return np.array(table, np.float32)[np.asarray(index).astype(np.int64) & (len(table) - 1)]


class Table:
    """Rows of float64 constants, at module level, for :func:`lookup_rows`.

    Parameters
    ----------
    rows : sequence of sequences of float
        As many rows as a power of two, each of the same even number of entries. A row lies in one piece in memory, so that a
        lane fetches all of its coefficients from one or two cache lines.
    """

    def __init__(self, rows: Sequence[Sequence[float]]):
        values = np.array(rows, np.float64)
        if values.ndim != 2 or values.shape[0] & (values.shape[0] - 1) or values.shape[1] & 1 or not values.size:
            raise ValueError(f"a table has a power of two of rows of an even number of entries, not the shape {values.shape}")
        values.flags.writeable = False
        self.rows = values

    @property
    def columns(self) -> int:
        """Entries of a row."""
        return self.rows.shape[1]


def lookup_rows(table: Table, index: Lanes) -> tuple[Lanes, ...]:
    """The row of a table for each lane, as one vector of float64 lanes a column.

    Only the low bits of the integer lanes ``index`` count: as many as number the rows.
    """
    found = table.rows[np.asarray(index).astype(np.int64) & (len(table.rows) - 1)]
    return tuple(np.ascontiguousarray(found[..., column]) for column in range(table.columns))


def load(address: int, element: str, lanes: int) -> Lanes:
    """Load lanes from memory at any alignment."""
    dtype = np.dtype(element)
    return np.frombuffer(ctypes.string_at(address, dtype.itemsize * lanes), dtype).copy()


def store(address: int, lanes: Lanes) -> None:
    """Store lanes to memory at any alignment."""
    data = np.ascontiguousarray(lanes).tobytes()
    ctypes.memmove(address, data, len(data))
