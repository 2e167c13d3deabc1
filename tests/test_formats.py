"""The records of stored types against ml_dtypes' and NumPy's own descriptions, and types that are not stored yet."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from exactops.table.formats import FLOATS, FORMATS, INTEGERS, Format, format_named, format_of

#: 8-bit floats, as records that could be added to the table: one with infinities, one without.
SMALL = (
    Format("f8e5m2", np.dtype(ml_dtypes.float8_e5m2), "f", "uint8", "float32", 19, exponent_bits=5, fraction_bits=2),
    Format(
        "f8e4m3fn", np.dtype(ml_dtypes.float8_e4m3fn), "f", "uint8", "float32", 17,
        exponent_bits=4, fraction_bits=3, infinities=False,
    ),
)  # fmt: skip
EVERY_FLOAT = (*(FORMATS[short] for short in FLOATS), *SMALL)


@pytest.mark.parametrize("stored", EVERY_FLOAT, ids=lambda each: each.short)
def test_floats(stored: Format) -> None:
    info = ml_dtypes.finfo(stored.dtype)
    assert (stored.exponent_bits, stored.fraction_bits) == (info.nexp, info.nmant)
    assert stored.value(stored.largest) == info.max
    assert stored.value(stored.largest | stored.sign_bit) == info.min
    assert float(stored.value(1)) == float(info.smallest_subnormal) == 2.0**stored.quantum_exponent
    assert float(stored.value(1 << stored.fraction_bits)) == float(info.smallest_normal) == 2.0**stored.least_exponent
    assert np.isnan(stored.value(stored.nan))
    if stored.infinities:
        assert np.isposinf(stored.value(stored.infinity)) and stored.overflow == stored.infinity
        assert np.isneginf(stored.value(stored.extreme(upper=False, finite=False)))
    else:
        assert stored.overflow == stored.nan
        with pytest.raises(ValueError, match="has no infinities"):
            _ = stored.infinity
    assert stored.value(stored.extreme(upper=True, finite=True)) == info.max
    assert stored.bits == info.bits and stored.precision == info.nmant + 1


@pytest.mark.parametrize("stored", EVERY_FLOAT, ids=lambda each: each.short)
def test_rounding_of_integers_and_fractions(stored: Format) -> None:
    """Every value rounds to itself, midpoints to even, what lies beyond overflows."""
    step = max(1, (stored.overflow + 1) // 5000)
    for pattern in range(0, stored.largest, step):
        here, following = (float(stored.value(each)) for each in (pattern, pattern + 1))
        numerator, denominator = here.as_integer_ratio()
        assert stored.round(numerator, 1 - denominator.bit_length()) == pattern
        exponent = stored.quantum_exponent - 2
        low, high = (int(np.ldexp(each, -exponent)) if stored.bits < 64 else None for each in (here, following))
        if low is None or high is None:
            continue
        middle = (low + high) // 2
        assert stored.round(middle, exponent) == pattern + (pattern & 1)
        assert stored.round(middle - 1, exponent) == pattern
        assert stored.round(middle + 1, exponent) == pattern + 1
    assert stored.round(1, stored.bias + 2) == stored.overflow


@pytest.mark.parametrize("short", INTEGERS)
def test_integers(short: str) -> None:
    stored, info = FORMATS[short], np.iinfo(FORMATS[short].dtype)
    assert stored.limits == (info.min, info.max)
    for upper, value in ((False, info.min), (True, info.max)):
        for finite in (False, True):
            assert stored.value(stored.extreme(upper, finite)) == value


def test_names_and_dtypes() -> None:
    for short, stored in FORMATS.items():
        assert format_named(short) is format_named(stored.dtype.name) is format_of(stored.dtype) is stored
        swapped = stored.dtype.newbyteorder()
        assert format_of(swapped) is stored
        assert not stored.array(0).flags.writeable
    for other in (np.dtype("c8"), np.dtype("M8[s]"), np.dtype("V2"), np.dtype(object), None, "float32", [], float):
        assert format_of(other) is None
    assert format_named(3) is format_named("float") is None
    assert len({stored.onnx for stored in FORMATS.values()}) == len(FORMATS)
