"""Random couplings on the random mechanisms of the oracle, with loops and without.

A coupling is a row of ratios on the speeds.  Accelerations come from Gauss's principle with the
oracle's dense mass matrix: of all that the rows of loops and couplings allow, the nearest to the
free ones in the metric of the masses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import lissom as ls
from tests.loop_oracles.closures import RANK, LoopedSnapshot
from tests.oracle import Oracle
from tests.oracle.random_mechanism import Description, draw
from tests.samples.random_loops import (
    MAX_CONDITION,
    MAX_CONSTRAINT_CONDITION,
    compiled_tree,
    looped_model,
    looped_tree,
)
from tests.samples.random_trees import Tree, build

NAMES = {
    ls.Revolute: ("angle",),
    ls.Prismatic: ("slide",),
    ls.Screw: ("angle",),
    ls.Cylindrical: ("angle", "slide"),
    ls.Universal: ("angle1", "angle2"),
    ls.Planar: ("x", "y", "angle"),
}


@dataclass(frozen=True)
class CoupledTree:
    """A lissom system with couplings, and the numbers of the oracle at a state that both share.

    Attributes
    ----------
    rows : array (n_coupling, n_v)
        Ratios, in the order of the oracle's speeds.
    A, gamma : arrays
        Closure equations of loops and couplings in that order: A vdot + gamma = 0.
    """

    tree: Tree
    description: Description
    q: np.ndarray
    v: np.ndarray
    M: np.ndarray
    rows: np.ndarray
    A: np.ndarray
    gamma: np.ndarray
    snapshot: object

    @property
    def state(self) -> ls.State:
        """lissom's state."""
        return self.tree.state(self.q, self.v)

    def forward_dynamics(self, forces, external=None) -> tuple[np.ndarray, np.ndarray, bool]:
        """Accelerations, forces of the couplings, and whether these are the only ones."""
        free = self.snapshot.forward_dynamics(forces, external)
        L = np.linalg.cholesky(self.M)
        Y = np.linalg.solve(L, self.A.T)
        pinv = np.linalg.pinv(Y.T, rcond=RANK)
        needed = -self.gamma - self.A @ free
        vdot = free + np.linalg.solve(L.T, pinv @ needed)
        n, loops = len(self.rows), Y[:, : len(self.A) - len(self.rows)]
        ranks = [np.linalg.matrix_rank(x, tol=1e-7 * np.abs(Y).max()) for x in (Y, loops)]
        return vdot, (pinv.T @ (pinv @ needed))[-n:], ranks[0] == ranks[1] + n


def coupled_tree(seed: int, *, loops: bool) -> CoupledTree | None:
    """Mechanism of a seed with one to three couplings; None if it has too few coordinates."""
    for attempt in range(20):
        rng = np.random.default_rng([seed, attempt, 11])
        if loops:
            case = looped_tree(seed + 1000 * attempt)
            description, oracle, q = case.description, case.oracle, case.q
            transforms, v = case.tree.transforms, case.v
        else:
            description, oracle = draw(seed, attempt), None
            try:
                plain = build(description)
            except ls.ModelError:  # a motion that moves no inertia
                continue
            transforms = plain.transforms
            q, v = description.state(transforms)
        model = looped_model(description, oracle.closings if loops else [])
        tree = compiled_tree(model, description, transforms)
        ratios = _random_ratios(rng, tree.system)
        if not ratios:
            continue
        given = _with_couplings(model, ratios, tree.state(q, v).q, tree.system)
        tree = compiled_tree(model, description, transforms)
        found = _measured(tree, description, oracle, q, v, given)
        if found is not None:
            return found
    return None


def _random_ratios(rng, system: ls.System) -> list[dict[str, float]]:
    keys = []
    for name, joint in zip(system.names, system.joints, strict=True):
        names = NAMES.get(type(joint), ())
        keys += [name if len(names) == 1 else f"{name}.{x}" for x in names]
    if len(keys) < 3:
        return []
    chosen = []
    for _ in range(int(rng.integers(1, 4))):
        some = rng.choice(keys, min(len(keys), int(rng.integers(2, 5))), replace=False)
        chosen.append({str(key): float(rng.choice([-1, 1]) * rng.uniform(0.3, 3)) for key in some})
    return chosen


def _with_couplings(model, ratios, q, system) -> np.ndarray:
    """Couplings that hold at q, put into the model; their rows in lissom's order of speeds."""
    rows = np.zeros((len(ratios), system.n_v))
    for k, terms in enumerate(ratios):
        total = 0.0
        for key, ratio in terms.items():
            body, _, coordinate = key.partition(".")
            names = NAMES[type(system.joints[system.names.index(body)])]
            entry = names.index(coordinate) if coordinate else 0
            rows[k, system.layout.hinge_v(body).start + entry] = ratio
            total += ratio * q[system.layout.hinge_q(body).start + entry]
        model.couple(terms, offset=total, name=f"coupling{k}")
    return rows


def _measured(tree, description, oracle, q, v, given) -> CoupledTree | None:
    rows, length = given[:, tree.v_index], tree.system.length

    def at(v) -> tuple[object, np.ndarray, np.ndarray]:
        if oracle is None:
            snapshot, A, gamma = Oracle(description.mechanism(tree.transforms)).at(q, v), None, None
            A, gamma = np.zeros((0, len(v))), np.zeros(0)
        else:
            looped: LoopedSnapshot = oracle.at(q, v, length=length)
            snapshot, A, gamma = looped.tree, looped.A, looped.gamma
        return snapshot, np.concatenate([A, rows]), np.append(gamma, np.zeros(len(rows)))

    snapshot, A, _ = at(v)
    M = snapshot.mass_matrix
    Y = np.linalg.solve(L := np.linalg.cholesky(M), A.T)
    values = np.linalg.svd(Y, compute_uv=False)
    kept = values[values > 1e-9 * values.max()]
    if np.linalg.cond(M) > MAX_CONDITION or kept.max() > MAX_CONSTRAINT_CONDITION * kept.min():
        return None
    v = v - np.linalg.solve(L.T, np.linalg.pinv(Y.T, rcond=RANK) @ (A @ v))
    snapshot, A, gamma = at(v)
    return CoupledTree(tree, description, q, v, M, rows, A, gamma, snapshot)
