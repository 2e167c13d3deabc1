"""Proven error bounds of the float64 fast phases of erf, erfc and gelu."""

ERF_ERROR = 2.0**-66.2
ERF_BEYOND_ERROR = 7.0 * 2.0**-53
ERFC_ERROR = 2.0**-67
ERFC_BEYOND_ERROR = 12.0 * 2.0**-53
ERFC_ARGUMENT_ERROR = 13.0 * 2.0**-53
GELU_ERROR = 2.0**-67
GELU_BEYOND_ERROR = 15.0 * 2.0**-53
GELU_ARGUMENT_ERROR = 16.0 * 2.0**-53
