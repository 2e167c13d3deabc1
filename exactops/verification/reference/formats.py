"""The stored types as the references see them: widths, precisions and special bit patterns."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np


class FloatFormat:
    """An IEEE binary interchange format (or bfloat16)."""

    is_float = True
    is_bool = False

    def __init__(self, name: str, bits: int, precision: int) -> None:
        self.name = name
        self.bits = bits
        self.precision = precision
        self.exponent_max = (1 << (bits - precision - 1)) - 1
        self.exponent_min = 1 - self.exponent_max
        self.mantissa_bits = precision - 1
        self.mantissa_mask = (1 << self.mantissa_bits) - 1
        self.sign_bit = 1 << (bits - 1)
        self.infinity = (self.sign_bit - 1) & ~self.mantissa_mask
        self.quiet_nan = self.infinity | (1 << (self.mantissa_bits - 1))
        self.largest = self.infinity - 1
        self.one = self.exponent_max << self.mantissa_bits
        self.quantum = self.exponent_min - self.mantissa_bits

    def __repr__(self) -> str:
        return self.name


class IntegerFormat:
    """A two's complement or unsigned integer, or bool (one byte, any non-zero byte is true)."""

    is_float = False

    def __init__(self, name: str, bits: int, signed: bool) -> None:
        self.name = name
        self.bits = bits
        self.signed = signed
        self.is_bool = name == "bool"
        self.mask = (1 << bits) - 1
        self.minimum = -(1 << (bits - 1)) if signed else 0
        self.maximum = 1 if self.is_bool else self.mask >> signed

    def __repr__(self) -> str:
        return self.name

    def decode(self, pattern: int) -> int:
        """The integer that a bit pattern stands for."""
        if self.is_bool:
            return int(pattern != 0)
        return pattern - (1 << self.bits) if self.signed and pattern >> (self.bits - 1) else pattern

    def wrap(self, value: int) -> int:
        """The bit pattern of an integer modulo 2**bits."""
        return value & self.mask

    def saturate(self, value: int) -> int:
        """The bit pattern of an integer clamped to the type's range."""
        return min(max(value, self.minimum), self.maximum) & self.mask


#: Either of them. Which one an operator has is known where it is used, and not to a type checker.
Format = Any

F16 = FloatFormat("f16", 16, 11)
BF16 = FloatFormat("bf16", 16, 8)
F32 = FloatFormat("f32", 32, 24)
F64 = FloatFormat("f64", 64, 53)
BOOL = IntegerFormat("bool", 8, False)
INTEGERS = tuple(
    IntegerFormat(f"{'iu'[unsigned]}{bits}", bits, not unsigned) for unsigned in (0, 1) for bits in (8, 16, 32, 64)
)

_ALL: tuple[Format, ...] = (F16, BF16, F32, F64, *INTEGERS, BOOL)
FORMATS: dict[str, Format] = {each.name: each for each in _ALL}
DTYPES: dict[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "bool": np.dtype(np.bool_),
    **{each.name: np.dtype(f"{'int' if each.signed else 'uint'}{each.bits}") for each in INTEGERS},
}
FLOATS = ("f16", "bf16", "f32", "f64")
SIGNED_INTEGERS = ("i8", "i16", "i32", "i64")
UNSIGNED_INTEGERS = ("u8", "u16", "u32", "u64")
NUMERIC = FLOATS + SIGNED_INTEGERS + UNSIGNED_INTEGERS
ALL_TYPES = (*NUMERIC, "bool")


def format_of(dtype: Any) -> Format:
    """The format of a NumPy dtype (of either byte order) or of a short name such as 'f32'."""
    if isinstance(dtype, str) and dtype in FORMATS:
        return FORMATS[dtype]
    native = np.dtype(dtype).newbyteorder("=") if np.dtype(dtype).kind != "V" else np.dtype(dtype)
    for name, known in DTYPES.items():
        if native == known:
            return FORMATS[name]
    raise TypeError(f"no reference format for dtype {dtype!r}")
