"""Proven error bounds of float64 fast phases. Written by tools/derive_binary64_error_function.py with ``--write``."""

# erf: beside the result,
ERF_ERROR = float.fromhex("0x1.3000000000000p-67")
# and beside the part with the square of the reduced argument.
ERF_BEYOND_ERROR = float.fromhex("0x1.c200000000000p-51")
# erfc: beside the result,
ERFC_ERROR = float.fromhex("0x1.0400000000000p-67")
# beside the part with the square of the reduced argument,
ERFC_BEYOND_ERROR = float.fromhex("0x1.8a00000000000p-50")
# and beside the low part of the exponential's argument.
ERFC_ARGUMENT_ERROR = float.fromhex("0x1.aa00000000000p-50")
# gelu: beside the result,
GELU_ERROR = float.fromhex("0x1.2800000000000p-67")
# beside the part with the square of the reduced argument,
GELU_BEYOND_ERROR = float.fromhex("0x1.ee00000000000p-50")
# and beside the low part of the exponential's argument.
GELU_ARGUMENT_ERROR = float.fromhex("0x1.0800000000000p-49")
# erfc of negative x: beside the result, for 2 less that of its magnitude.
ERFC_COMPLEMENT_ERROR = float.fromhex("0x1.8200000000000p-105")
