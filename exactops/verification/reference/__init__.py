"""Independent references: the unique bit pattern that exact mode returns, for every operator.

Everything here is computed from bit patterns with Python integers and, for the transcendentals, with MPFR (gmpy2, of the extra
``test``) in a loop that raises the precision until the rounding is decided. NumPy only carries the bits in and out; neither its
arithmetic nor ml_dtypes' nor the kernels of exactops are used, as a test of what the modules import asserts.

A finite float is a dyadic number ``(-1)**sign * mantissa * 2**exponent`` held in integers, so that sums, products,
comparisons and remainders are exact; each step of an operator is rounded once by :func:`~.numbers.round_dyadic`.
"""

from exactops.verification.reference.arrays import array_of, bits_of, canonical_name, expected, permitted_fast
from exactops.verification.reference.formats import (
    ALL_TYPES,
    BF16,
    DTYPES,
    F16,
    F32,
    F64,
    FLOATS,
    FORMATS,
    INTEGERS,
    NUMERIC,
    SIGNED_INTEGERS,
    UNSIGNED_INTEGERS,
    FloatFormat,
    Format,
    IntegerFormat,
    format_of,
)
from exactops.verification.reference.numbers import (
    canonical,
    decode,
    encode,
    exact_sum,
    number_of,
    round_dyadic,
    round_ratio,
    weak_bits,
)
from exactops.verification.reference.operators import REFERENCES
from exactops.verification.reference.powers import float_pow

__all__ = [
    "ALL_TYPES",
    "BF16",
    "DTYPES",
    "F16",
    "F32",
    "F64",
    "FLOATS",
    "FORMATS",
    "INTEGERS",
    "NUMERIC",
    "REFERENCES",
    "SIGNED_INTEGERS",
    "UNSIGNED_INTEGERS",
    "FloatFormat",
    "Format",
    "IntegerFormat",
    "array_of",
    "bits_of",
    "canonical",
    "canonical_name",
    "decode",
    "encode",
    "exact_sum",
    "expected",
    "float_pow",
    "format_of",
    "number_of",
    "permitted_fast",
    "round_dyadic",
    "round_ratio",
    "weak_bits",
]
