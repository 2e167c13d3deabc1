"""exactops beside NumPy, SciPy, PyTorch and ONNX Runtime, whichever are installed: one dtype, one core, one run.

``python bench/compare_peers.py --help`` lists the options. Run it on a quiet machine. On a CPU with AVX-512 the comparison for
AVX2 is a run without ONNX Runtime, which cannot be told to leave AVX-512 alone::

    NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES= NPY_DISABLE_CPU_FEATURES="X86_V4 AVX512_ICL AVX512_SPR" \\
    ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 python bench/compare_peers.py --dtype float64 --without onnxruntime
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

from measure import interleaved, one_thread, pin, print_table, versions

one_thread()

import numpy as np  # noqa: E402
from benchmarks.cases import CASES, DOUBLE_SIZES, SIZES, Call, exactops_call, numpy_call, operands_of  # noqa: E402

#: The 13 operators of the comparison.
OPERATORS = (
    "exp",
    "log",
    "sin",
    "cos",
    "tanh",
    "sigmoid",
    "erf",
    "erfc",
    "gelu",
    "gelu_tanh",
    "silu",
    "rsqrt",
    "pow",
)

OURS = ("exact", "fast")


def torch_call(name: str, operands: tuple[np.ndarray, ...]) -> Call | None:
    """The operator in PyTorch, into memory that is there already where its function allows that."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    tensors = [torch.from_numpy(operand) for operand in operands]
    out = torch.empty_like(tensors[0])
    functional = torch.nn.functional
    without_out: dict[str, Callable[[], Any]] = {
        "gelu": lambda: functional.gelu(tensors[0]),
        "gelu_tanh": lambda: functional.gelu(tensors[0], approximate="tanh"),
        "silu": lambda: functional.silu(tensors[0]),
    }
    call = without_out.get(name) or (lambda: getattr(torch, name)(*tensors, out=out))
    with torch.inference_mode():
        call()

    def measured() -> Any:
        with torch.inference_mode():
            return call()

    return measured


#: ONNX's names of the dtypes that are compared.
_ONNX_TYPES = {"float32": "FLOAT", "float64": "DOUBLE"}


def onnxruntime_call(name: str, operands: tuple[np.ndarray, ...]) -> Call | None:
    """The operator as a model of one node (few of them: silu, rsqrt), with input and output bound beforehand."""
    try:
        import onnx
        import onnxruntime
        from onnx import TensorProto, helper
    except ImportError:
        return None
    nodes_by_name = {
        **{each: [(each.capitalize(), {})] for each in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "erf", "pow")},
        "gelu": [("Gelu", {"approximate": "none"})],
        "gelu_tanh": [("Gelu", {"approximate": "tanh"})],
        "rsqrt": [("Sqrt", {}), ("Reciprocal", {})],
    }
    names = [f"x{k}" for k in range(len(operands))]
    if name == "silu":
        nodes = [helper.make_node("Sigmoid", names, ["s"]), helper.make_node("Mul", ["s", *names], ["y"])]
    elif name in nodes_by_name:
        chain, inputs_of_node, nodes = nodes_by_name[name], names, []
        for number, (kind, attributes) in enumerate(chain):
            output_of_node = "y" if number == len(chain) - 1 else f"t{number}"
            nodes.append(helper.make_node(kind, inputs_of_node, [output_of_node], **attributes))
            inputs_of_node = [output_of_node]
    else:
        return None
    shape = [operands[0].size]
    kind = getattr(TensorProto, _ONNX_TYPES[operands[0].dtype.name])
    inputs = [helper.make_tensor_value_info(each, kind, shape) for each in names]
    output = helper.make_tensor_value_info("y", kind, shape)
    model = helper.make_model(
        helper.make_graph(nodes, name, inputs, [output]), opset_imports=[helper.make_opsetid("", 20)], ir_version=9
    )
    onnx.checker.check_model(model)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except onnxruntime.capi.onnxruntime_pybind11_state.NotImplemented:  # it has no kernel for this dtype
        return None
    binding = session.io_binding()
    for each, operand in zip(names, operands, strict=True):
        binding.bind_ortvalue_input(each, onnxruntime.OrtValue.ortvalue_from_numpy(operand))
    binding.bind_ortvalue_output("y", onnxruntime.OrtValue.ortvalue_from_numpy(np.empty_like(operands[0])))

    def call() -> Any:
        return session.run_with_iobinding(binding)

    call()
    return call


#: The peers beside NumPy and SciPy.
PEERS: dict[str, Callable[[str, tuple[np.ndarray, ...]], Call | None]] = {
    "torch": torch_call,
    "onnxruntime": onnxruntime_call,
}


def calls_of(name: str, dtype: str, size: int, without: Sequence[str] = ()) -> dict[str, Call]:
    """The operator in exactops and in every peer that has it."""
    case = CASES[name]
    operands = operands_of(case, dtype, size)
    calls: dict[str, Call] = {mode: exactops_call(case, operands, mode) for mode in OURS}
    if case.numpy is not None:
        calls["numpy"] = numpy_call(case, operands)  # SciPy's function where NumPy has none
    for peer, make in PEERS.items():
        call = None if peer in without else make(name, operands)
        if call is not None:
            calls[peer] = call
    return calls


def geometric_mean(values: Sequence[float]) -> float:
    """The geometric mean; NaN of nothing."""
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if values else math.nan


def summary(rows: Sequence[dict[str, Any]], size: int) -> dict[str, Any]:
    """What the rows of one size amount to."""
    chosen = [row for row in rows if row["size"] == size]
    against = [row["ns"]["numpy"] / row["ns"]["exact"] for row in chosen if "numpy" in row["ns"]]
    fastest = [row["fastest"] for row in chosen if row["fastest"] is not None]
    exact = [row["fastest"] * row["ns"]["fast"] / row["ns"]["exact"] for row in chosen if row["fastest"] is not None]
    return {
        "size": size,
        "exact_over_numpy_geometric_mean": geometric_mean(against),
        "exact_over_numpy_least": min(against, default=math.nan),
        "exact_over_fastest_geometric_mean": geometric_mean(exact),
        "fast_at_least_fastest_peer": sum(ratio >= 1 for ratio in fastest),
        "operators": len(chosen),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=31, help="rounds in which the calls take turns")
    parser.add_argument("--dtype", choices=list(_ONNX_TYPES), default="float32")
    parser.add_argument("--sizes", type=int, nargs="+", help="elements (default: 16,384 and as many as take 64 or 32 MiB)")
    parser.add_argument("--without", nargs="*", default=[], choices=list(PEERS), metavar="PEER", help="peers to leave out")
    parser.add_argument("--only", nargs="*", default=list(OPERATORS), choices=OPERATORS, metavar="NAME")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    about: dict[str, Any] = {**versions(), "dtype": arguments.dtype, "core": pin()}
    rows: list[dict[str, Any]] = []
    sizes = arguments.sizes or (SIZES if arguments.dtype == "float32" else DOUBLE_SIZES)
    for size in sizes:
        for name in arguments.only:
            with np.errstate(all="ignore"):
                seconds = interleaved(calls_of(name, arguments.dtype, size, arguments.without), arguments.rounds)
            nanoseconds = {who: value / size * 1e9 for who, value in seconds.items()}
            peers = [value for who, value in nanoseconds.items() if who not in OURS]
            fastest = min(peers) / nanoseconds["fast"] if peers else None
            rows.append({"operator": name, "size": size, "ns": nanoseconds, "fastest": fastest})
    totals = [summary(rows, size) for size in sizes]
    if arguments.json:
        print(json.dumps({"about": about, "rows": rows, "summary": totals}, indent=2))
        return 0
    print(", ".join(f"{name} {value}" for name, value in about.items()))
    print("ns/element; ratios are the peer's time over ours, so above 1 exactops is faster")
    columns = ("exact", "fast", "numpy", "torch", "onnxruntime")
    rows_of_cells = []
    for row in rows:
        cells = [f"{row['ns'][who]:.3f}" if who in row["ns"] else "-" for who in columns]
        ratio = f"{row['ns']['numpy'] / row['ns']['exact']:.2f}" if "numpy" in row["ns"] else "-"
        fastest = "-" if row["fastest"] is None else f"{row['fastest']:.2f}"
        rows_of_cells.append([row["operator"], f"{row['size']:,}", *cells, ratio, fastest])
    print_table(["operator", "elements", *columns, "numpy/exact", "fastest/fast"], rows_of_cells)
    for total in totals:
        print(
            f"{total['size']:,} elements: exact over NumPy and SciPy {total['exact_over_numpy_geometric_mean']:.2f} in the "
            f"geometric mean, {total['exact_over_numpy_least']:.2f} at least, over the fastest peer "
            f"{total['exact_over_fastest_geometric_mean']:.2f} in the mean; fast no slower than the fastest peer for "
            f"{total['fast_at_least_fastest_peer']} of {total['operators']}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
