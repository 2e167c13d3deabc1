"""``exactops prove``: all inputs of an operator, compared with correctly rounded values.

The reference is :mod:`exactops.verification`: its own double-double arithmetic with an error bound, and MPFR for what that
leaves open. It shares nothing with the kernels. All 2**32 float32 inputs take some minutes, the half types a second. Inputs of
float64 are drawn: 10**8 of them take about a minute on one core.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactops.cli._common import (
    CommandError,
    add_attribute_option,
    add_path_option,
    attributes_of,
    console,
    operator_of,
    path_of,
    positive,
    print_json,
    progress,
    table,
)
from exactops.system import processors
from exactops.table.formats import FLOATS, FORMATS, INTEGERS

if TYPE_CHECKING:
    from exactops.table.formats import Format
    from exactops.table.operator import Operator
    from exactops.verification.campaign import Findings, Task
    from exactops.verification.record import Digests

#: Operators of a base and an exponent: see :mod:`exactops.verification.powers`.
_POWERS = ("pow", "powi")
_PAIRS = 1 << 24
#: Inputs of float64, and pairs with bases of float64, that a campaign draws, by mode.
DOUBLES = {"exact": 10**8, "fast": 10**7}
PAIRS_OF_DOUBLES = {"exact": 10**7, "fast": 10**6}
#: Types of the exponents that are drawn: of a kernel each. Narrower floats and integers are theirs, converted exactly.
EXPONENTS = ("f32", "f64", "i64")
#: With bases of float64 any type of exponents may be drawn.
ALL_EXPONENTS = (*FLOATS, *INTEGERS)


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "prove",
        help="compare all inputs of an operator with correctly rounded values",
        description=(
            "Go through all inputs of an operator (2**32 for f32; of f64 a sample) and count results that are not correctly "
            "rounded; with --mode fast, measure the largest error. What was found is recorded in the package's "
            "exactops/records/proofs.json."
        ),
    )
    parser.add_argument(
        "op", nargs="?", metavar="OP", help="any spelling of a transcendental operator; for pow and f64, inputs are drawn"
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="prove all that the records lack for the present sources, of the --dtype and --mode if given; where only the "
        "sources changed, the hash of the results is enough",
    )
    parser.add_argument("--dtype", choices=["f64", "f32", "f16", "bf16"], help="stored type (default: f32)")
    parser.add_argument("--mode", choices=["exact", "fast"], help="exact (default) or fast")
    add_path_option(parser)
    add_attribute_option(parser)
    parser.add_argument("--processes", type=positive, metavar="N", help="processes that share the work (default: one a CPU)")
    parser.add_argument("--start", type=_bits, metavar="BITS", help="first input, as a bit pattern such as 0x3f800000")
    parser.add_argument("--stop", type=_bits, metavar="BITS", help="the input after the last")
    parser.add_argument(
        "--count",
        "--pairs",
        type=positive,
        metavar="N",
        help="for f64 and pow: how many inputs to draw (default: 10**8 of f64; for pow and powi 10**7; with --mode fast a "
        "tenth; pairs of f32: 2**24)",
    )
    parser.add_argument("--seed", type=_seed, default=1, metavar="S", help="the seed of what is drawn (default: 1)")
    parser.add_argument(
        "--exponent",
        choices=ALL_EXPONENTS,
        metavar="TYPE",
        help=f"for pow: draw pairs with exponents of this type ({', '.join(EXPONENTS)}; with f64 any)",
    )
    parser.add_argument(
        "--hash-only", action="store_true", help="compute only the SHA-256 of the results, to compare paths or machines"
    )
    parser.add_argument("--no-record", action="store_true", help="write no record; a range is never recorded")
    parser.add_argument("--record", metavar="FILE", type=Path, help="where to record (default: exactops/records/proofs.json)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def _seed(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return value


def _bits(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no bit pattern: write 0x3f800000 or a decimal number") from None


def run(arguments: argparse.Namespace) -> int:
    """Prove, print and record; 1 where a result is wrong."""
    try:
        from exactops.verification import record
    except ImportError as error:  # gmpy2 is not a dependency of the package
        raise CommandError(error) from None
    if arguments.all == (arguments.op is not None):
        raise CommandError("name an operator, or say --all")
    path = path_of(arguments.path)
    if not arguments.all:
        task = _task(arguments)
        return _prove(arguments, task, path, _record_file(arguments, task))
    given = (arguments.no_record, arguments.hash_only, arguments.attr, arguments.count, arguments.exponent)
    if any(given) or arguments.start is not None or arguments.stop is not None:
        raise CommandError("--all is for whole proofs that are recorded: no other options than type, mode, path and file")
    code = 0
    for task in all_tasks(arguments.dtype, arguments.mode, arguments.path):
        file = _record_file(arguments, task)
        if file is None or record.is_current(file, task) or _confirm(arguments, task, path, file):
            continue
        code |= _prove(arguments, task, path, file)
    return code


def _confirm(arguments: argparse.Namespace, task: Task, path: str, file: Path) -> bool:
    """Whether the present sources give the results that others were proven with; the record then says so.

    They do where they lead to the same machine code, or else where the results have the same hash.
    """
    from exactops.verification import record

    if record.confirm_by_code(file, task, record.digests(task.operator)):
        console().print(f"{_title(task)}: the machine code is that of the proof")
        return True
    proven = record.proven_hash(file, task)
    if proven is None:
        return False
    found, seconds, made_of = _go_through(arguments, replace(task, hash_only=True), path)
    if made_of is None or found.sha256 != proven:
        return False
    record.store(file, record.confirmed(file, task, path, made_of))
    console().print(f"{_title(task)}, path {path}: the results are those that were proven, in {seconds:,.1f} s")
    return True


def _go_through(arguments: argparse.Namespace, task: Task, path: str) -> tuple[Findings, float, Digests | None]:
    """Findings, seconds and the digests of the sources; None if it is not clear which sources the kernels were made of.

    This process read the sources when it began; further processes read them when they start.
    """
    from exactops.verification import campaign, record

    made_of = record.digests(task.operator)
    with progress(f"{_title(task)}, {path}", task.end - task.start) as advance:
        found, seconds = campaign.timed(task, _processes(arguments), advance)
    clear = _processes(arguments) == 1 or record.digests(task.operator) == made_of
    return found, seconds, made_of if clear else None


def _prove(arguments: argparse.Namespace, task: Task, path: str, file: Path | None) -> int:
    from exactops.verification import record

    found, seconds, made_of = _go_through(arguments, task, path)
    entry = record.entry_of(task, found, path, seconds, _processes(arguments), made_of or {})
    proven = record.contradicted(file, task, found) if file is not None else None
    remark = ""
    if proven is not None and task.hash_only:
        remark = f"Not recorded: for these inputs the results proven have the SHA-256 {proven}"
    elif file is not None and made_of is None:
        remark = "Not recorded: the sources changed meanwhile."
    elif file is not None and not record.store(file, entry):
        remark = "Not recorded: the records have a proof of more inputs."
    if arguments.json:
        print_json(entry | {"examples": [_example(example) for example in found.examples]})
    else:
        _report(task, path, found, seconds, None if remark else file)
    if remark:
        print(remark, file=sys.stderr)
    return 1 if found.wrong or (proven is not None and task.hash_only) else 0


def all_tasks(dtype: str | None = None, mode: str | None = None, path: str | None = None) -> Iterator[Task]:
    """Every operator that can be proven as a whole, with each of its choices, dtypes and modes; the quick types first."""
    import exactops
    from exactops.verification.functions import provable

    operators = exactops.operators()
    for name in (name for name in (*provable(), *_POWERS) if name in operators):
        for short in [dtype] if dtype else reversed(operators[name].dtypes):
            if short not in FLOATS or (name, short) == ("powi", "f32"):
                continue  # powi of float32 takes ten minutes an exponent: by name
            for chosen_mode in [mode] if mode else ["exact", "fast"]:
                for chosen in _choices(operators[name]):
                    given = {"op": name, "dtype": short, "mode": chosen_mode, "attr": chosen, "path": path}
                    for count, exponent in _campaigns(name, short, chosen_mode):
                        yield _task(argparse.Namespace(**given, **_WHOLE, count=count, exponent=exponent))


#: The other arguments of a proof of all inputs.
_WHOLE = {"start": None, "stop": None, "hash_only": False, "seed": 1}


def _campaigns(name: str, dtype: str, mode: str) -> list[tuple[int | None, str | None]]:
    """Inputs to draw, and the type of their exponents; None for what is usual for the type."""
    if name != "pow":
        return [(None, None)]
    if dtype == "f64":
        return [(None, exponent) for exponent in ALL_EXPONENTS]
    if dtype != "f32":
        return [(None, None), *((10**7, exponent) for exponent in EXPONENTS)]
    return [(10**9 if mode == "exact" and exponent == "f32" else 10**8, exponent) for exponent in EXPONENTS]


def _choices(operator: Operator) -> list[list[str]]:
    """The attributes, as on the command line, of every kernel of an operator, and some exponents of powi."""
    if operator.name == "powi":
        from exactops.verification.fingerprints.entries import INT_VALUES

        return [[f"exp={exponent}"] for exponent in INT_VALUES]
    choices = [attribute for attribute in operator.attributes if attribute.kind == "choice"]
    values = [[f"{attribute.name}={value}" for value in attribute.choices if value is not None] for attribute in choices]
    return [list(combination) for combination in itertools.product(*values)]


def _task(arguments: argparse.Namespace) -> Task:
    from exactops.verification import campaign
    from exactops.verification.campaign import Task
    from exactops.verification.functions import provable

    operator = operator_of(arguments.op)
    if operator.name not in (*provable(), *_POWERS):
        raise CommandError(f"{operator.name}: there are proofs for {', '.join((*provable(), *_POWERS))}")
    dtype = arguments.dtype or "f32"
    if dtype not in operator.dtypes:
        raise CommandError(f"{operator.name} does not serve {dtype}: it serves {', '.join(operator.dtypes)}")
    attributes = _other_than_default(operator, attributes_of(operator, arguments.attr))
    task = Task(
        operator.name,
        dtype,
        arguments.mode or "exact",
        arguments.path,
        tuple(sorted(attributes.items())),
        arguments.start or 0,
        arguments.stop,
        arguments.hash_only,
        *_drawn(arguments, operator, dtype),
    )
    if not 0 <= task.start < task.end <= task.count:
        raise CommandError(f"--start and --stop: {task.start:#x} to {task.end:#x} is no range of {task.count:#x} inputs")
    try:
        campaign.examine(replace(task, hash_only=True), task.start, task.start + 1)
    except (TypeError, ValueError, OverflowError) as error:  # what this operator cannot do
        raise CommandError(error) from None
    return task


def _drawn(arguments: argparse.Namespace, operator: Operator, dtype: str) -> tuple[int, int, str]:
    """Of inputs that are drawn: how many, the seed and, for pow, the type of the exponents."""
    pairs = operator.name == "pow"
    if arguments.exponent and not pairs:
        raise CommandError("--exponent is for pow")
    if dtype == "f64":
        usual = PAIRS_OF_DOUBLES if operator.name in _POWERS else DOUBLES
        return (
            arguments.count or usual[arguments.mode or "exact"],
            arguments.seed,
            (arguments.exponent or "f64") if pairs else "",
        )
    if arguments.exponent and arguments.exponent not in EXPONENTS:
        raise CommandError(f"--exponent {arguments.exponent}: with bases of {dtype} one of {', '.join(EXPONENTS)}")
    if pairs and (dtype == "f32" or arguments.exponent):
        return arguments.count or _PAIRS, arguments.seed, arguments.exponent or "f32"
    if arguments.count:
        more = ": leave out --count, or name the type of the exponents" if pairs else ": leave out --count"
        raise CommandError(f"all inputs of {operator.name} for {dtype} are tried{more}")
    return 0, 0, ""


def _other_than_default(operator: Operator, attributes: dict[str, Any]) -> dict[str, Any]:
    """The attributes, checked, without those that say what holds anyway."""
    chosen = {}
    for name, value in attributes.items():
        known = operator.attribute(name)
        if known is None:
            raise CommandError(f"{operator.name} has no attribute {name!r}")
        if known.choices and value not in known.choices:
            choices = ", ".join(str(choice) for choice in known.choices if choice is not None)
            raise CommandError(f"--attr {name}={value}: one of {choices}")
        if value != known.default:
            chosen[name] = value
    return chosen


def _record_file(arguments: argparse.Namespace, task: Task) -> Path | None:
    from exactops.records import files as record_files
    from exactops.verification import record

    if arguments.no_record or not task.complete:
        return None
    try:
        file = arguments.record or record_files.writable(record_files.PROOFS)
    except OSError as error:
        raise CommandError(f"{error}: give --record FILE or --no-record") from None
    if not file.absolute().parent.is_dir():
        raise CommandError(f"--record {file}: there is no such folder")
    try:
        record.check(file)
    except (OSError, ValueError) as error:
        raise CommandError(f"--record {file}: {getattr(error, 'strerror', None) or error}") from None
    return file


def _processes(arguments: argparse.Namespace) -> int:
    return int(arguments.processes or processors.available())


def _title(task: Task) -> str:
    attributes = "".join(f" {name}={value}" for name, value in task.attributes)
    exponents = f" with {task.exponent} exponents," if task.exponent else ""
    drawn = f"{exponents} seed {task.seed}," if task.drawn else ""
    return f"{task.operator}{attributes} {task.dtype}{drawn} {task.mode}"


def _example(example: tuple[int, ...]) -> dict[str, Any]:
    *operands, got, expected = (f"{bits:#x}" for bits in example)
    return {"operands": operands, "got": got, "expected": expected}


def _report(task: Task, path: str, found: Findings, seconds: float, file: Path | None) -> None:
    from exactops.table.operator import FAST_ULP

    out = console()
    out.print(f"{_title(task)}, path {path}: {found.inputs:,} inputs in {seconds:,.1f} s")
    if not task.hash_only:
        out.print(f"decided by MPFR: {found.undecided:,}")
        if task.mode == "exact":
            out.print(f"not correctly rounded: {found.wrong:,}")
        else:
            where = f" at {', '.join(f'{bits:#x}' for bits in found.worst_input)}" if found.worst else ""
            out.print(f"largest error: {found.worst} ulp{where} (limit {FAST_ULP[task.dtype]})")
            out.print(
                f"mismatches: {found.nan_mismatches:,} NaN, {found.infinity_mismatches:,} infinity, "
                f"{found.zero_sign_mismatches:,} sign of zero, {found.special_mismatches:,} special input"
            )
            out.print(f"not within the contract: {found.wrong:,}")
        if found.examples:
            names = ("x", "y")[: len(found.examples[0]) - 2]
            rows = table(*names, "got", "expected", *names, "got", "expected")
            for example in found.examples:
                rows.add_row(*_row(task, example))
            out.print(rows)
    out.print(f"SHA-256 {found.sha256}" + ("" if task.complete else " (of this range)"))
    if file is not None:
        out.print(f"recorded in {file}")


def _row(task: Task, example: tuple[int, ...]) -> list[str]:
    """Operands, result and reference as bits, then as numbers."""
    types = [task.storage] * len(example)
    if task.exponent:
        types[1] = FORMATS[task.exponent]
    values = [_number(bits, kind) for bits, kind in zip(example, types, strict=True)]
    return [f"0x{bits:0{2 * kind.size}x}" for bits, kind in zip(example, types, strict=True)] + values


def _number(bits: int, kind: Format) -> str:
    """The value of a bit pattern, with the digits that tell it from its neighbours."""
    from exactops.verification.decision import decode

    if kind.kind != "f":
        return str(bits - (1 << kind.bits) if kind.kind == "i" and bits >> (kind.bits - 1) else bits)
    return f"{decode(bits, kind):.{17 if kind.size == 8 else 9}g}"
