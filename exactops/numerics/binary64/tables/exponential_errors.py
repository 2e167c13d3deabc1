"""Proven error bounds of float64 fast phases. Written by tools/derive_binary64_exponential.py with ``--write``."""

# exp: of a power in [1, 2), without a low part of the argument.
EXP_ERROR = float.fromhex("0x1.1400000000000p-68")
# The same beside the power.
EXP_RELATIVE_ERROR = float.fromhex("0x1.0600000000000p-69")
# sigmoid, and x * sigmoid(x), beside the result.
SIGMOID_ERROR = float.fromhex("0x1.5a00000000000p-69")
# With a low part below 2**-24.00 of the argument, beside the power: this,
EXP_PAIR_ERROR = float.fromhex("0x1.0a00000000000p-69")
# and this times the argument.
EXP_PAIR_ARGUMENT_ERROR = float.fromhex("0x1.8200000000000p-74")
# gelu_tanh beside the result: this,
GELU_TANH_ERROR = float.fromhex("0x1.6200000000000p-69")
# and this times the argument.
GELU_TANH_ARGUMENT_ERROR = float.fromhex("0x1.0a00000000000p-72")
# tanh beside the result.
TANH_ERROR = float.fromhex("0x1.c800000000000p-66")
