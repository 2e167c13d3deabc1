"""``exactops verify``: whether this machine gives the bits that the fingerprints say.

The inputs are a fixed stream that is generated without the library, and ``exactops/records/fingerprints.json`` holds hashes of
the results of every operator over it. ``docs/verification.md`` has the definitions.
"""

from __future__ import annotations

import argparse
import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from exactops.cli._common import CommandError, console, operator_of, print_json, progress, table
from exactops.system import control_register, processors

if TYPE_CHECKING:
    from exactops.verification.fingerprints.comparison import Job, Verdict
    from exactops.verification.fingerprints.entries import Entry
    from exactops.verification.fingerprints.results import Settings

#: Differences that are shown in full.
_SHOWN = 20


def add_parser(subparsers: Any) -> None:
    """Add the command's parser."""
    parser = subparsers.add_parser(
        "verify",
        help="compare this machine's results with the fingerprints",
        description=(
            "Compute every operator over the canonical inputs in exact mode, on every path of this machine, and compare the "
            "hashes of the results with exactops/records/fingerprints.json. The short form takes about a minute once the "
            "kernels are compiled. The exit code is 1 if anything differs."
        ),
    )
    parser.add_argument("--operator", nargs="+", metavar="OP", help="verify these operators only, by any spelling")
    parser.add_argument("--dtype", nargs="+", metavar="DTYPE", help="verify these types only, by short name, such as f32")
    parser.add_argument("--path", nargs="+", metavar="PATH", help="verify on these paths only")
    parser.add_argument(
        "--full", action="store_true", help="verify the long form: all 2**32 float32 inputs of operators of one operand"
    )
    parser.add_argument("--sample", type=int, default=1, metavar="N", help="verify every N-th chunk of the inputs only")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="call from N threads that share the inputs")
    parser.add_argument(
        "--environment",
        metavar="NAME",
        help="put a foreign floating-point setting into the calling threads: flush-to-zero, denormals-are-zero, round-down, "
        "round-up, round-toward-zero or all",
    )
    parser.add_argument("--processes", type=int, metavar="N", help="processes that share the work (default: one a CPU)")
    parser.add_argument("--file", type=Path, metavar="FILE", help="the fingerprints (default: those of the package)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the fingerprints of the chosen operators instead; refused unless all paths and the references agree",
    )
    parser.add_argument(
        "--hard-cases",
        type=Path,
        metavar="DIR",
        help="with --write: take the hard cases of the inputs from this folder's tables (default: those that the file has)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, compute and report."""
    import exactops
    from exactops.codegen.paths import default_path
    from exactops.records import files as record_files
    from exactops.verification import machine
    from exactops.verification.fingerprints import form, results

    where: Callable[[str], Any] = record_files.writable if arguments.write else record_files.find
    try:
        file = arguments.file or where(record_files.FINGERPRINTS)
    except OSError as error:
        raise CommandError(f"{error}: give --file FILE") from None
    if not arguments.write and not file.is_file():
        raise CommandError(f"{file}: no such file")
    for name, value in (("sample", arguments.sample), ("threads", arguments.threads), ("processes", arguments.processes or 1)):
        if value < 1:
            raise CommandError(f"--{name} {value}: at least 1")
    if arguments.environment not in (None, *control_register.ENVIRONMENTS):
        raise CommandError(f"--environment {arguments.environment}: one of {', '.join(control_register.ENVIRONMENTS)}")
    try:
        default_path()
    except ValueError as error:  # of the environment variable
        raise CommandError(error) from None
    paths = arguments.path or list(exactops.paths())
    for path in paths:
        if path not in exactops.paths():
            raise CommandError(f"--path {path}: this CPU has the paths {', '.join(exactops.paths())}")
    settings = results.Settings(arguments.threads, arguments.environment, arguments.sample)
    chosen = _chosen(arguments)
    try:
        recorded = form.load(file)
    except (OSError, ValueError) as error:
        raise CommandError(f"{file}: {error}") from None
    processes = arguments.processes or processors.available()
    if arguments.write:
        if settings != results.Settings() or arguments.path:
            raise CommandError("--write takes all paths and all inputs, and no other settings")
        if arguments.hard_cases and not arguments.hard_cases.is_dir():
            raise CommandError(f"--hard-cases {arguments.hard_cases}: there is no such folder")
        return _write(file, recorded, chosen, paths, processes, arguments)
    start = time.perf_counter()
    verdicts = (_verify_long if arguments.full else _verify_short)(chosen, paths, settings, recorded, processes)
    seconds = time.perf_counter() - start
    if arguments.full and not verdicts:
        raise CommandError(f"{file} has no long form of what was chosen")
    differing = sum(not verdict.ok for verdict in verdicts)
    report: dict[str, Any] = {
        "machine": machine.facts(),
        "form": "long" if arguments.full else "short",
        "paths": list(paths),
        "threads": settings.threads,
        "environment": settings.environment,
        "sample": settings.sample,
        "seconds": round(seconds, 1),
        "compared": len(verdicts),
        "differing": differing,
    }
    if arguments.json:
        print_json(report | {"results": [_plain(verdict) for verdict in verdicts]})
    else:
        _print(report, verdicts, file)
    return int(differing > 0)


def _chosen(arguments: argparse.Namespace) -> list[Entry]:
    """The entries that the arguments name."""
    import exactops
    from exactops.table.formats import FORMATS
    from exactops.verification.fingerprints import entries, long_form

    names = {operator_of(name).name for name in arguments.operator or exactops.operators()}
    for short in arguments.dtype or ():
        if short not in FORMATS:
            raise CommandError(f"--dtype {short}: one of {', '.join(FORMATS)}")
    types = set(arguments.dtype or FORMATS)
    chosen = [e for e in entries.entries() if e.operator in names and e.dtype in types]
    if arguments.full:
        chosen = [entry for entry in chosen if long_form.has_long_form(entry)]
    if not chosen:
        raise CommandError("nothing is served that fits --operator and --dtype" + (" and --full" if arguments.full else ""))
    return chosen


def _spread(function: Callable[..., list[Any]], jobs: Sequence[Job], processes: int, what: str) -> list[Any]:
    """The results of all jobs, from several processes."""
    found: list[Any] = []
    with progress(what, sum(len(job.entries) * len(job.paths) for job in jobs)) as advance:
        if processes == 1 or len(jobs) == 1:
            for job in jobs:
                found += function(job, advance)
            return found
        # Fresh processes: a fork would inherit the locks of LLVM's and NumPy's threads.
        pool = ProcessPoolExecutor(min(processes, len(jobs)), mp_context=multiprocessing.get_context("spawn"))
        try:
            waiting = {pool.submit(function, job): job for job in jobs}
            for future in as_completed(waiting):
                found += future.result()
                advance(len(waiting[future].entries) * len(waiting[future].paths))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
    return found


def _verify_short(
    chosen: list[Entry], paths: list[str], settings: Settings, recorded: dict[str, Any], processes: int
) -> list[Verdict]:
    from exactops.verification.fingerprints import comparison

    jobs = comparison.jobs(chosen, paths, settings, recorded)
    return _spread(comparison.verify, jobs, processes, "verify")


def _long_digests(
    chosen: list[Entry], paths: list[str], settings: Settings, processes: int
) -> Iterator[tuple[Entry, str, list[bytes]]]:
    """The digests of the long form's chunks of each entry on each path."""
    from exactops.verification.fingerprints import long_form

    chunks = (1 << 32) // long_form.LONG_CHUNK
    with progress("verify", len(chosen) * len(paths) * chunks) as advance:
        pool = ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))
        try:
            for entry in chosen:
                for path in paths:
                    futures = [pool.submit(long_form.long_digest, entry, path, k, settings) for k in range(chunks)]
                    for future in as_completed(futures):
                        future.result()
                        advance(1)
                    yield entry, path, [future.result() for future in futures]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _verify_long(
    chosen: list[Entry], paths: list[str], settings: Settings, recorded: dict[str, Any], processes: int
) -> list[Verdict]:
    from exactops.verification.fingerprints import comparison, form, long_form

    records = {form.name_of(record): record for record in recorded.get("long", [])}
    chosen = [entry for entry in chosen if long_form.has_long_form(entry)]
    missing = "the file has no long form of it"
    found = [comparison.Verdict(e, path, False, error=missing) for e in chosen if e.name not in records for path in paths]
    known = [entry for entry in chosen if entry.name in records]
    for entry, path, digests in _long_digests(known, paths, settings, processes):
        found.append(long_form.long_verdict(entry, path, digests, records[entry.name], paths, settings))
    return found


# --- the report ------------------------------------------------------------------------------------------------------------


def _plain(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain values."""
    entry, difference = verdict.entry, verdict.difference
    found: dict[str, Any] = {
        "operator": entry.operator,
        "dtype": entry.dtype,
        "types": list(entry.types),
        "attributes": dict(entry.attributes),
        "result": entry.result,
        "path": verdict.path,
        "ok": verdict.ok,
        "sha256": verdict.sha256,
    }
    if verdict.error:
        found["error"] = verdict.error
    if difference:
        found["first_difference"] = {
            "element": difference.number,
            "inputs": list(difference.inputs),
            "output": difference.output,
            "expected": difference.expected,
            "source": difference.source,
        }
    return found


def _print(report: dict[str, Any], verdicts: list[Verdict], file: Traversable) -> None:
    out = console()
    facts = report["machine"]
    out.print(f"CPU: {facts['model']} (LLVM: {facts['cpu']}), {facts['architecture']}, {facts['system']}")
    out.print(f"features: {' '.join(facts['features']) or 'none beyond the name'}")
    setting = report["environment"] or "as found"
    out.print(
        f"this thread: rounding {facts['rounding']}, flush to zero {'on' if facts['flush_to_zero'] else 'off'}, "
        f"denormals are zero {'on' if facts['denormals_are_zero'] else 'off'}; in the calls: {setting}"
    )
    out.print("versions: " + ", ".join(f"{name} {number}" for name, number in facts["versions"].items()))
    out.print()
    rows = table("operator", "dtype", *(f"{path}" for path in report["paths"]))
    for name, dtypes, cells in _rows(report["paths"], verdicts):
        rows.add_row(name, dtypes, *cells)
    out.print(rows)
    out.print()
    bad = [verdict for verdict in verdicts if not verdict.ok]
    for verdict in bad[:_SHOWN]:
        why = verdict.error or str(verdict.difference or f"SHA-256 {verdict.sha256} is not the recorded one")
        out.print(f"{verdict.entry.name} on {verdict.path}: {why}")
    if len(bad) > _SHOWN:
        out.print(f"and {len(bad) - _SHOWN} more (--json lists all)")
    what = "the whole short form" if report["sample"] == 1 else f"every {report['sample']}th chunk"
    what = "the long form" if report["form"] == "long" else what
    counted = f"{report['compared']:,} combinations of operator, types, attributes and path, {what}, {report['seconds']:,} s"
    if bad:
        out.print(f"FAILED: {len(bad):,} of {counted} differ from {file}")
    else:
        out.print(f"All bits are those of {file}: {counted}")


def _rows(paths: list[str], verdicts: list[Verdict]) -> Iterator[tuple[str, str, list[str]]]:
    """A row for each operator; types whose paths look different have rows of their own."""
    from exactops.cli.ops import dtype_families
    from exactops.ops import OPERATORS

    for operator in OPERATORS.values():
        groups: dict[tuple[str, ...], list[str]] = {}
        for short in operator.dtypes:
            own = [v for v in verdicts if v.entry.operator == operator.name and v.entry.dtype == short]
            if own:
                groups.setdefault(tuple(_cell(own, path) for path in paths), []).append(short)
        for cells, dtypes in groups.items():
            yield operator.name, dtype_families(tuple(dtypes)), list(cells)


def _cell(verdicts: list[Verdict], path: str) -> str:
    own = [verdict for verdict in verdicts if verdict.path == path]
    wrong = sum(not verdict.ok for verdict in own)
    if not wrong:
        return "ok" if own else "-"
    return "DIFFERS" if wrong == len(own) else f"DIFFERS ({wrong} of {len(own)})"


# --- writing ---------------------------------------------------------------------------------------------------------------


def _write(
    file: Path, recorded: dict[str, Any], chosen: list[Entry], paths: list[str], processes: int, arguments: argparse.Namespace
) -> int:
    """Make the records of the chosen entries, and replace the file if all paths agree on every one of them."""
    import datetime

    from exactops.records import files as record_files
    from exactops.verification import machine
    from exactops.verification.fingerprints import comparison, form, long_form, making, results

    everything = not (arguments.operator or arguments.dtype)
    if arguments.hard_cases:
        if not everything:
            raise CommandError("--hard-cases changes the inputs of many operators: write all of them")
        recorded["hard_cases"] = form.hard_cases(arguments.hard_cases)
    start = time.perf_counter()
    by_name = {form.name_of(record): record for record in recorded["short"]}
    long = {form.name_of(record): record for record in recorded["long"]}
    failed = []
    if not arguments.full:
        settings = results.Settings()
        made = _spread(making.make, comparison.jobs(chosen, paths, settings, recorded), processes, "write")
        failed = [each for each in made if each.error]
        if everything:
            by_name, recorded["streams"] = {}, {}
        for each in made:
            by_name[each.entry.name] = each.record
            recorded["streams"][", ".join(each.entry.types)] = each.stream
    else:
        known: dict[str, list[bytes]] = {}
        ends = list(dict.fromkeys((paths[0], paths[-1])))
        for entry, _, digests in _long_digests(chosen, ends, results.Settings(), processes):
            if known.setdefault(entry.name, digests) != digests:
                failed.append(making.Written(entry, error=f"{paths[0]} and {paths[-1]} have other hashes"))
        for entry in chosen:
            long[entry.name] = long_form.long_record(entry, long_form.long_hash(known[entry.name]), known[entry.name])
    for record in making.long_of_proofs(file.with_name(record_files.PROOFS)):
        own = long.get(form.name_of(record))
        if own is None or own["sha256"] != record["sha256"]:
            long[form.name_of(record)] = record
    out = console()
    if failed:
        for each in failed:
            out.print(f"{each.entry.name}: {each.error}")
        out.print(f"{file} is left as it was: {len(failed)} entries do not agree")
        return 1
    cpu = machine.facts()
    recorded |= {
        "written": {
            "date": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "cpu": f"{cpu['architecture']} {cpu['cpu']}",
            "paths": list(paths),
            "versions": cpu["versions"],
        },
        "short": list(by_name.values()),
        "long": list(long.values()),
    }
    form.store(file, recorded)
    out.print(
        f"{file}: {len(chosen):,} of {len(by_name):,} fingerprints written, {len(long):,} of the long form known, "
        f"{time.perf_counter() - start:,.0f} s"
    )
    return 0
