"""float64: inputs that are drawn, held against an independent filter in double-double arithmetic, MPFR for what it leaves open.

* :mod:`~.arithmetic`: sums and products without error, and the decision of a rounding;
* :mod:`~.series`: Taylor polynomials with coefficients of MPFR and a bound of the error of each;
* :mod:`~.filter`: the functions of one operand;
* :mod:`~.powers`: pow and powi;
* :mod:`~.draws`: the inputs of a campaign.
"""
