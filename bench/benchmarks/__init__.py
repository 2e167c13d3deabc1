"""Benchmarks for asv: ``cd bench && asv run``, or ``asv run -E existing`` for the environment at hand."""
