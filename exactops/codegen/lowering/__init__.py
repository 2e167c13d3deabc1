"""Lane operations as LLVM vector instructions."""
