"""Search float32 for the hard cases of gelu and gelu_tanh: results nearest to the middle of two float32 neighbours.

The careful kernels give the result to about 2**-51; every operand whose result lies within 2**-47 of a middle is listed, and
so are subnormal operands, half of which have x/2 as an exact tie. Run from the repository root; it takes some minutes::

    python tools/find_hard_cases.py > testdata/hard_cases_extra_f32.csv
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from exactops.ops.gelu import gelu_careful, gelu_tanh_careful

CHUNK = 1 << 17
#: In units of the last place of a double.
NEAR = 64
SUBNORMAL = (1, 3, 5, 7, 0x2AAAAB, 0x555555, 0x7FFFFD, 0x7FFFFF, 0x800001, 0x800003, 0xFFFFFF, 0x1000001)


def gelu(x: np.ndarray) -> np.ndarray:
    """The wide value of the erf form."""
    return gelu_careful(x, np.minimum(np.abs(x), 14.9))


def gelu_tanh(x: np.ndarray) -> np.ndarray:
    """The wide value of the tanh form."""
    return gelu_tanh_careful(x, np.minimum(x, 11.2))


def search(function, first: int, last: int) -> list[int]:
    """Bits of the operands between two bit patterns, of which the last is excluded, whose results are near a middle."""
    found: list[int] = []
    for start in range(first, last, CHUNK):
        pattern = np.arange(start, min(start + CHUNK, last), dtype=np.int64).astype(np.uint32)
        y = function(pattern.view(np.float32).astype(np.float64))
        distance = np.abs((y.view(np.int64) & 0x1FFFFFFF) - 0x10000000)
        found += [int(bits) for bits in pattern[(distance < NEAR) & (np.abs(y) >= 2.0**-126)]]
    return found


def main() -> int:
    """Print the list as a table of comma-separated values."""
    print("function,input_bits")
    lowest = int(np.float32(2.0**-26).view(np.uint32))
    for function, end in ((gelu, 14.0), (gelu_tanh, 10.5)):
        highest = int(np.float32(end).view(np.uint32))
        cases = search(function, lowest, highest) + search(function, lowest | 1 << 31, highest | 1 << 31)
        cases += [bits | sign for bits in SUBNORMAL for sign in (0, 1 << 31)]
        for bits in sorted(set(cases)):
            print(f"{function.__name__},0x{bits:08x}", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
