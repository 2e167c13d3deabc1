"""What an architecture does better than LLVM's code for the general lowering."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from exactops.codegen.lowering import x86
from exactops.codegen.lowering.types import Vec

#: By architecture and word of the vocabulary: ``emit(builder, vec, *values)``, which returns None where it has no better way.
LOWERINGS: dict[str, dict[Callable[..., Any], Callable[..., Any]]] = {"x86_64": x86.LOWERINGS, "aarch64": {}}


def lower(word: Callable[..., Any], builder: Any, vec: Vec, *values: Any) -> Any | None:
    """The value of a word of the vocabulary by instructions of the target's own; None where the general lowering serves."""
    emit = LOWERINGS[vec.target.architecture].get(word)
    return None if emit is None else emit(builder, vec, *values)
