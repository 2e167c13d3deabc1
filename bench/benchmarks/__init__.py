"""Benchmarks for asv: ``cd bench && asv machine --yes``, then one of

* ``asv run --python=same``: the environment at hand;
* ``asv run HEAD^!``: the last commit, installed into an environment of its own.

``--quick`` runs each benchmark once, ``--bench Overhead`` only the cost of calls.
"""
