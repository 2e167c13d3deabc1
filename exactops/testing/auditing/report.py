"""What an audit found: the report and what it is made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from exactops.testing.bits import bits_of, hexadecimal


@dataclass(frozen=True)
class Deviation:
    """One result that differs.

    Attributes
    ----------
    operands : tuple of numpy.generic
        The operands.
    actual : numpy.generic
        What the function gave.
    expected : numpy.generic
        The exact value; of a dependence, what the function gave for the same values elsewhere.
    ulp : int
        The distance of the two, as :func:`ulp_distance` has it.
    """

    operands: tuple[Any, ...]
    actual: Any
    expected: Any
    ulp: int

    def __str__(self) -> str:
        operands = ", ".join(hexadecimal(each) for each in self.operands)
        return f"f({operands}) = {hexadecimal(self.actual)} instead of {hexadecimal(self.expected)}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values: bits in hexadecimal, and the values as text."""
        return {
            "operands": [_plain(each) for each in self.operands],
            "actual": _plain(self.actual),
            "expected": _plain(self.expected),
            "ulp": self.ulp,
        }


@dataclass
class Dependence:
    """Whether bits depend on something that they must not depend on.

    Attributes
    ----------
    compared, differ : int
        Results compared with those of a plain call, and how many differ. NaNs are all alike here.
    where : str
        Where the first difference was seen.
    example : Deviation, optional
        The first difference.
    refused : list of str
        Layouts that the function does not take, with its error.
    """

    compared: int = 0
    differ: int = 0
    where: str = ""
    example: Deviation | None = None
    refused: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "compared": self.compared,
            "differ": self.differ,
            "where": self.where,
            "example": self.example and self.example.to_dict(),
            "refused": self.refused,
        }


@dataclass
class AuditReport:
    """What an audit found.

    Attributes
    ----------
    function, operator, dtype : str
        What was compared with which operator, and the type of the operands.
    attributes : dict
        Attributes of the operator.
    seed : int
        Seed of the random inputs.
    samples : int
        Results compared with the exact ones.
    incorrect : int
        Results that are not the correctly rounded ones. A NaN is right where the exact result is a NaN, whatever its payload.
    worst : Deviation, optional
        The result farthest from the exact one, where both are finite; None where all of those are exact.
    confirmed : bool or None
        Whether MPFR gives the exact value of ``worst`` as well; None where it was not asked (no gmpy2, or no such reference).
    specials, zero_signs : int
        Results of another kind than the exact one (NaN, infinity, finite), and zeros of the wrong sign.
    special_example, zero_sign_example : Deviation, optional
        The first of each.
    noncanonical_nans : int
        NaNs with a sign or a payload. They count as right.
    dependence : dict from str to Dependence
        By aspect: repetition, position, length, stride, reversed, alignment, threads.
    modified_input : str
        The call in which the function wrote to one of its operands; empty if it did not.
    points : numpy.ndarray
        For the plot, a row for each group of neighbouring inputs: the first operand, its place on the number line of its type
        (see :func:`exactops.testing.bits.number_line`), the largest error in ulp, and the share of results that are not
        correctly rounded.
    """

    function: str
    operator: str
    dtype: str
    attributes: dict[str, Any]
    seed: int
    samples: int = 0
    incorrect: int = 0
    worst: Deviation | None = None
    confirmed: bool | None = None
    specials: int = 0
    special_example: Deviation | None = None
    zero_signs: int = 0
    zero_sign_example: Deviation | None = None
    noncanonical_nans: int = 0
    dependence: dict[str, Dependence] = field(default_factory=dict)
    modified_input: str = ""
    points: np.ndarray = field(default_factory=lambda: np.zeros((0, 4)), repr=False, compare=False)

    @property
    def share(self) -> float:
        """The share of results that are not correctly rounded."""
        return self.incorrect / self.samples if self.samples else 0.0

    @property
    def worst_ulp(self) -> int:
        """The largest error in ulp, where result and exact value are finite."""
        return self.worst.ulp if self.worst else 0

    @property
    def exact(self) -> bool:
        """Whether every result is the exact one."""
        return not self.incorrect

    @property
    def reproducible(self) -> bool:
        """Whether the bits depend on the values alone, as far as was seen."""
        return not any(found.differ for found in self.dependence.values())

    @property
    def passed(self) -> bool:
        """Exact, reproducible, and no operand was written to."""
        return self.exact and self.reproducible and not self.modified_input

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "function": self.function,
            "operator": self.operator,
            "dtype": self.dtype,
            "attributes": {name: _plain_attribute(value) for name, value in self.attributes.items()},
            "seed": self.seed,
            "samples": self.samples,
            "incorrect": self.incorrect,
            "share": self.share,
            "worst_ulp": self.worst_ulp,
            "worst": self.worst and self.worst.to_dict(),
            "confirmed": self.confirmed,
            "specials": self.specials,
            "special_example": self.special_example and self.special_example.to_dict(),
            "zero_signs": self.zero_signs,
            "zero_sign_example": self.zero_sign_example and self.zero_sign_example.to_dict(),
            "noncanonical_nans": self.noncanonical_nans,
            "dependence": {aspect: found.to_dict() for aspect, found in self.dependence.items()},
            "modified_input": self.modified_input,
            "exact": self.exact,
            "reproducible": self.reproducible,
            "passed": self.passed,
        }

    def rows(self) -> list[tuple[str, str, str]]:
        """What was found as rows of a table: a question, the answer, an example."""
        confirmed = {None: "", True: "; MPFR agrees", False: "; MPFR DISAGREES with the exact value"}[self.confirmed]
        rows = [
            ("not correctly rounded", f"{self.incorrect:,} of {self.samples:,} ({100 * self.share:.3g}%)", ""),
            ("largest error", f"{self.worst_ulp:,} ulp{confirmed}", _text(self.worst)),
            ("special values differ", f"{self.specials:,}", _text(self.special_example)),
            ("signs of zero differ", f"{self.zero_signs:,}", _text(self.zero_sign_example)),
            ("NaNs with sign or payload", f"{self.noncanonical_nans:,}", ""),
        ]
        for aspect, found in self.dependence.items():
            answer = f"YES: {found.differ:,} of {found.compared:,}" if found.differ else "no" if found.compared else "not seen"
            example = f"{found.where}: {found.example}" if found.differ else ""
            if found.refused:
                example += f"{'; ' if example else ''}refused: {'; '.join(found.refused)}"
            rows.append((f"bits depend on {aspect}", answer, example))
        rows.append(("writes to its operands", "YES" if self.modified_input else "no", self.modified_input))
        return rows

    @property
    def reference(self) -> str:
        """The operator with its attributes, as text: ``"leaky_relu, alpha=0.3"``."""
        return ", ".join([self.operator, *(f"{name}={_plain_attribute(value)}" for name, value in self.attributes.items())])

    def __str__(self) -> str:
        lines = [f"{self.function} as {self.reference}, {self.dtype}"]
        lines += [": ".join(filter(None, row[:2])) + (f" [{row[2]}]" if row[2] else "") for row in self.rows()]
        return "\n".join(lines)

    def plot(self, file: str | Path) -> None:
        """Draw the error over the first operand and save the picture.

        Parameters
        ----------
        file : str or Path
            The format follows from the suffix: ``.png``, ``.svg``, ``.pdf`` and whatever else Matplotlib writes.

        Raises
        ------
        ImportError
            Matplotlib is missing; the extra ``exactops[plot]`` installs it.
        ValueError
            Matplotlib writes no format of this suffix.
        OSError
            The folder does not exist, or the file cannot be written.
        """
        from exactops.testing.auditing.plot import draw

        draw(self, file)


def _text(deviation: Deviation | None) -> str:
    return "" if deviation is None else str(deviation)


def _plain(element: Any) -> dict[str, str]:
    array = np.asarray(element)
    return {"bits": f"0x{int(bits_of(array)):0{2 * array.dtype.itemsize}x}", "value": str(element)}


def _plain_attribute(value: Any) -> Any:
    return value if isinstance(value, (bool, int, float, str)) else str(value)
