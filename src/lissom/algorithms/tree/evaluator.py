"""Dynamics of a system from arrays, for loops that call it thousands of times a second."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from .quick import Quick

Array = np.ndarray


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

    __slots__ = ("_jacobians", "_poses", "_quick", "_zero", "system")

    def __init__(self, system: System) -> None:
        check_system(system)
        self.system = system
        self._zero = np.zeros(system.n_v)  # of calls that need none
        self._quick = Quick(system)
        self._poses, self._jacobians = self._quick.poses, self._quick.jacobians

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles have a new workspace."""
        return Evaluator, (self.system,)

    def __repr__(self) -> str:
        """Name and size of the system."""
        system = self.system
        words = f"{system.n_body} bodies, {system.n_q} coordinates, {system.n_v} speeds"
        return f"Evaluator of {system.name or 'a system'}: {words}"

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
        """Accelerations of the speeds under given forces; see `lissom.forward_dynamics`.

        Parameters
        ----------
        q, v : array (n_q,), (n_v,)
            Coordinates and speeds.
        forces : array (n_v,) or mapping, optional
            Generalized forces; by default zero.
        external : mapping, optional
            Spatial forces {"body", "body.node" or "frame": [moment; force]} in the axes of that
            frame.
        armature : array (n_v,) or mapping, optional
            Inertia added to the speeds.
        out : array (n_v,), optional
            Array for the result.

        Returns
        -------
        array (n_v,)
        """
        if external is None and armature is None:
            T = self._zero if forces is None else forces
            accelerations = self._quick.forward_dynamics(q, v, T, out)
            if accelerations is not None:
                return accelerations
        options = {"external": external, "armature": armature, "out": out}
        return forward_dynamics(self.system, (q, v), forces, **options)

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
        """Generalized forces that produce given accelerations; see `lissom.inverse_dynamics`.

        Parameters
        ----------
        q, v : array (n_q,), (n_v,)
            Coordinates and speeds.
        acceleration : array (n_v,) or mapping
            Rates of the speeds.
        external : mapping, optional
            Spatial forces, as for `forward_dynamics`.
        actuated : sequence of str, optional
            Bodies whose joints are actuated; required with loops.
        out : array (n_v,), optional
            Array for the result.

        Returns
        -------
        array (n_v,)
        """
        if external is None and actuated is None and not self.system.constraints:
            forces = self._quick.inverse_dynamics(q, v, acceleration, out)
            if forces is not None:
                return forces
        options = {"external": external, "actuated": actuated}
        return into_out(inverse_dynamics(self.system, (q, v), acceleration, **options), out)

    def forward_dynamics_derivatives(
        self, q: Any, v: Any, forces: Any = None, *, external: Mapping[Any, Any] | None = None
    ) -> ForwardDerivatives:
        """Derivatives of the accelerations; see `lissom.forward_dynamics_derivatives`.

        Parameters
        ----------
        q, v : array (n_q,), (n_v,)
            Coordinates and speeds.
        forces : array (n_v,) or mapping, optional
            Generalized forces; by default zero.
        external : mapping, optional
            Spatial forces, as for `forward_dynamics`.

        Returns
        -------
        ForwardDerivatives
        """
        if external is None and not self.system.constraints and compiled(self.system):
            derivatives = self._quick.forward_derivatives(
                q, v, self._zero if forces is None else forces, None
            )
            if derivatives is not None:
                n, value = self.system.n_v, self._quick.accelerations.copy()
                return ForwardDerivatives(
                    value, derivatives[:n], derivatives[n : 2 * n], derivatives[2 * n :]
                )
        return forward_dynamics_derivatives(self.system, (q, v), forces, external=external)

    def inverse_dynamics_derivatives(
        self, q: Any, v: Any, acceleration: Any, *, external: Mapping[Any, Any] | None = None
    ) -> InverseDerivatives:
        """Derivatives of the forces of a tree; see `lissom.inverse_dynamics_derivatives`.

        Parameters
        ----------
        q, v : array (n_q,), (n_v,)
            Coordinates and speeds.
        acceleration : array (n_v,) or mapping
            Rates of the speeds.
        external : mapping, optional
            Spatial forces, as for `forward_dynamics`.

        Returns
        -------
        InverseDerivatives
        """
        if external is None and not self.system.constraints and compiled(self.system):
            derivatives = self._quick.inverse_derivatives(q, v, acceleration, None)
            if derivatives is not None:
                n = self.system.n_v
                return InverseDerivatives(
                    derivatives[:n], derivatives[n : 2 * n], derivatives[2 * n :]
                )
        return inverse_dynamics_derivatives(self.system, (q, v), acceleration, external=external)

    def bias_force(self, q: Any, v: Any, *, out: Array | None = None) -> Array:
        """Bias of the equations of motion; see `lissom.bias_force`.

        Parameters
        ----------
        q, v : array (n_q,), (n_v,)
            Coordinates and speeds.
        out : array (n_v,), optional
            Array for the result.

        Returns
        -------
        array (n_v,)
        """
        forces = self._quick.inverse_dynamics(q, v, self._zero, out)
        if forces is not None:
            return forces
        return into_out(bias_force(self.system, (q, v)), out)

    def gravity_force(self, q: Any, *, out: Array | None = None) -> Array:
        """Forces that hold the system against gravity; see `lissom.gravity_force`.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        out : array (n_v,), optional
            Array for the result.

        Returns
        -------
        array (n_v,)
        """
        forces = self._quick.gravity_force(q, self._zero, self._zero, out)
        if forces is not None:
            return forces
        return into_out(gravity_force(self.system, (q, self._zero)), out)

    def mass_matrix(self, q: Any, *, out: Array | None = None) -> Array:
        """Mass matrix; see `lissom.mass_matrix`.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        out : array (n_v, n_v), optional
            Array for the result.

        Returns
        -------
        array (n_v, n_v)
        """
        M = self._quick.mass_matrix(q, out)
        if M is not None:
            return M
        return into_out(mass_matrix(self.system, (q, self._zero)), out)

    def pose(self, q: Any, where: Any, *, at: Any = None) -> Pose:
        """Pose of a body, node or named frame; see `lissom.pose`.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        where : str
            "body", "body.node" or the name of a frame.
        at : array (3,), optional
            Point of which the position is asked for, in the axes of that frame [m].

        Returns
        -------
        Pose
            ``.position`` in the world, ``.rotation`` to world axes.
        """
        if at is None and type(where) is str:
            quick = self._poses.get(where) or self._quick.pose(where)
            if quick is not None and (frame_pose := quick(q, None)) is not None:
                return frame_pose
        return pose(self.system, (q, self._zero), where, at=at)

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
        """Spatial velocity of a body, node or named frame; see `lissom.velocity`.

        Parameters
        ----------
        q, v : array (n_q,), (n_v,)
            Coordinates and speeds.
        where : str
            "body", "body.node" or the name of a frame.
        at : array (3,), optional
            Point of which the velocity is asked for, in the axes of that frame [m].
        axes : {"world", "body"}
            Axes of the components: world axes, or those of the frame.
        out : array (6,), optional
            Array for the result.

        Returns
        -------
        array (6,)
            Angular velocity [rad/s] and velocity of the frame's origin [m/s].
        """
        if at is None and type(where) is type(axes) is str and axes == "world":
            quick = self._quick.velocities.get(where) or self._quick.velocity(where)
            motion = None if quick is None else quick(q, v, v, None)
            if motion is not None:
                return into_out(motion[12:], out)
        return into_out(velocity(self.system, (q, v), where, at=at, axes=axes), out)

    def jacobian(
        self,
        q: Any,
        where: Any,
        *,
        at: Any = None,
        axes: str = "world",
        out: Array | None = None,
    ) -> Array:
        """Jacobian of a body, node or named frame; see `lissom.jacobian`.

        Parameters
        ----------
        q : array (n_q,)
            Coordinates.
        where : str
            "body", "body.node" or the name of a frame.
        at : array (3,), optional
            Point whose velocity it gives, in the axes of that frame [m].
        axes : {"world", "body"}
            Axes of the components.
        out : array (6, n_v), optional
            Array for the result.

        Returns
        -------
        array (6, n_v)
            Matrix J with velocity = J @ v.
        """
        if at is None and type(where) is type(axes) is str and axes == "world":
            quick = self._jacobians.get(where) or self._quick.jacobian(where)
            if quick is not None and (J := quick(q, out)) is not None:
                return J
        return into_out(jacobian(self.system, (q, self._zero), where, at=at, axes=axes), out)

    def energy(self, q: Any, v: Any) -> Energy:
        """Kinetic, gravitational and strain energy; see `lissom.energy`.

        Parameters
        ----------
        q, v : array (n_q,), (n_v,)
            Coordinates and speeds.

        Returns
        -------
        Energy
            ``.kinetic``, ``.potential``, ``.strain`` and ``.total`` [J].
        """
        totals = self._quick.totals(q, v, None)
        if totals is not None:
            return Energy(*totals[:3].tolist())
        return energy(self.system, (q, v))
