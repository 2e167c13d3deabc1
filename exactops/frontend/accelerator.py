"""An accelerator over the dispatch: calls like an earlier one go to the ufunc by machine code.

Without it everything works, and a call costs some hundred nanoseconds more. A public function such as ``exactops.exp`` is a
builtin function object, made at import without compiling anything. Its C function is at first CPython's own
``PyObject_Vectorcall``, which calls the object that the builtin is bound to (a :class:`Callee`), and that the Python
function behind it, the dispatch. When the dispatch has made a plan whose ufunc takes the arguments as they are, it tells
:func:`remember`; the C function is then :func:`accelerated`, compiled from this module by the same compiler as the kernels
and kept in the same cache. It recognises a call by the identities of its dtypes and keyword values, checks the dtype and
the shape of ``out``, and calls the ufunc; for anything else it calls the dispatch.

It knows CPython's calling convention and the head of NumPy's array object, both stable C interfaces. The offsets that differ
between versions of CPython are asked of the interpreter, all are verified before the first use, and where anything is
different (free-threaded builds, other interpreters) every call takes the dispatch.
"""

from __future__ import annotations

import ctypes
import sys
import sysconfig
import threading
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from exactops.runtime import object_cache

if TYPE_CHECKING:
    from exactops.frontend.plan import Plan

# Offsets in bytes. An object's head ends with its type; a variable-sized one has its length next; NumPy's array object goes on
# with its data, the number of its dimensions, their lengths, the strides, the base and the dtype.
_HEAD = object.__basicsize__
_TYPE = _HEAD - 8
_TUPLE_SIZE, _TUPLE_ITEMS = _HEAD, tuple.__basicsize__
_DIMENSION_COUNT, _DIMENSIONS, _DTYPE = _HEAD + 8, _HEAD + 16, _HEAD + 40

# Words of the state: a header, the functions behind the callees, the names of operators, then the slots.
_VECTORCALL, _NDARRAY, _OUT, _RUN, _HEADER = 0, 1, 2, 3, 8
_PAIRS = 1024  # of each of the two tables, which have two words an entry: the callees' functions, the names' callees
_FUNCTIONS, _NAMES = _HEADER, _HEADER + 2 * _PAIRS
_SLOTS_FROM = _NAMES + 2 * _PAIRS
# Words of a slot.
_CALLEE, _ARRAYS, _KEYWORDS, _UFUNC, _RESULT, _CONSTANTS, _MIXED = range(7)
_DTYPES, _KEYWORD_NAMES, _VALUES, _CONSTANT = 8, 12, 16, 20
_SLOT_WORDS, _SLOTS, _PROBES = 24, 1024, 8
_MOST = 4  # arrays, keywords besides out=, and constants of a remembered call


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


def slot_of(callee: int, first: int, second: int, mixed: int) -> int:
    """The first slot that a call may be in, by the addresses of its parts (which are multiples of 16)."""
    sum_of_parts = (callee >> 4) + (first >> 4) * 5 + (second >> 4) * 7 + mixed * 11
    return (sum_of_parts ^ (sum_of_parts >> 9)) & (_SLOTS - 1)


def mix(mixed: int, value: int) -> int:
    """One more keyword value, taken into what the slot is chosen by."""
    return mixed * 3 + (value >> 4)


def place_of(address: int) -> int:
    """The first entry that an address may have in a table of pairs."""
    return ((address >> 4) ^ (address >> 13)) & (_PAIRS - 1)


def looked_up(table: int, address: int) -> int:
    """What a table of pairs has for an address, or 0."""
    start = place_of(address)
    for probe in range(_PROBES):
        entry = table + 16 * ((start + probe) & (_PAIRS - 1))
        if peek(entry) == address:
            return peek(entry + 8)
    return 0


def dtype_of(argument: int, ndarray: int) -> int:
    """The address of the dtype of an array; 0 for anything else."""
    if peek(argument + _TYPE) == ndarray:
        return peek(argument + _DTYPE)
    return 0


def fit(x: int, out: int) -> int:
    """2 where an array has the shape of an output, 1 where it has its last axes (or none), else 0."""
    count, most = peek(x + _DIMENSION_COUNT) & 0xFFFFFFFF, peek(out + _DIMENSION_COUNT) & 0xFFFFFFFF
    if count > most:
        return 0
    mine, others = peek(x + _DIMENSIONS), peek(out + _DIMENSIONS) + 8 * (most - count)
    for axis in range(count):
        if peek(mine + 8 * axis) != peek(others + 8 * axis):
            return 0
    return 2 if count == most else 1


def found_slot(head: int, callee: int, arguments: int, arrays: int, others: int, mixed: int, ndarray: int) -> int:
    """The address of the slot of a call, or 0."""
    one = dtype_of(peek(arguments), ndarray)
    two = 0
    if arrays > 1:
        two = dtype_of(peek(arguments + 8), ndarray)
    start = slot_of(callee, one, two, mixed)
    for probe in range(_PROBES):
        candidate = head + 8 * (_SLOTS_FROM + _SLOT_WORDS * ((start + probe) & (_SLOTS - 1)))
        if (
            peek(candidate + 8 * _CALLEE) == callee
            and peek(candidate + 8 * _ARRAYS) == arrays
            and peek(candidate + 8 * _KEYWORDS) == others
            and peek(candidate + 8 * _MIXED) == mixed
            and peek(candidate + 8 * _DTYPES) == one
            and (arrays == 1 or peek(candidate + 8 * (_DTYPES + 1)) == two)
        ):
            return candidate
    return 0


def accelerated(bound: int, arguments: int, count: int, names: int) -> int:
    """The C function: (self, args, nargs, kwnames) of METH_FASTCALL | METH_KEYWORDS."""
    head = state()
    vectorcall, ndarray = peek(head + 8 * _VECTORCALL), peek(head + 8 * _NDARRAY)
    function = looked_up(head + 8 * _FUNCTIONS, bound)
    callee, first = bound, 0
    if bound == peek(head + 8 * _RUN) and count > 0:
        callee, first = looked_up(head + 8 * _NAMES, peek(arguments)), 1
    arrays = count - first
    keywords = 0
    if names != 0:
        keywords = peek(names + _TUPLE_SIZE)
    if arrays < 1 or arrays > _MOST or keywords > _MOST + 1 or callee == 0:
        return invoke(vectorcall, function, arguments, count, names)
    # Take out= from the keywords; the values of the others help to choose the slot.
    others, out, mixed = 0, 0, 0
    for position in range(keywords):
        given = peek(arguments + 8 * (count + position))
        if peek(names + _TUPLE_ITEMS + 8 * position) == peek(head + 8 * _OUT):
            out = given
        else:
            mixed = mix(mixed, given)
            others += 1
    own = arguments + 8 * first
    slot = found_slot(head, callee, own, arrays, others, mixed, ndarray)
    if slot == 0 or (out != 0 and dtype_of(out, ndarray) != peek(slot + 8 * _RESULT)):
        return invoke(vectorcall, function, arguments, count, names)
    place = 0
    for position in range(keywords):
        name = peek(names + _TUPLE_ITEMS + 8 * position)
        if name != peek(head + 8 * _OUT):
            given = peek(arguments + 8 * (count + position))
            if name != peek(slot + 8 * (_KEYWORD_NAMES + place)) or given != peek(slot + 8 * (_VALUES + place)):
                return invoke(vectorcall, function, arguments, count, names)
            place += 1
    passed = stack()
    shaped = out == 0
    for position in range(arrays):
        argument = peek(own + 8 * position)
        if dtype_of(argument, ndarray) != peek(slot + 8 * (_DTYPES + position)):
            return invoke(vectorcall, function, arguments, count, names)
        if out != 0:
            # The result's shape is that of the operands together: of one that has it, if the others have its last axes.
            fitting = fit(argument, out)
            if fitting == 0:
                return invoke(vectorcall, function, arguments, count, names)
            if fitting == 2:
                shaped = True
        poke(passed + 8 * position, argument)
    if not shaped:
        return invoke(vectorcall, function, arguments, count, names)
    constants = peek(slot + 8 * _CONSTANTS)
    for position in range(constants):
        poke(passed + 8 * (arrays + position), peek(slot + 8 * (_CONSTANT + position)))
    total = arrays + constants
    if out != 0:
        poke(passed + 8 * total, out)
        total += 1
    return invoke(vectorcall, peek(slot + 8 * _UFUNC), passed, total, 0)


_HELPERS = (slot_of, mix, place_of, looked_up, dtype_of, fit, found_slot)

# --- compiling it ---------------------------------------------------------------------------------------------------------


def _compile() -> bytes:
    """Machine code of :func:`accelerated`, with two symbols: the function and the word for the address of the state."""
    from llvmlite import ir
    from numba.core import types as numba_types
    from numba.core.registry import cpu_target

    from exactops.codegen import compiler
    from exactops.codegen.lowering.functions import lower
    from exactops.codegen.target import host_target

    _teach_numba()
    word, pointer = ir.IntType(64), ir.IntType(8).as_pointer()
    lowered = lower(accelerated, (numba_types.intp,) * 4)
    module = ir.Module("accelerator")
    function = ir.Function(module, ir.FunctionType(pointer, [pointer, pointer, word, pointer]), "exactops_accelerated")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    arguments = [a if a.type == word else builder.ptrtoint(a, word) for a in function.args]
    context = cpu_target.target_context
    _, result = context.call_internal_no_propagate(builder, lowered.description, lowered.signature, arguments)
    builder.ret(builder.inttoptr(result, pointer))
    state_word = ir.GlobalVariable(module, word, "exactops_state")
    state_word.initializer = word(0)
    keep = ("exactops_accelerated", "exactops_state")
    return compiler.machine_code(compiler.link_and_optimise(str(module), [lowered.bitcode], keep, host_target()), host_target())


def _teach_numba() -> None:
    """Typing and lowering of the functions that :func:`accelerated` is made of."""
    from llvmlite import ir
    from numba.core import types as numba_types
    from numba.core.extending import lower_builtin
    from numba.core.typing.templates import AbstractTemplate, infer_global, signature

    from exactops.lanes import lane_function

    if getattr(_teach_numba, "done", False):
        return
    _teach_numba.done = True  # type: ignore[attr-defined]
    for helper in _HELPERS:
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

#: Where the interpreter and NumPy may be built as this module expects them.
AVAILABLE = sys.implementation.name == "cpython" and sys.maxsize > 2**32 and not sysconfig.get_config_var("Py_GIL_DISABLED")


class Callee(types.ModuleType):
    """What a public function is bound to: its call is the dispatch.

    It is a module by type because a builtin function of a module pickles by its name, and one of another object does not.
    """

    function: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


_definitions: list[_MethodDefinition] = []


def public_function(function: Callable[..., Any], name: str, signature: str, documentation: str) -> Callable[..., Any]:
    """A builtin function object named ``exactops.<name>`` for a Python function, or that function itself.

    Parameters
    ----------
    function : callable
        The dispatch of an operator, or ``run``.
    name, signature, documentation : str
        What ``help`` shows.
    """
    function.__name__ = function.__qualname__ = name
    function.__module__, function.__doc__ = "exactops", documentation
    if not AVAILABLE:
        function.__text_signature__ = signature  # type: ignore[attr-defined]
        return function
    callee = Callee(f"exactops.{name}", documentation)
    callee.function = function
    text = f"{name}{signature}\n--\n\n{documentation}"
    vectorcall = ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value
    definition = _MethodDefinition(name.encode(), vectorcall, _FASTCALL_WITH_KEYWORDS, text.encode())
    _definitions.append(definition)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = [ctypes.POINTER(_MethodDefinition), ctypes.py_object, ctypes.py_object]
    _STATE.callees[function] = callee
    return make(ctypes.byref(definition), callee, "exactops")


def plain_function(public: Callable[..., Any]) -> Callable[..., Any]:
    """The Python function behind a public one: what a call takes without the accelerator."""
    return getattr(getattr(public, "__self__", None), "function", public)


#: Types of keyword values that never change, so that one object means one value for good.
_CONSTANT_TYPES = (str, type(None), bool, int, type, np.dtype)


class _State:
    """The tables that the compiled function reads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.words: ctypes.Array | None = None
        self.usable = AVAILABLE
        self.remembered = 0
        self.callees: dict[Callable[..., Any], Callee] = {}
        self.run: Callable[..., Any] | None = None
        self.kept: dict[int, tuple] = {}
        self.by_spelling: dict[str, Callable[..., Any]] = {}
        self.names: list[str] = []

    def start(self) -> ctypes.Array:
        """Compile or load the function and put it in place of CPython's."""
        from exactops.runtime import loader

        words = (ctypes.c_int64 * (_SLOTS_FROM + _SLOT_WORDS * _SLOTS))()
        vectorcall = ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value
        words[_VECTORCALL] = vectorcall or 0
        words[_NDARRAY], words[_OUT] = id(np.ndarray), id(sys.intern("out"))
        for function, callee in self.callees.items():
            if not _enter(words, _FUNCTIONS, id(callee), id(function)):
                raise RuntimeError("the table of functions is full")
            if function is self.run:
                words[_RUN] = id(callee)
        # A name in a program's text is the interned string; one that was put together takes the dispatch.
        self.names = [sys.intern(name) for name in self.by_spelling]
        for name in self.names:
            if not _enter(words, _NAMES, id(name), id(self.callees[self.by_spelling[name]])):
                raise RuntimeError("the table of names is full")
        key = object_cache.key_of(f"accelerator {sys.version} {_PAIRS} {_SLOTS}")
        code = object_cache.load(key)
        if code is None:
            code = _compile()
            object_cache.save(key, code)
        compiled, state_word = loader.load(code, "exactops_accelerated", "exactops_state")
        ctypes.c_int64.from_address(state_word).value = ctypes.addressof(words)
        self.words = words
        for definition in _definitions:
            definition.function = compiled
        return words


_STATE = _State()


def _enter(words: ctypes.Array, table: int, address: int, value: int) -> bool:
    """Enter a pair into a table; whether there was room."""
    start = place_of(address)
    for probe in range(_PROBES):
        entry = table + 2 * ((start + probe) & (_PAIRS - 1))
        if words[entry] in (0, address):
            words[entry + 1] = value
            words[entry] = address
            return True
    return False


def set_run(function: Callable[..., Any], by_spelling: dict[str, Callable[..., Any]]) -> None:
    """Say which function takes the name of an operator as its first argument, and the function of each name."""
    _STATE.run, _STATE.by_spelling = function, by_spelling


def remember(function: Callable[..., Any], arrays: tuple, keywords: dict[str, Any], plan: Plan) -> None:
    """Let the next call like this one go to the ufunc by machine code, where it takes the arguments as they are."""
    callee = _STATE.callees.get(function)
    constants = plan.constants
    if not _STATE.usable or callee is None or constants is None:
        return
    if not arrays or max(len(arrays), len(keywords), len(constants)) > _MOST:
        return
    if not all(type(each) is np.ndarray for each in arrays) or not all(type(v) in _CONSTANT_TYPES for v in keywords.values()):
        return
    with _STATE.lock:
        if _STATE.words is None:
            _STATE.usable = _layout_is_known()
            if not _STATE.usable:
                return
            _STATE.start()
        _fill(callee, [each.dtype for each in arrays], keywords, plan.ufunc, constants, plan.dtype)


def _fill(callee: Callee, dtypes: list[np.dtype], keywords: dict[str, Any], ufunc: Any, constants: tuple, result: Any) -> None:
    """Write a slot. A reader in between (it holds the interpreter lock, this may lose it) sees a slot of nobody."""
    words = _STATE.words
    assert words is not None
    mixed = 0
    for given in keywords.values():
        mixed = mix(mixed, id(given))
    # Machine words wrap.
    mixed = ctypes.c_int64(mixed).value
    start = slot_of(id(callee), id(dtypes[0]), id(dtypes[1]) if len(dtypes) > 1 else 0, mixed)
    bases = [_SLOTS_FROM + _SLOT_WORDS * ((start + probe) & (_SLOTS - 1)) for probe in range(_PROBES)]
    base = next((each for each in bases if words[each + _CALLEE] == 0), None)
    if base is None:  # a full table: what is in it stays
        return
    _STATE.remembered += 1
    # Everything that a slot names stays alive, so that an address means one object.
    _STATE.kept[base] = (callee, dtypes, keywords, ufunc, constants, result)
    words[base + _ARRAYS], words[base + _KEYWORDS], words[base + _CONSTANTS] = len(dtypes), len(keywords), len(constants)
    words[base + _UFUNC], words[base + _RESULT], words[base + _MIXED] = id(ufunc), id(result), mixed
    for offset, values in (
        (_DTYPES, [id(each) for each in dtypes]),
        (_KEYWORD_NAMES, [id(sys.intern(name)) for name in keywords]),
        (_VALUES, [id(value) for value in keywords.values()]),
        (_CONSTANT, [id(each) for each in constants]),
    ):
        for position, word in enumerate(values):
            words[base + offset + position] = word
    words[base + _CALLEE] = id(callee)


def _layout_is_known() -> bool:
    """Whether an array's dimensions and dtype, and a tuple's items, lie where :func:`accelerated` looks for them."""
    array, triple = np.empty((3, 5), np.float32), ("out", 7, None)
    return (
        peek(id(array) + _TYPE) == id(np.ndarray)
        and peek(id(array) + _DIMENSION_COUNT) & 0xFFFFFFFF == 2
        and peek(id(array) + _DTYPE) == id(array.dtype)
        and peek(peek(id(array) + _DIMENSIONS)) == 3
        and peek(peek(id(array) + _DIMENSIONS) + 8) == 5
        and peek(id(triple) + _TUPLE_SIZE) == 3
        and all(peek(id(triple) + _TUPLE_ITEMS + 8 * place) == id(each) for place, each in enumerate(triple))
    )
