"""What the correctly rounded float64 kernels share: fast phases, the rounding test, accurate phases in wide integers."""
