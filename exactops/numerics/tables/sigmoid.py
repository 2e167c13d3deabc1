"""Constants of sigmoid and silu. Written by tools/derive_sigmoid.py with ``--write``."""

from exactops.numerics.constants import doubles

# Near zero, sigmoid(x) = 1/2 + x/4 + x**3 * TAIL(x**2) and silu(x) = x/2 + x**2/4 + x**4 * TAIL(x**2).
TAIL = doubles(
    """
    -0x1.5555555555554p-6 0x1.11111110fe212p-9 -0x1.ba1b9bf565223p-13 0x1.660642091a337p-16
    """
)
