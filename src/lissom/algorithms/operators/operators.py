"""All operators of a system at a state, created on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, final

import numpy as np

from ...errors import SingularError, StateError
from ...spatial import block_diagonal, symmetric
from ...spatial.scalar import is_numeric
from ...system import StateLike, System
from ..tree import reference
from ..tree.arguments import as_state, check_no_loops, motions_of
from ..tree.reference import BodyMotion
from .algebra import Dense, Identity, SpatialOperator, listed
from .blocks import BlockDiagonal, Blocks
from .body_space import BLOCKS
from .mass import Factor, Mass, MassInverse, inward_step
from .modes_first import ModesFirst
from .operational import FramePicker, frame_compliance
from .propagation import Propagation

Array = np.ndarray

_SWEEP = "O(N), one sweep"


def operators(system: System, state: StateLike, *, tree: bool = False) -> Operators:
    """Spatial operators of a system at a state.

    They know trees: a system with loops or couplings is refused unless its tree is asked for.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    state : State or (q, v)
        Configuration and speeds, real or complex.
    tree : bool
        Whether operators of the tree without its loops and couplings are wanted: ``.mass`` is then
        that of the tree, and compliances are those of opened loops; `closure` has the constraints.

    Returns
    -------
    Operators
        Every operator of Jain & Rodriguez under its name there; each supports ``@`` with a vector,
        columns or an operator, and has ``.T`` and ``.as_matrix()``.  ``.mass`` and
        ``.mass_inverse`` are the mass matrix and its inverse.
    """
    state = as_state(system, state)
    if not tree:
        instead = (
            "operators(system, state, tree=True) for those of the tree without them, and closure "
            "for the constraints and the constrained mass matrix"
        )
        check_no_loops(system, "operators", instead)
    if not (is_numeric(state.q) and is_numeric(state.v)):
        raise StateError(
            "operators need a state of numbers, real or complex; this one has symbols: use "
            "mass_matrix, bias_force and the like, or symbolic.derive"
        )
    return Operators(system, motions_of(system, state))


@final
class Operators(ModesFirst):
    """Spatial operators of one state; see the notation in the package docstring.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    motions : sequence of BodyMotion
        Kinematics of the state.
    """

    def __init__(self, system: System, motions: Sequence[BodyMotion]) -> None:
        super().__init__(system, motions)
        layout = system.layout
        self.speeds = [
            slice(layout.modal_v(i).start, layout.hinge_v(i).stop) for i in range(system.n_body)
        ]

    def __repr__(self) -> str:
        """Name of the system and names of the operators."""
        return listed(self, f"Operators of {self.system.name or 'a system'}")

    # Kinematics and mass.

    @cached_property
    def E_Phi(self) -> Blocks:
        """One step inward: block (p, i) is [0, [Pi_hat_t^T; phi_t] X^T] (A 12)."""
        return self._inward("E_Phi", self.steps, self._spatial)

    @cached_property
    def Phi(self) -> Propagation:
        """All steps inward, (I - E_Phi)^-1 (A 18), (A 19)."""
        return Propagation(self._label("Phi", _SWEEP), self.E_Phi)

    @cached_property
    def H(self) -> BlockDiagonal:
        """Hinge map, body space to speeds (A 13); its transpose is the motion map."""
        blocks = [
            block_diagonal(np.eye(body.n_mode), motion.motion_map.T)
            for body, motion in zip(self.system.bodies, self._motions, strict=True)
        ]
        return BlockDiagonal(self._label("H", BLOCKS), blocks, self.speeds, self._bodies)

    @cached_property
    def M_m(self) -> BlockDiagonal:
        """Modal mass matrices of the bodies (A 23)."""
        return self._on_bodies("M_m", [motion.terms.modal_mass for motion in self._motions])

    @cached_property
    def R(self) -> BlockDiagonal:
        """Composite-body inertias (A 47): everything outboard frozen."""
        return self._on_bodies("R", self._accumulate(lambda _, R: R[-6:, -6:]))

    # Articulated bodies.

    @cached_property
    def P(self) -> BlockDiagonal:
        """Articulated-body inertias (A 51): everything outboard free."""
        return self._on_bodies("P", self._articulated_blocks)

    @cached_property
    def P_plus(self) -> BlockDiagonal:
        """Articulated-body inertias inboard of modes and hinge, tau_bar P (A 51)."""
        pairs = zip(self.tau_bar.blocks, self.P.blocks, strict=True)
        return self._on_bodies("P_plus", [symmetric(tau @ P) for tau, P in pairs])

    @cached_property
    def D(self) -> BlockDiagonal:
        """Hinge inertias H P H* (A 51), (A 52)."""
        blocks = [h @ p @ h.T for h, p in zip(self.H.blocks, self.P.blocks, strict=True)]
        return BlockDiagonal(self._label("D", BLOCKS), blocks, self.speeds, self.speeds)

    @cached_property
    def D_inverse(self) -> BlockDiagonal:
        """Inverse of the hinge inertias."""
        blocks = [np.linalg.inv(d) for d in self.D.blocks]
        return BlockDiagonal(self._label("D_inverse", BLOCKS), blocks, self.speeds, self.speeds)

    @cached_property
    def G(self) -> BlockDiagonal:
        """Kalman gains P H* D^-1 (A 51), (A 52)."""
        triples = zip(self.H.blocks, self.P.blocks, self.D.blocks, strict=True)
        blocks = [np.linalg.solve(d, h @ p).T for h, p, d in triples]
        return BlockDiagonal(self._label("G", BLOCKS), blocks, self._bodies, self.speeds)

    @cached_property
    def K(self) -> SpatialOperator:
        """Shifted gains E_Phi G (A 52)."""
        return (self.E_Phi @ self.G).named("K", BLOCKS)

    @cached_property
    def tau_bar(self) -> BlockDiagonal:
        """Transmission I - G H: the part of a force that passes the hinge (A 51), (A 52)."""
        pairs = zip(self.G.blocks, self.H.blocks, strict=True)
        return self._on_bodies("tau_bar", [np.eye(len(g)) - g @ h for g, h in pairs])

    @cached_property
    def E_Psi(self) -> Blocks:
        """One step inward through free hinges, E_Phi tau_bar (A 52)."""
        passed = zip(self.steps, self.tau_bar.blocks, strict=True)
        steps = [None if step is None else step @ tau[-6:] for step, tau in passed]
        return self._inward("E_Psi", steps, self._bodies)

    @cached_property
    def Psi(self) -> Propagation:
        """All steps inward through free hinges, (I - E_Psi)^-1 (A 53)."""
        return Propagation(self._label("Psi", _SWEEP), self.E_Psi)

    # The mass matrix and its factors.

    @cached_property
    def I(self) -> Identity:  # noqa: E743  the mathematical name
        """Identity on the speeds."""
        return Identity(self.system.n_v, self)

    @cached_property
    def I_body(self) -> Identity:
        """Identity on the body space."""
        return Identity(self._bodies[-1].stop, self)

    @cached_property
    def innovations(self) -> SpatialOperator:
        """Factor I + H Phi K of the mass matrix (A 54)."""
        return (self.I + self.H @ self.Phi @ self.K).named("I + H Phi K", _SWEEP)

    @cached_property
    def innovations_inverse(self) -> SpatialOperator:
        """Inverse I - H Psi K of `innovations` (A 55)."""
        return (self.I - self.H @ self.Psi @ self.K).named("I - H Psi K", _SWEEP)

    @cached_property
    def mass(self) -> Mass:
        """Mass matrix; ``.solve``, ``.logdet`` and ``.factor`` with factor @ factor.T = mass."""
        product = self.H @ self.Phi @ self.M_m @ self.Phi.T @ self.H.T
        return Mass(self._label("M", "O(N), two sweeps"), product, self.mass_inverse, self._root)

    @cached_property
    def mass_inverse(self) -> MassInverse:
        """Inverse of the mass matrix; ``.factor`` with factor @ factor.T = mass_inverse."""
        label = self._label("M^-1", "O(N), two sweeps")
        factor = self._root.T.inverse
        return MassInverse(label, self.system, self._motions, self._articulated, factor)

    @cached_property
    def _root(self) -> Factor:
        """Factor L = (I + H Phi K) sqrt(D)."""
        roots = [_root_of(d) for d in self.D.blocks]
        inverses = [np.linalg.inv(r) for r in roots]
        place = (self.speeds, self.speeds)
        root = BlockDiagonal(self._label("sqrt(D)", BLOCKS), roots, *place)
        inverse = BlockDiagonal(self._label("sqrt(D)^-1", BLOCKS), inverses, *place)
        label = self._label("L", _SWEEP)
        return Factor(label, self.innovations @ root, inverse @ self.innovations_inverse)

    # The equations of motion: (A 42).

    def alpha_m(self, vdot: Any) -> Array:
        """Modal accelerations [eta_ddot; alpha] of the bodies, Phi* (H* vdot + a_m) (A 24), (A 26).

        Gravity is an acceleration of the ground, and alpha lacks it.

        Parameters
        ----------
        vdot : array (n_v,)
            Rates of the speeds.

        Returns
        -------
        array
            Vector of the body space.
        """
        return self.Phi.T @ (self.H.T @ vdot + self.a_m)

    def f_m(self, vdot: Any) -> Array:
        """Modal forces [T_f; f] of the bodies, Phi (M_m alpha_m + b_m + elastic).

        Source: (A 35), (A 36), (A 40).

        Parameters
        ----------
        vdot : array (n_v,)
            Rates of the speeds.

        Returns
        -------
        array
            Vector of the body space; H f_m are the generalized forces (A 41).
        """
        return self.Phi @ (self.M_m @ self.alpha_m(vdot) + self.b_m + self.elastic)

    # Motion of frames: operational space.

    def jacobian(self, where: Any, *, axes: str = "world") -> SpatialOperator:
        """Jacobian of one or several frames as an operator.  A product is O(N).

        Parameters
        ----------
        where : str or sequence of str
            "body", "body.node" or a frame; several are stacked.
        axes : {"world", "body"}
            Axes of the components.
        """
        picker = self._picker(where, axes)
        return (picker @ self.Phi.T @ self.H.T).named("J", _SWEEP)

    def compliance(self, where: Any, *, axes: str = "world") -> Array:
        """Acceleration of frames per force on them, J M^-1 J^T, by one inward sweep.

        Parameters
        ----------
        where : str or sequence of str
            k of "body", "body.node" or a frame.
        axes : {"world", "body"}
            Axes of the components.

        Returns
        -------
        array (6 k, 6 k)
            Cost O(N k^2), independent of the number of modes.
        """
        picker = self._picker(where, axes)
        return frame_compliance(self.system, self._motions, self._articulated, picker)

    def operational_inertia(
        self, where: Any, *, axes: str = "world", rcond: float = 1e-10
    ) -> Array:
        """Effective inertia at frames, the inverse of `compliance`.

        Parameters
        ----------
        where : str or sequence of str
            k of "body", "body.node" or a frame.
        axes : {"world", "body"}
            Axes of the components.
        rcond : float
            Directions whose compliance is below this fraction of the largest count as immovable;
            they get zero inertia (pseudo-inverse).

        Returns
        -------
        array (6 k, 6 k)
        """
        compliance = self.compliance(where, axes=axes)
        if np.iscomplexobj(compliance):
            raise StateError(
                "operational_inertia and null_space need a state of real numbers, to tell which "
                "directions are immovable; where none is, np.linalg.inv(op.compliance(where)) is "
                "the inertia"
            )
        return np.linalg.pinv(compliance, rcond=rcond, hermitian=True)

    def null_space(self, where: Any) -> SpatialOperator:
        """Projection of speeds onto those that do not move given frames: I - M^-1 J^T Lambda J.

        Its transpose projects forces onto those that do not accelerate the frames.

        Parameters
        ----------
        where : str or sequence of str
            Any of "body", "body.node" or a frame.
        """
        J = self.jacobian(where)
        Lam = Dense(self._label("Lambda", "O(1)"), self.operational_inertia(where))
        return (self.I - self.mass_inverse @ J.T @ Lam @ J).named("I - M^-1 J.T Lambda J", _SWEEP)

    # Construction of the blocks.

    def _picker(self, where: Any, axes: str) -> FramePicker:
        frames = [where] if isinstance(where, str) or not isinstance(where, Sequence) else where
        label = self._label("B", "O(frames)")
        return FramePicker(label, self.system, self._motions, self._bodies, frames, axes)

    def _inward(self, name: str, steps: Sequence[Array | None], sources: Sequence[slice]) -> Blocks:
        """Operator from every body to its parent; a block acts on the `sources` of its body."""
        n = self._bodies[-1].stop
        places = [
            (self._bodies[self.system.parent[i]], step, sources[i])
            for i, step in enumerate(steps)
            if step is not None
        ]
        return Blocks(self._label(name, BLOCKS), (n, n), places)

    @cached_property
    def steps(self) -> list[Array | None]:
        """Blocks [Pi_hat_t^T; phi_t] X^T of the bodies (A 12), None for base bodies."""
        return [inward_step(self.system, self._motions, i) for i in range(self.system.n_body)]

    @cached_property
    def _articulated(self) -> list[reference.Articulated]:
        """Articulated-body quantities in normalised form."""
        return reference.articulate_tip_to_base(self.system, self._motions)

    @cached_property
    def _articulated_blocks(self) -> list[Array]:
        return self._accumulate(self._passed)

    def _passed(self, i: int, P: Array) -> Array:
        """Spatial block of P+ = P - P H* D^-1 H P of body i (A 51)."""
        h = self.H.blocks[i]
        D = h @ P @ h.T
        hP = h @ P[:, -6:]
        try:
            np.linalg.cholesky(D.real)
        except np.linalg.LinAlgError:
            raise SingularError(
                f"body {self.system.names[i]!r}: its hinge inertia D is singular in this state; "
                "give the body or what it carries inertia about the joint's axes",
                body=self.system.names[i],
            ) from None
        return symmetric(P[-6:, -6:] - hP.T @ np.linalg.solve(D, hP))

    def _accumulate(self, passed: Any) -> list[Array]:
        """Sum M_m + step @ passed(child) @ step^T over children, tip to base (A 47), (A 51)."""
        blocks = list(self.M_m.blocks)
        for i in reversed(range(self.system.n_body)):
            inboard = passed(i, blocks[i])
            step = self.steps[i]
            if step is not None:
                p = int(self.system.parent[i])
                blocks[p] = blocks[p] + step @ inboard @ step.T
        return blocks


def _root_of(D: Array) -> Array:
    """Lower triangle L with L L^T = D, also of a complex symmetric D (L L^H = D is NumPy's)."""
    if not np.iscomplexobj(D):
        return np.linalg.cholesky(D)
    L = np.zeros_like(D)
    for k in range(len(D)):
        L[k, k] = np.sqrt(D[k, k] - L[k, :k] @ L[k, :k])
        L[k + 1 :, k] = (D[k + 1 :, k] - L[k + 1 :, :k] @ L[k, :k]) / L[k, k]
    return L
