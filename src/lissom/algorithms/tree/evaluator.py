"""Dynamics of a system from arrays, for loops that call it thousands of times a second."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import numpy as np

from ...system import System
from .arguments import check_system, into_out
from .articulated import forward_dynamics
from .composite import mass_matrix
from .derivatives import (
    ForwardDerivatives,
    InverseDerivatives,
    compiled,
    forward_dynamics_derivatives,
    inverse_dynamics_derivatives,
)
from .energy import Energy, energy
from .inverse import bias_force, gravity_force, inverse_dynamics
from .kinematics import Pose, jacobian, pose, velocity
from .quick import Shortcuts

Array = np.ndarray
Method = TypeVar("Method", bound=Callable[..., Any])


def _as_method_of(function: Callable[..., Any]) -> Callable[[Method], Method]:
    """Method of a function of a system and a state: its documentation, of arrays."""
    documentation = inspect.getdoc(function)
    if documentation is None:  # python -OO
        return lambda method: method
    about, parameters, result = re.split(r"\n\n?\w+\n-{7,}\n", documentation)
    entries = re.split(r"\n(?=\S)", parameters)
    by_name = {name: x for x in entries for name in x.partition(" :")[0].split(", ")}

    def decorate(method: Method) -> Method:
        names = [x for x in inspect.signature(method).parameters if x != "self"]
        words = {
            "q": "q : array (n_q,)\n    Coordinates.",
            "out": f"out : {result.partition(chr(10))[0]}, optional\n    Array for the result.",
        }
        if "v" in names:
            words["q"] = "q, v : array (n_q,), (n_v,)\n    Coordinates and speeds."
        lines = [words.get(x) or by_name[x] for x in names if x != "v"]
        sections = {"Parameters": "\n".join(lines), "Returns": result}
        rest = (f"{head}\n{len(head) * '-'}\n{text}" for head, text in sections.items())
        method.__doc__ = "\n\n".join([about, *rest])
        return method

    return decorate


class Evaluator:
    """Dynamics of one system from arrays, in a workspace of its own; made by `System.evaluator`.

    Results, checks and messages are those of the functions of the same names; arrays of floats in
    order take a shorter way.  The arrays given are read only during a call.  Each thread needs its
    own evaluator: using one in two threads at the same time is an error.  In another process a
    copy has a workspace of its own.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    """

    __slots__ = ("_jacobians", "_poses", "_quick", "_tree", "_velocities", "_zero", "system")

    def __init__(self, system: System) -> None:
        check_system(system)
        self.system = system
        self._zero = np.zeros(system.n_v)  # of calls that need none
        self._tree = not system.constraints
        self._quick = Shortcuts(system)
        self._poses, self._velocities, self._jacobians = (
            self._quick.frames[name] for name in ("pose", "velocity", "jacobian")
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles have a new workspace."""
        return Evaluator, (self.system,)

    def __repr__(self) -> str:
        """Name and size of the system."""
        system = self.system
        words = f"{system.n_body} bodies, {system.n_q} coordinates, {system.n_v} speeds"
        return f"Evaluator of {system.name or 'a system'}: {words}"

    @_as_method_of(forward_dynamics)
    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        forces: Any = None,
        *,
        external: Mapping[Any, Any] | None = None,
        armature: Any = None,
        out: Array | None = None,
    ) -> Array:
        if external is None and armature is None:
            accelerations = self._quick.accelerations(q, v, forces, out)
            if accelerations is not None:
                return accelerations
        options = {"external": external, "armature": armature, "out": out}
        return forward_dynamics(self.system, (q, v), forces, **options)

    @_as_method_of(inverse_dynamics)
    def inverse_dynamics(
        self,
        q: Any,
        v: Any,
        acceleration: Any,
        *,
        external: Mapping[Any, Any] | None = None,
        actuated: Any = None,
        out: Array | None = None,
    ) -> Array:
        if external is None and actuated is None and self._tree:
            forces = self._quick.inverse(q, v, acceleration, out)
            if forces is not None:
                return forces
        options = {"external": external, "actuated": actuated}
        return into_out(inverse_dynamics(self.system, (q, v), acceleration, **options), out)

    @_as_method_of(forward_dynamics_derivatives)
    def forward_dynamics_derivatives(
        self, q: Any, v: Any, forces: Any = None, *, external: Mapping[Any, Any] | None = None
    ) -> ForwardDerivatives:
        if external is None and self._tree and compiled(self.system):
            D = self._quick.forward_derivatives(q, v, forces, None)
            if D is not None:
                n = self.system.n_v
                return ForwardDerivatives(D[3 * n], D[:n], D[n : 2 * n], D[2 * n : 3 * n])
        return forward_dynamics_derivatives(self.system, (q, v), forces, external=external)

    @_as_method_of(inverse_dynamics_derivatives)
    def inverse_dynamics_derivatives(
        self, q: Any, v: Any, acceleration: Any, *, external: Mapping[Any, Any] | None = None
    ) -> InverseDerivatives:
        if external is None and self._tree and compiled(self.system):
            D = self._quick.inverse_derivatives(q, v, acceleration, None)
            if D is not None:
                n = self.system.n_v
                return InverseDerivatives(D[:n], D[n : 2 * n], D[2 * n :])
        return inverse_dynamics_derivatives(self.system, (q, v), acceleration, external=external)

    @_as_method_of(bias_force)
    def bias_force(self, q: Any, v: Any, *, out: Array | None = None) -> Array:
        forces = self._quick.bias(q, v, out)
        if forces is not None:
            return forces
        return into_out(bias_force(self.system, (q, v)), out)

    @_as_method_of(gravity_force)
    def gravity_force(self, q: Any, *, out: Array | None = None) -> Array:
        forces = self._quick.gravity(q, out)
        if forces is not None:
            return forces
        return into_out(gravity_force(self.system, (q, self._zero)), out)

    @_as_method_of(mass_matrix)
    def mass_matrix(self, q: Any, *, out: Array | None = None) -> Array:
        M = self._quick.mass(q, out)
        if M is not None:
            return M
        return into_out(mass_matrix(self.system, (q, self._zero)), out)

    @_as_method_of(pose)
    def pose(self, q: Any, where: Any, *, at: Any = None) -> Pose:
        if at is None and type(where) is str:
            quick = self._poses.get(where) or self._quick.at("pose", where)
            if quick is not None and (frame_pose := quick(q, None)) is not None:
                return frame_pose
        return pose(self.system, (q, self._zero), where, at=at)

    @_as_method_of(velocity)
    def velocity(
        self,
        q: Any,
        v: Any,
        where: Any,
        *,
        at: Any = None,
        axes: str = "world",
        out: Array | None = None,
    ) -> Array:
        if at is None and type(where) is type(axes) is str and axes == "world":
            quick = self._velocities.get(where) or self._quick.at("velocity", where)
            motion = None if quick is None else quick(q, v, None)
            if motion is not None:
                return into_out(motion[12:], out)
        return into_out(velocity(self.system, (q, v), where, at=at, axes=axes), out)

    @_as_method_of(jacobian)
    def jacobian(
        self,
        q: Any,
        where: Any,
        *,
        at: Any = None,
        axes: str = "world",
        out: Array | None = None,
    ) -> Array:
        if at is None and type(where) is type(axes) is str and axes == "world":
            quick = self._jacobians.get(where) or self._quick.at("jacobian", where)
            if quick is not None and (J := quick(q, out)) is not None:
                return J
        return into_out(jacobian(self.system, (q, self._zero), where, at=at, axes=axes), out)

    @_as_method_of(energy)
    def energy(self, q: Any, v: Any) -> Energy:
        totals = self._quick.totals(q, v, None)
        if totals is not None:
            return Energy(*totals[:3].tolist())
        return energy(self.system, (q, v))
