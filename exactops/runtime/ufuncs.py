"""A compiled loop as a real NumPy ufunc.

NumPy's own machinery then does broadcasting, ``out=``, ``where=``, overlap, byte order, alignment, 0-d results and
``__array_ufunc__``. The constructors are slots of NumPy's stable C table ``_UFUNC_API``.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading

import numpy as np

from exactops.codegen.specification import LoopSpecification
from exactops.table.formats import FIRST_USER_NUMBER, FORMATS

_FROM_LOOPS, _REGISTER_LOOP = 1, 2  # slots of the C table
_NO_IDENTITY = -1

_keep_alive: list[object] = []
_ufuncs: dict[tuple[LoopSpecification, str], np.ufunc] = {}
_lock = threading.Lock()


@functools.cache
def _c_functions():
    capsule = ctypes.pythonapi.PyCapsule_GetPointer
    capsule.restype, capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    pointers, text = ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p
    table = ctypes.cast(capsule(np._core._multiarray_umath._UFUNC_API, None), pointers)
    create = ctypes.PYFUNCTYPE(ctypes.py_object, pointers, pointers, text, *[ctypes.c_int] * 4, text, text, ctypes.c_int)(
        table[_FROM_LOOPS]
    )
    register = ctypes.PYFUNCTYPE(
        ctypes.c_int, ctypes.py_object, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int), ctypes.c_void_p
    )(table[_REGISTER_LOOP])
    return create, register


def ufunc(specification: LoopSpecification, name: str, module: str = "exactops") -> np.ufunc:
    """The ufunc of a loop: compiled on first use, then kept.

    Parameters
    ----------
    specification : LoopSpecification
    name, module : str
        How the ufunc is called, and where pickle finds it by that name.
    """
    key = specification, name
    found = _ufuncs.get(key)
    if found is None:
        with _lock:
            found = _ufuncs.get(key)
            if found is None:
                found = _ufuncs[key] = _make(specification, name, module)
    return found


def _make(specification: LoopSpecification, name: str, module: str) -> np.ufunc:
    from exactops.runtime import loader

    create, register = _c_functions()
    inputs, results = specification.inputs, specification.results
    numbers = [FORMATS[short].dtype.num for short in (*inputs, *results)]
    address = loader.address(specification)
    text = name.encode()
    user = [number for number in numbers if number >= FIRST_USER_NUMBER]
    if user:
        # bfloat16 is ml_dtypes' dtype: such a ufunc starts empty, and its loop is registered for that type.
        empty = ctypes.POINTER(ctypes.c_void_p)()
        _keep_alive.append(text)
        made = create(empty, empty, None, 0, len(inputs), len(results), _NO_IDENTITY, text, b"", 0)
        if register(made, user[0], address, (ctypes.c_int * len(numbers))(*numbers), None):
            raise RuntimeError(f"NumPy refused a loop of {name} for {inputs}")
    else:
        arguments = (ctypes.c_void_p * 1)(address), (ctypes.c_void_p * 1)(None), bytes(numbers)
        _keep_alive.append((*arguments, text))
        made = create(*arguments, 1, len(inputs), len(results), _NO_IDENTITY, text, b"", 0)
    with contextlib.suppress(AttributeError):  # before NumPy 2.2 a ufunc has no attributes of its own
        made.__module__ = module
    return made
