"""Tables and columns of other libraries: what NumPy's ufuncs make of them, and the bits of plain arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.values import same_bits

import exactops

A = np.array([0.5, 1.25, 3.0], np.float32)
B = np.array([2.0, 0.1, -0.0], np.float32)


def test_series_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    a, b = (pandas.Series(each, index=["x", "y", "z"], name="n") for each in (A, B))
    for _ in range(2):
        for found, plain, wanted in (
            (exactops.sqrt(a), exactops.sqrt(A), np.sqrt(a)),
            (exactops.run("Exp", a), exactops.exp(A), np.exp(a)),
            (exactops.add(a, b), exactops.add(A, B), np.add(a, b)),
            (exactops.add(a, 2.0), exactops.add(A, 2.0), np.add(a, np.float32(2))),
            (exactops.add(a, B), exactops.add(A, B), np.add(a, B)),
            (exactops.mul(A, b), exactops.mul(A, B), np.multiply(A, b)),
            (exactops.less(a, b), exactops.less(A, B), np.less(a, b)),
            (exactops.leaky_relu(a, alpha=0.25), exactops.leaky_relu(A, alpha=0.25), np.sqrt(a)),
        ):
            assert type(found) is pandas.Series and found.name == wanted.name
            assert found.index.equals(wanted.index)
            same_bits(found.to_numpy(), plain)


def test_frames_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": A, "b": B}, index=["x", "y", "z"])
    for _ in range(2):
        for found, plain in (
            (exactops.exp(frame), exactops.exp(frame.to_numpy())),
            (exactops.add(frame, 1.0), frame.to_numpy() + 1),
        ):
            assert type(found) is pandas.DataFrame
            assert found.index.equals(frame.index) and found.columns.equals(frame.columns)
            same_bits(found.to_numpy(), plain)
        with pytest.raises(TypeError, match="columns of the DataFrame have the dtypes"):
            exactops.exp(pandas.DataFrame({"a": A, "b": B.astype(np.float16)}))


def test_nullable_series_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    series = pandas.Series([0.5, None, 3.0], dtype="Float32")
    for _ in range(2):
        found = exactops.sqrt(series)
        assert str(found.dtype) == "Float32" and found.isna().tolist() == [False, True, False]
        same_bits(found.dropna().to_numpy(np.float32), exactops.sqrt(A[[0, 2]]))


def test_a_series_as_out() -> None:
    pandas = pytest.importorskip("pandas")
    for _ in range(2):
        out = pandas.Series(np.zeros(3, np.float32))
        exactops.exp(A, out=out)
        same_bits(out.to_numpy(), exactops.exp(A))
        out = pandas.Series(np.zeros(3, np.float32))
        exactops.exp(pandas.Series(A), out=out)
        same_bits(out.to_numpy(), exactops.exp(A))


def test_series_of_polars() -> None:
    polars = pytest.importorskip("polars")
    a = polars.Series("n", A)
    for _ in range(2):
        found = exactops.sqrt(a)
        assert type(found) is type(np.sqrt(a)) and found.name == "n"
        same_bits(found.to_numpy(), exactops.sqrt(A))
        same_bits(np.asarray(exactops.add(a, 2.0)), exactops.add(A, 2.0))


def test_arrays_of_pyarrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    for _ in range(2):
        same_bits(np.asarray(exactops.sqrt(pyarrow.array(A))), exactops.sqrt(A))
        same_bits(np.asarray(exactops.add(pyarrow.chunked_array([A]), B)), exactops.add(A, B))


def test_an_array_like_without_a_dtype_says_what_to_do() -> None:
    class Overrides:
        def __array_ufunc__(self, *given: Any, **more: Any) -> Any:
            return NotImplemented

    with pytest.raises(TypeError, match=r"has no dtype; pass it as an array"):
        exactops.exp(Overrides())
