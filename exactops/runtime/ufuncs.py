"""A compiled loop as a real NumPy ufunc.

NumPy's own machinery then does broadcasting, ``out=``, ``where=``, overlap, byte order, alignment, 0-d results and
``__array_ufunc__``. The constructors are slots of NumPy's stable C table ``_UFUNC_API``.
"""

from __future__ import annotations

import ctypes
import functools
import threading

import numpy as np

from exactops.codegen.key import Key
from exactops.table.formats import FIRST_USER_NUMBER, STORAGES

_FROM_LOOPS, _REGISTER_LOOP = 1, 2  # slots of the C table
_NO_IDENTITY = -1

_keep_alive: list[object] = []
_ufuncs: dict[Key, np.ufunc] = {}
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


def ufunc(key: Key) -> np.ufunc:
    """The ufunc of a loop: compiled on first use, then kept."""
    found = _ufuncs.get(key)
    if found is None:
        with _lock:
            found = _ufuncs.get(key)
            if found is None:
                found = _ufuncs[key] = _make(key)
    return found


def _make(key: Key) -> np.ufunc:
    from exactops.runtime import loader

    create, register = _c_functions()
    numbers = [STORAGES[short].dtype.num for short in (*key.inputs, key.output)]
    address = loader.address(key)
    name = f"exactops.{key.operator}".encode()
    user = [number for number in numbers if number >= FIRST_USER_NUMBER]
    if not user:
        arguments = (
            (ctypes.c_void_p * 1)(address),
            (ctypes.c_void_p * 1)(None),
            bytes(numbers),
        )
        _keep_alive.append((*arguments, name))
        return create(*arguments, 1, len(key.inputs), 1, _NO_IDENTITY, name, b"", 0)
    # bfloat16 is ml_dtypes' dtype: such a ufunc starts empty, and its loop is registered for that type.
    empty = ctypes.POINTER(ctypes.c_void_p)()
    _keep_alive.append(name)
    made = create(empty, empty, None, 0, len(key.inputs), 1, _NO_IDENTITY, name, b"", 0)
    if register(made, user[0], address, (ctypes.c_int * len(numbers))(*numbers), None):
        raise RuntimeError(f"NumPy refused a loop of {key.operator} for {key.inputs}")
    return made
