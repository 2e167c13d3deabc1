"""The stored types. One record a type, from which its bit patterns follow: the one place that says how a type is stored.

A type is added by adding a record to ``FORMATS`` (and, where it is not stored as its computing element, a pair of lane
functions to :mod:`exactops.lanes.storage`).
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Format:
    """One stored element type.

    Attributes
    ----------
    short : str
        The name used in tables and messages, such as ``"bf16"``.
    dtype : numpy.dtype
        The NumPy dtype, in native byte order.
    kind : str
        ``"f"`` float, ``"i"`` signed, ``"u"`` unsigned integer or ``"b"`` bool.
    element : str
        The lane element it is loaded and stored as.
    computing : str
        The lane element that kernels see: float32 for the half types, masks for bool.
    onnx : int
        The number of the type in ONNX's ``TensorProto.DataType``.
    exponent_bits, fraction_bits : int
        Of a float: bits of the exponent field and of the fraction field. 0 for others.
    infinities : bool
        Of a float: whether the largest exponent field holds infinities and NaNs alone, as IEEE 754 has it. Without them the
        pattern of all ones is the only NaN, as the 8-bit types that end in "fn" have it.
    """

    short: str
    dtype: np.dtype
    kind: str
    element: str
    computing: str
    onnx: int
    exponent_bits: int = 0
    fraction_bits: int = 0
    infinities: bool = True

    # --- sizes

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def bits(self) -> int:
        """Bits of one element."""
        return 8 * self.dtype.itemsize

    @property
    def computing_size(self) -> int:
        """Bytes of one lane that kernels compute in."""
        return np.dtype(self.computing).itemsize

    # --- fields of a float

    @property
    def precision(self) -> int:
        """Bits of the significand, the implicit one included."""
        return self.fraction_bits + 1

    @property
    def bias(self) -> int:
        """What is added to the exponent in its field."""
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def least_exponent(self) -> int:
        """Exponent of the smallest normal number."""
        return 1 - self.bias

    @property
    def quantum_exponent(self) -> int:
        """Exponent of the smallest subnormal number."""
        return self.least_exponent - self.fraction_bits

    # --- bit patterns of a float

    @property
    def sign_bit(self) -> int:
        """The bit that holds the sign (of an integer too)."""
        return 1 << (self.bits - 1)

    @property
    def fraction_mask(self) -> int:
        """The bits of the fraction field."""
        return (1 << self.fraction_bits) - 1

    @property
    def exponent_mask(self) -> int:
        """The bits of the exponent field."""
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def infinity(self) -> int:
        """Bit pattern of positive infinity.

        Raises
        ------
        ValueError
            The type has none.
        """
        if not self.infinities:
            raise ValueError(f"{self.short} has no infinities")
        return self.exponent_mask

    @property
    def nan(self) -> int:
        """Bit pattern of the canonical NaN: quiet, positive, without payload."""
        return self.exponent_mask | (1 << (self.fraction_bits - 1) if self.infinities else self.fraction_mask)

    @property
    def overflow(self) -> int:
        """Bit pattern of what a positive number beyond the finite ones becomes: infinity, or NaN where there is none."""
        return self.exponent_mask if self.infinities else self.nan

    @property
    def largest(self) -> int:
        """Bit pattern of the largest finite value (of an integer: its largest value)."""
        if self.kind == "f":
            return self.overflow - 1
        return self.sign_bit - 1 if self.kind == "i" else (1 << self.bits) - 1

    @property
    def limits(self) -> tuple[int, int]:
        """Of an integer type: its least and its largest value."""
        if self.kind == "i":
            return -self.sign_bit, self.sign_bit - 1
        return 0, (1 << self.bits) - 1

    def extreme(self, upper: bool, finite: bool) -> int:
        """Bit pattern of the extreme value on one side: an infinity, or where ``finite`` is set the finite extreme."""
        if self.kind != "f":
            return self.largest if upper else self.limits[0] & ((1 << self.bits) - 1)
        return (self.largest if finite else self.infinity) | (0 if upper else self.sign_bit)

    # --- conversion of values

    def round(self, significand: int, exponent: int) -> int:
        """The bit pattern of ``significand * 2**exponent`` in a float type, rounded once to nearest even.

        ``significand`` is not negative; an overflow gives :attr:`overflow`.
        """
        if significand == 0:
            return 0
        # The exponent of the result's last place: that of the leading bit's binade, or of the subnormals.
        last = max(exponent + significand.bit_length() - self.precision, self.quantum_exponent)
        shift = last - exponent
        if shift > 0:
            kept, rest = significand >> shift, significand & ((1 << shift) - 1)
            half = 1 << (shift - 1)
            kept += rest > half or (rest == half and kept & 1)
        else:
            kept = significand << -shift
        # With the implicit bit added to the field, a carry moves to the next binade by itself.
        return min(kept + ((last - self.quantum_exponent) << self.fraction_bits), self.overflow)

    def value(self, pattern: int) -> Any:
        """The element of a bit pattern, as a NumPy scalar."""
        return self.array(pattern)[()]

    def array(self, pattern: int) -> np.ndarray:
        """A 0-d array of a bit pattern. It is read only."""
        return np.ndarray((), self.dtype, pattern.to_bytes(self.size, sys.byteorder))


def _integer(name: str, onnx: int) -> Format:
    return Format(f"{name[0]}{np.dtype(name).itemsize * 8}", np.dtype(name), name[0], name, name, onnx)


#: Every stored type by short name.
FORMATS: dict[str, Format] = {
    each.short: each
    for each in (
        Format("f16", np.dtype(np.float16), "f", "uint16", "float32", 10, exponent_bits=5, fraction_bits=10),
        Format("bf16", np.dtype(ml_dtypes.bfloat16), "f", "uint16", "float32", 16, exponent_bits=8, fraction_bits=7),
        Format("f32", np.dtype(np.float32), "f", "float32", "float32", 1, exponent_bits=8, fraction_bits=23),
        Format("f64", np.dtype(np.float64), "f", "float64", "float64", 11, exponent_bits=11, fraction_bits=52),
        _integer("int8", 3),
        _integer("int16", 5),
        _integer("int32", 6),
        _integer("int64", 7),
        _integer("uint8", 2),
        _integer("uint16", 4),
        _integer("uint32", 12),
        _integer("uint64", 13),
        Format("bool", np.dtype(np.bool_), "b", "uint8", "bool", 9),
    )
}

FLOATS = tuple(short for short, each in FORMATS.items() if each.kind == "f")
SIGNED = tuple(short for short, each in FORMATS.items() if each.kind == "i")
UNSIGNED = tuple(short for short, each in FORMATS.items() if each.kind == "u")
INTEGERS = SIGNED + UNSIGNED
NUMERIC = FLOATS + INTEGERS
BOOL = ("bool",)
EVERY = NUMERIC + BOOL

#: ONNX's names of TensorProto types that are not stored, by number, for messages.
ONNX_TYPES_NOT_STORED = {
    0: "UNDEFINED",
    8: "STRING",
    14: "COMPLEX64",
    15: "COMPLEX128",
    17: "FLOAT8E4M3FN",
    18: "FLOAT8E4M3FNUZ",
    19: "FLOAT8E5M2",
    20: "FLOAT8E5M2FNUZ",
    21: "UINT4",
    22: "INT4",
    23: "FLOAT4E2M1",
    24: "FLOAT8E8M0",
    25: "UINT2",
    26: "INT2",
}

#: NumPy's numbers of user dtypes, such as ml_dtypes', start here.
FIRST_USER_NUMBER = 256

_BY_DTYPE = {each.dtype: each for each in FORMATS.values()}


def format_of(dtype: Any) -> Format | None:
    """The stored type of a dtype of any byte order, or None where exactops does not store it.

    ``longlong`` and ``int64`` are two dtypes of one layout on some platforms: both are i64. Dtypes of other libraries that
    stand for a NumPy dtype (pandas' nullable ones, polars') count as that.
    """
    try:
        found = _BY_DTYPE.get(dtype)
    except TypeError:  # a dtype of another library need not be hashable
        found = None
    if found is not None:
        return found
    if isinstance(dtype, np.dtype):
        found = _BY_DTYPE.get(dtype.newbyteorder("="))
        if found is None and dtype.kind in "iu" and dtype.num < FIRST_USER_NUMBER:
            found = FORMATS.get(f"{dtype.kind}{dtype.itemsize * 8}")
        return found
    meant = getattr(dtype, "numpy_dtype", None)
    if isinstance(meant, np.dtype):
        return format_of(meant)
    return None


def format_named(name: object) -> Format | None:
    """The stored type of a short name or a NumPy dtype's name; None where there is none."""
    if not isinstance(name, str):
        return None
    return FORMATS.get(name) or _BY_NAME.get(name)


_BY_NAME = {each.dtype.name: each for each in FORMATS.values()}
