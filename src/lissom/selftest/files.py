"""Saving and loading of results and model files, and plotting."""

from __future__ import annotations

import io
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from ..joints import Revolute
from ..model import Model
from ..results import Trajectory
from ..sim import simulate
from ..structures import ALUMINIUM, Tube, beam
from .check import Check


def _model() -> Model:
    model = Model("boom", gravity=(0, 0, -9.81))
    tube = Tube(radius=0.03, thickness=0.002)
    model.add(beam(2.0, tube, ALUMINIUM, modes=4), Revolute("y"), name="boom")
    return model


def _run() -> Trajectory:
    system = _model().compile()
    return simulate(system, system.state(boom=-0.3), duration=0.2, output_step=0.01, progress=False)


def _saved(suffix: str) -> float:
    """Number of values of a run that change when it is saved and loaded."""
    run = _run()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / f"run{suffix}"
        run.save(path)
        back = Trajectory.load(path)
        return float(sum(_different(run[x], back[x]) for x in ("time", "q", "v", "acceleration")))


def _different(values: np.ndarray, back: np.ndarray) -> int:
    if values.shape != back.shape:
        return max(values.size, back.size)
    return int(np.sum(values.view(np.uint64) != np.ascontiguousarray(back).view(np.uint64)))


def _model_file() -> float:
    """Number of values of the compiled mechanism that change when a model is saved and loaded."""
    from ..io import load

    model = _model()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "model.toml"
        model.save(path)
        back = load(path)
    pairs = zip(model.compile().bodies, back.compile().bodies, strict=True)
    return float(sum(_different(a.frequencies, b.frequencies) for a, b in pairs))


def _picture() -> float:
    """0 if a plot produces a picture that is not blank."""
    memory = io.BytesIO()
    _run().plot("boom.angle").savefig(memory, format="png")
    return 0.0 if memory.getvalue().startswith(b"\x89PNG") and memory.tell() > 5000 else 1.0


FILES = (
    Check("run saved to .nc and loaded, bit by bit", 0.0, partial(_saved, ".nc")),
    Check("run saved to .npz and loaded, bit by bit", 0.0, partial(_saved, ".npz")),
    Check("model file saved and loaded, bit by bit", 0.0, _model_file),
    Check("plot drawn to memory", 0.0, _picture),
)
