"""From stored elements to the lanes that kernels compute in, and back: the only place where a stored format is decoded."""

from __future__ import annotations

from collections.abc import Callable

from exactops.lanes.portable import bfloat16_to_single, double_to_single_odd, single_to_bfloat16
from exactops.lanes.vocabulary import Lanes, bits, convert, from_bits, from_half, lane_function, select, to_half
from exactops.table.formats import Format


@lane_function
def _decode_bool(byte: Lanes):
    # Any non-zero byte is true.
    return byte != 0


@lane_function
def _encode_bool(mask: Lanes):
    return convert(mask, "uint8")


@lane_function
def _decode_f16(pattern: Lanes):
    return from_half(pattern)


@lane_function
def _encode_f16_f32(x: Lanes):
    return to_half(x)


@lane_function
def _encode_f16_f64(x: Lanes):
    return to_half(double_to_single_odd(x))


@lane_function
def _encode_bf16_f64(x: Lanes):
    return single_to_bfloat16(double_to_single_odd(x))


@lane_function
def _encode_f32_f64(x: Lanes):
    return convert(x, "float32")


@lane_function
def _canonical_f16(pattern: Lanes):
    return select((pattern & 0x7FFF) > 0x7C00, (pattern & 0) | 0x7E00, pattern)


# Tested and chosen as integers: x86 makes a NaN 0xFFC00000, ARM 0x7FC00000, and LLVM reasons about a float test (behind a
# square root it rewrote the test and the machine's own NaN came out).
@lane_function
def _canonical_f32(x: Lanes):
    pattern = bits(x)
    return from_bits(select((pattern & 0x7FFFFFFF) > 0x7F800000, (pattern & 0) | 0x7FC00000, pattern))


@lane_function
def _canonical_f64(x: Lanes):
    pattern = bits(x)
    is_nan = (pattern & 0x7FFFFFFFFFFFFFFF) > 0x7FF0000000000000
    return from_bits(select(is_nan, (pattern & 0) | 0x7FF8000000000000, pattern))


_DECODE: dict[str, Callable] = {"f16": _decode_f16, "bf16": bfloat16_to_single, "bool": _decode_bool}

_ENCODE: dict[tuple[str, str], Callable] = {
    ("f16", "float32"): _encode_f16_f32,
    ("f16", "float64"): _encode_f16_f64,
    ("bf16", "float32"): single_to_bfloat16,
    ("bf16", "float64"): _encode_bf16_f64,
    ("f32", "float64"): _encode_f32_f64,
    ("bool", "bool"): _encode_bool,
}

# bfloat16 is encoded by code that gives the canonical NaN already.
_CANONICAL: dict[str, Callable] = {"f16": _canonical_f16, "f32": _canonical_f32, "f64": _canonical_f64}


def decoder(storage: Format) -> Callable | None:
    """The lane function from loaded lanes to computing lanes; None where they are the same."""
    return _DECODE.get(storage.short)


def encoder(storage: Format, element: str) -> Callable | None:
    """The lane function from lanes of ``element`` to stored lanes, with one rounding; None where they are the same."""
    found = _ENCODE.get((storage.short, element))
    if found is None and element != storage.element:
        raise TypeError(f"a kernel returned {element} lanes for a result stored as {storage.short}")
    return found


def canonical_nan(storage: Format) -> Callable | None:
    """The lane function, on stored lanes, that makes every NaN the canonical one; None where there is nothing to do."""
    return _CANONICAL.get(storage.short)
