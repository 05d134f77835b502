"""Compare every public function with the readable recursions at one state: `compare`.

Direct quantities are measured against the sums of their absolute terms (`tests.tools.term_sizes`),
forward dynamics by its residual and by its error as the conditioning permits.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import lissom as ls
from tests.references.reference_quantities import Reference, armature_matrix
from tests.tools.measures import EPS, TOLERANCE
from tests.tools.term_sizes import TermSizes

RESIDUAL = 1e-12
ROUNDING = 100 * EPS  # of the terms of a force that cancel altogether
NEARLY_SINGULAR = 1e-12  # below this share of its scale a hinge inertia may count as none
LUCK = 100
# Two texts of one recursion, on trees over twelve decades of mass: either may be lucky by this much
# in its residual.  With masses moved in the last bit, 2 of 40 such trees leave 7e-12, one 6e-11.
LUCK_OF_RESIDUAL = 5000
METHODS = ("articulated", "composite", "auto")


@dataclass
class Findings:
    """What was compared under one label, and a line for each failure."""

    label: str
    failures: list[str] = field(default_factory=list)
    worst: dict[str, float] = field(default_factory=dict)

    def add(self, quantity: str, actual, expected, scale, tolerance=TOLERANCE) -> None:
        """Record a failure where |actual - expected| > tolerance * scale in some entry."""
        actual, expected = np.asarray(actual), np.asarray(expected)
        if actual.shape != expected.shape or actual.dtype != np.float64:
            found = f"{actual.dtype} {actual.shape}, expected float64 {expected.shape}"
            self.failures.append(f"{self.label}: {quantity} is {found}")
            return
        scale = np.broadcast_to(scale, expected.shape)
        error = np.where(np.isfinite(actual), np.abs(actual - expected), np.inf)
        fraction = np.divide(error, scale, out=np.where(error > 0, np.inf, 0.0), where=scale > 0)
        largest = float(np.max(fraction, initial=0.0))
        self.worst[quantity] = max(largest, self.worst.get(quantity, 0.0))
        if not largest <= tolerance:
            where = np.unravel_index(np.argmax(fraction), fraction.shape)
            entry = list(map(int, where)) if where else ""
            self.failures.append(
                f"{self.label}: {quantity}{entry} is {actual[where]:.17g}, expected "
                f"{expected[where]:.17g}: error {error[where]:.2e}, scale {scale[where]:.2e}, "
                f"ratio {largest:.1e} > {tolerance:.1e}"
            )

    def check(self) -> None:
        """Fail with all lines."""
        assert not self.failures, "\n".join(self.failures)


@dataclass
class Case:
    """A state, the reference at it, and random things to apply.

    plain: accelerations are judged in plain norms, whatever their units.
    """

    findings: Findings
    system: ls.System
    state: ls.State
    rng: np.random.Generator
    plain: bool = False

    def __post_init__(self) -> None:
        self.reference = Reference(self.system, self.state)
        self.sizes = TermSizes(self.reference)
        n = self.system.n_v
        self.vdot, self.forces = self.rng.standard_normal(n), 3 * self.rng.standard_normal(n)
        self.external = random_external(self.system, self.rng)

    def add(self, *arguments, **keywords) -> None:
        self.findings.add(*arguments, **keywords)


def compare(label, system, state, rng, *, frames=4, plain=False) -> list[str]:
    """Failures of all public functions but the batches and the products with the mass matrix."""
    case = Case(Findings(label), system, state, rng, plain)
    compare_all(case, frames)
    return case.findings.failures


def compare_all(case: Case, frames: int = 4) -> None:
    """All public functions but the batches and the products with the mass matrix."""
    compare_direct(case)
    compare_forward(case)
    compare_sums(case)
    for where in random_frames(case.system, case.rng, frames):
        compare_frame(case, where)


def random_frames(system, rng, count):
    """Names of all frames, or `count` of them by chance."""
    names = []
    for name, body in zip(system.names, system.bodies, strict=True):
        nodes = range(len(body.node_positions)) if len(body.node_positions) > 1 else ()
        names += [name, *(f"{name}.{t}" for t in nodes), *(f"{name}.{t}" for t in body.node_names)]
    return names if count is None else list(rng.permutation(names)[:count])


def random_external(system, rng) -> dict:
    """Forces on some frames: bodies, nodes with and without children, several on one node."""
    chosen = random_frames(system, rng, 1 + int(rng.integers(8)))
    flexible = [k for k, body in enumerate(system.bodies) if body.n_mode]
    for k in flexible[:1]:  # three names of one frame: forces on it add up
        chosen += [system.names[k], f"{system.names[k]}.{system.bodies[k].inboard}"]
    return {str(name): 3 * rng.standard_normal(6) for name in chosen}


def random_armature(system, rng) -> tuple:
    """Added inertia as a vector and as hinge blocks: full ones, diagonals and numbers."""
    blocks = {}
    for i, name in enumerate(system.names):
        n = system.joints[i].n_v
        root = rng.standard_normal((n, n))
        values = [root @ root.T, rng.uniform(0, 2, n), float(rng.uniform(0, 2))]
        if n and rng.random() < 0.7:
            blocks[name] = values[rng.integers(3)]
    vector = rng.uniform(0, 2, system.n_v) * (rng.random(system.n_v) < 0.7)
    return vector, blocks


def compare_direct(case: Case) -> None:
    """Mass matrix, forces of given accelerations, forces through the joints, rates."""
    system, state, of, sizes = case.system, case.state, case.reference, case.sizes
    case.add("mass_matrix", ls.mass_matrix(system, state), of.mass_matrix, sizes.mass)
    zero = np.zeros(system.n_v)
    bias_size = sizes.inverse_dynamics(zero)
    case.add("bias_force", ls.bias_force(system, state), of.bias_force(), bias_size)
    case.add("gravity_force", ls.gravity_force(system, state), of.gravity_force(), sizes.weight)
    for words, external in (("", None), (" with external forces", case.external)):
        forces = ls.inverse_dynamics(system, state, case.vdot, external=external)
        size, through = sizes.forces(case.vdot, external)
        expected = of.inverse_dynamics(case.vdot, external)
        case.add("inverse_dynamics" + words, forces, expected, size[:, 0])
        forces = ls.joint_forces(system, state, case.vdot, external=external)
        scale = np.repeat(np.array(through)[:, :, 0], 3, axis=1)
        case.add("joint_forces" + words, forces, of.joint_forces(case.vdot, external), scale)
    compare_own_motion(case)
    case.add("qdot", ls.qdot(system, state), of.qdot(), rate_sizes(system, state))


def compare_own_motion(case: Case) -> None:
    """Joint forces and a frame's acceleration where the acceleration is left to the system."""
    system, state, of, sizes = case.system, case.state, case.reference, case.sizes
    given = {"forces": case.forces, "external": case.external}
    vdot = ls.forward_dynamics(system, state, **given)
    through = sizes.forces(vdot, case.external)[1]
    scale = np.repeat(np.array(through)[:, :, 0], 3, axis=1)
    actual = ls.joint_forces(system, state, **given)
    case.add("joint_forces of the motion", actual, of.joint_forces(vdot, case.external), scale)
    vdot, last = ls.forward_dynamics(system, state), system.names[-1]
    scale = np.repeat(sizes.accelerations(vdot)[-1][:, 0], 3)
    actual = ls.acceleration(system, state, last)
    case.add("acceleration of the motion", actual, of.acceleration(last, vdot), scale)


def rate_sizes(system, state):
    """Sizes of the rates of the coordinates; near singular coordinates their map loses digits."""
    rates = np.empty(system.n_q)
    for i, joint in enumerate(system.joints):
        N = np.abs(joint.rate_map(state.q[system.layout.hinge_q(i)]))
        beta = np.abs(state.v[system.layout.hinge_v(i)])
        rates[system.layout.modal_q(i)] = np.abs(state.v[system.layout.modal_v(i)])
        spread = N.max(initial=1.0) if joint.n_q == joint.n_v else 1.0
        rates[system.layout.hinge_q(i)] = spread * N.max(axis=1, initial=0.0) * beta.sum()
    return rates


def compare_forward(case: Case, methods=METHODS) -> None:
    """Forward dynamics with forces, external forces and armature, by all methods."""
    vector, blocks = random_armature(case.system, case.rng)
    options = {
        "": {},
        " with forces": {"forces": case.forces},
        " with external forces": {"forces": case.forces, "external": case.external},
        " with armature": {"forces": case.forces, "armature": vector},
        " with armature blocks": {"armature": blocks, "external": case.external},
    }
    for words, given in options.items():
        if case.reference.hinge_margin(given.get("armature")) < NEARLY_SINGULAR:
            continue
        problem = Problem(case, **given)
        for method in methods:
            vdot = ls.forward_dynamics(case.system, case.state, method=method, **given)
            problem.judge(f"forward_dynamics, {method}{words}", vdot)


def condition(M) -> float:
    """Condition number of a symmetric positive definite matrix."""
    values = np.linalg.eigvalsh(M)
    return float(values[-1] / values[0]) if values[0] > 0 else np.inf


class Problem:
    """(M + armature) vdot = rhs, and what a solution may be off by.

    The error is measured in units in which all inertias are about one, the square roots of the
    sizes of M's diagonal, or in plain norms; the condition number is that of M in these units.
    Light bodies that carry heavy ones can cost the articulated recursion more digits than that:
    there the deviation of the readable recursion from a dense solution, times LUCK, is the limit.
    """

    def __init__(self, case: Case, forces=None, external=None, armature=None) -> None:
        self.case, of, zero = case, case.reference, np.zeros(case.system.n_v)
        added = armature_matrix(case.system, armature)
        tau = zero if forces is None else forces
        bias = of.inverse_dynamics(zero, external)
        self.M, self.rhs = of.mass_matrix + added, tau - bias
        self.norms = np.linalg.norm(tau) + np.linalg.norm(bias)
        self.expected = of.forward_dynamics(forces, external, armature)
        terms = case.sizes.inverse_dynamics(zero, external) + np.abs(tau)
        self.norms = max(self.norms, ROUNDING / RESIDUAL * float(np.linalg.norm(terms)))
        self._set_limits(added, terms)

    def _set_limits(self, added, terms) -> None:
        units = np.sqrt(np.diag(self.case.sizes.mass + added))
        self.weight = np.ones(len(units)) if self.case.plain else units
        size = 0.0 if self.case.plain else np.max(terms / units, initial=0.0)
        self.size = max(size, np.max(np.abs(self.weight * self.expected), initial=0.0))
        self.tolerance, self.residual_limit = TOLERANCE, RESIDUAL
        if len(self.rhs):
            self.norm_of_mass = np.linalg.eigvalsh(self.M)[-1]
            dense = np.linalg.solve(self.M, self.rhs)
            spread = np.abs(self.weight * (dense - self.expected)).max() / (self.size or 1.0)
            cond = condition(self.M / np.outer(self.weight, self.weight))
            self.tolerance = max(TOLERANCE if cond <= 1e4 else 100 * EPS * cond, LUCK * spread)
            residual, scale = self._residual(self.expected)
            self.residual_limit = max(RESIDUAL, LUCK_OF_RESIDUAL * residual / (scale or 1.0))

    def _residual(self, vdot) -> tuple[float, float]:
        """Norm of the residual and of its terms."""
        scale = self.norm_of_mass * np.linalg.norm(vdot) + self.norms
        return float(np.linalg.norm(self.M @ vdot - self.rhs)), float(scale)

    def judge(self, quantity: str, vdot) -> None:
        """Add error and residual of a solution to the findings."""
        actual, expected = self.weight * vdot, self.weight * self.expected
        self.case.add(quantity, actual, expected, self.size, self.tolerance)
        if len(vdot):
            residual, scale = self._residual(vdot)
            limit = self.residual_limit
            self.case.add(f"residual of {quantity}", residual, 0.0, scale, limit)


class Solution(Problem):
    """(M + armature) y = x for a given x."""

    def __init__(self, case: Case, x, armature=None) -> None:
        added = armature_matrix(case.system, armature)
        self.case, self.M, self.rhs = case, case.reference.mass_matrix + added, x
        self.norms = np.linalg.norm(x)
        self.expected = case.reference.solve_mass(x, armature)
        self._set_limits(added, np.zeros(len(x)))


def compare_products(case: Case) -> None:
    """Products and solutions with the mass matrix."""
    system, state, x = case.system, case.state, case.forces
    product = ls.multiply_mass(system, state, x)
    case.add("multiply_mass", product, case.reference.mass_matrix @ x, case.sizes.mass @ np.abs(x))
    vector, blocks = random_armature(system, case.rng)
    options = {"": None, " with armature": vector, " with armature blocks": blocks}
    for words, armature in options.items():
        solution = ls.solve_mass(system, state, x, armature=armature)
        Solution(case, x, armature).judge("solve_mass" + words, solution)


def compare_sums(case: Case) -> None:
    """Energies, momentum, centre of mass."""
    system, state, sizes = case.system, case.state, case.sizes
    energy, expected = ls.energy(system, state), case.reference.energy()
    scales = sizes.energies()
    for k, name in enumerate(("kinetic", "potential", "strain")):
        case.add(f"energy.{name}", float(getattr(energy, name)), expected[k], scales[k])
    case.add("energy.total", float(energy.total), sum(expected), sum(scales))
    about = case.rng.standard_normal(3)
    scale = np.repeat(sizes.momentum(about), 3)
    actual = ls.momentum(system, state, about=about)
    case.add("momentum", actual, case.reference.momentum(about), scale)
    total = sum(body.mass for body in system.bodies)
    if total > 0:
        actual = ls.center_of_mass(system, state)
        expected = case.reference.center_of_mass()
        case.add("center_of_mass", actual, expected, sizes.moments().sum() / total)


def compare_frame(case: Case, where: str) -> None:
    """Pose, velocity, acceleration and Jacobian of a body or a node."""
    system, state, of, sizes = case.system, case.state, case.reference, case.sizes
    i, t = system.locate(where)
    node, pose = sizes.node(i, t), ls.pose(system, state, where)
    position, rotation = of.pose(where)
    case.add(f"pose.position of {where}", pose.position, position, sizes.position[i] + node.arm)
    case.add(f"pose.rotation of {where}", pose.rotation, rotation, 1.0)
    alpha = sizes.accelerations(case.vdot)[i]
    rush = np.repeat(sizes.node_acceleration(i, t, alpha, case.vdot)[:, 0], 3)
    columns = np.repeat(sizes.jacobian(where), 3, axis=0)
    for axes in ("world", "body"):
        words = f" of {where}, {axes} axes"
        actual = ls.velocity(system, state, where, axes=axes)
        case.add("velocity" + words, actual, of.velocity(where, axes), np.repeat(node.velocity, 3))
        actual = ls.acceleration(system, state, where, case.vdot, axes=axes)
        case.add("acceleration" + words, actual, of.acceleration(where, case.vdot, axes), rush)
        actual = ls.jacobian(system, state, where, axes=axes)
        case.add("jacobian" + words, actual, of.jacobian(where, axes), columns)
