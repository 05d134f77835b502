"""Reactions of joints in linear models: exact rows, beside complex steps of the readable text."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import engine
from lissom.algorithms.tree.kinematics import qdot
from lissom.algorithms.tree.reference import inverse_dynamics, kinematics_base_to_tip
from lissom.linear.outputs import cut
from tests.samples.kernel_cases import random_case
from tests.samples.linear_models import SOFT
from tests.tools.derivative_checks import random_external

pytestmark = pytest.mark.filterwarnings("ignore::lissom.SimulationWarning")

STEP = 1e-30


def readable(system, q, v, a, loads):
    motions = kinematics_base_to_tip(system, q, v)
    return np.array(inverse_dynamics(system, motions, a, loads)[1])


@pytest.mark.parametrize("level", ["linear", "full", "stiffened", "ruthless", None])
@pytest.mark.parametrize("seed", range(4))
def test_forces_at_the_cuts_of_a_tree_are_reactions_with_their_derivatives(level, seed):
    system, state, rng = random_case(seed, level)
    q, v, a = state.q, state.v, rng.standard_normal(system.n_v)
    loads = random_external(system, rng)
    tree = cut(system, range(system.n_body))
    there, (speeds, rates) = np.array(tree.system.neutral().q), np.zeros((2, tree.system.n_v))
    there[tree.at_q], speeds[tree.at_v], rates[tree.at_v] = q, v, a
    on_nodes = [(tree.bodies[i], node, w) for i, node, w in loads]
    T, D = engine.inverse_derivatives(tree.system, there, speeds, rates, on_nodes)
    at = np.array([np.r_[tree.system.layout.hinge_v(i)] for i in tree.bodies])
    R = readable(system, q, v, a, loads)
    assert np.abs(T[at] - R).max() < 1e-12 * np.abs(R).max()
    worst = []
    for k, e in enumerate(np.eye(system.n_v)):
        along = qdot(system, system.state(q, e))
        for slopes, moved in zip(
            D[:, at][..., tree.at_v[k]],
            (
                (q + 1j * STEP * along, v, a),
                (q, v + 1j * STEP * e, a),
                (q, v, a + 1j * STEP * e),
            ),
            strict=True,
        ):
            expected = readable(system, *moved, loads).imag / STEP
            worst.append(np.abs(slopes - expected).max() / max(1.0, np.abs(expected).max()))
    assert max(worst) < 1e-11


def test_wrenches_go_through_joints_as_readable_text_says():
    for seed in range(6):
        system, state, rng = random_case(seed)
        loads = random_external(system, rng)
        if not loads:
            continue
        zero, places = np.zeros(system.n_v), [(i, node) for i, node, _ in loads]
        W = np.concatenate([w for *_, w in loads])[None]
        rows = engine.wrenches_through_joints(system, state.q, places, W)[0]
        both = [readable(system, state.q, zero, zero, x) for x in (loads, [])]
        assert np.abs(rows - (both[0] - both[1])).max() < 1e-11 * np.abs(both).max()


def sway(levels=("full", "stiffened"), *, flat=False):
    """Chain of flexible links with springs and dampers, in a state in which all of it moves."""
    model = ls.Model("chain", gravity=(0, 0, -9.81))
    for i in range(4):
        place = {"to": f"link{i - 1}.tip"} if i else {}
        joint = ls.Revolute("y") if flat or i % 2 else ls.Universal("y", "z")
        level = {"level": levels[i % len(levels)]}
        tube = ls.Tube(radius=0.02, thickness=0.002)
        shapes = {"bending": (0, 2), "torsion": 0} if flat else {"bending": 2}
        beam = ls.beam(0.7, tube, SOFT, stretch=0, **shapes, **level)
        model.add(beam, joint, name=f"link{i}", **place)
    system = model.compile()
    rng = np.random.default_rng(5)
    q, v = 0.2 * rng.standard_normal(system.n_q), 0.3 * rng.standard_normal(system.n_v)
    for i in range(system.n_body):
        q[system.layout.modal_q(i)] *= 1e-3
        v[system.layout.modal_v(i)] *= 1e-2
    return system, system.state(q, v), [ls.JointSpring("link1", 40.0, damping=2.0)]


def test_rows_of_reactions_have_all_digits_however_small_they_are():
    """C = R_q delta + R_v nu + R_a da with slopes of readable text, da from the rows of A."""
    system, state, loads = sway()
    names = [f"{name}.reaction" for name in system.names]
    inputs = ["link0", "link3.tip.force", "link2.tip.moment"]
    model = ls.linearize(system, state, loads=loads, inputs=inputs, outputs=names)
    n, (q, v) = system.n_v, (state.q, state.v)
    a = ls.forward_dynamics(system, state, _spring_forces(system, state))

    def slopes(*moved):
        return readable(system, *moved, []).imag.reshape(-1) / STEP

    eye = 1j * STEP * np.eye(n)
    by_q = np.transpose([slopes(q + eye[k], v, a) for k in range(n)])
    by_v = np.transpose([slopes(q, v + eye[k], a) for k in range(n)])
    by_a = np.transpose([slopes(q, v, a + eye[k]) for k in range(n)])
    expected = np.hstack([by_q, by_v]) + by_a @ model.A[n:]
    by_hand = np.zeros((2, 2 * n))  # along the free axes of two hinges: the spring, and nothing
    at = system.layout.hinge_v("link1").start
    by_hand[0, [at, n + at]] = -40.0, -2.0
    rows = [model.outputs.index((f"{x}.reaction.moment_y", "N m")) for x in ("link1", "link3")]
    assert np.abs(model.C[rows] - by_hand).max() < 1e-12 * 40.0
    z = model.outputs.index(("link0.reaction.moment_z", "N m"))  # an axis of its joint
    assert np.abs(model.C[z]).max() < 1e-14 * np.abs(model.C).max()
    held = np.setdiff1d(np.arange(len(expected)), [*rows, z, z + 12])
    size = np.abs(expected[held]).max(axis=1, keepdims=True)
    assert (np.abs(model.C - expected)[held] / size).max() < 1e-10

    zero = np.zeros(n)
    columns = []
    for place, part in (("link3.tip", 3), ("link2.tip", 0)):
        frame = system.place(place)
        world = np.eye(6)[part : part + 3]
        turn = ls.pose(system, state, place).rotation
        wrenches = [np.r_[turn.T @ w[:3], turn.T @ w[3:]] for w in world]
        none = readable(system, q, zero, zero, [])
        columns.append(
            np.transpose(
                [
                    (readable(system, q, zero, zero, [(frame.body, frame.node, w)]) - none).ravel()
                    for w in wrenches
                ]
            )
        )
    on_nodes = np.hstack([np.zeros((len(by_a), 2)), *columns])
    expected = by_a @ model.B[n:] + on_nodes
    assert np.abs(model.D - expected).max() < 1e-11 * np.abs(expected).max()


def _spring_forces(system, state):
    forces, at = np.zeros(system.n_v), system.layout.hinge_v("link1")
    forces[at] = -40.0 * state["link1"] - 2.0 * state.v[at]
    return forces


def test_reactions_that_cannot_change_are_zero():
    """A chain in a plane: no force across it, no moments in it, at rest and in motion."""
    system, state, loads = sway(("full",), flat=True)
    names = [f"{name}.reaction" for name in system.names]
    for at in (state, system.state(state.q)):
        model = ls.linearize(system, at, loads=loads, inputs=["link0"], outputs=names)
        rows = model.C.reshape(system.n_body, 6, -1)
        across = rows[:, [0, 2, 4]]
        assert np.abs(rows).max() > 1.0
        assert np.abs(across).max() < 1e-14 * np.abs(rows).max()


def test_one_component_and_another_choice_of_joints_give_the_same_rows():
    system, state, loads = sway()
    whole = ls.linearize(system, state, loads=loads, outputs=["link0.reaction", "link2.reaction"])
    one = ls.linearize(system, state, loads=loads, outputs=[whole.outputs[9][0], "link1"])
    assert whole.outputs[9][0].startswith("link2.reaction.")
    assert np.abs(one.C[0] - whole.C[9]).max() <= 1e-13 * np.abs(whole.C[9]).max()


def test_the_reaction_of_a_held_joint_along_its_axis_is_the_holding_force():
    system, state, loads = sway()
    outputs = ["link3.reaction.moment_y", "link3.force", "link1.reaction.moment_y", "link1.force"]
    model = ls.linearize(system, state, loads=loads, held=["link3"], outputs=outputs)
    assert np.abs(model.C[0]).max() > 1e-3
    for moment, force in (model.C[:2], model.C[2:]):
        assert np.abs(moment - force).max() < 1e-12 * np.abs(force).max()
