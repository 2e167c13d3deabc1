"""Loops that are more than one kernel with one result: steps in one body, and several results."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import exactops
from exactops.codegen.specification import LoopSpecification, Step
from exactops.frontend.dispatch import Dispatch
from exactops.lanes import absolute, bits, convert, from_bits, signed
from exactops.ops.arithmetic import add, mul
from exactops.ops.exp import exp
from exactops.runtime.ufuncs import ufunc
from exactops.table.formats import FLOATS, FORMATS
from exactops.table.operator import Kernel, Operand, Operator, simple_kernel
from exactops.testing import assert_same_bits, mixed_values

SIZES = (0, 1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 64, 65, 127, 1000)


def sum_and_product(x, y):
    """Two results of the value type."""
    return x + y, x * y


def split_exponent(x):
    """The significand in [1, 2) and the exponent of positive normal float32 numbers: results of two types."""
    pattern = bits(x)
    significand = from_bits((pattern & 0x007FFFFF) | 0x3F800000)
    return significand, signed(convert(pattern >> 23, "uint32")) - 127


def both_signs(x):
    """A float and a mask, whose stores differ."""
    return absolute(x), x < 0.0


@pytest.mark.parametrize("path", exactops.paths())
@pytest.mark.parametrize("short", FLOATS)
def test_steps_in_one_body_give_the_bits_of_several_loops(short: str, path: str) -> None:
    """x * y + z and exp(x) + y: each step is rounded to the stored type, in half types too."""
    multiply, plus = simple_kernel(mul), simple_kernel(add)
    fused = LoopSpecification((short,) * 3, (Step(multiply, (0, 1), (short,)), Step(plus, (3, 2), (short,))), (4,), path, False)
    loop = ufunc(fused, f"multiply and add {short} {path}")
    for size in SIZES:
        x, y, z = (mixed_values(short, size, seed) for seed in (1, 2, 3))
        wanted = exactops.add(exactops.mul(x, y, path=path), z, path=path)
        assert_same_bits(loop(x, y, z), wanted)
        assert_same_bits(loop(x[::-1], y, z)[::-1], exactops.add(exactops.mul(x, y[::-1]), z[::-1]))
    if short == "f64":
        return
    # A kernel that gives wide lanes, used twice, and a value that two steps take.
    step = Step(Kernel(exp), (0,), (short,))
    twice = LoopSpecification(
        (short,), (step, Step(plus, (1, 1), (short,)), Step(multiply, (2, 0), (short,))), (3,), path, False
    )
    x = mixed_values(short, 500, 4)
    y = exactops.exp(x)
    assert_same_bits(ufunc(twice, f"twice {short} {path}")(x), exactops.mul(exactops.add(y, y), x))


@pytest.mark.parametrize("path", exactops.paths())
@pytest.mark.parametrize("short", (*FLOATS, "i8", "u64"))
def test_a_kernel_with_two_results(short: str, path: str) -> None:
    kernel = simple_kernel(sum_and_product)
    loop = ufunc(LoopSpecification.of(kernel, (short, short), (short, short), path, False), f"sum and product {short} {path}")
    assert loop.nout == 2
    for size in SIZES:
        x, y = (mixed_values(short, size, seed) for seed in (1, 2))
        outs = np.zeros(3 * size, x.dtype)[::3], np.zeros(size, x.dtype)[::-1]
        for results in (loop(x, y), loop(x, y, out=outs), loop(x[::2], y[::2])):
            step = 2 if results[0].size != size else 1
            assert_same_bits(np.ascontiguousarray(results[0]), exactops.add(x[::step], y[::step]))
            assert_same_bits(np.ascontiguousarray(results[1]), exactops.mul(x[::step], y[::step]))
        a, b = x.copy(), y.copy()
        loop(a, b, out=(b, a))
        assert_same_bits(b, exactops.add(x, y))
        assert_same_bits(a, exactops.mul(x, y))


def test_results_of_two_types_by_the_dispatch() -> None:
    """An operator with two results: a tuple comes back, and ``out=`` takes one."""
    operator = Operator(
        "split_exponent", "significand and exponent", "b", ("f32",), Kernel(split_exponent), results=("same", "i32")
    )
    call = Dispatch(operator).call
    x = np.abs(mixed_values("f32", 300, 5))
    x = x[(x >= np.finfo(np.float32).tiny) & np.isfinite(x)]
    significand, exponent = np.frexp(x)
    for results in (call(x), call(x, out=(np.empty_like(x), np.empty(x.size, np.int32)))):
        assert_same_bits(results[0], significand * 2)
        assert_same_bits(results[1], exponent - 1)
    half = np.empty(x.size, np.int32)
    results = call(x, out=(None, half))
    assert results[1] is half and results[0].dtype == np.float32
    for bad, error in (
        (np.empty_like(x), TypeError),
        ((np.empty_like(x),), TypeError),
        ((np.empty_like(x), np.empty_like(x)), TypeError),
        ((np.empty_like(x), np.empty(1, np.int32)), ValueError),
    ):
        with pytest.raises(error, match="out="):
            call(x, out=bad)
    one = call(np.float32(6.0))
    assert [type(each) for each in one] == [np.float32, np.int32] and one == (1.5, 2)


@pytest.mark.parametrize("path", exactops.paths())
def test_a_mask_beside_a_float(path: str) -> None:
    kernel = simple_kernel(both_signs)
    loop = ufunc(LoopSpecification.of(kernel, ("f32",), ("f32", "bool"), path, False), f"both signs {path}")
    for size in SIZES:
        x = mixed_values("f32", size, 6)
        size_of_x, negative = loop(x)
        assert_same_bits(negative, exactops.less(x, 0))
        numbers = ~np.isnan(x)
        assert_same_bits(size_of_x[numbers], np.abs(x[numbers]))


def test_descriptions_tell_loops_apart() -> None:
    kernels = simple_kernel(add), simple_kernel(mul), Kernel(add), Kernel(add, unroll=2), Kernel(add, registers=2)
    found = set()
    for kernel, short, path, fast in itertools.product(kernels, ("f32", "f64"), ("scalar", "sse2"), (False, True)):
        found.add(LoopSpecification.of(kernel, (short, short), (short,), path, fast).description)
    assert len(found) == 5 * 2 * 2, "fast mode shares the loops of kernels that do not differ"
    with pytest.raises(ValueError, match="needs a name of its own"):

        def inner(x):
            return x

        Kernel(inner)
    assert FORMATS["f32"].nan == 0x7FC00000
    assert Operand("x").is_read
