"""Fingerprints: what every operator returns in exact mode over a fixed stream of inputs, and whether this machine agrees.

``exactops/records/fingerprints.json`` has one record for each operator, types of the operands and attribute set. In the **short
form** the inputs are those of :mod:`exactops.verification.inputs`; a record holds

* ``sha256``: SHA-256 of all results as little-endian bit patterns in the order of the stream;
* ``chunks``: the first 4 bytes of the SHA-256 of each chunk of ``CHUNK`` results (base64), so that a wrong machine learns
  where, and a slow one can compare a part;
* ``head``: the first ``HEAD`` results themselves (base64).

In the **long form** the inputs are all 2**32 patterns of a float32 operand in order; its hash is that of
``python -m exactops prove``: SHA-256 of the SHA-256 digests of chunks of 2**24 results.

* :mod:`~.entries`: which records there are, from the operator table;
* :mod:`~.results`: results over the stream, and their hashes;
* :mod:`~.comparison`: comparing them with the records, and where they first differ;
* :mod:`~.long_form`: the same for all 2**32 inputs;
* :mod:`~.form`: the form of the file;
* :mod:`~.making`: making new records.
"""
