"""Linear models for other programs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResultError, StateError
from ..results.files.disk import as_path, replacing

if TYPE_CHECKING:
    from .linear_model import LinearModel


def to_control(model: LinearModel) -> Any:
    """Model of the package control.

    Parameters
    ----------
    model : LinearModel
        The model.
    """
    try:
        import control
    except ImportError:
        raise StateError(
            "to_control needs the package control, which is not installed; run: pip install control"
        ) from None
    names = {
        kind: [name.replace(".", "_") for name, _ in getattr(model, kind)]
        for kind in ("states", "inputs", "outputs")
    }
    step = 0 if model.step is None else model.step
    return control.ss(model.A, model.B, model.C, model.D, step, **names)


def save(model: LinearModel, path: str | os.PathLike[str]) -> None:
    """Write a model as a MATLAB file.

    Parameters
    ----------
    model : LinearModel
        The model.
    path : path
        File to write, with the suffix ".mat".
    """
    from scipy.io import savemat

    file = as_path(path)
    if os.path.splitext(file)[1].lower() != ".mat":
        raise ResultError(f"cannot write {file}: a model is written as MATLAB file; use .mat")
    content: dict[str, Any] = {name: getattr(model, name) for name in "ABCD"}
    content["step"] = 0.0 if model.step is None else model.step
    for kind in ("state", "input", "output"):
        parts = getattr(model, f"{kind}s")
        content[f"{kind}_names"] = np.array([name for name, _ in parts], dtype=object)
        content[f"{kind}_units"] = np.array([unit for _, unit in parts], dtype=object)
    with replacing(file) as new:
        savemat(new, content, appendmat=False, oned_as="column")
