"""Time per call by operator, dtype, size and mode; ``numpy`` among the modes is NumPy's way to the same result."""

from __future__ import annotations

import exactops

from .calls import CALLS, PAIRS, compiled, names
from .cases import CASES, SIZES, exactops_call, numpy_call, operands_of

_SHORT = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}


class Operator:
    """One call into memory that is there already."""

    param_names = ("operator", "dtype", "size", "mode")
    params = (list(CASES), list(_SHORT), list(SIZES), ["exact", "fast", "numpy"])

    def setup(self, name: str, dtype: str, size: int, mode: str) -> None:
        case = CASES[name]
        unserved = _SHORT[dtype] not in exactops.operators()[case.op].dtypes
        if unserved or (mode == "numpy" and case.numpy is None):
            raise NotImplementedError
        operands = operands_of(case, dtype, size)
        try:
            self.call = numpy_call(case, operands) if mode == "numpy" else exactops_call(case, operands, mode)
        except TypeError:  # SciPy does not know bfloat16
            raise NotImplementedError from None

    def time_call(self, name: str, dtype: str, size: int, mode: str) -> None:
        self.call()


class Overhead:
    """Sixteen elements: what a call costs before it computes anything, here of 64 calls."""

    number_of_calls = CALLS
    param_names = ("call",)
    params = ([*(pair.ours for pair in PAIRS), *dict.fromkeys(pair.numpy for pair in PAIRS)],)

    def setup(self, call: str) -> None:
        self.call = compiled(call, names())
        self.call()

    def time_calls(self, call: str) -> None:
        self.call()
