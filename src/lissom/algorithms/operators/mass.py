"""The mass matrix and its inverse as operators."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from ...system import GROUND, System
from ..tree.reference import Articulated, BodyMotion, carrying_node, outboard_rows
from .algebra import Label, SpatialOperator
from .blocks import Block, Blocks
from .body_space import slices
from .propagation import Propagation

Array = np.ndarray


class Factor(SpatialOperator):
    """Square root of a symmetric operator, invertible in O(N)."""

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

        `x` (n_v,) or (n_v, k): vector or columns.
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
    def logdet(self) -> complex:
        """Logarithm of the determinant, from the hinge inertias of the sweep.  O(N).

        A float; complex at a complex state.
        """
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

    With the children's residual forces zeta at the nodes that carry them, the recursion of
    `reference.forward_dynamics` without velocities, gravity and stiffness is, for forces x:
      zeta = (I - E_n)^-1 U x,   E_n = X^T (I - G H) Y N,   U = X^T [(I - G H) B, G]         (1)
      nu = D^-1 (Q x - H Y N zeta),   Q = [-H B, I],   B = M_rf W + Y E Pi_hat W             (2)
      A = (I - E_n)^-T (-N^T Y^T H* nu - V^T x + S N zeta),   V = [W Pi_hat^T N; 0]          (3)
      M^-1 x = Q^T nu + (W - W Pi_hat^T E Pi_hat W) x_f - V zeta + U^T A                     (4)

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
    def logdet_mass(self) -> complex:
        """Value of log det M: sum of log det M_ff + log det (I + Gamma S) + log det D of bodies."""
        pieces = (_logdet(a.hinge_inertia) - _logdet(a.N) - _logdet(a.W) for a in self._articulated)
        return complex(sum(pieces)) if self.dtype.kind == "c" else float(sum(pieces))

    def _apply(self, x: Array) -> Array:
        part, propagation = self._parts, self._propagation
        zeta = propagation._apply(part["U"]._apply(x))  # (1)
        nu = part["D^-1"]._apply(part["Q"]._apply(x) - part["HYN"]._apply(zeta))  # (2)
        A = part["SN"]._apply(zeta) - part["V"]._apply_transpose(x)  # (3)
        A = propagation._apply_transpose(A - part["HYN"]._apply_transpose(nu))
        y = part["Q"]._apply_transpose(nu) + part["D_f^-1"]._apply(x)  # (4)
        return y - part["V"]._apply(zeta) + part["U"]._apply_transpose(A)

    def _apply_transpose(self, y: Array) -> Array:
        return self._apply(y)

    @cached_property
    def _propagation(self) -> Propagation:
        return Propagation(self.label, self._parts["E_n"])

    @cached_property
    def _parts(self) -> dict[str, Blocks]:
        """Operators of (1)-(4) on speeds, hinge speeds and nodes that carry children."""
        system, layout = self._system, self._system.layout
        nodes = slices([6 * len(t) for t in system.outboard_nodes])
        hinges = slices([motion.motion_map.shape[1] for motion in self._motions])
        n_v, n_h, n_n = system.n_v, hinges[-1].stop, nodes[-1].stop
        shapes = {"U": (n_n, n_v), "E_n": (n_n, n_n), "Q": (n_h, n_v), "HYN": (n_h, n_n)}
        shapes |= {"D^-1": (n_h, n_h), "V": (n_v, n_n), "D_f^-1": (n_v, n_v), "SN": (n_n, n_n)}
        places: dict[str, list[Block]] = {name: [] for name in shapes}
        for i, (motion, block) in enumerate(zip(self._motions, self._articulated, strict=True)):
            modes, hinge, h, t = layout.modal_v(i), layout.hinge_v(i), hinges[i], nodes[i]
            Ht, G, W, Pi = motion.motion_map, block.hinge_gain, block.W, motion.outboard_shapes
            B = motion.terms.M_rf @ W + block.Y @ block.E @ Pi @ W
            passed = np.eye(6) - G @ Ht.T
            YN = block.Y @ block.N
            places["Q"] += [(h, -Ht.T @ B, modes), (h, np.eye(len(G.T)), hinge)]
            places["HYN"].append((h, Ht.T @ YN, t))
            places["D^-1"].append((h, np.linalg.inv(block.hinge_inertia), h))
            if len(W):
                places["V"].append((modes, W @ Pi.T @ block.N, t))
                places["D_f^-1"].append((modes, W - W @ Pi.T @ block.E @ Pi @ W, modes))
                places["SN"].append((t, block.S @ block.N, t))
            if (p := int(system.parent[i])) != GROUND:
                rows = outboard_rows(system, i)
                at = slice(nodes[p].start + rows.start, nodes[p].start + rows.stop)
                inward = motion.transform.T
                places["U"] += [(at, inward @ passed @ B, modes), (at, inward @ G, hinge)]
                places["E_n"].append((at, inward @ passed @ YN, t))
        return {name: Blocks(self.label, shapes[name], places[name]) for name in shapes}


def _logdet(matrix: Array) -> Any:
    """Logarithm of the determinant of a matrix whose real part has a positive one."""
    sign, size = np.linalg.slogdet(matrix)
    return np.log(sign) + size if np.iscomplexobj(matrix) else size


def inward_step(system: System, motions: Sequence[BodyMotion], i: int) -> Array | None:
    """Block [Pi_hat_t^T; phi_t] X^T: force on body i to modal force on its parent (A 12)."""
    if system.parent[i] == GROUND:
        return None
    node = carrying_node(system, motions, i)
    return np.concatenate([node.shapes.T, node.shift]) @ motions[i].transform.T
