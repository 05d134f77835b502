"""Steps backward in time, in compiled code; see `kernels.run.adjoint`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...errors import SingularError
from ...kernels.run.adjoint import ADJOINT_STEPS, work_size
from .charts import Tangent
from .steps import Steps, StepTangents

Array = np.ndarray


class Part(NamedTuple):
    """What some steps add to a gradient: by parameters, and by the values of each control."""

    parameters: Array
    controls: list[Array]


def backward(of: StepTangents, steps: Steps, gradients: Array, adjoint: Array) -> Part:
    """Take an adjoint from the end of the last step to the start of the first, in place.

    Parameters
    ----------
    of : StepTangents
        Tangents of the run.
    steps : Steps
        Consecutive steps.
    gradients : array (k, 2 n_v)
        Derivatives of the objective by the states at the starts of these steps.
    adjoint : array (2 n_v,)
        Derivatives by the state at the end, replaced by those by the state at the start.
    """
    made, k, n, s = of.stages(steps), len(steps.time) - 1, of.system.n_v, len(of.tableau.b)
    D, mu = np.empty((s, k, 3, n, n)), np.empty((s * k, n))
    P = [of.derivatives(stage, out)[1] for stage, out in zip(made.stages, D, strict=True)]
    ends = [*(stage.charts for stage in made.stages), made.end]
    pieces = [len(of.pieces)]
    for piece in of.pieces:
        pieces += [piece.v.start, piece.v.stop - piece.v.start]
    status = ADJOINT_STEPS.load()(
        np.concatenate([of.tableau.A.ravel(), of.tableau.b]),
        np.diff(steps.time),
        np.array(pieces, dtype=np.int64),
        _packed(ends, k),
        D.reshape(-1, n),
        gradients,
        mu,
        adjoint,
        np.empty(work_size(n, s)),
    )
    if status != 0:
        raise SingularError("a mass matrix of the run is not positive definite; check the bodies")
    forces = mu.reshape(s, k, n)
    parameters = -sum(np.einsum("kn,knp->p", forces[i], P[i]) for i in range(s))
    controls = [
        sum(made.stages[i].weights[c].T @ forces[i][:, control.speeds] for i in range(s))
        for c, control in enumerate(of.controls)
    ]
    return Part(parameters, controls)


def _packed(ends: list[list[Tangent]], k: int) -> Array:
    """Matrices C, G, H, E of all pieces, for each step its stages and end."""
    rows = [
        np.concatenate([x.reshape(k, -1) for x in (one.C, one.G, one.inverse, one.E)], axis=1)
        for tangents in ends
        for one in tangents
    ]
    return np.concatenate(rows, axis=1).ravel() if rows else np.zeros(0)
