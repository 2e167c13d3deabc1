"""What is sent to other processes: the public functions, and ufuncs, which libraries keep in graphs."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from support.processes import python
from support.values import same_bits

import exactops
from exactops.api import FUNCTIONS
from exactops.frontend.named_loops import ufuncs_of
from exactops.ops import find_operator
from exactops.table.signatures import signature

TYPES = {"exp": ("f32",), "add": ("bf16", "bf16"), "gelu": ("f16",), "cast": ("f64",), "mean": ("f32", "f32")}
SENT = (lambda what: pickle.loads(pickle.dumps(what)), copy.copy, copy.deepcopy)
CHOICES = {"gelu": {"approximate": "tanh"}, "cast": {"to": "i8"}}


@pytest.mark.parametrize("send", SENT, ids=["pickle", "copy", "deep copy"])
def test_public_functions_are_found_by_name(send: Callable[[Any], Any]) -> None:
    functions = [getattr(exactops, name) for name in FUNCTIONS]
    assert len(functions) > 50
    assert all(send(function) is function for function in functions)
    assert send(exactops.run) is exactops.run


@pytest.mark.parametrize("mode", ["exact", "fast"])
@pytest.mark.parametrize("operator", TYPES)
def test_ufuncs_are_found_by_name(operator: str, mode: str) -> None:
    found = signature(find_operator(operator), TYPES[operator], CHOICES.get(operator, {}))
    ufuncs = ufuncs_of(found, mode, exactops.paths()[0])
    assert ufuncs and all(pickle.loads(pickle.dumps(each)) is each for each in ufuncs)


def test_another_process_makes_the_ufunc_anew() -> None:
    """It has compiled nothing when it is asked for a ufunc."""
    ufunc = ufuncs_of(signature(find_operator("exp"), ("f32",), {}), "exact", exactops.paths()[0])[0]
    x = np.linspace(-90, 90, 1001, dtype=np.float32)
    program = """
import pickle, sys
function, ufunc, x = pickle.loads(bytes.fromhex(sys.argv[1]))
print(pickle.dumps((function(x), ufunc(x))).hex())
"""
    sent = pickle.dumps((exactops.exp, ufunc, x)).hex()
    results = pickle.loads(bytes.fromhex(python(program, sent)))
    assert len(results) == 2
    for result in results:
        same_bits(result, exactops.exp(x))
