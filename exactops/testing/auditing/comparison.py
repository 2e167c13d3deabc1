"""Results compared with the exact values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from exactops.table.formats import Format
from exactops.table.operator import Operator
from exactops.testing.auditing.report import AuditReport, Deviation
from exactops.testing.bits import bits_of, infinity_bits, is_nan, number_line, ordered, sign_bit, storage_named, ulp_distance

#: Groups of neighbouring inputs that a report keeps for its plot.
_POINTS = 1024


def compare(report: AuditReport, operands: tuple[np.ndarray, ...], actual: np.ndarray, expected: np.ndarray) -> None:
    """Fill in what the report says of errors, special values and signs of zero."""
    storage = storage_named(expected.dtype)
    differ = differing(actual, expected)
    distance = ulp_distance(actual, expected)
    report.samples, report.incorrect = int(actual.size), int(np.count_nonzero(differ))
    finite = np.ones(actual.shape, np.bool_)
    if storage.kind == "f":
        unsigned = np.dtype(f"u{storage.size}").type
        magnitude, infinity = unsigned(sign_bit(storage) - 1), unsigned(infinity_bits(storage))
        got, want = bits_of(actual) & magnitude, bits_of(expected) & magnitude
        special = differ & ((got >= infinity) | (want >= infinity))
        zeros = differ & (got == 0) & (want == 0)
        finite = (got < infinity) & (want < infinity)
        report.specials, report.zero_signs = int(np.count_nonzero(special)), int(np.count_nonzero(zeros))
        if report.specials:
            report.special_example = deviation_at(operands, actual, expected, np.flatnonzero(special)[0])
        if report.zero_signs:
            report.zero_sign_example = deviation_at(operands, actual, expected, np.flatnonzero(zeros)[0])
        report.noncanonical_nans = int(np.count_nonzero(is_nan(actual) & (bits_of(actual) != storage.nan)))
    distance = np.where(finite, distance, np.uint64(0))
    if distance.size and distance.max() > 0:
        report.worst = deviation_at(operands, actual, expected, int(distance.argmax()))
    report.points = _points(operands[-1 if operands[0].dtype != operands[-1].dtype else 0], distance, differ)


def differing(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where bits differ; NaNs are all alike."""
    if actual.dtype == np.bool_:
        return np.asarray((bits_of(actual) != 0) != (bits_of(expected) != 0))
    return np.asarray((bits_of(actual) != bits_of(expected)) & ~(is_nan(actual) & is_nan(expected)))


def deviation_at(operands: Sequence[np.ndarray], actual: np.ndarray, expected: np.ndarray, index: Any) -> Deviation:
    """The result at an index beside the one expected there."""
    distance = int(ulp_distance(actual[index], expected[index]))
    return Deviation(tuple(each[index] for each in operands), actual[index], expected[index], distance)


def _points(first: np.ndarray, distance: np.ndarray, differ: np.ndarray) -> np.ndarray:
    """Groups of neighbouring inputs: value, place, largest error, share."""
    numbers = np.flatnonzero(~is_nan(first))
    order = np.argsort(ordered(first[numbers]), kind="stable")
    place = number_line(first[numbers])
    found = []
    for group in np.array_split(order, min(_POINTS, order.size)) if order.size else []:
        chosen = numbers[group]
        middle = group[group.size // 2]
        found.append(
            (
                float(first[numbers[middle]]),
                float(place[middle]),
                float(distance[chosen].max()),
                float(differ[chosen].mean()),
            )
        )
    return np.array(found, np.float64).reshape(-1, 4)


def confirm(report: AuditReport, operator: Operator, storage: Format) -> bool | None:
    """Ask MPFR for the exact value of the worst result.

    Returns
    -------
    bool or None
        Whether it is the one in the report; None where there is nothing to ask, or no gmpy2 to ask with.
    """
    if report.worst is None or len(report.worst.operands) != 1 or storage.kind != "f":
        return None
    try:
        from exactops.verification.decision import correctly_rounded
        from exactops.verification.functions import function_of

        function = function_of(operator.name, report.attributes)
    except (ImportError, KeyError):
        return None
    bits = int(bits_of(report.worst.operands[0]))
    return correctly_rounded(function, bits, storage) == int(bits_of(report.worst.expected))
