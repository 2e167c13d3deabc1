"""The error bounds that the float64 kernels rely on, proven a second time by Taylor models: tools/prove_binary64.py.

Here are those families whose proofs take seconds; the tool has all. A change of a kernel, a table or a bound that the proof
does not bear out fails.
"""

import sys
from pathlib import Path

import pytest

pytest.importorskip("mpmath")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import prove_binary64


@pytest.mark.parametrize("family", ["exp", "sigmoid", "sin_cos", "erf"])
def test_the_bounds_of_the_kernels_are_proven(family):
    claims = list(getattr(prove_binary64, family)())
    assert claims
    for claim in claims:
        assert 0 < claim.used <= 1, claim
