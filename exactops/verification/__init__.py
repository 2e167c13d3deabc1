"""Proof that results are correctly rounded, by a reference that shares nothing with the kernels.

* :mod:`~.functions`: what each operator is as a function of the real numbers: its value by MPFR, its Taylor
  coefficients at any centre, a bound for what is cut off, its special values;
* :mod:`~.decision`: one correctly rounded result by MPFR, the precision raised until the rounding is decided;
* :mod:`~.filter`: billions of correctly rounded results in plain scalar double-double arithmetic with an error
  bound, each result either decided or left to MPFR;
* :mod:`~.powers`: the same for pow and powi, and the pairs that are drawn for pow;
* :mod:`~.campaign`: all inputs of a type through a kernel and the reference, with the SHA-256 of
  the results;
* :mod:`~.reference`: every operator from its definition, by integer arithmetic and MPFR, one element at a time;
* :mod:`~.record`: what was found, in ``exactops/records/proofs.json``.

It needs gmpy2, which is in the extra ``test``. Three modules do without it, for ``python -m exactops verify`` on any machine:

* :mod:`~.inputs`: the canonical inputs, made without the library;
* :mod:`~.fingerprints`: hashes of the results over them, in ``exactops/records/fingerprints.json``;
* :mod:`~.machine`: the CPU, the versions and the floating-point environment of the process.
"""
