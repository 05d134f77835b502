"""Section loads of a frame in equilibrium with all that acts on it.

Section loads that follow from the shapes, F eta, lack what the shapes cannot carry: loads between
two nodes, and static deflections that the reduction left out.  The unreduced model, held at the
inboard node, carries forces f on its nodes and its mass with the section loads

  F_s(f) = F_n K^-1 f + F_e f                                                                 (1)

F_n being those of displacements of the nodes, F_e those of forces within an element whose nodes
are held.  They are in equilibrium with f, whatever the shapes: what acts on the frame and
-m a, a its acceleration less gravity ("mode acceleration", Williams 1945).  The tables here have
(1) per unit wrench on a node and per unit acceleration of the mass.

At level "stiffened" the shapes carry other loads than F_s(f), a string under tension none across
it.  There the loads are F eta, with damping C, and what the shapes leave of f:

  F (eta + Lambda^-1 C eta_dot) + F_s(f) - F Lambda^-1 Phi^T f                                (2)

The acceleration of the particle at r of a body with shapes phi_j is a sum over fields 1, x, y, z
and the components of each shape, each with a vector:

  a = c + W r + sum_j (W eta_j + 2 [omega]x eta_dot_j + 1 eta_ddot_j) phi_j(r)                (3)
  W = [omega_dot]x + [omega]x [omega]x
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..immutable import array_of, immutable

if TYPE_CHECKING:
    from .normal import MassIntegrals

Array = np.ndarray


@immutable("make another one")
@dataclass(frozen=True, eq=False)
class Balance:
    """Tables of (1), for s stations.

    Attributes
    ----------
    nodes : array (k,) of int
        Nodes of the body on which something may act.
    wrenches : array (s, 6, k, 6)
        Section loads per unit moment and force on each of them, body axes.
    inertia : array (s, 6, 4 + 3 m, 3)
        Section loads by forces on the mass of unit acceleration in x, y and z times 1, x, y, z and
        the components of the shapes, as in (3).
    """

    nodes: Any = field(metadata=array_of("1", "loaded_node", whole=True))
    wrenches: Any = field(
        metadata=array_of("1, m, 1/m", "station", "component", "loaded_node", "six")
    )
    inertia: Any = field(metadata=array_of("kg, kg m", "station", "component", "field", "axis"))

    def in_modes(self, x: Array) -> Balance:
        """Same tables for other amplitudes: the shapes here are x (m, k) times them."""
        rigid, shapes = self.inertia[:, :, :4], self.inertia[:, :, 4:]
        s = len(shapes)
        mixed = np.einsum("scjlk,ji->scilk", shapes.reshape(s, 6, len(x), 3, 3), x)
        return replace(self, inertia=np.concatenate([rigid, mixed.reshape(s, 6, -1, 3)], axis=2))

    def turned(self, R: Array) -> Balance:
        """Same tables in other axes; R (3, 3) takes old axes to new ones."""
        s, _, k = self.wrenches.shape[:3]
        wrenches = self.wrenches.reshape(s, 6, k, 2, 3) @ R.T
        fields = self.inertia @ R.T
        vectors = fields[:, :, 1:].reshape(s, 6, -1, 3, 3)
        turned = np.einsum("scjlk,al->scjak", vectors, R).reshape(s, 6, -1, 3)
        inertia = np.concatenate([fields[:, :, :1], turned], axis=2)
        return replace(self, wrenches=wrenches.reshape(s, 6, k, 6), inertia=inertia)

    def seen_from(self, origin: Array) -> Balance:
        """Same tables with positions relative to a point (3,) [m]."""
        inertia = np.array(self.inertia)
        inertia[:, :, 1:4] -= np.einsum("l,sck->sclk", origin, inertia[:, :, 0])
        return replace(self, inertia=inertia)


def modal_forces(integrals: MassIntegrals, fields: Array) -> Array:
    """Forces on the modes, Phi^T f, of the accelerations (3) of the mass, (n, m).

    `fields` (n, 4 + 3 m, 3): accelerations, see `accelerations`.
    """
    m = integrals.modal_first_moment.shape[1]
    products = integrals.modal_products.transpose(2, 0, 1, 3).reshape(3 * m, 3, m)
    table = np.concatenate(
        [integrals.modal_first_moment[None], integrals.modal_second_moment, products]
    )
    forces: Array = np.einsum("fki,nfk->ni", table, fields)
    return forces


def accelerations(
    eta: Array, eta_dot: Array, eta_ddot: Array, omega: Array, angular: Array, linear: Array
) -> Array:
    """Vectors of the fields of (3) in n rows, (n, 4 + 3 m, 3), body axes.

    `eta`, `eta_dot`, `eta_ddot` (n, m): modal coordinates and their rates; `omega`, `angular`,
    `linear` (n, 3): angular velocity and acceleration, and acceleration of the origin.
    """
    spin = _skew(omega)
    W = _skew(angular) + spin @ spin
    eye = np.eye(3)
    of_shapes = (
        eta[:, :, None, None] * W[:, None]
        + 2 * eta_dot[:, :, None, None] * spin[:, None]
        + eta_ddot[:, :, None, None] * eye
    )
    # a_k = W_kl r_l: the field comes before the direction
    fields = np.concatenate([W[:, None], of_shapes], axis=1).swapaxes(2, 3)
    return np.concatenate([linear[:, None], fields.reshape(len(eta), -1, 3)], axis=1)


def _skew(v: Array) -> Array:
    """Cross-product matrices (n, 3, 3) of vectors (n, 3)."""
    matrices = np.zeros((len(v), 3, 3))
    x, y, z = v.T
    matrices[:, 2, 1], matrices[:, 0, 2], matrices[:, 1, 0] = x, y, z
    matrices[:, 1, 2], matrices[:, 2, 0], matrices[:, 0, 1] = -x, -y, -z
    return matrices
