"""The function under audit: how it is called, watched, and named."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from exactops.testing.bits import bits_of, storage_named
from exactops.testing.memory import lay_out

#: The most elements of one call.
BLOCK = 1 << 18

#: Turns arrays into what a function takes, and its result into an array.
Adapter = tuple[Callable[[np.ndarray], Any], Callable[[Any], Any]]


class Subject:
    """The function: called with fresh copies, watched for writes, its result made an array."""

    def __init__(self, function: Callable[..., Any], adapter: Adapter) -> None:
        self.function = function
        self.to, self.back = adapter
        self.modified = ""

    def __call__(self, operands: Sequence[np.ndarray], what: str, dtype: np.dtype, layout: str = "contiguous") -> np.ndarray:
        """The result for copies of the operands in a layout."""
        return self.direct([lay_out(each, layout) for each in operands], what, dtype)

    def direct(self, operands: Sequence[np.ndarray], what: str, dtype: np.dtype) -> np.ndarray:
        """The result for these arrays."""
        before = [bits_of(each) for each in operands]
        with np.errstate(all="ignore"):
            result = np.array(self.back(self.function(*map(self.to, operands))))
        for number, (each, bits) in enumerate(zip(operands, before, strict=True)):
            changed = np.flatnonzero(bits_of(each) != bits)
            if changed.size and not self.modified:
                self.modified = f"operand {number} in {what}, {changed.size} elements, the first at {int(changed[0])}"
        shape = np.broadcast_shapes(*(each.shape for each in operands))
        if result.shape != shape:
            raise ValueError(f"the function returned shape {result.shape} for operands of shape {shape}")
        if result.dtype != dtype:
            raise TypeError(f"the function returned {result.dtype}, the operator's result is {dtype}")
        return result


def adapter_of(adapter: str | Adapter | None) -> Adapter:
    """The pair of callables that an ``adapter=`` argument stands for.

    Raises
    ------
    ValueError
        It is neither ``"torch"`` nor a pair of callables.
    ImportError
        PyTorch is missing.
    """
    if adapter is None:
        return (lambda array: array), np.asarray
    if adapter == "torch":
        return _torch()
    if isinstance(adapter, tuple) and len(adapter) == 2 and all(map(callable, adapter)):
        return adapter
    raise ValueError(f"adapter={adapter!r}: it must be 'torch' or a pair of callables")


def _torch() -> Adapter:
    try:
        import torch
    except ImportError as error:
        raise ImportError("the adapter 'torch' needs PyTorch: pip install torch") from error
    bfloat16 = storage_named("bf16").dtype

    def to(array: np.ndarray) -> Any:
        if array.dtype == bfloat16:
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)

    def back(tensor: Any) -> np.ndarray:
        tensor = tensor.detach().cpu()
        if tensor.dtype == torch.bfloat16:
            return tensor.view(torch.int16).numpy().view(bfloat16)
        return tensor.numpy()

    return to, back


def name_of(function: Callable[..., Any]) -> str:
    """The dotted name of a function, as a report shows it."""
    if isinstance(function, functools.partial):
        return f"partial({name_of(function.func)})"
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", getattr(function, "__name__", None))
    return ".".join(filter(None, (module, name))) if name else repr(function)
