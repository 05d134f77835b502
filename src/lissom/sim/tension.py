"""Whether flexible bodies are pulled or pressed more than a model without stiffening can bear."""

from __future__ import annotations

import math
import warnings
from contextlib import suppress

import numpy as np

from ..algorithms.engine import RowError
from ..bodies import NormalBody
from ..errors import SimulationWarning
from ..results.quantities import Block, reactions_within
from ..results.trajectory import Trajectory
from ..system import System

__all__ = ["axial_scale", "warn_of_tension"]

Array = np.ndarray

TENSION = 0.1  # part of its axial scale from which a body is pulled or pressed too much
_ROWS = 12  # of a run that are looked at


def axial_scale(body: NormalBody) -> tuple[float, Array]:
    """Force along a body that changes its bending stiffness by about all of it, and where to.

    The force is r/c: r is the distance of the farthest node from the joint, c the largest
    compliance of that node across this direction.  A cantilever has 3EI/L².

        C = Π_t K_m⁻¹ Π_t*                                       (1)
        N = r / max eig of C across r                            (2)

    Parameters
    ----------
    body : NormalBody
        Body with modes.

    Returns
    -------
    (float, array (3,))
        Force [N], infinite for a body that does not bend across, and the direction, body axes.
    """
    positions, shapes, stiffness = body.node_positions, body.node_shapes, body.stiffness
    far = int(np.argmax(np.sum(positions**2, axis=1)))
    length = float(np.linalg.norm(positions[far]))
    if length == 0.0 or stiffness.min() <= 0.0:
        return math.inf, np.zeros(3)
    along = positions[far] / length
    across = np.eye(3) - np.outer(along, along)
    shape = across @ shapes[far][3:]
    compliance = np.linalg.eigvalsh(shape / stiffness @ shape.T)[-1]  # (1)
    return (length / compliance if compliance > 0.0 else math.inf), along  # (2)


def warn_of_tension(run: Trajectory, stacklevel: int) -> None:
    """One warning for each flexible body whose joint pulls or presses it too much along its length.

    Parameters
    ----------
    run : Trajectory
        Motion; some of its rows are looked at.
    stacklevel : int
        Of the warning.
    """
    system = run.system
    bending = [i for i, body in enumerate(system.bodies) if body.n_mode]
    if not bending or not run.n:
        return
    # Chains have one body many times.
    distinct = {id(system.bodies[i]): system.bodies[i] for i in bending}
    found = {key: axial_scale(body) for key, body in distinct.items()}
    scale, along = (np.array([found[id(system.bodies[i])][k] for i in bending]) for k in range(2))
    rows = np.unique(np.linspace(0, run.n - 1, _ROWS).astype(int))
    axial = np.zeros((len(rows), len(bending)))
    with np.errstate(all="ignore"):  # a run may end in nonsense, which is said elsewhere
        for row, k in zip(axial, rows, strict=True):
            with suppress(RowError):
                forces = reactions_within(system, Block(run.store, k, k + 1))[0, bending, 3:]
                row[:] = -np.sum(forces * along, axis=1)  # the joint pulls the root backwards
        ratio = np.abs(axial) / scale
    ratio[~np.isfinite(ratio)] = 0.0
    for j, k in enumerate(np.argmax(ratio, axis=0)):
        if ratio[k, j] > TENSION:
            time = float(run.time[rows[k]])
            text = _message(system, bending[j], ratio[k, j], axial[k, j], time)
            warnings.warn(text, SimulationWarning, stacklevel)


def _message(system: System, i: int, ratio: float, axial: float, time: float) -> str:
    scale = abs(axial) / ratio
    pulled, changes = ("pulled", "stiffens") if axial > 0 else ("pressed", "softens")
    parts = math.ceil(math.sqrt(ratio / TENSION))
    return (
        f"body {system.names[i]!r} is {pulled} along its length with {abs(axial):.3g} N "
        f"(t = {time:.4g} s), {ratio:.2g} of what its bending stiffness stands for ({scale:.3g} N);"
        f" how such a force {changes} a link is not in level {system.bodies[i].level!r}: bending "
        "is off by about this part, and from 1 on the motion can be nonsense; divide the body into "
        f"{parts} or more in a row"
    )
