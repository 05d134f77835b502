"""The Order-N paper on loops: its recursion, its signs, and the page that walks through it."""

from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.loops import closed_loops
from lissom.algorithms.tree import reference
from lissom.papers import order_n as paper_c

PAGE = Path(__file__).parents[2] / "docs" / "papers" / "order_n.md"
SIGNS = ["4.2", "4.3", "4.5"]


def gap(found, expected):
    """Largest difference relative to the largest entry."""
    return np.abs(found - expected).max() / np.abs(expected).max()


class Case:
    """A mechanism with loops, moving, under gravity, torques and loads, seen by both texts.

    The loops need not be closed: every equation of steps 2-5 is linear in forces and accelerations.
    """

    def __init__(self, model, seed):
        self.system = model.compile()
        rng = np.random.default_rng(seed)
        state = self.system.neutral()
        q = state.q.copy()
        for i in range(self.system.n_body):
            q[self.system.layout.modal_q(i)] += 0.02 * rng.standard_normal()
        for name, angles in {"shin": [-1.0, 0.2], "thigh": 0.7, "second": [0.5, 0.1]}.items():
            q[self.system.layout.hinge_q(name)] = angles
        v = 0.5 * rng.standard_normal(self.system.n_v)
        self.motions = reference.kinematics_base_to_tip(self.system, q, v)
        self.torque = 10 * rng.standard_normal(self.system.n_v)
        top = self.system.names.index("top")
        self.loads = [(top, 0, rng.standard_normal(6)), (1, 3, 10 * rng.standard_normal(6))]
        self.loops = closed_loops.loop_motions(self.system, self.motions)

    def solve(self, **options):
        return paper_c.solve_loops(self.system, self.motions, self.torque, self.loads, **options)

    @property
    def compliance(self):
        blocks = reference.articulate_tip_to_base(self.system, self.motions)
        return closed_loops.operational_compliance(self.system, self.motions, self.loops, blocks)

    def node(self, end):
        return self.motions[end.body].outboard[self.system.outboard_nodes[end.body].index(end.node)]

    def load(self, end, force):
        """A force in the axes of the body on the point of one end of a loop, as a load."""
        return end.body, end.node, np.kron(np.eye(2), self.node(end).rotation.T) @ force

    def dense(self):
        """Accelerations and forces from the mass matrix and the jacobian, in one linear system."""
        M = reference.mass_matrix(self.system, self.motions)
        A = closed_loops.constraint_jacobian(self.system, self.motions, self.loops)
        still = np.zeros(self.system.n_v)
        bias, _ = reference.inverse_dynamics(self.system, self.motions, still, self.loads)
        gamma = closed_loops.closure_accelerations(self.system, self.motions, self.loops, still)
        n = len(A)
        whole = np.block([[M, -A.T], [A, np.zeros((n, n))]])
        found = np.linalg.solve(whole, np.concatenate([self.torque - bias, -gamma]))
        return found[: len(M)], found[len(M) :]


def platform(base, *loops):
    """A base, a leg of two flexible rods with a plate and an arm, a second leg, and loops."""
    rod = ls.beam(3.0, ls.Tube(radius=0.08, thickness=0.003), ls.ALUMINIUM, modes=4, elements=6)
    model = ls.Model("platform", gravity=(0.5, -1.0, -9.0))
    model.add(
        rod if base == "flexible" else ls.RigidBody.cylinder(200.0, 2.0, 0.1),
        ls.Free(),
        name="base",
    )
    model.add(rod, ls.Universal("y", "z"), to="base", at=(1.6, 0, 0.05), name="shin")
    model.add(rod, ls.Revolute("y"), to="shin.tip", name="thigh")
    model.add(ls.RigidBody.cylinder(50.0, 1.5, 0.1), ls.Spherical(), to="thigh.tip", name="top")
    model.add(rod, ls.Cylindrical("z"), to="top", at=(0.9, 0, 0), name="arm")
    on = "base.tip" if base == "flexible" else "base"
    model.add(rod, ls.Universal("x", "z"), to=on, at=(-1.6, 0, 0.05), name="second")
    for k, (joint, a, b, at_b) in enumerate(loops):
        model.close(joint, a, b, at_b=at_b, name=f"loop{k}")
    return model


WELD = (ls.Fixed(), "second.tip", "top", (-0.9, 0, 0))
BALL = (ls.Spherical(), "top", "second.tip", (0, 0.1, 0))
SLOT = (ls.Cylindrical((0, 1, 1)), None, "arm.3", (0, 0.1, 0))
INNER = (ls.Universal("x", "y"), "thigh.2", "second.4", (0.1, 0, 0))
CASES = {
    "weld": ("rigid", WELD),
    "ball and slot": ("rigid", BALL, SLOT),
    "flexible base, inner nodes": ("flexible", BALL, INNER),
}
cases = pytest.mark.parametrize("case", CASES)


@pytest.fixture(scope="module")
def made():
    return {name: Case(platform(*parts), seed) for seed, (name, parts) in enumerate(CASES.items())}


@cases
def test_the_paper_s_recursion_gives_our_accelerations_and_forces(made, case):
    vdot, lam, _ = made[case].solve()
    ours, forces = closed_loops.constrained_dynamics(
        made[case].system, made[case].motions, made[case].torque, made[case].loads
    )
    assert gap(vdot, ours) < 1e-10
    assert gap(lam, forces) < 1e-10


@cases
def test_it_gives_those_of_the_mass_matrix_with_multipliers(made, case):
    vdot, lam, _ = made[case].solve()
    dense_vdot, dense_lam = made[case].dense()
    assert gap(vdot, dense_vdot) < 1e-9  # what the dense system of equations is good for
    assert gap(lam, dense_lam) < 1e-9


@cases
def test_its_loop_matrix_is_minus_the_operational_compliance(made, case):
    matrix = made[case].solve()[2]
    assert gap(-matrix, made[case].compliance) < 1e-10
    np.linalg.cholesky(-(matrix + matrix.T) / 2)
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.cholesky(matrix)


@cases
@pytest.mark.parametrize("equation", SIGNS)
def test_with_a_printed_sign_the_accelerations_are_wrong(made, case, equation):
    right, wrong = made[case].solve(), made[case].solve(printed=[equation])
    assert gap(wrong[0], right[0]) > 0.1
    assert gap(wrong[1], right[1]) > 0.1


def test_with_all_printed_signs_the_loop_matrix_is_not_even_symmetric(made):
    matrix = made["weld"].solve(printed=SIGNS)[2]
    assert gap(matrix, matrix.T) > 0.01


def test_modes_of_a_flexible_base_need_the_term_that_4_11_leaves_out(made):
    """H^q of the base is Q_A H^A + Q_c, printed is Q_c; a force on a point tells which is true."""
    case = made["flexible base, inner nodes"]
    swept = paper_c.inward(case.system, case.motions, case.torque)
    force = np.array([0.3, -0.2, 0.1, 5.0, 3.0, 1.0])
    u = np.zeros((1 + 6 * len(paper_c.points(case.system)), 1))
    u[1:7, 0] = force
    caused = paper_c.outward(case.system, case.motions, swept, u)[0][:, 0]
    without, pushed = (
        reference.forward_dynamics(case.system, case.motions, case.torque, loads)
        for loads in ([], [case.load(case.system.loops[0].a, force)])
    )
    modes = case.system.layout.modal_v(0)
    assert gap(caused[modes], (pushed - without)[modes]) < 1e-8
    assert gap((swept[0].Q @ u)[:, 0], (pushed - without)[modes]) > 0.1


def test_baumgarte_s_terms_make_the_closure_a_damped_oscillator(made):
    case = made["ball and slot"]
    vdot, _, _ = case.solve(stiffness=25.0, damping=10.0)
    found = closed_loops.closure_accelerations(case.system, case.motions, case.loops, vdot)
    expected = [-25.0 * loop.gap - 10.0 * loop.rate for loop in case.loops]
    assert gap(found, np.concatenate(expected)) < 1e-8


def test_each_loop_has_its_own_constants(made):
    """(C 4.16): K_i and C_i of loop i."""
    case = made["ball and slot"]
    K, C = np.array([25.0, 400.0]), np.array([10.0, 40.0])
    vdot, _, _ = case.solve(stiffness=K, damping=C)
    found = closed_loops.closure_accelerations(case.system, case.motions, case.loops, vdot)
    each = zip(case.loops, K, C, strict=True)
    assert gap(found, np.concatenate([-k * x.gap - c * x.rate for x, k, c in each])) < 1e-8


def test_known_forces_in_the_free_directions_are_loads_on_both_points(made):
    """(C 4.17), (C 4.18), (C 4.19): a torque about a free axis of a ball joint, on both bodies."""
    case = made["ball and slot"]
    torque, loads, known = np.array([900.0, -300.0, 600.0]), list(case.loads), []  # in world axes
    for end, sign in zip(case.system.loops[0].ends, (-1, 1), strict=True):
        turned = case.motions[end.body].world_rotation.T @ torque
        known.append(sign * np.concatenate([turned, np.zeros(3)]))
        loads.append(case.load(end, known[-1]))
    vdot, lam, _ = case.solve(point_forces=np.concatenate([*known, np.zeros(12)]))
    ours, forces = closed_loops.constrained_dynamics(case.system, case.motions, case.torque, loads)
    assert gap(vdot, case.solve()[0]) > 1e-3
    assert gap(vdot, ours) < 1e-10
    assert gap(lam, forces) < 1e-10


def test_the_page_names_every_sign_that_is_wrong_in_print():
    text = PAGE.read_text(encoding="utf-8")
    table = text[text.index("## Errors in print") :]
    assert [e for e in [*SIGNS, "4.4", "4.11", "4.15", "4.20"] if f"| (C {e})" not in table] == []
