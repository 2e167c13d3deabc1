"""What importing the package costs, and the variable that chooses a path."""

from __future__ import annotations

import pytest
from support.processes import python

import exactops

IMPORT = """
import sys, time
import numpy, ml_dtypes
start = time.perf_counter()
import exactops
took = time.perf_counter() - start
heavy = [m for m in ("numba", "llvmlite", "llvmlite.binding", "onnx", "dask", "rich", "gmpy2", "filelock") if m in sys.modules]
print(took, heavy, len(exactops.operators()))
"""


def test_import_is_light() -> None:
    """Neither Numba nor LLVM, nor anything that only the command line or an extra needs."""
    took, rest = python(IMPORT).strip().split(" ", 1)
    assert rest == f"[] {len(exactops.operators())}"
    assert float(took) < 5  # a bound for a busy machine: an import of Numba alone takes about half a second on an idle one


def test_import_makes_no_file(tmp_path: object) -> None:
    program = "import os, exactops; exactops.operators(); print(os.path.exists(os.environ['EXACTOPS_CACHE_DIR']))"
    assert python(program, EXACTOPS_CACHE_DIR=f"{tmp_path}/none").strip() == "False"


def test_import_is_cheap_beside_numpy() -> None:
    """Relative to NumPy's import, the better of three."""
    program = (
        "import time; a = time.process_time(); import numpy; b = time.process_time(); import ml_dtypes\n"
        "c = time.process_time(); import exactops; print((time.process_time() - c) / (b - a))"
    )
    assert min(float(python(program)) for _ in range(3)) < 3


def test_bad_input_needs_no_compiler() -> None:
    """Errors about arguments that need no path come before anything heavy is imported."""
    program = (
        "import sys, exactops\n"
        "try: exactops.run('no such operator', 1)\n"
        "except TypeError as error: print('numba' in sys.modules, error)"
    )
    assert python(program).startswith("False no operator")


USE = "import numpy as np, exactops, sys; print(exactops.run('add', np.ones(2, np.float32), 1), *exactops.paths())"


@pytest.mark.parametrize("path", exactops.paths())
def test_the_variable_chooses_the_path(path: str) -> None:
    program = (
        "import exactops, numpy as np\nfrom exactops.frontend.plan import plan\n"
        "x = np.ones(2, np.float32)\n"
        "print(plan(exactops.operators()['add'], (x, x)).path, exactops.run('add', x, 1)[0])"
    )
    assert python(program, EXACTOPS_PATH=path).split() == [path, "2.0"]


@pytest.mark.parametrize("wrong", ["avx1024", "AVX2", "", " "])
def test_a_wrong_path_lists_those_there_are(wrong: str) -> None:
    program = (
        "import exactops, numpy as np\n"
        "out = np.full(2, 7, np.float32)\n"
        "try: print(exactops.run('add', np.ones(2, np.float32), 1, out=out))\n"
        "except ValueError as error: print('ValueError', error, out)"
    )
    output = python(program, EXACTOPS_PATH=wrong)
    if wrong == "":
        assert output.strip() == "[2. 2.]"  # empty is as good as not set
    else:
        assert output.startswith(f"ValueError EXACTOPS_PATH={wrong!r}")
        assert all(path in output for path in exactops.paths()) and "[7. 7.]" in output


@pytest.mark.parametrize("wrong", ["avx1024", "neon" if "avx2" in exactops.paths() else "avx2", 3, "", b"scalar"])
def test_a_wrong_path_argument_lists_those_there_are(wrong: object) -> None:
    with pytest.raises(ValueError, match="scalar") as caught:
        exactops.run("add", [1.0], [2.0], path=wrong)
    assert all(path in str(caught.value) for path in exactops.paths())


def test_the_public_names() -> None:
    assert dir(exactops) == sorted(exactops.__all__)
    assert all(hasattr(exactops, name) for name in exactops.__all__)
    for operator in exactops.operators().values():
        function = getattr(exactops, operator.function)
        assert function.__name__ == operator.function
        assert f"Return {operator.summary}." in function.__doc__
    with pytest.raises(TypeError):
        exactops.operators()["new"] = 1  # type: ignore[index]
