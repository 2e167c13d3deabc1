"""From the arguments of a call to a compiled ufunc and its operands."""
