"""The stored types: their short names, NumPy dtypes and lane elements. The one place that says how a type is computed in."""

from __future__ import annotations

from dataclasses import dataclass

import ml_dtypes
import numpy as np


@dataclass(frozen=True)
class Storage:
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
    significand, exponent : int
        Of a float: bits of the significand, the implicit one included, and of the exponent field. 0 for others.
    onnx : int
        The number of the type in ONNX's ``TensorProto.DataType``.
    """

    short: str
    dtype: np.dtype
    kind: str
    element: str
    computing: str
    significand: int = 0
    exponent: int = 0
    onnx: int = 0

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.dtype.itemsize

    @property
    def computing_size(self) -> int:
        """Bytes of one lane that kernels compute in."""
        return 4 if self.kind == "f" and self.size == 2 else self.size

    @property
    def nan(self) -> int:
        """Bit pattern of the canonical NaN: quiet, positive, without payload."""
        return ((1 << (self.exponent + 1)) - 1) << (self.significand - 2)


def _integer(name: str, onnx: int) -> Storage:
    return Storage(f"{name[0]}{np.dtype(name).itemsize * 8}", np.dtype(name), name[0], name, name, onnx=onnx)


#: Every stored type by short name.
STORAGES: dict[str, Storage] = {
    storage.short: storage
    for storage in (
        Storage("f16", np.dtype(np.float16), "f", "uint16", "float32", 11, 5, onnx=10),
        Storage("bf16", np.dtype(ml_dtypes.bfloat16), "f", "uint16", "float32", 8, 8, onnx=16),
        Storage("f32", np.dtype(np.float32), "f", "float32", "float32", 24, 8, onnx=1),
        Storage("f64", np.dtype(np.float64), "f", "float64", "float64", 53, 11, onnx=11),
        _integer("int8", 3),
        _integer("int16", 5),
        _integer("int32", 6),
        _integer("int64", 7),
        _integer("uint8", 2),
        _integer("uint16", 4),
        _integer("uint32", 12),
        _integer("uint64", 13),
        Storage("bool", np.dtype(np.bool_), "b", "uint8", "bool", onnx=9),
    )
}

FLOATS = ("f16", "bf16", "f32", "f64")
SIGNED = ("i8", "i16", "i32", "i64")
UNSIGNED = ("u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
NUMERIC = FLOATS + INTEGERS
BOOL = ("bool",)
EVERY = NUMERIC + BOOL

#: NumPy's numbers of user dtypes, such as ml_dtypes', start here.
FIRST_USER_NUMBER = 256

_BY_DTYPE = {storage.dtype: storage for storage in STORAGES.values()}


def storage_of(dtype: np.dtype) -> Storage | None:
    """The stored type of a dtype of any byte order, or None where exactops does not store it.

    ``longlong`` and ``int64`` are two dtypes of one layout on some platforms: both are i64.
    """
    found = _BY_DTYPE.get(dtype)
    if found is None and isinstance(dtype, np.dtype):
        found = _BY_DTYPE.get(dtype.newbyteorder("="))
        if found is None and dtype.kind in "iu" and dtype.num < FIRST_USER_NUMBER:
            found = STORAGES.get(f"{dtype.kind}{dtype.itemsize * 8}")
    return found
