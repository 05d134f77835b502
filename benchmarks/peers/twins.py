"""The same mechanisms in Pinocchio and MuJoCo, and the availability of the libraries.

Only rigid bodies on revolute joints are translated, which is sufficient for the comparison of rigid
mechanisms.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import os
import sys
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from lissom.algorithms import inverse_dynamics, mass_matrix
from lissom.bodies import RigidBody
from lissom.errors import LissomError
from lissom.joints import Revolute
from lissom.model import Model

from ..cases import Case

Array = np.ndarray
Call = Callable[[], object]

# Name of the distribution, and name of the module.
IMPORT_NAMES = {"pin": "pinocchio", "mujoco": "mujoco", "exudyn": "exudyn"}
TOLERANCE = 1e-9


class PeerError(LissomError):
    """A library for comparison is missing, or its results differ."""


def imported(name: str) -> Any:
    """Module of a peer.

    Parameters
    ----------
    name : {"pin", "mujoco", "exudyn"}
        Name of the distribution.
    """
    # Set before the first import, this selects Exudyn's build without range checks, a third faster.
    sys.__dict__.setdefault("exudynFast", True)
    with contextlib.redirect_stdout(io.StringIO()):
        return importlib.import_module(IMPORT_NAMES[name])


def installed(name: str) -> bool:
    """Whether a peer can be imported; with CI=true its absence is an error.

    Parameters
    ----------
    name : {"pin", "mujoco", "exudyn"}
        Name of the distribution.
    """
    try:
        imported(name)
    except ImportError as error:
        if os.environ.get("CI", "").lower() == "true":
            raise PeerError(
                f"{name!r} cannot be imported ({error}), but CI=true requires it; install it: "
                "pip install 'lissom[peers]'"
            ) from None
        return False
    return True


class Twin(Protocol):
    """Mechanism in another library."""

    name: str

    def forward(self, q: Array, v: Array, forces: Array) -> Array:
        """Accelerations, shape (n_v,)."""
        ...

    def inverse(self, q: Array, v: Array, acceleration: Array) -> Array:
        """Forces, shape (n_v,)."""
        ...

    def mass(self, q: Array) -> Array:
        """Mass matrix, shape (n_v, n_v)."""
        ...


class Pinocchio:
    """Mechanism in Pinocchio.

    Its one `Data` is used for single calls and for batches: a chain of 300 joints takes more than a
    gigabyte.

    Parameters
    ----------
    model : Model
        Rigid bodies on revolute joints, added depth first.
    """

    name = "Pinocchio"

    def __init__(self, model: Model) -> None:
        self.pin: Any = importlib.import_module("pinocchio")
        twin = self.pin.Model()
        twin.gravity.linear = np.asarray(model.gravity, dtype=float)
        numbers: dict[str, int] = {}
        for part in model.parts.values():
            body, joint = _rigid_and_revolute(part, self.name)
            numbers[part.name] = twin.addJoint(
                0 if part.to is None else numbers[part.to.name],
                self._joint(joint.axis),
                self.pin.SE3(part.rotation, part.at),
                part.name,
            )
            inertia = self.pin.Inertia(float(body.mass), body.com, body.inertia)
            twin.appendBodyToJoint(numbers[part.name], inertia, self.pin.SE3.Identity())
        self.pool = self.pin.ModelPool(twin, 1)
        self.model, self.data = self.pool.getModel(0), self.pool.getData(0)
        _check_order(list(self.model.names)[1:], model, self.name)

    def _joint(self, axis: Array) -> Any:
        """Joint about an axis: the special one for x, y or z where possible."""
        for letter, unit in zip("XYZ", np.eye(3), strict=True):
            if np.array_equal(axis, unit):
                return getattr(self.pin, f"JointModelR{letter}")()
        return self.pin.JointModelRevoluteUnaligned(axis)

    def forward(self, q: Array, v: Array, forces: Array) -> Array:
        """Accelerations, shape (n_v,)."""
        return self.pin.aba(self.model, self.data, q, v, forces).copy()

    def inverse(self, q: Array, v: Array, acceleration: Array) -> Array:
        """Forces, shape (n_v,)."""
        return self.pin.rnea(self.model, self.data, q, v, acceleration).copy()

    def mass(self, q: Array) -> Array:
        """Mass matrix, shape (n_v, n_v)."""
        return self.pin.crba(self.model, self.data, q)

    def calls(self, case: Case) -> dict[tuple[str, str], tuple[Call, int]]:
        """Timed calls: (quantity, form) -> (call, number of states in it).

        Forward dynamics and mass matrix exist in two conventions, either of which may be faster:
        both are timed.
        """
        pin, model, data = self.pin, self.model, self.data
        q, v, f = case.state.q.copy(), case.state.v.copy(), case.forces
        rows = (case.many_q, case.many_v, case.many_forces)
        batch = [np.asfortranarray(many.T) for many in rows]
        out = np.zeros_like(batch[2], order="F")
        timed: dict[tuple[str, str], tuple[Call, int]] = {}
        for kind in ("LOCAL", "WORLD"):
            convention = getattr(pin.Convention, kind)
            aba = functools.partial(pin.aba, model, data, q, v, f, convention)
            crba = functools.partial(pin.crba, model, data, q, convention)
            timed["forward dynamics", f"call, {kind.lower()}"] = aba, 1
            timed["mass matrix", f"call, {kind.lower()}"] = crba, 1
        timed["inverse dynamics", "call"] = functools.partial(pin.rnea, model, data, q, v, f), 1
        aba = functools.partial(pin.abaInParallel, 1, self.pool, *batch, out)
        rnea = functools.partial(pin.rneaInParallel, 1, self.pool, *batch, out)
        timed["forward dynamics", "batch"] = aba, case.size
        timed["inverse dynamics", "batch"] = rnea, case.size
        return timed


class Mujoco:
    """Mechanism in MuJoCo, without contacts, constraints, springs, dampers and sensors.

    Parameters
    ----------
    model : Model
        Rigid bodies on revolute joints, added depth first.
    """

    name = "MuJoCo"

    def __init__(self, model: Model) -> None:
        self.mujoco: Any = importlib.import_module("mujoco")
        spec = self.mujoco.MjSpec()
        spec.option.gravity = np.asarray(model.gravity, dtype=float)
        carriers: dict[str, Any] = {}
        for part in model.parts.values():
            body, joint = _rigid_and_revolute(part, self.name)
            carrier = spec.worldbody if part.to is None else carriers[part.to.name]
            twin = carrier.add_body(name=part.name, pos=part.at, quat=self._quat(part.rotation))
            twin.explicitinertial = True
            twin.mass, twin.ipos = float(body.mass), body.com
            twin.fullinertia = body.inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
            twin.add_joint(type=self.mujoco.mjtJoint.mjJNT_HINGE, axis=joint.axis, name=part.name)
            carriers[part.name] = twin
        for bit in ("CONSTRAINT", "CONTACT", "SPRING", "DAMPER", "ACTUATION", "SENSOR"):
            spec.option.disableflags |= getattr(self.mujoco.mjtDisableBit, f"mjDSBL_{bit}")
        self.model = spec.compile()
        self.data = self.mujoco.MjData(self.model)
        _check_order([self.model.joint(i).name for i in range(self.model.nv)], model, self.name)

    def _quat(self, rotation: Array) -> Array:
        quaternion = np.zeros(4)
        self.mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(rotation).ravel())
        return quaternion

    def forward(self, q: Array, v: Array, forces: Array) -> Array:
        """Accelerations, shape (n_v,)."""
        self.data.qpos[:], self.data.qvel[:], self.data.qfrc_applied[:] = q, v, forces
        self.mujoco.mj_forward(self.model, self.data)
        return self.data.qacc.copy()

    def inverse(self, q: Array, v: Array, acceleration: Array) -> Array:
        """Forces, shape (n_v,)."""
        self.data.qpos[:], self.data.qvel[:], self.data.qacc[:] = q, v, acceleration
        self.mujoco.mj_inverse(self.model, self.data)
        return self.data.qfrc_inverse.copy()

    def mass(self, q: Array) -> Array:
        """Mass matrix, shape (n_v, n_v)."""
        self.forward(q, np.zeros(self.model.nv), np.zeros(self.model.nv))
        columns = np.zeros((self.model.nv, self.model.nv))
        for column, unit in zip(columns, np.eye(self.model.nv), strict=True):
            self.mujoco.mj_mulM(self.model, self.data, column, unit)
        return columns.T

    def calls(self, case: Case) -> dict[tuple[str, str], tuple[Call, int]]:
        """Timed calls: (quantity, form) -> (call, number of states in it)."""
        self.forward(case.state.q, case.state.v, case.forces)
        call = functools.partial(self.mujoco.mj_forward, self.model, self.data)
        return {("forward dynamics", "call"): (call, 1)}


def disagreement(case: Case, twin: Twin) -> float:
    """Largest relative difference between a twin and lissom, over the three quantities.

    Accelerations are compared as forces: a long chain is so badly conditioned that two correct
    results may differ in most digits.  lissom's inverse dynamics must recover the applied forces
    from the twin's accelerations.

    Parameters
    ----------
    case : Case
        Mechanism and states.
    twin : Twin
        The mechanism in another library.
    """
    q, v, f = case.state.q, case.state.v, case.forces
    mass = mass_matrix(case.system, case.state)
    ours = inverse_dynamics(case.system, case.state, f)
    rates = twin.forward(q, v, f)
    applied = inverse_dynamics(case.system, case.state, rates)
    terms = np.abs(mass) @ np.abs(rates) + np.abs(ours) + np.abs(f)
    return max(
        _relative(twin.mass(q) - mass, mass),
        _relative(twin.inverse(q, v, f) - ours, ours),
        _relative(applied - f, terms),
    )


def check_twin(case: Case, twin: Twin) -> None:
    """Raise a `PeerError` unless a twin and lissom compute the same; parameters as above."""
    error = disagreement(case, twin)
    if not error <= TOLERANCE:
        raise PeerError(
            f"{twin.name} and lissom differ by {error:.1e} on {case.model.name!r} with "
            f"{case.system.n_v} joints; times of different results are not compared"
        )


def _relative(difference: Array, scale: Array) -> float:
    return float(np.abs(difference).max() / np.abs(scale).max())


def _rigid_and_revolute(part: Any, peer: str) -> tuple[RigidBody, Revolute]:
    if not isinstance(part.body, RigidBody) or not isinstance(part.joint, Revolute):
        raise PeerError(
            f"body {part.name!r}: {peer} supports only rigid bodies on revolute joints here"
        )
    return part.body, part.joint


def _check_order(names: list[str], model: Model, peer: str) -> None:
    if names != list(model.parts):
        raise PeerError(f"{peer} has the joints in another order; add the bodies depth first")
