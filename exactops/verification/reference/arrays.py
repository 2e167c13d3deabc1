"""The references over arrays: NumPy carries the bits in and out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from exactops.verification.reference.formats import BOOL, DTYPES, F64, FORMATS, Format, format_of
from exactops.verification.reference.numbers import weak_bits
from exactops.verification.reference.operators import REFERENCES, Kernel


def bits_of(array: np.ndarray) -> np.ndarray:
    """The array's elements as native unsigned integers of the same width, in C order (a copy)."""
    array = np.asarray(array)
    carrier = np.dtype(f"u{array.dtype.itemsize}")
    if not array.dtype.isnative:
        carrier = carrier.newbyteorder()
    flat = np.array(array, order="C", copy=True, subok=False)
    return flat.view(carrier).astype(carrier.newbyteorder("="), copy=False)


def array_of(patterns: np.ndarray | Sequence[int], dtype: Any) -> np.ndarray:
    """An array of a dtype (or short name) from bit patterns."""
    form = format_of(dtype)
    carrier = np.dtype(f"u{form.bits // 8}")
    return np.array(patterns, dtype=carrier).view(DTYPES[form.name])


_MEMORY: dict[tuple[Any, ...], dict[int, int]] = {}


def canonical_name(op: str) -> str:
    """The key of REFERENCES for any spelling: 'LessOrEqual', 'logical_not' and 'less_or_equal' all work."""
    if op in REFERENCES:
        return op
    snake = "".join("_" + letter.lower() if letter.isupper() else letter for letter in op).lstrip("_")
    snake = {"recip": "reciprocal", "sqr": "square", "gelu_erf": "gelu"}.get(snake, snake.removeprefix("logical_"))
    if snake not in REFERENCES:
        raise KeyError(f"no reference for operator {op!r}")
    return snake


def _elementwise(kernels: Sequence[Kernel], arrays: Sequence[Any], result: Format, cache_key: Any) -> list[np.ndarray]:
    present = [array for array in arrays if array is not None]
    shape = np.broadcast_shapes(*(array.shape for array in present)) if present else ()
    columns: list[Any] = []
    for array in arrays:
        if array is None:
            columns.append(None)
        elif array.size == 1:
            columns.append([int(array.reshape(-1)[0])] * math.prod(shape))
        else:
            columns.append(np.broadcast_to(array, shape).reshape(-1).tolist())
    outputs = []
    for number, kernel in enumerate(kernels):
        if len(columns) == 1:
            memory = _MEMORY.setdefault((*cache_key, number), {})
            values = []
            for pattern in columns[0]:
                value = memory.get(pattern)
                if value is None:
                    value = memory[pattern] = kernel(pattern)
                values.append(value)
            if len(memory) > 1 << 18:
                memory.clear()
        else:
            filled = [column if column is not None else [None] * math.prod(shape) for column in columns]
            values = [kernel(*row) for row in zip(*filled, strict=True)]
        outputs.append(array_of(values, result.name).reshape(shape))
    return outputs


def operand_arrays(op: str, arrays: Sequence[Any]) -> tuple[list[Any], list[Format]]:
    """Operands as arrays of bit patterns (None stays None) and their formats; Python scalars are weak."""
    strong = [each for each in arrays if each is not None and not isinstance(each, bool | int | float)]
    weak_format = format_of(np.asarray(strong[-1 if op == "where" else 0]).dtype) if strong else F64
    patterns: list[Any] = []
    formats: list[Format] = []
    for position, each in enumerate(arrays):
        if each is None:
            patterns.append(None)
            formats.append(weak_format)
        elif isinstance(each, bool | int | float):
            form = weak_format
            if op == "where" and position == 0:
                form = BOOL
            elif op == "pow" and position == 1:
                form = F64 if isinstance(each, float) else FORMATS["i64"]
            patterns.append(np.array(weak_bits(form, each), dtype=f"u{form.bits // 8}"))
            formats.append(form)
        else:
            array = np.asarray(each)
            patterns.append(bits_of(array))
            formats.append(format_of(array.dtype))
    return patterns, formats


def expected(op: str, arrays: Sequence[Any], attributes: dict[str, Any], result_dtype: Any) -> np.ndarray:
    """What exact mode returns: operands broadcast, computed one element at a time from their bits."""
    name, result = canonical_name(op), format_of(result_dtype)
    patterns, formats = operand_arrays(name, arrays)
    if name == "cast_like":
        patterns, formats = patterns[:1], formats[:1]
    kernel = REFERENCES[name].prepare(formats, result, attributes)
    key = (name, tuple(each.name for each in formats), result.name, repr(sorted(attributes.items(), key=str)))
    return _elementwise([kernel], patterns, result, key)[0]


def permitted_fast(op: str, arrays: Sequence[Any], attributes: dict[str, Any], result_dtype: Any) -> list[np.ndarray]:
    """The further values that a fused product-sum may give in fast mode (empty for operators that hold none)."""
    name, result = canonical_name(op), format_of(result_dtype)
    variants = REFERENCES[name].fast_variants
    if variants is None:
        return []
    patterns, formats = operand_arrays(name, arrays)
    key = ("fast", name, tuple(each.name for each in formats), repr(sorted(attributes.items(), key=str)))
    return _elementwise(variants(formats, result, attributes), patterns, result, key)
