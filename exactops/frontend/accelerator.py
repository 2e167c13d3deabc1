"""The short way of a call: Python functions whose repeated calls go to the ufunc by machine code.

A public function such as ``exactops.exp`` is a builtin function object made at import, without compiling anything: its C
function is at first CPython's own ``PyObject_Vectorcall``, which calls the object it is bound to, a :class:`Callee` with the
Python function behind it. When a call has gone the whole way and could go straight to a ufunc next time, it is remembered by
the identities of what it was called with (operator name, dtypes, attribute names and values), and the C function is replaced
by :func:`short_way`, compiled from this module by the same compiler as the kernels and kept in the same cache. It checks what
the plan would check (types, dtypes, the shape of ``out``) and calls the ufunc; anything else takes the whole way.

This costs tens of nanoseconds where Python code for the same checks costs several hundred. It knows CPython's calling
convention and the head of NumPy's array object, both of which are stable C interfaces, and verifies the latter when it starts;
where either is different (free-threaded builds) every call takes the whole way.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
import threading
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from exactops.runtime import object_cache as cache

# Offsets in CPython's object head and tuple, and in NumPy's array object, in bytes.
_TYPE, _TUPLE_SIZE, _TUPLE_ITEMS = 8, 16, 24
_DIMENSION_COUNT, _DIMENSIONS, _DESCR = 24, 32, 56

# Words of the state: a header, then the slots of the table.
_VECTORCALL, _NDARRAY, _OUT, _NAMED_BY_STRING, _HEADER = 0, 1, 2, 3, 8
# Words of a slot.
_CALLEE, _OPERATOR, _ARRAYS, _KEYWORDS, _UFUNC, _RESULT, _EXTRAS, _MIXED = range(8)
_OPERANDS, _REPLACEMENTS, _NAMES, _VALUES, _EXTRA = 8, 12, 16, 20, 24
_SLOT_WORDS, _SLOTS, _PROBES = 32, 1024, 4
_MOST = 4  # operands, keywords besides out=, and extra operands of a remembered call


# --- what machine code does, as Python functions that the compiler knows (see _teach_numba) -------------------------------


def peek(address: int) -> int:
    """The machine word at an address."""
    return ctypes.c_int64.from_address(address).value


def poke(address: int, word: int) -> None:
    """Store a machine word."""
    ctypes.c_int64.from_address(address).value = word


def stack() -> int:
    """The address of 16 words of stack memory."""
    raise NotImplementedError("only in compiled code")


def state() -> int:
    """The address of the state, which the loader stores in the compiled code."""
    raise NotImplementedError("only in compiled code")


def invoke(function: int, callee: int, arguments: int, count: int, names: int) -> int:
    """Call a C function of the form of ``PyObject_Vectorcall``."""
    raise NotImplementedError("only in compiled code")


def slot_of(callee: int, operator: int, first: int, second: int, mixed: int) -> int:
    """The first slot of the table that a call may be in, by the addresses of its parts (which are multiples of 16)."""
    sum_of_parts = (callee >> 4) + (operator >> 4) * 3 + (first >> 4) * 5 + (second >> 4) * 7 + mixed * 11
    return (sum_of_parts ^ (sum_of_parts >> 9)) & (_SLOTS - 1)


def mix(mixed: int, value: int) -> int:
    """One more keyword value, taken into what the slot is chosen by."""
    return mixed * 3 + (value >> 4)


def identity_of(argument: int, ndarray: int) -> int:
    """What an operand is recognised by: an array by its dtype (an odd number, which no address is), anything else by itself."""
    if peek(argument + _TYPE) == ndarray:
        return peek(argument + _DESCR) + 1
    return argument


def same_shape(x: int, y: int) -> bool:
    """Whether two arrays have one shape."""
    count = peek(x + _DIMENSION_COUNT) & 0xFFFFFFFF
    if count != peek(y + _DIMENSION_COUNT) & 0xFFFFFFFF:
        return False
    mine, other = peek(x + _DIMENSIONS), peek(y + _DIMENSIONS)
    for axis in range(count):  # noqa: SIM110 (Numba compiles loops, not generators)
        if peek(mine + 8 * axis) != peek(other + 8 * axis):
            return False
    return True


def short_way(callee: int, arguments: int, count: int, names: int) -> int:
    """The C function: (self, args, nargs, kwnames) of METH_FASTCALL | METH_KEYWORDS."""
    head = state()
    vectorcall, ndarray = peek(head + 8 * _VECTORCALL), peek(head + 8 * _NDARRAY)
    operator, first = 0, 0
    if callee == peek(head + 8 * _NAMED_BY_STRING) and count > 0:
        operator, first = peek(arguments), 1
    arrays = count - first
    keywords, out, mixed = 0, 0, 0
    if names != 0:
        keywords = peek(names + _TUPLE_SIZE)
    if arrays < 1 or arrays > _MOST or keywords > _MOST + 1:
        return invoke(vectorcall, callee, arguments, count, names)
    # Take out= from the keywords; the values of the others help to choose the slot.
    others = 0
    for position in range(keywords):
        if peek(names + _TUPLE_ITEMS + 8 * position) == peek(head + 8 * _OUT):
            out = peek(arguments + 8 * (count + position))
        else:
            mixed = mix(mixed, peek(arguments + 8 * (count + position)))
            others += 1
    one = identity_of(peek(arguments + 8 * first), ndarray)
    two = 0
    if arrays > 1:
        two = identity_of(peek(arguments + 8 * (first + 1)), ndarray)
    start = slot_of(callee, operator, one, two, mixed)
    slot = 0
    for probe in range(_PROBES):
        candidate = head + 8 * (_HEADER + _SLOT_WORDS * ((start + probe) & (_SLOTS - 1)))
        if (
            peek(candidate + 8 * _CALLEE) == callee
            and peek(candidate + 8 * _OPERATOR) == operator
            and peek(candidate + 8 * _ARRAYS) == arrays
            and peek(candidate + 8 * _KEYWORDS) == others
            and peek(candidate + 8 * _MIXED) == mixed
            and peek(candidate + 8 * _OPERANDS) == one
            and (arrays == 1 or peek(candidate + 8 * (_OPERANDS + 1)) == two)
        ):
            slot = candidate
            break
    if slot == 0 or (out != 0 and not (peek(out + _TYPE) == ndarray and peek(out + _DESCR) == peek(slot + 8 * _RESULT))):
        return invoke(vectorcall, callee, arguments, count, names)
    place = 0
    for position in range(keywords):
        name = peek(names + _TUPLE_ITEMS + 8 * position)
        if name != peek(head + 8 * _OUT):
            given = peek(arguments + 8 * (count + position))
            if name != peek(slot + 8 * (_NAMES + place)) or given != peek(slot + 8 * (_VALUES + place)):
                return invoke(vectorcall, callee, arguments, count, names)
            place += 1
    passed = stack()
    shaped = out == 0
    for position in range(arrays):
        argument = peek(arguments + 8 * (first + position))
        if identity_of(argument, ndarray) != peek(slot + 8 * (_OPERANDS + position)):
            return invoke(vectorcall, callee, arguments, count, names)
        replacement = peek(slot + 8 * (_REPLACEMENTS + position))
        if replacement != 0:
            argument = replacement
        elif out != 0:
            # The result's shape is that of the operands together: here, of one that has it, where the others are 0-d.
            if same_shape(argument, out):
                shaped = True
            elif peek(argument + _DIMENSION_COUNT) & 0xFFFFFFFF != 0:
                return invoke(vectorcall, callee, arguments, count, names)
        poke(passed + 8 * position, argument)
    if not shaped:
        return invoke(vectorcall, callee, arguments, count, names)
    extras = peek(slot + 8 * _EXTRAS)
    for position in range(extras):
        poke(passed + 8 * (arrays + position), peek(slot + 8 * (_EXTRA + position)))
    total = arrays + extras
    if out != 0:
        poke(passed + 8 * total, out)
        total += 1
    return invoke(vectorcall, peek(slot + 8 * _UFUNC), passed, total, 0)


# --- compiling it ---------------------------------------------------------------------------------------------------------


def _compile() -> bytes:
    """Machine code of :func:`short_way`, with two symbols: the function and the word for the address of the state."""
    import llvmlite.binding as llvm
    from llvmlite import ir
    from numba.core import types as numba_types
    from numba.core.registry import cpu_target

    from exactops.codegen import compiler
    from exactops.codegen.lowering import functions as lowering
    from exactops.codegen.target import host_target

    _teach_numba()
    word, pointer = ir.IntType(64), ir.IntType(8).as_pointer()
    lowered = lowering.lower(short_way, (numba_types.intp,) * 4)
    module = ir.Module("short_way")
    function = ir.Function(module, ir.FunctionType(pointer, [pointer, pointer, word, pointer]), "exactops_short_way")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    arguments = [a if a.type == word else builder.ptrtoint(a, word) for a in function.args]
    context = cpu_target.target_context
    _, result = context.call_internal_no_propagate(builder, lowered.description, lowered.signature, arguments)
    builder.ret(builder.inttoptr(result, pointer))
    state_word = ir.GlobalVariable(module, word, "exactops_state")
    state_word.initializer = word(0)
    optimised = compiler.link_and_optimise(
        str(module), [lowered.bitcode], ("exactops_short_way", "exactops_state"), host_target()
    )
    assert isinstance(optimised, llvm.ModuleRef)
    return compiler.machine_code(optimised, host_target())


def _teach_numba() -> None:
    """Typing and lowering of the functions that :func:`short_way` is made of."""
    from llvmlite import ir
    from numba.core import types as numba_types
    from numba.core.extending import lower_builtin
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature

    from exactops.lanes import lane_function

    if getattr(_teach_numba, "done", False):
        return
    _teach_numba.done = True  # type: ignore[attr-defined]
    for helper in (slot_of, mix, identity_of, same_shape):
        lane_function(helper)
    word, pointer = ir.IntType(64), ir.IntType(8).as_pointer()

    def teach(function, arity, emit, result=numba_types.intp):
        class Template(AbstractTemplate):
            key = function

            def generic(self, args, kws):
                return signature(result, *[numba_types.intp] * arity) if len(args) == arity else None

        infer_global(function)(Template)
        lower_builtin(function, *[numba_types.intp] * arity)(lambda context, builder, sig, args: emit(context, builder, args))

    def at(builder, address):
        return builder.inttoptr(address, word.as_pointer())

    def emit_poke(context, builder, args):
        builder.store(args[1], at(builder, args[0]))
        return context.get_dummy_value()

    def emit_stack(context, builder, args):
        with builder.goto_entry_block():
            memory = builder.alloca(word, 16)
        return builder.ptrtoint(memory, word)

    def emit_state(context, builder, args):
        module = builder.module
        found = module.globals.get("exactops_state")
        if found is None:
            found = ir.GlobalVariable(module, word, "exactops_state")
        return builder.load(found)

    def emit_invoke(context, builder, args):
        kind = ir.FunctionType(pointer, [pointer, pointer, word, pointer]).as_pointer()
        function, callee, arguments, count, names = args
        values = [
            builder.inttoptr(callee, pointer),
            builder.inttoptr(arguments, pointer),
            count,
            builder.inttoptr(names, pointer),
        ]
        return builder.ptrtoint(builder.call(builder.inttoptr(function, kind), values), word)

    teach(peek, 1, lambda context, builder, args: builder.load(at(builder, args[0])))
    teach(poke, 2, emit_poke, numba_types.none)
    teach(stack, 0, emit_stack)
    teach(state, 0, emit_state)
    teach(invoke, 5, emit_invoke)


# --- the functions --------------------------------------------------------------------------------------------------------


class _MethodDefinition(ctypes.Structure):
    """CPython's PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("documentation", ctypes.c_char_p),
    )


_FASTCALL_WITH_KEYWORDS = 0x0080 | 0x0002

#: Where the interpreter and NumPy are built as this module expects them.
AVAILABLE = sys.implementation.name == "cpython" and sys.maxsize > 2**32 and not sysconfig.get_config_var("Py_GIL_DISABLED")


class Callee(types.ModuleType):
    """What a public function is bound to: its call takes the whole way.

    It is a module by type because a builtin function of a module pickles by its name, and one of another object does not.
    """

    function: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


_definitions: list[_MethodDefinition] = []


def public_function(name: str, signature: str, documentation: str, whole_way: Callable[..., Any]) -> Callable[..., Any]:
    """A builtin function object named ``exactops.<name>`` that calls ``whole_way(callee, *args, **kwargs)``."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return whole_way(callee, *args, **kwargs)

    callee = Callee(f"exactops.{name}", documentation)
    callee.function = call
    if not AVAILABLE:
        call.__name__ = call.__qualname__ = name
        call.__module__, call.__doc__ = "exactops", documentation
        return call
    text = f"{name}{signature}\n--\n\n{documentation}"
    vectorcall = ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value
    definition = _MethodDefinition(name.encode(), vectorcall, _FASTCALL_WITH_KEYWORDS, text.encode())
    _definitions.append(definition)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.POINTER(_MethodDefinition), ctypes.py_object, ctypes.py_object]
    return make(ctypes.byref(definition), callee, "exactops")


def callee_of(function: Callable[..., Any]) -> int:
    """The address of what a public function is bound to."""
    return id(getattr(function, "__self__", None))


class _State:
    """The table of remembered calls, and the compiled function that reads it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.words: ctypes.Array | None = None
        self.usable = AVAILABLE
        self.remembered = 0
        self.kept: dict[int, tuple] = {}
        self.named_by_string = 0

    def start(self) -> None:
        """Compile or load the function and put it in place of CPython's."""
        from exactops.runtime import loader

        words = (ctypes.c_int64 * (_HEADER + _SLOT_WORDS * _SLOTS))()
        vectorcall = ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value
        words[_VECTORCALL] = vectorcall or 0
        words[_NDARRAY], words[_OUT] = id(np.ndarray), id(sys.intern("out"))
        words[_NAMED_BY_STRING] = self.named_by_string
        key = cache.key_of(f"short way {sys.version} {_SLOTS}")
        code = cache.load(key)
        if code is None:
            code = _compile()
            cache.save(key, code)
        function, state_word = loader.load(code, "exactops_short_way", "exactops_state")
        ctypes.c_int64.from_address(state_word).value = ctypes.addressof(words)
        self.words = words
        for definition in _definitions:
            definition.function = function

    def remember(self, callee: Callee, operator: str | None, arguments, replacements, keywords, ufunc, extras, result) -> None:
        """Fill a slot; whoever reads it holds the interpreter lock, as this does."""
        if not self.usable:
            return
        if max(len(arguments), len(keywords), len(extras)) > _MOST:
            return
        with self.lock:
            if self.words is None:
                self.usable = _layout_is_known()
                if not self.usable:
                    return
                self.start()
            self._fill(callee, operator, arguments, replacements, keywords, ufunc, extras, result)

    def _fill(self, callee, operator, arguments, replacements, keywords, ufunc, extras, result) -> None:
        """Write a slot. A reader in between (it holds the interpreter lock, this may lose it) sees a slot of nobody."""
        words = self.words
        assert words is not None
        self.remembered += 1
        identities = [identity_of(id(a), id(np.ndarray)) for a in arguments]
        second = identities[1] if len(identities) > 1 else 0
        mixed = 0
        for given in keywords.values():
            mixed = mix(mixed, id(given))
        name = id(operator) if operator is not None else 0
        start = slot_of(id(callee), name, identities[0], second, mixed)
        bases = [_HEADER + _SLOT_WORDS * ((start + probe) & (_SLOTS - 1)) for probe in range(_PROBES)]
        # A free slot; where all are taken the first gives way.
        base = next((b for b in bases if words[b + _CALLEE] == 0), bases[0])
        words[base + _CALLEE] = 0
        # Everything that a slot names stays alive as long as it does, so that an address means one object.
        dtypes = [a.dtype if type(a) is np.ndarray else a for a in arguments]
        self.kept[base] = (callee, operator, dtypes, replacements, keywords, ufunc, extras, result)
        words[base + _OPERATOR], words[base + _ARRAYS], words[base + _KEYWORDS] = name, len(arguments), len(keywords)
        words[base + _UFUNC], words[base + _RESULT], words[base + _EXTRAS] = id(ufunc), id(result), len(extras)
        words[base + _MIXED] = mixed
        for offset, values in (
            (_OPERANDS, identities),
            (_REPLACEMENTS, [0 if r is None else id(r) for r in replacements]),
            (_NAMES, [id(sys.intern(k)) for k in keywords]),
            (_VALUES, [id(v) for v in keywords.values()]),
            (_EXTRA, [id(e) for e in extras]),
        ):
            for position, word in enumerate(values):
                words[base + offset + position] = word
        words[base + _CALLEE] = id(callee)


def _layout_is_known() -> bool:
    """Whether an array's dimensions and dtype, and a tuple's items, lie where :func:`short_way` looks for them."""
    array, pair = np.empty((3, 5), np.float32), ("out", 7)
    return (
        peek(id(array) + _TYPE) == id(np.ndarray)
        and peek(id(array) + _DIMENSION_COUNT) & 0xFFFFFFFF == 2
        and peek(id(array) + _DESCR) == id(array.dtype)
        and peek(peek(id(array) + _DIMENSIONS)) == 3
        and peek(peek(id(array) + _DIMENSIONS) + 8) == 5
        and peek(id(pair) + _TUPLE_SIZE) == 2
        and peek(id(pair) + _TUPLE_ITEMS) == id(pair[0])
    )


STATE = _State()
