"""Polynomials as LLVM vector instructions: a single operation to Numba, which types and lowers each operation at some cost."""

from __future__ import annotations

from llvmlite import ir
from numba.core import types
from numba.core.extending import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from exactops.codegen.lowering.tables import constants_of_tuple
from exactops.codegen.lowering.types import Vec
from exactops.lanes import vocabulary
from exactops.lanes.polynomials import SCHEMES, Arithmetic, evaluate, polynomial, polynomial_lookup


def _is_float(kind) -> bool:
    return isinstance(kind, Vec) and isinstance(kind.element, types.Float)


def _is_scheme(kinds) -> bool:
    """Whether the arguments after the others are a scheme, or nothing."""
    return not kinds or (len(kinds) == 1 and isinstance(kinds[0], types.StringLiteral) and kinds[0].literal_value in SCHEMES)


def _is_table(kind) -> bool:
    return isinstance(kind, types.UniTuple) and isinstance(kind.dtype, types.Float)


@infer_global(polynomial)
class _Polynomial(AbstractTemplate):
    prefer_literal = True

    def generic(self, args, kws):
        if kws or len(args) < 2 or not _is_scheme(args[2:]):
            return None
        x, coefficients = args[:2]
        return signature(x, *args) if _is_float(x) and _is_table(coefficients) and len(coefficients) > 1 else None


@infer_global(polynomial_lookup)
class _PolynomialLookup(AbstractTemplate):
    prefer_literal = True

    def generic(self, args, kws):
        if kws or len(args) < 3 or not _is_scheme(args[3:]):
            return None
        x, rows, index = args[:3]
        fits = _is_float(x) and isinstance(rows, types.UniTuple) and len(rows) > 1 and _is_table(rows.dtype)
        return signature(x, *args) if fits and isinstance(index, Vec) and index.lanes == x.lanes else None


def _emit(context, builder, sig, value, term, count: int, scheme_at: int, monic: bool = False):
    vec = sig.return_type
    fused = context.get_function(vocabulary.mul_add, signature(vec, vec, vec, vec))
    arithmetic = Arithmetic(builder.fmul, builder.fadd, lambda *operands: fused(builder, operands))
    scheme = sig.args[scheme_at].literal_value if len(sig.args) > scheme_at else SCHEMES[0]
    return evaluate(value, term, count, scheme, arithmetic, monic)


@lower_builtin(polynomial, types.VarArg(types.Any))
def _lower_polynomial(context, builder, sig, args):
    vector = context.get_value_type(sig.return_type)
    coefficients = [constant.constant for constant in constants_of_tuple(args[1])]
    if len(coefficients) != len(sig.args[1]):
        raise TypeError("the coefficients of a polynomial must be a tuple of constants at module level")

    def term(power: int):
        return ir.Constant(vector, [coefficients[power]] * vector.count)

    return _emit(context, builder, sig, args[0], term, len(coefficients), 2, coefficients[-1] == 1.0)


@lower_builtin(polynomial_lookup, types.VarArg(types.Any))
def _lower_polynomial_lookup(context, builder, sig, args):
    vec = sig.return_type
    tables = constants_of_tuple(args[1])
    if len(tables) != len(sig.args[1]):
        raise TypeError("the rows of a polynomial must be a tuple of tuples of constants at module level")
    word = vocabulary.lookup_single if vec.element == types.float32 else vocabulary.lookup
    find = context.get_function(word, signature(vec, sig.args[1].dtype, sig.args[2]))

    def term(power: int):
        return find(builder, (tables[power], args[2]))

    return _emit(context, builder, sig, args[0], term, len(tables), 3)
