"""Random rigid and flexible bodies, as data that a user would give, and their normalised form."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from .description import FULL, Body, Cloud, particle, rigid_body, six_particles, skew
from .random_joints import random_rotation

MAX_MODE_CONDITION = 1e3


@dataclass(frozen=True)
class RigidData:
    """Mass [kg], centre of mass (3,) [m], inertia (3, 3) [kg·m²] about it; body axes."""

    mass: float
    com: np.ndarray
    inertia: np.ndarray


@dataclass(frozen=True)
class FlexibleData:
    """A flexible body in any amplitudes, free-free or clamped, with its origin anywhere.

    Attributes
    ----------
    damping : ratio, (m,) ratios or (m, m) in these amplitudes.
    node_inertias, node_offsets : (n, 3, 3) about the node, and (n, 3) its mass from it; node axes.
    inboard : the node that becomes the body frame.
    names : node indices by name.
    """

    positions: np.ndarray
    masses: np.ndarray
    shapes: np.ndarray
    stiffness: np.ndarray
    damping: object
    node_inertias: np.ndarray | None
    node_offsets: np.ndarray | None
    inboard: int
    names: dict[str, int] = field(default_factory=dict)
    level: str = FULL

    @property
    def n_mode(self) -> int:
        return self.shapes.shape[2]

    @property
    def clouds(self) -> dict[int, Cloud]:
        """The particles on each node that has mass."""
        found = {}
        for k, mass in enumerate(self.masses):
            if mass > 0:
                found[k] = self._cloud(k, mass)
        return found

    def _cloud(self, k: int, mass: float) -> Cloud:
        p = np.zeros(3) if self.node_offsets is None else self.node_offsets[k]
        if self.node_inertias is None or not self.node_inertias[k].any():
            return particle(mass, p)
        return six_particles(mass, p, self.node_inertias[k] + mass * skew(p) @ skew(p))

    @property
    def relative_positions(self) -> np.ndarray:
        """Node positions from the inboard node."""
        return self.positions - self.positions[self.inboard]

    @property
    def relative_shapes(self) -> np.ndarray:
        """Shapes seen from the inboard node, whose own is [w; u]: Π_t - [w; u + w × l_t]."""
        w, u = self.shapes[self.inboard, :3], self.shapes[self.inboard, 3:]
        rigid = [np.concatenate([w, u - skew(arm) @ w]) for arm in self.relative_positions]
        return self.shapes - np.array(rigid)


def modal_mass(data: FlexibleData) -> np.ndarray:
    """Mass matrix (m, m) of the relative shapes on the undeformed body."""
    total = np.zeros((data.n_mode, data.n_mode))
    for k, cloud in data.clouds.items():
        shape = data.relative_shapes[k]
        for mass, offset in zip(cloud.masses, cloud.offsets, strict=True):
            field_at = shape[3:] - skew(offset) @ shape[:3]
            total += mass * field_at.T @ field_at
    return total


def normalising_transform(data: FlexibleData) -> np.ndarray:
    """T with T'MT = I and T'KT diagonal: given amplitudes = T @ modal coordinates."""
    inverse = np.linalg.inv(np.linalg.cholesky(modal_mass(data)))
    _, vectors = np.linalg.eigh(inverse @ data.stiffness @ inverse.T)
    return inverse.T @ vectors


def normalised(name: str, data, transform: np.ndarray | None = None) -> Body:
    """The body in normalised form; by default in amplitudes of our own choice."""
    if data is None:
        return rigid_body(name, None)
    if isinstance(data, RigidData):
        return rigid_body(name, six_particles(data.mass, data.com, data.inertia))
    T = normalising_transform(data) if transform is None else np.asarray(transform)
    stiffness = T.T @ data.stiffness @ T
    if np.ndim(data.damping) == 2:
        damping = T.T @ data.damping @ T
    else:
        frequencies = np.sqrt(np.diag(stiffness))
        damping = np.diag(2 * np.broadcast_to(data.damping, (data.n_mode,)) * frequencies)
    return Body(
        name,
        clouds=dict(data.clouds),
        positions=data.relative_positions,
        shapes=data.relative_shapes @ T,
        stiffness=stiffness,
        damping=damping,
        level=data.level,
        own_shapes=data.shapes @ T,
        inboard=data.inboard,
    )


def random_inertia(rng, mass: float, size: float) -> np.ndarray:
    """Inertia of three pairs of particles on random axes, each 0.3 to 1 times `size` away."""
    second_moments = mass / 3 * (size * rng.uniform(0.3, 1, 3)) ** 2
    axes = random_rotation(rng)
    return axes @ np.diag(second_moments.sum() - second_moments) @ axes.T


def random_rigid(rng) -> RigidData:
    mass = float(rng.uniform(0.5, 4))
    return RigidData(mass, 0.3 * rng.normal(size=3), random_inertia(rng, mass, 0.5))


def random_flexible(rng, level: str) -> tuple[FlexibleData, list[str]]:
    """A flexible body and the names of its features."""
    while True:
        data, features = _draw_flexible(rng, level)
        if np.linalg.cond(modal_mass(data)) < MAX_MODE_CONDITION:
            break
    data = replace(data, stiffness=_random_stiffness(rng, data, features))
    if rng.random() < 0.2:
        T = normalising_transform(data)
        data = replace(
            data,
            positions=data.relative_positions,
            shapes=data.relative_shapes @ T,
            stiffness=np.diag(np.diag(T.T @ data.stiffness @ T)),
        )
        features = [f for f in features if f != "free-free shapes"] + ["already normalised"]
    return replace(data, damping=_random_damping(rng, data.n_mode, features)), features


def _draw_flexible(rng, level: str) -> tuple[FlexibleData, list[str]]:
    n = int(rng.integers(4, 7))
    masses = rng.uniform(0.3, 2, n)
    massless = rng.random() < 0.4
    masses[rng.integers(n)] *= not massless
    free = 3 * np.count_nonzero(masses) - 6  # what the particles can do besides moving as one body
    n_mode = int(rng.integers(1, min(5, free - 1) + 1))
    inboard = 0 if rng.random() < 0.6 else int(rng.integers(n))
    features = [f"flexible: {level}", *(["inboard node not 0"] if inboard else [])]
    features += ["massless node"] if massless else []
    positions = np.outer(np.linspace(0, 1.2, n), rng.normal(size=3)) + 0.2 * rng.normal(size=(n, 3))
    shapes = 0.5 * rng.normal(size=(n, 6, n_mode))
    if rng.random() < 0.5:
        features.append("free-free shapes")
    else:
        shapes[inboard] = 0
    inertias, offsets = _random_node_inertias(rng, masses, features)
    data = FlexibleData(
        positions,
        masses,
        shapes,
        np.eye(n_mode),
        0.0,
        inertias,
        offsets,
        inboard,
        _random_names(rng, n),
        level,
    )
    return data, features


def _random_node_inertias(rng, masses, features) -> tuple[np.ndarray | None, np.ndarray | None]:
    kinds = ["none", "node inertias", "node inertias and offsets", "node offsets"]
    kind = str(rng.choice(kinds, p=[0.55, 0.1, 0.25, 0.1]))
    if kind == "none":
        return None, None
    features.append(kind)
    inertias, offsets = np.zeros((len(masses), 3, 3)), np.zeros((len(masses), 3))
    for k, mass in enumerate(masses):
        if mass > 0 and rng.random() < 0.6:
            p = offsets[k] = 0.2 * rng.normal(size=3) * ("offsets" in kind)
            inertias[k] = random_inertia(rng, mass, 0.3) - mass * skew(p) @ skew(p)
    return inertias if "inertias" in kind else None, offsets if "offsets" in kind else None


def _random_names(rng, n: int) -> dict[str, int]:
    """The last node is "tip"; others have names by chance."""
    named = [k for k in range(n - 1) if rng.random() < 0.5]
    return {"tip": n - 1} | {f"point{k}": k for k in named}


def _random_stiffness(rng, data: FlexibleData, features) -> np.ndarray:
    """Stiffness (m, m) that gives natural frequencies of 3 to 40 rad/s, at times equal ones."""
    frequencies = rng.uniform(3, 40, data.n_mode)
    if data.n_mode > 1 and rng.random() < 0.15:
        frequencies[1] = frequencies[0]
        features.append("equal frequencies")
    factor = np.linalg.cholesky(modal_mass(data))
    basis, _ = np.linalg.qr(rng.normal(size=(data.n_mode, data.n_mode)))
    stiffness = factor @ basis @ np.diag(frequencies**2) @ basis.T @ factor.T
    return (stiffness + stiffness.T) / 2


def _random_damping(rng, n_mode: int, features) -> object:
    kind = str(rng.choice(["none", "ratio", "ratios", "matrix"]))
    features.append(f"damping: {kind}")
    match kind:
        case "none":
            return 0.0
        case "ratio":
            return float(rng.uniform(0.005, 0.1))
        case "ratios":
            return rng.uniform(0.005, 0.1, n_mode)
    root = rng.normal(size=(n_mode, n_mode))
    return root @ root.T
