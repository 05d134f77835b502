"""Spatial operators of trees in nodal coordinates, matrix-free: every product costs O(N).

Source: Rodriguez, sections 4 to 8.  Speeds are ordered as in the paper, the nodal
freedoms of all bodies and then the joints of all bodies; bodies are numbered base to tip, so that
causal parts (tip to base) are above the diagonal, and below it in the paper.

Departures from the source
  - Trees: C has a block C(parent, k) for every body; phi(k+1, k) = B(k+1) C(k+1, k) includes the
    change of axes, and Phi = (I - B C)^-1.
  - Section 7: R(k) = B(k) r(k) B^T(k), and the inner loop is x(i) = C(i, i-1) B(i-1) x(i-1).
  - (D 8.1): the lower right block of K is H (Phi - I) G.
  - (D 8.3): Psi(k, k) = I, and the upper right block of L is h C G + h C~ psi G.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from types import SimpleNamespace

import numpy as np

from ...algorithms.operators.algebra import Identity, Label, SpatialOperator, listed
from ...algorithms.operators.blocks import BlockDiagonal, Blocks
from ...algorithms.operators.propagation import Propagation
from ...bodies.nodal import NodalBody
from ...system import GROUND, StateLike, System
from .dynamics import NodalGains, nodal_gains_tip_to_base
from .tree import NodalTree, nodal_tree

Row = tuple[SpatialOperator | None, SpatialOperator | None]


class Attachment(Blocks):
    """One step from the frame of every body to the nodes of its parent.

    Parameters
    ----------
    label : Label
        Name, cost and state.
    parents : sequence of int
        Parent of each body.
    nodes, frames : sequence of slice
        Places of each body among the nodes and among the frames.
    blocks : sequence of arrays (6 n of the parent, 6)
        Block of each body; those on the ground are not used.
    """

    def __init__(
        self,
        label: Label,
        parents: Sequence[int],
        nodes: Sequence[slice],
        frames: Sequence[slice],
        blocks: Sequence[Array],
    ) -> None:
        places = [
            (nodes[p], block, frames[k])
            for k, (p, block) in enumerate(zip(parents, blocks, strict=True))
            if p != GROUND
        ]
        super().__init__(label, (nodes[-1].stop, frames[-1].stop), places)
        self.blocks = tuple(blocks)


class Stacked(SpatialOperator):
    """Two operators on the same space, one above the other."""

    def __init__(self, label: Label, top: SpatialOperator, bottom: SpatialOperator) -> None:
        super().__init__(label, (top.shape[0] + bottom.shape[0], top.shape[1]))
        self._top, self._bottom = top, bottom

    def _apply(self, x: Array) -> Array:
        return np.concatenate([self._top @ x, self._bottom @ x])

    def _apply_transpose(self, y: Array) -> Array:
        n = self._top.shape[0]
        above: Array = self._top.T @ y[:n]
        return above + self._bottom.T @ y[n:]


class Quarters(SpatialOperator):
    """Two rows of two operators; None is zero."""

    def __init__(self, label: Label, first: Row, second: Row) -> None:
        whole = [x for x in (first[0], second[1]) if x is not None]
        n, m = (x.shape[0] for x in whole)
        super().__init__(label, (n + m, n + m))
        self._rows, self._n = (first, second), n

    def _apply(self, x: Array) -> Array:
        return np.concatenate([self._sum(row, x) for row in self._rows])

    def _apply_transpose(self, y: Array) -> Array:
        columns = zip(*self._rows, strict=True)
        flipped = [tuple(None if a is None else a.T for a in column) for column in columns]
        return np.concatenate([self._sum((a, b), y) for a, b in flipped])

    def _sum(self, row: Row, x: Array) -> Array:
        parts = zip(row, (x[: self._n], x[self._n :]), strict=True)
        terms = [a @ part for a, part in parts if a is not None]
        return np.asarray(sum(terms[1:], terms[0]))


Array = np.ndarray

_BLOCKS = "O(N) small blocks"
_SWEEP = "O(N), one sweep"
_SWEEPS = "O(N), two sweeps"
_NAMES = "m h B C H g d G D Phi X mass r mass_composite causal diagonal causal_inverse mass_inverse"


class NodalOperators:
    """Operators of a tree; sizes: bodies N, nodes n, nodal freedoms f, hinge freedoms r, summed.

    Each supports ``@`` with a vector, columns or an operator, and has ``.T`` and ``.as_matrix()``.

    Parameters
    ----------
    tree : NodalTree
        From `nodal_tree`.
    gains : sequence of NodalGains, optional
        From `nodal_gains_tip_to_base`; by default they are computed.
    """

    def __init__(self, tree: NodalTree, gains: Sequence[NodalGains] | None = None) -> None:
        self._tree, links = tree, tree.links
        self.dtype = np.dtype(float)
        self._gains = nodal_gains_tip_to_base(tree) if gains is None else gains
        self._nodes = _slices([len(link.mass) for link in links])
        self._frames = _slices([6] * len(links))
        self._freedoms = _slices([link.freedoms.shape[1] for link in links])
        self._joints = _slices([link.motion_map.shape[1] for link in links])

    def __repr__(self) -> str:
        """Number of bodies and names of the operators."""
        return listed(self, f"NodalOperators of {self._tree.n_body} bodies")

    def _label(self, name: str, cost: str) -> Label:
        return Label(name, cost, self)

    def _diagonal(
        self, name: str, blocks: Sequence[Array], rows: Sequence[slice], columns: Sequence[slice]
    ) -> BlockDiagonal:
        return BlockDiagonal(self._label(name, _BLOCKS), blocks, rows, columns)

    @cached_property
    def m(self) -> BlockDiagonal:
        """Mass matrices of the bodies, (6 n, 6 n)."""
        return self._diagonal("m", [k.mass for k in self._tree.links], self._nodes, self._nodes)

    @cached_property
    def h(self) -> BlockDiagonal:
        """Forces on the nodes -> forces on the nodal freedoms, (f, 6 n)."""
        blocks = [link.freedoms.T for link in self._tree.links]
        return self._diagonal("h", blocks, self._freedoms, self._nodes)

    @cached_property
    def B(self) -> BlockDiagonal:
        """Forces on the nodes -> forces at the bodies' frames, (6 N, 6 n)."""
        return self._diagonal("B", [k.shift for k in self._tree.links], self._frames, self._nodes)

    @cached_property
    def C(self) -> Attachment:
        """Forces at the bodies' frames -> forces on the nodes of the parents, (6 n, 6 N)."""
        blocks = [link.attachment for link in self._tree.links]
        return self._attachment("C", blocks)

    @cached_property
    def H(self) -> BlockDiagonal:
        """Forces at the bodies' frames -> forces of the joints, (r, 6 N)."""
        blocks = [link.motion_map.T for link in self._tree.links]
        return self._diagonal("H", blocks, self._joints, self._frames)

    @cached_property
    def g(self) -> BlockDiagonal:
        """Gains of the nodal freedoms, (6 n, f) (D 8.2a)."""
        return self._diagonal(
            "g", [gain.nodal_gain for gain in self._gains], self._nodes, self._freedoms
        )

    @cached_property
    def d(self) -> BlockDiagonal:
        """Inertias of the nodal freedoms, (f, f) (D 8.2a)."""
        blocks = [gain.freedom_inertia for gain in self._gains]
        return self._diagonal("d", blocks, self._freedoms, self._freedoms)

    @cached_property
    def G(self) -> BlockDiagonal:
        """Gains of the joints, (6 N, r) (D 8.2b)."""
        blocks = [gain.hinge_gain for gain in self._gains]
        return self._diagonal("G", blocks, self._frames, self._joints)

    @cached_property
    def D(self) -> BlockDiagonal:
        """Inertias of the joints, (r, r) (D 8.2b)."""
        blocks = [gain.hinge_inertia for gain in self._gains]
        return self._diagonal("D", blocks, self._joints, self._joints)

    @cached_property
    def Phi(self) -> Propagation:
        """Propagation of forces inward, (6 N, 6 N): Phi = (I - B C)^-1."""
        return self._propagation("Phi", self.B.blocks, self.C.blocks)

    @cached_property
    def X(self) -> SpatialOperator:
        """Forces on the nodes -> generalized forces of each body, (f + r, 6 n) (D 4.5)."""
        return Stacked(self._label("X", _BLOCKS), self.h, self.H @ self.B)

    @cached_property
    def mass(self) -> SpatialOperator:
        """System mass matrix, (f + r, f + r): X (I + C Phi B) m (I + B* Phi* C*) X* (D 5.1)."""
        inward = self.X @ (self._one(self._nodes) + self.C @ self.Phi @ self.B)
        return (inward @ self.m @ inward.T).named("M", _SWEEPS)

    @cached_property
    def r(self) -> BlockDiagonal:
        """Composite mass r of the nodes, (6 n, 6 n): r = m + C R C*, R = B r B* (D 7.2)."""
        r = [link.mass for link in self._tree.links]
        for k in reversed(range(self._tree.n_body)):
            link = self._tree.links[k]
            if link.parent != GROUND:
                at_nodes = link.attachment @ link.shift
                r[link.parent] = r[link.parent] + at_nodes @ r[k] @ at_nodes.T
        return self._diagonal("r", r, self._nodes, self._nodes)

    @cached_property
    def mass_composite(self) -> SpatialOperator:
        """System mass matrix by composite bodies: X (r + C Phi B r + r B* Phi* C*) X* (D 7.1)."""
        inward = self.C @ self.Phi @ self.B @ self.r
        return (self.X @ (self.r + inward + inward.T) @ self.X.T).named("M", _SWEEPS)

    @cached_property
    def causal(self) -> SpatialOperator:
        """Causal factor K with mass = (I + K) D (I + K*), (f + r, f + r) (D 8.1)."""
        Phi, inward = self.Phi, self.h @ self.C @ self.Phi
        return Quarters(
            self._label("K", _SWEEP),
            (inward @ self.B @ self.g, inward @ self.G),
            (self.H @ Phi @ self.B @ self.g, self.H @ (Phi - self._one(self._frames)) @ self.G),
        )

    @cached_property
    def diagonal(self) -> SpatialOperator:
        """Block-diagonal inertias d and D, (f + r, f + r) (D 8.1)."""
        return self._both("D", self.d, self.D)

    @cached_property
    def causal_inverse(self) -> SpatialOperator:
        """Matrix L with (I + K)^-1 = I - L, (f + r, f + r) (D 8.3).

        B~ = B (I - g h),  C~ = C (I - G H),  Psi = (I - B~ C~)^-1,  psi = Psi B~ C
        """
        h, H, g, G, C = self.h, self.H, self.g, self.G, self.C
        b = [x - x @ y @ z for x, y, z in zip(self.B.blocks, g.blocks, h.blocks, strict=True)]
        c = [x - x @ y @ z for x, y, z in zip(C.blocks, G.blocks, H.blocks, strict=True)]
        B_tilde = self._diagonal("B~", b, self._frames, self._nodes)
        C_tilde, Psi = self._attachment("C~", c), self._propagation("Psi", b, c)
        psi = Psi @ B_tilde @ C
        return Quarters(
            self._label("L", _SWEEP),
            (h @ C_tilde @ Psi @ self.B @ g, h @ C @ G + h @ C_tilde @ psi @ G),
            (H @ Psi @ self.B @ g, H @ psi @ G),
        )

    @cached_property
    def mass_inverse(self) -> SpatialOperator:
        """Inverse of the mass matrix: (I - L*) D^-1 (I - L) (D 8.4)."""
        d, D = ([np.linalg.inv(x) for x in diagonal.blocks] for diagonal in (self.d, self.D))
        inverse = self._both(
            "D^-1",
            self._diagonal("d^-1", d, self._freedoms, self._freedoms),
            self._diagonal("D^-1", D, self._joints, self._joints),
        )
        filtered = Identity(self.diagonal.shape[0], self) - self.causal_inverse
        return (filtered.T @ inverse @ filtered).named("M^-1", _SWEEPS)

    def dense(self) -> SimpleNamespace:
        """All operators as dense matrices by their names, for small systems and inspection."""
        return SimpleNamespace(**{name: getattr(self, name).as_matrix() for name in _NAMES.split()})

    def _one(self, places: Sequence[slice]) -> Identity:
        return Identity(places[-1].stop, self)

    def _both(self, name: str, first: SpatialOperator, second: SpatialOperator) -> SpatialOperator:
        return Quarters(self._label(name, _BLOCKS), (first, None), (None, second))

    def _attachment(self, name: str, blocks: Sequence[Array]) -> Attachment:
        parents = [link.parent for link in self._tree.links]
        return Attachment(self._label(name, _BLOCKS), parents, self._nodes, self._frames, blocks)

    def _propagation(self, name: str, B: Sequence[Array], C: Sequence[Array]) -> Propagation:
        """Propagation (I - B C)^-1 from frame to frame."""
        places = [
            (self._frames[link.parent], B[link.parent] @ c, self._frames[k])
            for k, (link, c) in enumerate(zip(self._tree.links, C, strict=True))
            if link.parent != GROUND
        ]
        n = self._frames[-1].stop
        step = Blocks(self._label(f"E_{name}", _BLOCKS), (n, n), places)
        return Propagation(self._label(name, _SWEEP), step)


def _slices(sizes: Sequence[int]) -> list[slice]:
    edges = [0, *(int(x) for x in np.cumsum(sizes))]
    return [slice(a, b) for a, b in pairwise(edges)]


def nodal_operators(
    system: System, state: StateLike, nodal: Mapping[str, NodalBody]
) -> NodalOperators:
    """Spatial operators of a system in nodal coordinates at a state.

    Parameters
    ----------
    system : System
        Compiled mechanism without loops, as for `nodal_forward_dynamics`.
    state : State or (q, v)
        Configuration and speeds.
    nodal : mapping
        {"body": NodalBody} for every flexible body.

    Returns
    -------
    NodalOperators
        ``.m .h .B .C .H .g .d .G .D .Phi .X .mass .r .mass_composite .causal .diagonal
        .causal_inverse .mass_inverse``; each supports ``@`` with a vector, columns or an operator,
        and has ``.T`` and ``.as_matrix()``.
    """
    return NodalOperators(nodal_tree(system, state, nodal))


def composite_mass_matrix(tree: NodalTree) -> Array:
    """System mass matrix by the inward recursion of section 7, in the order of `NodalOperators`.

    r(k) = m(k) + sum over children C R C^T,     R(k) = B(k) r(k) B^T(k)
    M(k, k) = X(k) r(k) X^T(k),                  x(k) = r(k) X^T(k)
    inward:  x(i) = C(i, c) B(c) x(c),           M(i, k) = X(i) x(i)
    """
    links = tree.links
    X = [np.concatenate([link.freedoms.T, link.motion_map.T @ link.shift]) for link in links]
    R: dict[int, Array] = {}
    blocks = {(i, k): np.zeros((len(a), len(b))) for i, a in enumerate(X) for k, b in enumerate(X)}
    for k in reversed(range(tree.n_body)):
        r = links[k].mass
        for c in tree.children[k]:
            r = r + links[c].attachment @ R[c] @ links[c].attachment.T
        R[k] = links[k].shift @ r @ links[k].shift.T
        x, i = r @ X[k].T, k
        while i != GROUND:
            blocks[i, k], blocks[k, i] = X[i] @ x, (X[i] @ x).T
            x, i = links[i].attachment @ (links[i].shift @ x), links[i].parent
    by_body = np.block([[blocks[i, k] for k in range(len(X))] for i in range(len(X))])
    nodal = np.concatenate(
        [np.arange(len(a)) < link.freedoms.shape[1] for a, link in zip(X, links, strict=True)]
    )
    order = np.concatenate([np.flatnonzero(nodal), np.flatnonzero(~nodal)])
    return by_body[np.ix_(order, order)]
