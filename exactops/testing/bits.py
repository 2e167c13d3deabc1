"""Comparison of arrays by the bits of their elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from exactops.table.formats import FORMATS, Format, format_of

#: What ``nan=`` of :func:`assert_same_bits` may be.
NAN_RULES = ("canonical", "any", "bits")

#: The distance between a NaN and a number.
UNRELATED = 2**64 - 1


def storage_named(dtype: Any) -> Format:
    """The stored type of a NumPy dtype, of its name, or of a short name such as ``"bf16"``.

    Raises
    ------
    TypeError
        exactops does not store this type.
    """
    if isinstance(dtype, str):
        if dtype in FORMATS:
            return FORMATS[dtype]
        if dtype == "bfloat16":
            return FORMATS["bf16"]
    found = format_of(np.dtype(dtype))
    if found is None:
        raise TypeError(f"exactops does not store dtype {np.dtype(dtype)} (it stores {', '.join(FORMATS)})")
    return found


def bits_of(array: Any) -> np.ndarray:
    """The elements as unsigned integers of their width, in native byte order: a fresh array of the same shape."""
    array = np.asarray(array)
    unsigned = np.dtype(f"u{array.dtype.itemsize}")
    if not array.dtype.isnative:
        unsigned = unsigned.newbyteorder()
    copy = np.array(array, order="C", copy=True, subok=False)
    return copy.view(unsigned).astype(unsigned.newbyteorder("="), copy=False)


def from_bits(bits: Any, dtype: Any) -> np.ndarray:
    """An array of a dtype from the bits of its elements."""
    storage = storage_named(dtype)
    # A list of large and small integers would become floats on its own.
    flat = bits.reshape(-1)[:1] if isinstance(bits, np.ndarray) else np.asarray(bits, object).reshape(-1)
    if any(isinstance(each, (float, np.floating)) for each in flat):
        raise TypeError("bits are integers, not floats")
    return np.array(bits, f"u{storage.size}", order="C").view(storage.dtype)


def sign_bit(storage: Format) -> int:
    """The bit that holds the sign."""
    return 1 << (8 * storage.size - 1)


def infinity_bits(storage: Format) -> int:
    """The bits of a float type's positive infinity."""
    return ((1 << storage.exponent_bits) - 1) << (storage.precision - 1)


def is_nan(array: Any) -> np.ndarray:
    """Where an array holds a NaN, told from the bits; false everywhere for types that are no float."""
    array = np.asarray(array)
    storage = storage_named(array.dtype)
    if storage.kind != "f":
        return np.zeros(array.shape, np.bool_)
    bits = bits_of(array)
    return (bits & bits.dtype.type(sign_bit(storage) - 1)) > bits.dtype.type(infinity_bits(storage))


def ordered(array: Any) -> np.ndarray:
    """Unsigned 64-bit integers in the order of the numbers, with neighbours one apart; both zeros are one integer."""
    array = np.asarray(array)
    storage = storage_named(array.dtype)
    bits = bits_of(array).astype(np.uint64)
    middle = np.uint64(1 << 63)
    if storage.kind in "ub":
        return np.asarray(bits)
    sign = np.uint64(sign_bit(storage))
    negative = (bits & sign) != 0
    magnitude = bits & np.uint64(sign_bit(storage) - 1)
    if storage.kind == "i":  # two's complement: what is left without the sign counts up from the smallest
        return np.asarray(np.where(negative, magnitude + (middle - sign), magnitude + middle))
    return np.asarray(np.where(negative, middle - magnitude, middle + magnitude))


def number_line(array: Any) -> np.ndarray:
    """Places on the number line of a type as float64: zero lies at 0, and neighbours are one apart.

    Beyond 2**53 (float64 and the 64-bit integers only) neighbours may share a place: this is for drawing.
    """
    place = ordered(array)
    if storage_named(np.asarray(array).dtype).kind in "ub":
        return np.asarray(place.astype(np.float64))
    # From zero before it is rounded: near 2**63 the numbers of a float64 are 2048 apart.
    return np.asarray((place - np.uint64(1 << 63)).view(np.int64).astype(np.float64))


def ulp_distance(a: Any, b: Any) -> Any:
    """How many representable numbers lie from one value to the other.

    The distance is that of the representations taken as integers in the order of the numbers: 0 for equal numbers, 1 for
    neighbours, and it adds up along the number line, through zero, where -0 and +0 are one point, and from the subnormals to
    the largest finite number. It is an integer, so it is also the error in units in the last place where the second value is
    the correctly rounded one.

    Parameters
    ----------
    a, b : array_like
        Of one dtype (any that exactops stores, of either byte order), of shapes that broadcast.

    Returns
    -------
    int or numpy.ndarray of uint64
        An int where both operands are 0-d.

    Raises
    ------
    TypeError
        The dtypes differ, or exactops does not store them.

    Notes
    -----
    - An infinity is the point after the largest finite number: their distance is 1.
    - Two NaNs are 0 apart, whatever their payloads and signs. A NaN and a number are ``2**64 - 1`` apart, more than any two
      numbers of any type.
    - For integers it is the absolute difference; False and True are 1 apart.

    Examples
    --------
    >>> import numpy as np
    >>> from exactops.testing import ulp_distance
    >>> ulp_distance(np.float32(1.0), np.nextafter(np.float32(1.0), np.float32(2.0)))
    1
    >>> ulp_distance(np.float32([0.0, np.inf, np.nan]), np.float32([-0.0, 3.4028235e38, np.nan])).tolist()
    [0, 1, 0]
    """
    a, b = np.asarray(a), np.asarray(b)
    if storage_named(a.dtype) is not storage_named(b.dtype):
        raise TypeError(f"the operands have the dtypes {a.dtype} and {b.dtype}; a distance needs one")
    if storage_named(a.dtype).kind == "b":
        a, b = _booleans(a), _booleans(b)
    first, second = ordered(a), ordered(b)
    distance = np.maximum(first, second) - np.minimum(first, second)
    left, right = is_nan(a), is_nan(b)
    distance = np.where(left & right, np.uint64(0), np.where(left | right, np.uint64(UNRELATED), distance))
    return int(distance) if distance.ndim == 0 else distance


def _booleans(array: np.ndarray) -> np.ndarray:
    """Every true byte as 1."""
    return (bits_of(array) != 0).view(np.bool_)


def assert_same_bits(actual: Any, expected: Any, nan: str = "canonical", inputs: Sequence[Any] = (), message: str = "") -> None:
    """Assert that two arrays have the same dtype, shape and bits.

    Parameters
    ----------
    actual, expected : array_like
        The byte orders may differ; everything else must agree. Signs of zero count.
    nan : {"canonical", "any", "bits"}
        What is asked of ``actual`` where ``expected`` has a NaN. ``"canonical"``: exact mode's NaN, positive, quiet and
        without payload, whatever NaN ``expected`` has. ``"any"``: any NaN. ``"bits"``: the same bits, payload and sign
        included, as a copy has to keep them.
    inputs : sequence of array_like
        The operands that gave ``actual``, of shapes that broadcast to its shape; the message shows them.
    message : str
        What the message begins with.

    Raises
    ------
    AssertionError
        With the number of elements that differ, and the first of them in hexadecimal.
    TypeError
        exactops does not store the dtype of ``expected``.
    ValueError
        ``nan`` is none of the three.

    Examples
    --------
    >>> import numpy as np
    >>> from exactops.testing import assert_same_bits
    >>> assert_same_bits(np.float32([1, np.nan]), np.float32([1, -np.nan]))
    >>> assert_same_bits(np.float32(0.0), np.float32(-0.0))
    Traceback (most recent call last):
        ...
    AssertionError: 1 of 1 elements differ
      actual:   0x00000000 (0.0)
      expected: 0x80000000 (-0.0)
    """
    if nan not in NAN_RULES:
        raise ValueError(f"nan={nan!r}: it must be one of {', '.join(map(repr, NAN_RULES))}")
    actual, expected = np.asarray(actual), np.asarray(expected)
    lead = f"{message}: " if message else ""
    storage = storage_named(expected.dtype)
    if format_of(actual.dtype) is not storage or actual.shape != expected.shape:
        raise AssertionError(
            f"{lead}got {actual.dtype} of shape {actual.shape}, expected {expected.dtype} of shape {expected.shape}"
        )
    got, want = bits_of(actual), bits_of(expected)
    differ = np.asarray(got != want)
    if storage.kind == "f" and nan != "bits":
        missing = is_nan(expected)
        fits = is_nan(actual) if nan == "any" else got == got.dtype.type(storage.nan)
        differ = np.where(missing, ~fits, differ)
    if differ.any():
        raise AssertionError(lead + _difference(actual, expected, inputs, differ, nan))


def _difference(actual: np.ndarray, expected: np.ndarray, inputs: Sequence[Any], differ: np.ndarray, nan: str) -> str:
    index: tuple[int, ...] = tuple(int(each) for each in np.argwhere(differ)[0]) if differ.ndim else ()
    one: Any = (*index, ...)  # as an array, which keeps the byte of a bool
    place = f", the first at {index if len(index) > 1 else index[0]}" if index else ""
    lines = [f"{int(np.count_nonzero(differ))} of {differ.size} elements differ{place}"]
    for number, operand in enumerate(inputs):
        if operand is not None:
            lines.append(f"  operand {number}: {_operand(operand, one, differ.shape)}")
    wanted = hexadecimal(expected[one])
    if nan != "bits" and bool(is_nan(expected[index])):
        wanted = "any NaN" if nan == "any" else f"0x{storage_named(expected.dtype).nan:x} (the canonical NaN)"
    lines += [f"  actual:   {hexadecimal(actual[one])}", f"  expected: {wanted}"]
    return "\n".join(lines)


def _operand(operand: Any, one: Any, shape: tuple[int, ...]) -> str:
    """The element of an operand at an index of the result; of anything else, which may be no array at all, what it prints."""
    try:
        return hexadecimal(np.broadcast_to(np.asarray(operand), shape)[one])
    except (TypeError, ValueError):
        return repr(operand)


def hexadecimal(element: Any) -> str:
    """One element as bits in hexadecimal and as the value that NumPy prints."""
    element = np.asarray(element)
    return f"0x{int(bits_of(element).reshape(-1)[0]):0{2 * element.dtype.itemsize}x} ({element.reshape(-1)[0]!s})"
