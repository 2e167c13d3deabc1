"""Calls of sixteen elements, whose cost is that of the call: statements for exactops beside NumPy's same calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import exactops
from exactops.frontend.accelerator import plain_function

#: The largest cost of a call as a multiple of NumPy's, by kind of call: by the plain dispatch alone, and with the accelerator.
LIMITS = {"named function": (2.5, 1.3), "run": (3.0, 1.4), "other": (3.0, 3.0)}

#: Calls that one run of a compiled statement makes, each with another value of ``v``, ``n`` and ``f``.
CALLS = 64

#: Objects that take turns as ``v``, ``n`` and ``f``: more than a dispatch that remembers objects would remember.
_VALUES = 4096


class Pair(NamedTuple):
    """A statement for exactops, and NumPy's same call.

    Attributes
    ----------
    kind : str
        One of ``LIMITS``.
    what : str
        What the operands are.
    ours, numpy : str
        Expressions over :func:`names`.
    """

    kind: str
    what: str
    ours: str
    numpy: str


def _pairs() -> list[Pair]:
    arrays = [
        ("an array", "exp(x)", "np.exp(x)"),
        ("an array, out=", "exp(x, out=r)", "np.exp(x, out=r)"),
        ("two arrays", "add(x, y)", "np.add(x, y)"),
        ("two arrays, out=", "add(x, y, out=r)", "np.add(x, y, out=r)"),
        ("strided", "add(s, y)", "np.add(s, y)"),
        ("strided, out=", "add(s, y, out=r)", "np.add(s, y, out=r)"),
        ("broadcast", "add(matrix, row)", "np.add(matrix, row)"),
        ("broadcast, out=", "add(matrix, row, out=r44)", "np.add(matrix, row, out=r44)"),
    ]
    others = [
        ("a varying Python float", "add(x, v)", "np.add(x, v)"),
        ("a varying Python int", "add(x, n)", "np.add(x, n)"),
        ("a varying NumPy scalar", "add(x, f)", "np.add(x, f)"),
        ("NumPy scalars", "add(f, g)", "np.add(f, g)"),
        ("a 0-d array", "add(x, zero_d)", "np.add(x, zero_d)"),
        ("0-d arrays", "add(zero_d, zero_d)", "np.add(zero_d, zero_d)"),
        ("where=", "add(x, y, out=r, where=mask)", "np.add(x, y, out=r, where=mask)"),
        ("a varying attribute by keyword", "leaky_relu(x, alpha=v)", "np.multiply(x, v)"),
        ("a list", "add(list, list)", "np.add(list, list)"),
    ]
    found = []
    for kind, rows in (("named function", arrays), ("run", arrays), ("other", others), ("other by run", others)):
        for what, ours, numpy in rows:
            if kind in ("run", "other by run"):
                name, _, rest = ours.partition("(")
                ours = f"run({name!r}, {rest}"
            found.append(Pair(kind.removesuffix(" by run"), what, ours, numpy))
    return found


#: Every pair.
PAIRS = _pairs()


def names(accelerated: bool = True) -> dict[str, Any]:
    """What the statements are about; without the accelerator the functions are those of the plain dispatch."""
    functions = {name: getattr(exactops, name) for name in ("run", "add", "exp", "leaky_relu")}
    if not accelerated:
        functions = {name: plain_function(function) for name, function in functions.items()}
    x = np.linspace(0.5, 2.0, 16, dtype=np.float32)
    return {
        "np": np,
        **functions,
        "x": x,
        "y": x[::-1].copy(),
        "r": np.empty_like(x),
        "s": np.linspace(0.5, 2.0, 32, dtype=np.float32)[::2],
        "matrix": x.reshape(4, 4).copy(),
        "row": x[:4].copy(),
        "r44": np.empty((4, 4), np.float32),
        "g": np.float32(0.75),
        "zero_d": np.array(0.5, np.float32),
        "mask": np.arange(16) % 3 != 0,
        "list": x.tolist(),
    }


def compiled(expression: str, scope: dict[str, Any]) -> Callable[[], None]:
    """A function that evaluates an expression ``CALLS`` times, so that its own call costs nothing beside them.

    Parameters
    ----------
    expression : str
        One of a :class:`Pair`.
    scope : dict
        See :func:`names`.

    Returns
    -------
    callable
        What it takes, divided by ``CALLS``, is the cost of one evaluation.
    """
    values = itertools.cycle([(0.25 + k / _VALUES, 1000 + k, np.float32(0.25 + k / _VALUES)) for k in range(_VALUES)])
    # Locals, as in a function that a user writes.
    space = {**scope, "values": values, "islice": itertools.islice}
    heading = f"def measured({', '.join(f'{name}={name}' for name in space)}):\n"
    code = f"{heading}    for v, n, f in islice(values, {CALLS}):\n        {expression}\n"
    exec(code, space)
    function: Callable[[], None] = space["measured"]
    return function
