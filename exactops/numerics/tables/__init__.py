"""Constants that the scripts tools/derive_*.py derive and write, a module for each of them."""
