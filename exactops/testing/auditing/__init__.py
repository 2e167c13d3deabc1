"""The audit: any element-wise function, compared with the exact values.

The exact values are those of exactops' exact mode. They are correctly rounded, which ``python -m exactops prove`` checks for
all inputs; where gmpy2 is installed, the worst result of an audit is confirmed by MPFR on the spot.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from exactops.frontend.plan import plan
from exactops.ops import find_operator
from exactops.table.operator import Operator
from exactops.testing.auditing.comparison import compare, confirm
from exactops.testing.auditing.dependence import ASPECTS, dependence_of, probe_of
from exactops.testing.auditing.inputs import inputs_of, operands_of
from exactops.testing.auditing.report import AuditReport, Dependence, Deviation
from exactops.testing.auditing.subject import BLOCK, Adapter, Subject, adapter_of, name_of
from exactops.testing.bits import storage_named

__all__ = ["ASPECTS", "SAMPLES", "Adapter", "AuditReport", "Dependence", "Deviation", "audit"]

#: Inputs of an audit, by default.
SAMPLES = 1 << 20


def audit(
    function: Callable[..., Any],
    op: str,
    dtype: Any = "float32",
    *,
    attributes: Mapping[str, Any] | None = None,
    samples: int = SAMPLES,
    seed: int = 0,
    adapter: str | Adapter | None = None,
    name: str | None = None,
    advance: Callable[[int], Any] = lambda inputs: None,
) -> AuditReport:
    """Compare an element-wise function of any library with the exact values of an operator.

    The audit finds how many results are not correctly rounded, how far the worst is off and for which operand, where special
    values and signs of zero differ, whether the bits of a result depend on anything but the values (a second call, the
    position in the array, the array's length, its stride, its direction, its alignment, calls in other threads), and whether
    the function writes to its operands.

    Parameters
    ----------
    function : callable
        Takes as many arrays as the operator has operands, of one shape, and returns an array of that shape. Arguments of its
        own are filled in by ``functools.partial``.
    op : str
        Any spelling of an operator of exactops.
    dtype : dtype_like
        Type of the operands.
    attributes : mapping, optional
        Attributes of the operator.
    samples : int
        How many results are compared: hard values, numbers of every exponent, and random ones where the operator is neither
        constant nor infinite nor the identity. For one operand of 8 or 16 bits all inputs are tried instead.
    seed : int
        The same seed gives the same inputs.
    adapter : "torch" or pair of callables, optional
        How arrays become what the function takes, and its result an array; by default the function takes arrays, and
        ``numpy.asarray`` makes one of the result.
    name : str, optional
        What the report calls the function.
    advance : callable
        Called with the number of inputs done since the last call.

    Returns
    -------
    AuditReport
        ``print`` shows it; ``passed`` says whether nothing was found.

    Raises
    ------
    UnsupportedError
        No such operator, or exactops does not serve it for this dtype.
    TypeError, ValueError
        The function returns another dtype or shape than the operator; an unknown adapter. What the function itself raises for
        plain contiguous arrays is passed on.

    Examples
    --------
    >>> import numpy as np, exactops
    >>> from exactops.testing import audit
    >>> audit(exactops.sqrt, "sqrt", samples=10_000).passed
    True
    >>> report = audit(lambda x: np.where(x > 0, x, np.float32(0)), "relu", samples=10_000)
    >>> report.passed, report.specials > 0  # a NaN became 0
    (False, True)
    """
    operator, storage = find_operator(op), storage_named(dtype)
    given = dict(attributes or {})
    if samples < 1:
        raise ValueError(f"samples={samples!r}: at least one is needed")
    exact = functools.partial(_exact, operator, given)
    nothing = operands_of(operator, storage, np.zeros(0, storage.dtype), 0, given)
    plan(operator, nothing, attributes=given)  # refuses what is not served
    subject = Subject(function, adapter_of(adapter))
    title = name or name_of(function)
    report = AuditReport(title, operator.name, storage.dtype.name, given, seed)
    operands = inputs_of(operator, storage, samples, seed, exact, given)
    # Once for all threads: filters of warnings belong to the process.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        actual, expected = _results(subject, exact, operands, advance)
        compare(report, operands, actual, expected)
        report.dependence = dependence_of(subject, operands, actual, probe_of(actual, expected, seed), seed)
    report.confirmed = confirm(report, operator, storage)
    report.modified_input = subject.modified
    return report


def _results(
    subject: Subject, exact: Callable[..., np.ndarray], operands: tuple[np.ndarray, ...], advance: Callable[[int], Any]
) -> tuple[np.ndarray, np.ndarray]:
    """What the function gives and the exact results, block by block."""
    size = operands[0].size
    expected = np.empty(size, exact(*(each[:0] for each in operands)).dtype)
    actual = np.empty(size, expected.dtype)
    for start in range(0, size, BLOCK):
        part = tuple(each[start : start + BLOCK] for each in operands)
        expected[start : start + BLOCK] = exact(*part)
        actual[start : start + BLOCK] = subject(part, f"a call with {part[0].size} elements", expected.dtype)
        advance(part[0].size)
    return actual, expected


def _exact(operator: Operator, attributes: Mapping[str, Any], *operands: np.ndarray) -> np.ndarray:
    """The exact values: those of exact mode."""
    import exactops

    return np.asarray(exactops.run(operator.name, *operands, **attributes))
