"""Arrays of NumPy, CuPy, PyTorch and JAX: taken as they are, results where the inputs live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import StateError, shown

Converter = Callable[[Any], Any]


def library(x: Any) -> str:
    """Library that an array belongs to: "numpy" for all that NumPy takes."""
    name = type(x).__module__.partition(".")[0]
    return {"jaxlib": "jax"}.get(name, name) if name in ("cupy", "torch", "jax", "jaxlib") else (
        "numpy"
    )  # fmt: skip


def on_gpu(x: Any) -> bool:
    """Whether an array lies in the memory of a GPU."""
    kind = library(x)
    if kind == "torch":
        return bool(x.is_cuda)
    if kind == "jax":
        return any(device.platform in ("gpu", "cuda") for device in x.devices())
    return kind == "cupy"


def as_float_array(x: Any, what: str, xp: Any) -> Any:
    """Array of NumPy or CuPy, as `xp`, that shares the memory of x where it can."""
    kind = library(x)
    if kind == "torch":
        x = x.detach().resolve_neg().resolve_conj()  # DLPack knows no lazy signs
        x = x.double() if x.is_floating_point() else x
    if kind == "jax" and str(x.dtype) == "bfloat16":
        x = x.astype("float32")
    if np.ma.is_masked(x):
        raise StateError(f"{what} has masked entries; fill them, or leave these rows out")
    try:
        if kind == "numpy" and _of_dlpack_alone(x):
            array = xp.asarray(np.from_dlpack(x))
        elif kind in ("torch", "jax") and on_gpu(x) == (xp is not np):
            array = xp.from_dlpack(x)
        elif kind == "cupy" and xp is np:
            array = x.get()
        else:
            array = xp.asarray(x if kind in ("cupy", "numpy") else np.asarray(x))
    except (TypeError, ValueError, RuntimeError, BufferError):
        raise StateError(f"{what} is not an array of numbers: {shown(x)}") from None
    if array.dtype.kind not in "fiu":
        raise StateError(f"{what} is an array of {array.dtype}; expected real numbers")
    rows = xp.ascontiguousarray(array, dtype=np.float64)
    # The kernels of the CPU take no arrays that cannot be written, as those of JAX.
    return rows.copy() if xp is np and not rows.flags.writeable else rows


def _of_dlpack_alone(x: Any) -> bool:
    """Whether an array is of a library that NumPy knows by DLPack only."""
    protocols = ("__array__", "__array_interface__", "__array_struct__", "__buffer__")
    return hasattr(x, "__dlpack__") and not any(hasattr(x, name) for name in protocols)


def on_cpu(x: Any) -> np.ndarray:
    """Array of NumPy of one of NumPy or CuPy."""
    return np.asarray(x.get() if hasattr(x, "get") else x)


def converter_to(x: Any, xp: Any) -> Converter:
    """Function that converts a result to the library of x, in the memory where x lives."""
    kind = library(x)
    there = kind in ("torch", "jax") and on_gpu(x)
    if kind == "torch":
        import torch

        return lambda y: torch.from_dlpack(y if there else on_cpu(y)).to(x.device)
    if kind == "jax":
        import jax

        # JAX takes no columns of a larger array.
        return lambda y: jax.dlpack.from_dlpack(
            xp.ascontiguousarray(y) if there else np.ascontiguousarray(on_cpu(y))
        )
    if kind == "cupy":
        return lambda y: y if xp is not np else _cupy_array(y)
    return lambda y: y if xp is np else xp.asnumpy(y)


def _cupy_array(y: Any) -> Any:
    import cupy

    return cupy.asarray(y)
