"""The form of the file of fingerprints."""

from __future__ import annotations

import base64
import json
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np

from exactops.system import files
from exactops.table.formats import FORMATS
from exactops.verification.fingerprints.entries import Entry, entries
from exactops.verification.fingerprints.results import CHUNK

_ABOUT = (
    "Written by `python -m exactops verify --write`; docs/verification.md explains it. short: SHA-256 of the results over the "
    "canonical stream, of each chunk its first 4 bytes, and the first results. long: all 2**32 inputs, as in proofs.json."
)


def load(file: Traversable) -> dict[str, Any]:
    """The records; empty ones where there is no file.

    Raises
    ------
    ValueError
        The file holds something else, or is damaged.
    OSError
        It cannot be read.
    """
    try:
        records = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {"short": [], "long": [], "streams": {}, "hard_cases": {}}
    try:
        for form, parts in (("short", ("head", "chunks")), ("long", ())):
            for record in records[form]:
                name_of(record)
                bytes.fromhex(record["sha256"])
                for part in parts:
                    base64.b64decode(record[part], validate=True)
                if len(record.get("chunks", "")) % 4 or (parts and len(recorded_chunks(record)) * CHUNK < record["inputs"]):
                    raise ValueError(f"the chunks of {name_of(record)} are cut short")
        for content in records["streams"].values():
            bytes.fromhex(content)
        for key, content in records["hard_cases"].items():
            hard_of(tuple(key.split(", ")), content)
    except (LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"it holds no fingerprints, or is damaged ({type(error).__name__}: {error})") from None
    return records


def name_of(record: dict[str, Any]) -> str:
    """The name of a record's entry."""
    return Entry(record["operator"], tuple(record["types"]), tuple(record["attributes"].items()), record["result"]).name


def hard_cases(folder: Path) -> dict[str, str]:
    """The hard cases by types of the operands, as the file has them: of the operators' functions, with either sign; pairs."""
    from exactops.ops import OPERATORS

    found: dict[str, set[tuple[int, ...]]] = {"f32": set(), "f64": set(), "f32, f32": set()}
    for file in sorted(folder.glob("hard_*.csv")):
        short = file.stem.rpartition("_")[2]
        pairs, sign = file.stem.startswith("hard_pairs"), 1 << (FORMATS[short].bits - 1)
        for line in file.read_text(encoding="utf-8").split()[1:]:
            function, *columns = line.split(",")
            if pairs:
                found[f"{short}, {short}"].add((int(columns[0], 16), int(columns[1], 16)))
            elif short == "f32" or function in OPERATORS:
                found[short] |= {(int(columns[0], 16),), (int(columns[0], 16) ^ sign,)}
    return {
        key: base64.b64encode(np.array(sorted(cases), _carrier(key)).tobytes()).decode()
        for key, cases in found.items()
        if cases
    }


def _carrier(short: str) -> str:
    """The unsigned integers that the hard cases of operands of these types are kept in."""
    return "<u8" if short.startswith("f64") else "<u4"


def hard_of(types: tuple[str, ...], recorded: str) -> np.ndarray:
    """The hard cases of operands of these types, one row a case, from what the file holds."""
    content = base64.b64decode(recorded, validate=True)
    return np.frombuffer(content, _carrier(types[0])).reshape(-1, len(types)).astype(np.uint64)


def recorded_chunks(record: dict[str, Any]) -> list[bytes]:
    """The short digests of a record's chunks."""
    content = base64.b64decode(record["chunks"])
    return [content[k : k + 4] for k in range(0, len(content), 4)]


def store(file: Path, records: dict[str, Any]) -> None:
    """Replace the file in one step; one record a line."""
    order = {entry.name: number for number, entry in enumerate(entries())}
    lines = []
    for key, value in {"about": _ABOUT, **{k: v for k, v in records.items() if k != "about"}}.items():
        if key in ("short", "long"):
            known = sorted((r for r in value if name_of(r) in order), key=lambda record: order[name_of(record)])
            body = ",\n".join(json.dumps(record, ensure_ascii=False) for record in known)
            lines.append(f'"{key}": [\n{body}\n]')
        else:
            lines.append(f'"{key}": {json.dumps(value, ensure_ascii=False)}')
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    files.write_text(file, text)
