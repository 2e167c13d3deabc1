"""What each operator is as a function of the real numbers.

Nothing here knows how a kernel computes. A :class:`Function` offers three views of one function f:

* ``value``: f(x) by MPFR to a wanted precision;
* ``taylor``: the coefficients a_j of f(c + h) = a_0 + a_1 h + a_2 h² + ... at a centre c, by recurrences in MPFR;
* ``tail``: a bound for abs(a_(n+1) h^(n+1) + ...) for abs(h) <= reach.

Most tails are Cauchy's estimate: where abs(f) <= M on the disc of radius R around c, abs(a_j) <= M / R^j, so that the tail is
at most M r^(n+1) / (1 - r) with r = reach / R. A tail that is too large for use is reported as infinite: the caller then takes
a shorter reach. Bounds are computed in binary64 and carry a factor 1.01 for its roundings.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from exactops.table.formats import Format
from exactops.verification.multiprecision import gmpy2

#: Relative error of :attr:`Function.value` at precision p: at most 2**(GUARD_BITS - p). Each value is a handful of correctly
#: rounded MPFR operations; the largest condition numbers are below 2**11 (the exponential of an argument of size 2**10, erfc(z)
#: with 2 z² < 2**11), so that 2**16 is generous.
GUARD_BITS = 16

#: Results that are not a number of their own: the input itself (for large x of silu and gelu), with its sign.
SAME = "same"

Centre = Any  # gmpy2.mpfr; gmpy2 has no usable types
Coefficients = list[Any]


@dataclass(frozen=True)
class Function:
    """A function of one real number, ready to be rounded.

    Attributes
    ----------
    name : str
        The operator and, where it has forms, the form.
    value : callable
        ``value(x)`` in the current gmpy2 context, with the relative error of ``GUARD_BITS``; x is finite, not zero and between
        the thresholds.
    taylor : callable
        ``taylor(c, n)``: a_0 to a_n in the current gmpy2 context.
    tail : callable
        ``tail(c, reach, n)``: bound of the rest of the series, of the form C reach^(n+1). An MPFR number: a float64 function
        may be too large or too small for a float.
    at_zero, at_infinity : tuple of float
        Results for (+0, -0) and (+inf, -inf).
    below, above : tuple of (float, float or "same"), optional
        ``(threshold, result)``: the rounded result of every x <= threshold (>= for ``above``) in every type of up to 32 bits.
    far_below, far_above : float, optional
        The same thresholds for float64.
    negative_is_nan : bool
        No real value for x < 0.
    quadratic : callable, optional
        Where f(x) = x/2 + q x² + O(x⁴): q by MPFR. For tiny x the result is a tie, x/2 between two subnormals, that only the
        second term breaks, far below what a bound relative to f could decide.
    periodic : str
        ``"sin"`` or ``"cos"``: evaluated through the addition theorem beyond small arguments.
    """

    name: str
    value: Callable[[Any], Any]
    taylor: Callable[[Any, int], Coefficients]
    tail: Callable[[float, float, int], float]
    at_zero: tuple[float, float]
    at_infinity: tuple[float, float]
    below: tuple[float, float | str] | None = None
    above: tuple[float, float | str] | None = None
    negative_is_nan: bool = False
    quadratic: Callable[[], Any] | None = None
    periodic: str = ""
    far_below: float = -math.inf
    far_above: float = math.inf

    def thresholds(self, storage: Format) -> tuple[tuple[float, float | str] | None, tuple[float, float | str] | None]:
        """``below`` and ``above`` of a stored type."""
        if storage.size <= 4:
            return self.below, self.above
        below = None if self.below is None else (self.far_below, self.below[1])
        return below, None if self.above is None else (self.far_above, self.above[1])


def _exp(x: float) -> Any:
    """exp of a float, whatever its size."""
    return gmpy2.exp(gmpy2.mpfr(x))


def cauchy(bound: float, radius: float, reach: float, degree: int) -> float:
    """Cauchy's estimate of the tail after ``degree``."""
    ratio = reach / radius
    return math.inf if ratio > 0.5 else 1.01 * bound * ratio ** (degree + 1) / (1.0 - ratio)


# --- exp, log, rsqrt, sin, cos ------------------------------------------------------------------------------------------


def _exp_taylor(c: Centre, degree: int) -> Coefficients:
    term = gmpy2.exp(c)
    terms = [term]
    for j in range(1, degree + 1):
        term = term / j
        terms.append(term)
    return terms


def _exp_tail(c: float, reach: float, degree: int) -> float:
    # Lagrange's remainder: some derivative value between the centre and its reach.
    return 1.01 * _exp(c + reach) * reach ** (degree + 1) / math.factorial(degree + 1)


def _log_taylor(c: Centre, degree: int) -> Coefficients:
    terms, power = [gmpy2.log(c)], gmpy2.mpfr(-1)
    for j in range(1, degree + 1):
        power = -power / c
        terms.append(power / j)
    return terms


def _log_tail(c: float, reach: float, degree: int) -> float:
    # abs(a_j) = 1 / (j c^j): Cauchy's form with R = c, M = 1.
    return cauchy(1.0, c, reach, degree)


def _rsqrt_taylor(c: Centre, degree: int) -> Coefficients:
    term = gmpy2.rec_sqrt(c)
    terms = [term]
    for j in range(degree):
        term = -term * (2 * j + 1) / (2 * (j + 1)) / c
        terms.append(term)
    return terms


def _rsqrt_tail(c: float, reach: float, degree: int) -> float:
    # abs(a_j) = c^(-1/2-j) times a binomial ratio below 1.
    return cauchy(1.0 / math.sqrt(c), c, reach, degree)


def _circle_taylor(c: Centre, degree: int, turn: int) -> Coefficients:
    sine, cosine = gmpy2.sin_cos(c)
    derivatives = (sine, cosine, -sine, -cosine)
    factorial = gmpy2.mpz(1)
    terms = []
    for j in range(degree + 1):
        factorial *= max(j, 1)
        terms.append(derivatives[(j + turn) % 4] / factorial)
    return terms


def _circle_tail(c: float, reach: float, degree: int) -> float:
    return 1.01 * reach ** (degree + 1) / math.factorial(degree + 1)


# --- tanh, sigmoid, silu ------------------------------------------------------------------------------------------------


def _tanh_taylor(c: Centre, degree: int) -> Coefficients:
    # T' = 1 - T²
    terms = [gmpy2.tanh(c)]
    for j in range(degree):
        square = sum(terms[i] * terms[j - i] for i in range(j + 1))
        terms.append(((1 if j == 0 else 0) - square) / (j + 1))
    return terms


def _tanh_tail(c: float, reach: float, degree: int) -> float:
    # abs(tanh(x + iy))² = (sinh²x + sin²y) / (sinh²x + cos²y) <= tan²(1) for abs(y) <= 1.
    return cauchy(math.tan(1.0), 1.0, reach, degree)


def _sigmoid(x: Centre) -> Any:
    return 1 / (1 + gmpy2.exp(-x))


def _sigmoid_taylor(c: Centre, degree: int) -> Coefficients:
    # s' = s (1 - s)
    terms = [_sigmoid(c)]
    for j in range(degree):
        terms.append((terms[j] - sum(terms[i] * terms[j - i] for i in range(j + 1))) / (j + 1))
    return terms


def _sigmoid_size(c: float) -> float:
    """Bound of abs(sigmoid(z)) for z within 1 of c: abs(1 + exp(±z)) >= 1 there, since cos(Im z) > 0."""
    return min(1.0, _exp(min(c + 1.0, 0.0)))


def _sigmoid_tail(c: float, reach: float, degree: int) -> float:
    return cauchy(_sigmoid_size(c), 1.0, reach, degree)


def _times_argument(c: Centre, terms: Coefficients) -> Coefficients:
    """The series of z f(z) from that of f, for z = c + h."""
    return [c * terms[0], *(c * terms[j] + terms[j - 1] for j in range(1, len(terms)))]


def _silu_taylor(c: Centre, degree: int) -> Coefficients:
    return _times_argument(c, _sigmoid_taylor(c, degree))


def _silu_tail(c: float, reach: float, degree: int) -> float:
    return cauchy((abs(c) + 1.0) * _sigmoid_size(c), 1.0, reach, degree)


# --- erf, erfc, gelu ----------------------------------------------------------------------------------------------------


def erf_like_taylor(c: Centre, degree: int, value: Any, sign: int) -> Coefficients:
    """f' = g with g = ±2/√π exp(-z²), g' = -2 z g; ``value`` is f(c)."""
    slope = [sign * 2 / gmpy2.sqrt(gmpy2.const_pi()) * gmpy2.exp(-c * c)]
    for j in range(degree - 1):
        slope.append(-2 * (c * slope[j] + (slope[j - 1] if j else 0)) / (j + 1))
    return [value, *(slope[j] / (j + 1) for j in range(degree))]


def erf_tail(c: float, reach: float, degree: int) -> float:
    """On the disc, abs(exp(-z²)) = exp(-Re z²) <= exp(-c² + 2 abs(c) R + R²); that bounds f', and a_j = g_(j-1) / j."""
    radius = max(0.5, min(3.0, (degree + 1) / (2.0 * abs(c)))) if c else 3.0
    bound = 2.0 / math.sqrt(math.pi) * _exp(-c * c + 2.0 * abs(c) * radius + radius * radius)
    return cauchy(bound * radius / (degree + 1), radius, reach, degree)


def _normal(x: Centre) -> Any:
    """The normal distribution Φ(x); through erfc, which keeps the negative tail."""
    return gmpy2.erfc(-x / gmpy2.sqrt(gmpy2.mpfr(2))) / 2


def gelu_taylor(c: Centre, degree: int, normal: Callable[[Centre], Any] = _normal) -> Coefficients:
    """Φ' = φ with φ' = -z φ; ``normal`` computes Φ."""
    density = [gmpy2.exp(-c * c / 2) / gmpy2.sqrt(2 * gmpy2.const_pi())]
    for j in range(degree - 1):
        density.append(-(c * density[j] + (density[j - 1] if j else 0)) / (j + 1))
    return _times_argument(c, [normal(c), *(density[j] / (j + 1) for j in range(degree))])


def _gelu_tail(c: float, reach: float, degree: int) -> float:
    # abs(Φ(z)) <= Φ(c) + R max abs(φ) on the disc, with φ bounded as exp(-z²) above.
    radius = max(0.5, min(2.0, (degree + 1) / max(abs(c), 0.1)))
    density = 0.4 * _exp(-(c * c - 2.0 * abs(c) * radius - radius * radius) / 2.0)
    normal = 1.0 if c > 0 else _exp(-c * c / 2.0)  # Φ(c) is at most half of it
    return cauchy((abs(c) + radius) * (normal + radius * density), radius, reach, degree)


# gelu's tanh form: 0.5 x (1 + tanh(u)) = x sigmoid(2 u), u = √(2/π) (x + κ x³), κ = 0.044715 exactly.


def _kappa() -> Any:
    return gmpy2.mpfr(44715) / 1000000


def _gelu_tanh_argument(x: Centre) -> Any:
    return 2 * gmpy2.sqrt(2 / gmpy2.const_pi()) * (x + _kappa() * x * x * x)


def _gelu_tanh_taylor(c: Centre, degree: int) -> Coefficients:
    # s(w(z))' = s (1 - s) w', w a cubic
    scale, kappa = 2 * gmpy2.sqrt(2 / gmpy2.const_pi()), _kappa()
    slope = (scale * (1 + 3 * kappa * c * c), scale * 6 * kappa * c, scale * 3 * kappa)
    terms = [_sigmoid(_gelu_tanh_argument(c))]
    product: Coefficients = []  # the series of s (1 - s)
    for j in range(degree):
        product.append(terms[j] - sum(terms[i] * terms[j - i] for i in range(j + 1)))
        terms.append(sum(product[j - i] * slope[i] for i in range(min(j, 2) + 1)) / (j + 1))
    return _times_argument(c, terms)


def _gelu_tanh_tail(c: float, reach: float, degree: int) -> float:
    # R is chosen such that abs(w(z) - w(c)) <= 0.9 on the disc (its Taylor terms, summed with R <= 1/2), so that the bound of
    # the sigmoid within 1 of a real number holds.
    scale, kappa = 2.0 * math.sqrt(2.0 / math.pi), 0.044715
    radius = min(0.5, 0.9 / (scale * (1.0 + kappa * (3.0 * c * c + 1.5 * abs(c) + 0.25))))
    argument = scale * (c + kappa * c**3)
    found = cauchy((abs(c) + radius) * _sigmoid_size(argument), radius, reach, degree)
    # Far to the left that disc is too small for its bound to be of use. On one of the radius R in which w changes by 13, and
    # with w(c) <= -14: abs(s(w)) <= exp(Re w) / (1 - exp(Re w)) <= 1.6 exp(w(c) + 13).
    radius = 13.0 / (scale * (1.0 + kappa * (3.0 * c * c + 3.0 * abs(c) + 1.0)))
    if argument <= -14.0 and radius <= 1.0:
        wide = cauchy(1.6 * (abs(c) + radius) * _exp(argument + 13.0), radius, reach, degree)
        found = min(found, wide)
    return found


def _gelu_quadratic() -> Any:
    # x Φ(x) = x/2 + φ(0) x² + O(x⁴); the tanh form agrees up to there.
    return 1 / gmpy2.sqrt(2 * gmpy2.const_pi())


# --- the table ----------------------------------------------------------------------------------------------------------

_INFINITY = math.inf
_NAN = math.nan

# Thresholds. exp(-104) < 2**-150, half the smallest subnormal, and exp(89) > 2**128. 1 - tanh(16) < 2**-45; sigmoid(32) alike;
# 1 - erf(8) < 2**-95; erfc(10.5) < 2**-162; silu(-110) > -2**-151; x - silu(x) < x 2**-46 from 32 on; gelu(-16) > -2**-180 in
# both forms; x - gelu(x) < x 2**-180 from 16 on. All of these functions are monotone beyond, as are the shares that silu and
# gelu cut.
# For float64: exp(-746) < 2**-1076 and exp(710) > 2**1024; 1 - tanh(20) < 2**-56, sigmoid(-746) < 2**-1076, 1 - sigmoid(38) <
# 2**-54.8, 1 - erf(6) < 2**-55, erfc(28) < 2**-1135, silu(-755) > -2**-1079, x - silu(x) < x 2**-54.8 from 38 on, gelu(-40) >
# -2**-1150, the tanh form of -22.5 > -2**-1200; x - gelu(x) < x 2**-62 from 9 on in both forms. Half the gap below 1 is
# 2**-54.
_FUNCTIONS = {
    function.name: function
    for function in (
        Function(
            "exp",
            gmpy2.exp,
            _exp_taylor,
            _exp_tail,
            (1.0, 1.0),
            (_INFINITY, 0.0),
            below=(-104.0, 0.0),
            above=(89.0, _INFINITY),
            far_below=-746.0,
            far_above=710.0,
        ),
        Function("log", gmpy2.log, _log_taylor, _log_tail, (-_INFINITY, -_INFINITY), (_INFINITY, _NAN), negative_is_nan=True),
        Function(
            "rsqrt", gmpy2.rec_sqrt, _rsqrt_taylor, _rsqrt_tail, (_INFINITY, -_INFINITY), (0.0, _NAN), negative_is_nan=True
        ),
        Function(
            "sin", gmpy2.sin, functools.partial(_circle_taylor, turn=0), _circle_tail, (0.0, -0.0), (_NAN, _NAN), periodic="sin"
        ),
        Function(
            "cos", gmpy2.cos, functools.partial(_circle_taylor, turn=1), _circle_tail, (1.0, 1.0), (_NAN, _NAN), periodic="cos"
        ),
        Function(
            "tanh",
            gmpy2.tanh,
            _tanh_taylor,
            _tanh_tail,
            (0.0, -0.0),
            (1.0, -1.0),
            below=(-16.0, -1.0),
            above=(16.0, 1.0),
            far_below=-20.0,
            far_above=20.0,
        ),
        Function(
            "sigmoid",
            _sigmoid,
            _sigmoid_taylor,
            _sigmoid_tail,
            (0.5, 0.5),
            (1.0, 0.0),
            below=(-104.0, 0.0),
            above=(32.0, 1.0),
            far_below=-746.0,
            far_above=38.0,
        ),
        Function(
            "erf",
            gmpy2.erf,
            lambda c, degree: erf_like_taylor(c, degree, gmpy2.erf(c), 1),
            erf_tail,
            (0.0, -0.0),
            (1.0, -1.0),
            below=(-8.0, -1.0),
            above=(8.0, 1.0),
            far_below=-6.0,
            far_above=6.0,
        ),
        Function(
            "erfc",
            gmpy2.erfc,
            lambda c, degree: erf_like_taylor(c, degree, gmpy2.erfc(c), -1),
            erf_tail,
            (1.0, 1.0),
            (0.0, 2.0),
            below=(-8.0, 2.0),
            above=(10.5, 0.0),
            far_below=-6.0,
            far_above=28.0,
        ),
        Function(
            "silu",
            lambda x: x * _sigmoid(x),
            _silu_taylor,
            _silu_tail,
            (0.0, -0.0),
            (_INFINITY, -0.0),
            below=(-110.0, -0.0),
            above=(32.0, SAME),
            far_below=-755.0,
            far_above=38.0,
            quadratic=lambda: gmpy2.mpfr(0.25),
        ),
        Function(
            "gelu",
            lambda x: x * _normal(x),
            gelu_taylor,
            _gelu_tail,
            (0.0, -0.0),
            (_INFINITY, -0.0),
            below=(-16.0, -0.0),
            above=(16.0, SAME),
            far_below=-40.0,
            far_above=9.0,
            quadratic=_gelu_quadratic,
        ),
        Function(
            "gelu_tanh",
            lambda x: x * _sigmoid(_gelu_tanh_argument(x)),
            _gelu_tanh_taylor,
            _gelu_tanh_tail,
            (0.0, -0.0),
            (_INFINITY, -0.0),
            below=(-16.0, -0.0),
            above=(16.0, SAME),
            far_below=-22.5,
            far_above=9.0,
            quadratic=_gelu_quadratic,
        ),
    )
}


def function_of(operator: str, attributes: Mapping[str, Any] | None = None) -> Function:
    """The real function of an operator (canonical name) with these attributes.

    Raises
    ------
    KeyError
        There is no proof for this operator.
    """
    attributes = attributes or {}
    return _FUNCTIONS["gelu_tanh" if operator == "gelu" and attributes.get("approximate") == "tanh" else operator]


def provable() -> tuple[str, ...]:
    """Names of the operators that can be proven."""
    return tuple(_FUNCTIONS)
