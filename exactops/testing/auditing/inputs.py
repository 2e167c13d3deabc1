"""The operands of an audit: hard values, numbers of every exponent, and random numbers where the operator is not trivial."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection

import numpy as np

from exactops.table.formats import Format
from exactops.table.operator import Operator
from exactops.testing.bits import bits_of, from_bits, is_nan, ordered
from exactops.testing.hard import generator, hard_values, mixed_values, random_bits, related

#: Random numbers of each sign and exponent.
_EACH_EXPONENT = 12


def inputs_of(
    operator: Operator, storage: Format, samples: int, seed: int, exact: Callable[..., np.ndarray], given: Collection[str]
) -> tuple[np.ndarray, ...]:
    """The operands of the comparison: flat, of one length."""
    single = len(operands_of(operator, storage, np.zeros(0, storage.dtype), seed, given)) == 1
    if single and storage.size <= 2:
        count = 2 if storage.kind == "b" else 1 << (8 * storage.size)
        return (from_bits(np.arange(count), storage.dtype),)
    chance = generator(seed, "audit", storage.short)
    if storage.kind != "f":
        first = np.concatenate([hard_values(storage.dtype), mixed_values(storage.dtype, samples, seed)])
    else:
        structured = _each_exponent(storage, chance)
        first = np.concatenate([hard_values(storage.dtype), structured])
        rest = samples - first.size
        if rest > 0:
            more = _active(storage, structured, exact, rest, chance) if single else mixed_values(storage.dtype, rest, seed)
            first = np.concatenate([first, more])
    # In random order: a function that takes another way for a whole group of lanes sees mixed groups. Where few samples are
    # wanted, those that are kept are a random part.
    first = first[chance.permutation(first.size)[:samples]]
    return operands_of(operator, storage, first, seed, given)


def operands_of(
    operator: Operator, storage: Format, first: np.ndarray, seed: int, given: Collection[str] = ()
) -> tuple[np.ndarray, ...]:
    """Operands of which the first value operand is there: the others partly random, partly related to it.

    Bounds that are ``given`` as attributes, and those behind them, are not drawn.
    """
    records = operator.operands * (2 if operator.fold is not None else 1)
    found: list[np.ndarray] = []
    for turn, operand in enumerate(itertools.takewhile(lambda record: record.name not in given, records)):
        if operand.role == "condition":
            found.append(mixed_values(np.bool_, first.size, seed))
        elif turn == operator.value_position:
            found.append(first)
        else:
            other = mixed_values(storage.dtype, first.size, seed + turn - operator.value_position)
            for kind in range(4):
                place = slice(kind, None, 16)
                other[place] = related(first[place], kind, seed + turn - operator.value_position)
            found.append(other)
    return tuple(found)


def _each_exponent(storage: Format, chance: np.random.Generator) -> np.ndarray:
    """Random numbers of each sign and exponent, subnormals included, in that order."""
    digits = storage.precision - 1
    fields = np.arange((1 << (storage.exponent_bits + 1)) - 1)
    fields = fields[fields != (1 << storage.exponent_bits) - 1]  # infinities and NaNs
    fraction = chance.integers(0, 1 << digits, (fields.size, _EACH_EXPONENT), np.uint64)
    return from_bits((fields.astype(np.uint64)[:, None] << np.uint64(digits) | fraction).reshape(-1), storage.dtype)


def _active(
    storage: Format, structured: np.ndarray, exact: Callable[..., np.ndarray], count: int, chance: np.random.Generator
) -> np.ndarray:
    """Random numbers of the exponents in which an operator of one operand is not constant, its operand, NaN or infinite."""
    values = exact(structured)
    results = ordered(values).reshape(-1, _EACH_EXPONENT)
    results[is_nan(values).reshape(results.shape)] = 0
    distinct = (np.diff(np.sort(results, axis=1), axis=1) != 0).sum(axis=1)
    trivial = results == ordered(structured).reshape(results.shape) if values.dtype == structured.dtype else np.False_
    groups = np.flatnonzero((distinct >= _EACH_EXPONENT // 2) & ~np.all(trivial, axis=-1))
    bits = bits_of(structured).reshape(results.shape)[:, 0].astype(np.uint64)
    if not groups.size:
        return from_bits(random_bits(storage, count, chance), storage.dtype)
    digits = np.uint64(storage.precision - 1)
    chosen = bits[groups[chance.integers(0, groups.size, count)]] >> digits << digits
    return from_bits(chosen | chance.integers(0, 1 << int(digits), count, np.uint64), storage.dtype)
