"""The mass matrix and its inverse as operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...system import GROUND, System
from ..tree.reference import Articulated, BodyMotion, carrying_node, outboard_rows
from .algebra import Label, SpatialOperator

Array = np.ndarray


class Factor(SpatialOperator):
    """Square root of a symmetric operator, invertible in O(N).

    Parameters
    ----------
    label : Label
        Name, cost and state.
    forward, inverse : SpatialOperator
        The factor and its inverse.
    """

    def __init__(self, label: Label, forward: SpatialOperator, inverse: SpatialOperator) -> None:
        super().__init__(label, forward.shape)
        self._forward, self._inverse = forward, inverse

    @property
    def T(self) -> Factor:
        """Transpose, invertible like the factor."""
        label = Label(f"{self.name}.T", self.cost, self.label.origin)
        return Factor(label, self._forward.T, self._inverse.T)

    @property
    def inverse(self) -> Factor:
        """Inverse of the factor, whose inverse is the factor."""
        label = Label(f"{self.name}^-1", self.cost, self.label.origin)
        return Factor(label, self._inverse, self._forward)

    def solve(self, x: Any) -> Array:
        """Inverse of the factor times x.

        Parameters
        ----------
        x : array (n_v,) or (n_v, k)
            Vector or columns.
        """
        return self._inverse @ x

    def _apply(self, x: Array) -> Array:
        return self._forward._apply(x)

    def _apply_transpose(self, y: Array) -> Array:
        return self._forward._apply_transpose(y)


class Mass(SpatialOperator):
    """Mass matrix H Phi M_m Phi* H*; a product takes two sweeps.

    Parameters
    ----------
    label : Label
        Name, cost and state.
    product : SpatialOperator
        The Newton-Euler factorization.
    inverse : MassInverse
        The inverse.
    factor : Factor
        Factor L with L L^T = M.
    """

    def __init__(
        self, label: Label, product: SpatialOperator, inverse: MassInverse, factor: Factor
    ) -> None:
        super().__init__(label, product.shape)
        self._product, self._inverse = product, inverse
        self.factor = factor

    @property
    def T(self) -> SpatialOperator:
        """The operator itself: it is symmetric."""
        return self

    @property
    def logdet(self) -> float:
        """Logarithm of the determinant, from the hinge inertias of the sweep.  O(N)."""
        return self._inverse.logdet_mass

    def solve(self, x: Any) -> Array:
        """Inverse of the mass matrix times x, O(N).

        Parameters
        ----------
        x : array (n_v,) or (n_v, k)
            Vector or columns.
        """
        return self._inverse @ x

    def _apply(self, x: Array) -> Array:
        return self._product._apply(x)

    def _apply_transpose(self, y: Array) -> Array:
        return self._product._apply(y)


class MassInverse(SpatialOperator):
    """Inverse of the mass matrix by articulated bodies in normalised form; two sweeps.

    The recursion is `reference.forward_dynamics` without velocities, gravity and stiffness:
      eps_f = T_f,   y = Pi_hat W eps_f,   f_0 = E y + N zeta,   z_R = M_rf W eps_f + Y f_0
      eps_R = T_R - H z_R,   z+ = z_R + G eps_R;   then outward as there, eqs. (22)-(25).

    Parameters
    ----------
    label : Label
        Name, cost and state.
    system : System
        Compiled mechanism.
    motions : sequence of BodyMotion
        Kinematics of the state.
    articulated : sequence of Articulated
        Articulated-body quantities of the state.
    factor : Factor
        Factor F with F F^T = M^-1.
    """

    def __init__(
        self,
        label: Label,
        system: System,
        motions: Sequence[BodyMotion],
        articulated: Sequence[Articulated],
        factor: Factor,
    ) -> None:
        super().__init__(label, (system.n_v, system.n_v))
        self._system, self._motions, self._articulated = system, motions, articulated
        self.factor = factor

    @property
    def T(self) -> SpatialOperator:
        """The operator itself: it is symmetric."""
        return self

    @property
    def logdet_mass(self) -> float:
        """Value of log det M: sum of log det M_ff + log det (I + Gamma S) + log det D of bodies."""
        pieces = (
            np.linalg.slogdet(a.hinge_inertia)[1]
            - np.linalg.slogdet(a.N)[1]
            - np.linalg.slogdet(a.W)[1]
            for a in self._articulated
        )
        return float(sum(pieces))

    def _apply(self, x: Array) -> Array:
        system, layout = self._system, self._system.layout
        inward = self._tip_to_base(x)
        at_nodes: list[Array] = []
        result = []
        for i, (motion, block) in enumerate(zip(self._motions, self._articulated, strict=True)):
            eps_R, y, f_0 = inward[i]
            p = int(system.parent[i])
            A_t = (
                np.zeros((6, x.shape[1]))
                if p == GROUND
                else at_nodes[p][outboard_rows(self._system, i)]
            )
            alpha_plus = motion.transform @ A_t
            nu = np.linalg.solve(block.hinge_inertia, eps_R)
            beta_dot = nu - block.hinge_gain.T @ alpha_plus
            alpha = alpha_plus + motion.motion_map @ beta_dot
            f_t = block.E @ (block.Y.T @ alpha) + f_0
            at_nodes.append(block.Y.T @ alpha + y - block.S @ f_t)
            loads = motion.terms.M_rf.T @ alpha + motion.outboard_shapes.T @ f_t
            result += [block.W @ (x[layout.modal_v(i)] - loads), beta_dot]
        return np.concatenate(result)

    def _apply_transpose(self, y: Array) -> Array:
        return self._apply(y)

    def _tip_to_base(self, x: Array) -> list[tuple[Array, Array, Array]]:
        """Residuals (eps_R, y, f_0) of every body."""
        system, layout = self._system, self._system.layout
        zeta = [np.zeros((6 * len(nodes), x.shape[1])) for nodes in system.outboard_nodes]
        found: list[tuple[Array, Array, Array]] = []
        for i in reversed(range(system.n_body)):
            motion, block = self._motions[i], self._articulated[i]
            w = block.W @ x[layout.modal_v(i)]
            y = motion.outboard_shapes @ w
            f_0 = block.E @ y + block.N @ zeta[i]
            z_R = motion.terms.M_rf @ w + block.Y @ f_0
            eps_R = x[layout.hinge_v(i)] - motion.motion_map.T @ z_R
            found.append((eps_R, y, f_0))
            if (p := int(system.parent[i])) != GROUND:
                z_plus = z_R + block.hinge_gain @ eps_R
                zeta[p][outboard_rows(self._system, i)] += motion.transform.T @ z_plus
        return found[::-1]


def inward_step(system: System, motions: Sequence[BodyMotion], i: int) -> Array | None:
    """Block [Pi_hat_t^T; phi_t] X^T: spatial force on body i -> modal force on its parent (12)."""
    if system.parent[i] == GROUND:
        return None
    node = carrying_node(system, motions, i)
    return np.concatenate([node.shapes.T, node.shift]) @ motions[i].transform.T
