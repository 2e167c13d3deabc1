"""From a kernel over lanes to machine code."""
