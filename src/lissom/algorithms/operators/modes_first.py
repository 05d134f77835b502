"""Operators that tell the modes of a body from its hinge.

Source: (A 59), (A 60), (A 61), (A 62), (A 63), (A B4).

Spaces beside speeds and body space: *modes* and *hinges* are the two parts of the speeds, *frames*
has six entries for each body, *nodes* six for each node that carries children.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from ...spatial import symmetric
from ...system import GROUND
from ..tree.reference import Articulated, outboard_rows
from .blocks import BlockDiagonal, Blocks
from .body_space import BLOCKS, BodySpace

Array = np.ndarray


class ModesFirst(BodySpace, ABC):
    """Operators of a state in which modes and hinges are separate; base of `Operators`."""

    @property
    @abstractmethod
    def M_m(self) -> BlockDiagonal:
        """Modal mass matrices of the bodies (A 23)."""

    @property
    @abstractmethod
    def P(self) -> BlockDiagonal:
        """Articulated-body inertias (A 51)."""

    @property
    @abstractmethod
    def _articulated(self) -> list[Articulated]:
        """Articulated-body quantities in normalised form."""

    # The step inwards in two factors, and the two parts of the hinge map.

    @cached_property
    def A(self) -> BlockDiagonal:
        """Forces on the nodes that carry children to the body space, [Pi_hat^T; phi] (A 15)."""
        blocks = [np.concatenate([m.outboard_shapes.T, m.outboard_shift]) for m in self._motions]
        return self._diagonal("A", blocks, self._bodies, self._nodes)

    @cached_property
    def B(self) -> Blocks:
        """Forces on bodies to the nodes that carry them, [0, X^T] (A 15); E_Phi = A B (A 14)."""
        places = []
        for i, motion in enumerate(self._motions):
            if (p := int(self.system.parent[i])) != GROUND:
                start = self._nodes[p].start + outboard_rows(self.system, i).start
                places.append((slice(start, start + 6), motion.transform.T, self._spatial[i]))
        shape = (self._nodes[-1].stop, self._bodies[-1].stop)
        return Blocks(self._label("B", BLOCKS), shape, places)

    @cached_property
    def H_f(self) -> BlockDiagonal:
        """Body space to modes, [I, 0] (A 16), (A 60)."""
        blocks = [np.eye(body.n_mode, body.n_mode + 6) for body in self.system.bodies]
        return self._diagonal("H_f", blocks, self._modes, self._bodies)

    @cached_property
    def H_r(self) -> BlockDiagonal:
        """Body space to hinges, [0, H] (A 17), (A 60)."""
        blocks = [
            np.concatenate([np.zeros((len(m.beta), body.n_mode)), m.motion_map.T], axis=1)
            for body, m in zip(self.system.bodies, self._motions, strict=True)
        ]
        return self._diagonal("H_r", blocks, self._hinges, self._bodies)

    @cached_property
    def H_F(self) -> BlockDiagonal:
        """Frames to hinges (A 13): the hinge map referred to the frames of the bodies."""
        blocks = [motion.motion_map.T for motion in self._motions]
        return self._diagonal("H_F", blocks, self._hinges, self._frames)

    # Modes crossed before the hinge, (A 63); for these six the normalised form is used.

    @cached_property
    def Gamma(self) -> BlockDiagonal:
        """Inertia of the children at the nodes that carry them, B P+ B* (A 62), (A 63)."""
        sizes = [6 * len(nodes) for nodes in self.system.outboard_nodes]
        blocks = [np.zeros((n, n), self.dtype) for n in sizes]
        for i, (motion, block) in enumerate(zip(self._motions, self._articulated, strict=True)):
            if (p := int(self.system.parent[i])) != GROUND:
                at, X = outboard_rows(self.system, i), motion.transform
                blocks[p][at, at] += X.T @ block.inertia_inboard @ X
        return self._diagonal("Gamma", blocks, self._nodes, self._nodes)

    @cached_property
    def P_R(self) -> BlockDiagonal:
        """Articulated-body inertias with the modes of the body free (A 63)."""
        return self._normalised("P_R", lambda a: a.inertia, self._frames, self._frames)

    @cached_property
    def D_R(self) -> BlockDiagonal:
        """Hinge inertias H_F P_R H_F* (A 63); D_r of (A 62)."""
        return self._normalised("D_R", lambda a: a.hinge_inertia, self._hinges, self._hinges)

    @cached_property
    def G_R(self) -> BlockDiagonal:
        """Gains of the hinges, P_R H_F* D_R^-1 (A 63)."""
        return self._normalised("G_R", lambda a: a.hinge_gain, self._frames, self._hinges)

    @cached_property
    def tau_bar_R(self) -> BlockDiagonal:
        """Part of a force that passes the hinge, I - G_R H_F (A 63)."""
        pairs = zip(self.G_R.blocks, self.H_F.blocks, strict=True)
        blocks = [np.eye(6) - g @ h for g, h in pairs]
        return self._diagonal("tau_bar_R", blocks, self._frames, self._frames)

    @cached_property
    def P_R_plus(self) -> BlockDiagonal:
        """Articulated-body inertias inboard of the hinges, tau_bar_R P_R (A 63)."""
        return self._normalised("P_R_plus", lambda a: a.inertia_inboard, self._frames, self._frames)

    @cached_property
    def D_f(self) -> BlockDiagonal:
        """Inertias of the modes with everything outboard free, H_f P H_f* (A 62), (A 63)."""
        blocks = [P[:-6, :-6] for P in self.P.blocks]
        return self._diagonal("D_f", blocks, self._modes, self._modes)

    @cached_property
    def mu(self) -> BlockDiagonal:
        """Modes to forces on the frame, [P_rf, P_rr] H_f* (A 63)."""
        blocks = [P[-6:, :-6] for P in self.P.blocks]
        return self._diagonal("mu", blocks, self._frames, self._modes)

    @cached_property
    def g(self) -> BlockDiagonal:
        """Gains of the modes on the frame, mu D_f^-1 (A 63)."""
        pairs = zip(self.mu.blocks, self.D_f.blocks, strict=True)
        blocks = [np.linalg.solve(D_f, mu.T).T for mu, D_f in pairs]
        return self._diagonal("g", blocks, self._frames, self._modes)

    # The same with the rows and columns that nobody reads, (A 62).

    @cached_property
    def G_f(self) -> BlockDiagonal:
        """Gains of the modes, P H_f* D_f^-1 (A 62)."""
        blocks = [np.concatenate([np.eye(g.shape[1]), g]) for g in self.g.blocks]
        return self._diagonal("G_f", blocks, self._bodies, self._modes)

    @cached_property
    def tau_bar_f(self) -> BlockDiagonal:
        """Part of a force that passes the modes, I - G_f H_f (A 62)."""
        return self._transmission("tau_bar_f", self.G_f, self.H_f)

    @cached_property
    def P_r(self) -> BlockDiagonal:
        """Articulated-body inertias with the modes crossed, tau_bar_f P (A 62)."""
        pairs = zip(self.tau_bar_f.blocks, self.P.blocks, strict=True)
        blocks = [symmetric(tau @ P) for tau, P in pairs]
        return self._diagonal("P_r", blocks, self._bodies, self._bodies)

    @cached_property
    def G_r(self) -> BlockDiagonal:
        """Gains of the hinges, P_r H_r* D_r^-1 (A 62)."""
        triples = zip(self.P_r.blocks, self.H_r.blocks, self.D_R.blocks, strict=True)
        blocks = [np.linalg.solve(D, h @ P).T for P, h, D in triples]
        return self._diagonal("G_r", blocks, self._bodies, self._hinges)

    @cached_property
    def tau_bar_r(self) -> BlockDiagonal:
        """Part of a force that passes the hinge, I - G_r H_r (A 62)."""
        return self._transmission("tau_bar_r", self.G_r, self.H_r)

    # Appendix B: D_f^-1 = Lambda - Upsilon (I + Gamma Omega)^-1 Gamma Upsilon*.

    @cached_property
    def Lambda(self) -> BlockDiagonal:
        """Inverse of the modal mass of the body alone, (H_f M_m H_f*)^-1 (A B4)."""
        blocks = [np.linalg.inv(M[:-6, :-6]) for M in self.M_m.blocks]
        return self._diagonal("Lambda", blocks, self._modes, self._modes)

    @cached_property
    def zeta(self) -> BlockDiagonal:
        """Forces on the nodes that carry children to the modes, H_f A (A B4)."""
        blocks = [motion.outboard_shapes.T for motion in self._motions]
        return self._diagonal("zeta", blocks, self._modes, self._nodes)

    @cached_property
    def Upsilon(self) -> BlockDiagonal:
        """Accelerations of the modes by forces on these nodes, Lambda zeta (A B4)."""
        pairs = zip(self.Lambda.blocks, self.zeta.blocks, strict=True)
        return self._diagonal("Upsilon", [a @ z for a, z in pairs], self._modes, self._nodes)

    @cached_property
    def Omega(self) -> BlockDiagonal:
        """Accelerations of these nodes by forces on them, zeta* Upsilon (A B4)."""
        pairs = zip(self.zeta.blocks, self.Upsilon.blocks, strict=True)
        return self._diagonal("Omega", [z.T @ u for z, u in pairs], self._nodes, self._nodes)

    # Construction.

    def _normalised(
        self,
        name: str,
        of: Callable[[Articulated], Array],
        rows: Sequence[slice],
        columns: Sequence[slice],
    ) -> BlockDiagonal:
        return self._diagonal(name, [of(block) for block in self._articulated], rows, columns)

    def _transmission(self, name: str, gain: BlockDiagonal, hinge: BlockDiagonal) -> BlockDiagonal:
        pairs = zip(gain.blocks, hinge.blocks, strict=True)
        blocks = [np.eye(len(g)) - g @ h for g, h in pairs]
        return self._diagonal(name, blocks, self._bodies, self._bodies)
