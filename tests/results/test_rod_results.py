"""Rods in channels, in warnings of runs, and where there are no rods."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.integrate import solve_bvp

import lissom as ls
from lissom.algorithms.tree.arguments import motions_of
from lissom.algorithms.tree.coordinates import moved
from lissom.papers import jain_rodriguez, order_n
from lissom.results.store import Columns, MemoryStore

SOFT = ls.Material("rubber", 30e6, 1100.0, 0.45)
FORCE = np.array([1.0, 2.0, -3.0])  # EI/L²


def rows(system, *states):
    """Trajectory of some states."""
    columns = Columns.of(system)
    kept = np.zeros((len(states), columns.slices["wrench"].stop))
    for k, state in enumerate(states):
        kept[k, 0], kept[k, columns.slices["q"]], kept[k, columns.slices["v"]] = k, state.q, state.v
    return ls.Trajectory(system, MemoryStore(columns, kept))


def alone(rod, joint=None, name="rod"):
    model = ls.Model("alone")
    model.add(rod, joint or ls.Fixed(), name=name)
    return model.compile()


def tree():
    """Hub, a rod with natural curvature, a tapered one, and rigid bodies on both."""
    model = ls.Model("tree", gravity=(1, -2, -9))
    model.add(ls.RigidBody.box(4.0, (1, 1.2, 0.8), com=(0.1, 0, 0.05)), ls.Free(), name="hub")
    whip = ls.rod(1.2, ls.Rectangle(0.02, 0.03), SOFT, bending=2, torsion=1, shear=1,
                  curvature=(0.3, 0.5, -0.8), nodes={"middle": 0.5})  # fmt: skip
    lash = ls.rod(0.7, (ls.Circle(0.02), ls.Circle(0.01)), SOFT, bending=2, torsion=1)
    model.add(whip, ls.Revolute((0, 1, 1)), to="hub", at=(0.5, 0, 0), name="whip")
    model.add(lash, ls.Spherical(), to="whip.tip", name="lash")
    model.add(ls.RigidBody.sphere(0.5, 0.1, com=(0.1, 0, 0)), ls.Revolute("x"), to="whip.middle",
              name="ball")  # fmt: skip
    model.frame("eye", on="whip.middle", at=(0.1, 0.02, 0.03), rotation={"axis": "z", "angle": 0.4})
    return model


@pytest.fixture(scope="module")
def system():
    return tree().compile()


@pytest.fixture(scope="module")
def state(system):
    """Some motion with well bent rods."""
    rng, q = np.random.default_rng(2), system.neutral().q.copy()
    for name, body in zip(system.names, system.bodies, strict=True):
        if body.rod is not None:
            q[system.layout.modal_q(name)] = rng.uniform(-1, 1, body.n_mode) / np.sqrt(
                body.stiffness
            )
    return system.state(moved(system, q, 0.3 * rng.standard_normal(system.n_v)),
                        rng.standard_normal(system.n_v))  # fmt: skip


# Channels


def test_sections_carry_what_statics_asks_for():
    """Cantilever under an end force, bent by 0.6 of its length: M = (r_tip - r) x F, N = F."""
    rod = ls.rod(1.0, ls.Circle(0.005), ls.STEEL, bending=7, torsion=2, stretch=7, shear=7,
                 nodes={"inside": 0.37})  # fmt: skip
    system, F = alone(rod), FORCE * rod.stiffness[0, 1]
    state = ls.equilibrium(system, loads=[ls.NodeForce("rod.tip", F)])
    run, tip = rows(system, state), ls.pose(system, state, "rod.tip").position
    assert np.linalg.norm(tip - [1, 0, 0]) > 0.6
    for node in ("root", "inside", "8"):
        pose = ls.pose(system, state, f"rod.{node}")
        moment = pose.rotation.T @ np.cross(tip - pose.position, F)
        np.testing.assert_allclose(
            run[f"rod.{node}.section_moment"][0], moment, atol=1e-4 * np.abs(F).max()
        )
        np.testing.assert_allclose(
            run[f"rod.{node}.section_force"][0], pose.rotation.T @ F, atol=1e-3 * np.abs(F).max()
        )


def test_moment_of_the_elastica():
    """EI theta'' = -F cos(theta), solved on its own; F = 4 EI/L² at the tip, across."""
    x = np.linspace(0, 1, 40)
    slopes = solve_bvp(
        lambda s, y: [y[1], -4 * np.cos(y[0])],
        lambda a, b: [a[0], b[1]],
        x,
        [x, 1 - x],
        tol=1e-10,
    )
    strip = ls.rod(1.0, ls.Circle(0.005), SOFT, bending=(9, 0), torsion=0, stretch=0)
    system, EI = alone(strip), strip.stiffness[0, 2]
    state = ls.equilibrium(system, loads=[ls.NodeForce("rod.tip", (0, 4 * EI, 0))])
    at = [0.0, 0.3, 0.8]
    found = rows(system, state).along("rod", "curvature", at)[0]
    np.testing.assert_allclose(found[:, 2], slopes.sol(at)[1], atol=2e-4)
    np.testing.assert_allclose(
        rows(system, state).along("rod", "section_moment", at)[0, :, 0],
        EI * found[:, 2],
        rtol=1e-14,
    )


def test_taper_and_natural_curvature_are_in_the_moment():
    sections = ls.Rectangle(0.02, 0.01), ls.Rectangle(0.01, 0.01)
    rod = ls.rod(2.0, sections, SOFT, curvature=(0.1, 0, 0.5))
    system = alone(rod, name="bow")
    rest = rows(system, system.neutral())
    np.testing.assert_allclose(rest["bow.curvature"], [[0.1, 0, 0.5]], atol=1e-12)
    np.testing.assert_allclose(rest["bow.strain"], 0, atol=1e-15)
    state = system.state(**{"bow.modes": np.linspace(0.1, 0.2, rod.n_mode)})
    run, s = rows(system, state), 0.63
    kappa = run.along("bow", "curvature", s)[0] - [0.1, 0, 0.5]
    section = ls.Rectangle(0.02 - 0.01 * s / 2, 0.01)
    G = SOFT.shear_modulus
    C = (
        G * section.torsion_constant,
        30e6 * section.second_moment_y,
        30e6 * section.second_moment_z,
    )
    np.testing.assert_allclose(run.along("bow", "section_moment", s)[0], C * kappa, rtol=1e-5)
    np.testing.assert_allclose(run.along("bow", "strain", s)[0, :3], kappa, atol=1e-13)


def test_rigid_strains_have_no_components():
    system = alone(ls.rod(1.0, ls.Circle(0.01), SOFT, bending=(0, 2), torsion=0, stretch=0))
    run = rows(system, system.neutral())
    assert run.channels("tip.section")["rod.tip.section_moment"].labels == ("y",)
    assert not any("section_force" in name for name in run.channels())
    with pytest.raises(ls.StateError, match="rod 'rod' is rigid against stretch or shear"):
        run["rod.tip.section_force"]


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("rot", "strain", 0.1), "no body 'rot'; did you mean 'rod'"),
        (("rod", "strains", 0.1), "no 'strains'; did you mean 'strain'"),
        (("rod", "strain", 1.5), "0 to 1 m"),
        (("rod", "strain", "tip"), "at is 'tip'"),
        (("rod", "strain", [[0.1]]), "expected arc lengths"),
        (("ball", "strain", 0.1), "'ball' is no rod"),
    ],
)
def test_wrong_sections_are_refused(arguments, words):
    model = ls.Model("two")
    model.add(ls.rod(1.0, ls.Circle(0.01), SOFT), ls.Fixed(), name="rod")
    model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Fixed(), to="rod.tip", name="ball")
    system = model.compile()
    run = rows(system, system.neutral())
    with pytest.raises(ls.StateError, match=words):
        run.along(*arguments)
    with pytest.raises(ls.StateError, match="'ball' is no rod"):
        run["ball.curvature"]


def test_deflection_is_what_bending_moves(system, state):
    bent = system.state(**{f"{x}.modes": state[f"{x}.modes"] for x in ("whip", "lash")})
    run = rows(system, bent)
    for place in ("whip.tip", "whip.middle", "whip.7", "eye"):
        base, found = (ls.pose(system, bent, x) for x in ("whip", place))
        rest = ls.pose(system, system.neutral(), place).position
        origin = ls.pose(system, system.neutral(), "whip").position
        expected = base.rotation.T @ (found.position - base.position) - (rest - origin)
        np.testing.assert_allclose(run[f"{place}.deflection"][0], expected, atol=1e-14)
    assert np.abs(run["whip.tip.deflection"]).max() > 0.1


@pytest.mark.parametrize("place", ["whip.tip", "lash.9", "eye"])
def test_rates_are_derivatives_of_poses(system, state, place):
    h, v = 1e-6, np.array(state.v)
    later, sooner = (system.state(moved(system, state.q, t * v), v) for t in (h, -h))
    run = rows(system, sooner, state, later)
    slope = (run[f"{place}.position"][2] - run[f"{place}.position"][0]) / (2 * h)
    np.testing.assert_allclose(run[f"{place}.velocity"][1], slope, atol=1e-7)
    R = run[f"{place}.rotation"]
    spin = (R[2] - R[0]) / (2 * h) @ R[1].T
    np.testing.assert_allclose(
        run[f"{place}.angular_velocity"][1], [spin[2, 1], spin[0, 2], spin[1, 0]], atol=1e-7
    )
    # the rows have no accelerations: those at constant speeds remain
    change = (run[f"{place}.velocity"][2] - run[f"{place}.velocity"][0]) / (2 * h)
    np.testing.assert_allclose(run[f"{place}.acceleration"][1], change, atol=1e-5)


def test_frequencies_of_a_curved_rod_are_those_of_its_mass_matrix():
    rod = ls.rod(1.0, ls.Rectangle(0.02, 0.01), ls.STEEL, curvature=(0, 3, 0))
    system = alone(rod)
    K = system.bodies[0].stiffness
    found = np.linalg.eigvals(np.linalg.solve(ls.mass_matrix(system, system.neutral()), np.diag(K)))
    expected = np.sqrt(np.sort(found.real)) / (2 * np.pi)
    np.testing.assert_allclose(system.bodies[0].frequencies, expected, rtol=1e-9)


# Warnings


def said(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = work()
    return result, [str(one.message) for one in caught]


def test_rods_have_none_of_the_limits_of_linear_bodies():
    rod = ls.rod(1.0, ls.Circle(0.002), ls.STEEL, bending=4)
    EI = rod.stiffness[0, 1]
    system = alone(rod, ls.Revolute("z"))
    force = ls.NodeForce("rod.tip", (-3 * EI, 0, 2 * EI))
    assert said(lambda: ls.equilibrium(system, loads=[force], held="rod"))[1] == []
    fast = system.state(**{"rod.rates": 30.0})
    first = 2 * np.pi * rod.frequencies[0]
    assert first < 30
    run, words = said(lambda: ls.simulate(system, fast, duration=1e-3, step=1e-4,
                                          integrator="rk4"))  # fmt: skip
    assert words == [] and run.status == "finished"


SHORT = {"duration": 1e-5, "step": 1e-5, "integrator": "rk4"}


def wound(turns, stations):
    """Rod wound to circles, and its state."""
    few = {"bending": (1, 0), "torsion": 0, "stretch": 0, "elements": 2}
    rod = ls.rod(1.0, ls.Circle(1e-3), SOFT, **few, stations=stations)
    system = alone(rod)
    per_unit = rod.tables.functions[0, 0]
    return system, system.state(**{"rod.modes": [2 * np.pi * turns / per_unit]})


def test_a_piece_that_turns_far_is_told():
    system, state = wound(3, 12)
    _, words = said(lambda: ls.simulate(system, state, **SHORT))
    assert len(words) == 1
    assert "rod 'rod' turns by 2.4" in words[0] and "its 12 stations (t = " in words[0]
    assert "give it stations=" in words[0]


def test_a_rod_may_be_wound_as_far_as_its_stations_go():
    system, state = wound(3, 24)
    found, words = said(lambda: ls.simulate(system, state, **SHORT))
    assert words == [] and found.status == "finished"
    system, state = wound(60, 24)
    found, words = said(lambda: ls.simulate(system, state, **SHORT))
    assert found.status == "diverged"
    assert "mode 0 of body 'rod' alone would turn or move the rod by 37" in found.message


STRAINS = {
    "bent": ({"torsion": 0, "stretch": 0}, 0.12 / 0.01),  # kappa r
    "twisted": ({"bending": 0, "torsion": 1, "stretch": 0}, 0.12 / 0.01),
    "stretched": ({"bending": 0, "torsion": 0}, 0.12),
    "sheared": ({"bending": 0, "torsion": 0, "stretch": 0, "shear": (1, 0)}, 0.12),
}


@pytest.mark.parametrize("kind", STRAINS)
def test_large_strains_are_told(kind):
    functions, strain = STRAINS[kind]
    rod = ls.rod(0.3, ls.Circle(0.01), SOFT, stations=8, **{"bending": (1, 0), **functions})
    model = ls.Model("two")
    for name in ("a", "b"):
        model.add(rod, ls.Fixed(), name=name)
    system = model.compile()
    eta = strain / rod.tables.functions[0, 0]
    run = {"duration": 2e-6, "step": 1e-6, "integrator": "rk4"}
    state = system.state(**{"a.modes": [0.7 * eta], "b.modes": [eta]})
    _, words = said(lambda: ls.simulate(system, state, **run))
    assert len(words) == 1 and f"rod 'b' is {kind} to a strain of 0.1" in words[0]
    assert "other" not in words[0]
    _, words = said(lambda: ls.simulate(system, system.state(**{"b.modes": [0.7 * eta]}), **run))
    assert words == []
    both = system.state(**{"a.modes": [1.1 * eta], "b.modes": [eta]})
    _, words = said(lambda: ls.simulate(system, both, **run))
    assert "rod 'a'" in words[0] and words[0].endswith("(also 'b')")


def test_an_equilibrium_beyond_small_strains_is_told():
    rod = ls.rod(0.3, ls.Circle(0.01), SOFT, bending=2, torsion=1)
    load = ls.NodeForce("rod.tip", (0.15 * rod.stiffness[0, 3], 0, 0))
    _, words = said(lambda: ls.equilibrium(alone(rod), loads=[load]))
    assert len(words) == 1 and "stretched to a strain of 0.15 (at rest)" in words[0]


# Elsewhere


def test_equations_of_rods_are_not_derived():
    with pytest.raises(ls.SymbolicError, match=r"body 'whip' is a rod.*use ls\.beam"):
        ls.symbolic.derive(tree())


def test_rods_have_no_nodal_form(system):
    with pytest.raises(ls.StateError, match=r"body 'whip' is a rod.*ls\.beam"):
        ls.nodal_forward_dynamics(system, system.neutral(), {})


@pytest.mark.parametrize("level", ["full", "linear", "stiffened"])
def test_rods_have_one_level(level):
    with pytest.raises(ls.ModelError, match=r"body 'whip'.*leave level out of compile.*ls\.beam"):
        tree().compile(level=level)


def test_the_exact_level_is_that_of_rods():
    with pytest.raises(ls.ModelError, match=r"level is 'exact'.*ls\.rod"):
        ls.beam(1.0, ls.Circle(0.01), ls.STEEL, level="exact")


def test_the_recursions_of_the_papers_hold_for_rods(system, state):
    motions, forces = motions_of(system, state), np.linspace(-1, 1, system.n_v)
    expected = np.linalg.solve(ls.mass_matrix(system, state), forces - ls.bias_force(system, state))
    scale = np.abs(expected).max()
    for found in (
        jain_rodriguez.forward_dynamics_in_blocks(system, motions, forces),
        jain_rodriguez.forward_dynamics_in_parts(system, motions, forces),
        jain_rodriguez.forward_dynamics_in_parts(system, motions, forces, ruthless=True),
        ls.dual_accelerations(ls.solve_lq(ls.optimal_control_dual(system, state, forces))),
        ls.filter_and_smoother(system, state, forces).acceleration,
    ):
        np.testing.assert_allclose(found, expected, atol=1e-7 * scale)
    slope = 1e-3 * scale * np.eye(system.n_v)
    gibbs = [ls.gibbs_function(system, state, expected + x, forces) for x in (*slope, *-slope)]
    assert min(gibbs) > ls.gibbs_function(system, state, expected, forces)


def test_the_recursion_of_the_order_n_paper_holds_for_loops_of_rods():
    model = ls.Model("arch", gravity=(0, 0, -9.81))
    arch = ls.rod(1.0, ls.Circle(0.01), SOFT, bending=3, torsion=1, curvature=(0, 0.9, 0))
    model.add(arch, ls.Revolute("y"), name="arch")
    bar = ls.RigidBody.rod(0.3, 0.5, com=(0.25, 0, 0))
    model.add(bar, ls.Revolute("y"), to="arch.tip", name="bar")
    model.close(ls.Revolute("y"), "bar", None, at_a=(0.5, 0, 0), at_b=(0.9, 0, -0.4), name="pin")
    system = model.compile()
    rest = ls.assemble(system)
    rates = np.linspace(-1, 1, system.n_v)
    state = ls.assemble(system, system.state(rest.q, rates))
    J, h = ls.closure(system, state).jacobian, 1e-6
    sides = [system.state(moved(system, state.q, t * np.array(state.v)), state.v) for t in (h, -h)]
    change = np.subtract(*(ls.closure(system, x).jacobian for x in sides)) / (2 * h) @ state.v
    M, n = ls.mass_matrix(system, state), system.n_v
    dense = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    known = np.concatenate([rates - ls.bias_force(system, state), -change])
    expected = np.linalg.lstsq(dense, known, rcond=None)[0][:n]
    scale = np.abs(expected).max()
    found, _, _ = order_n.solve_loops(system, motions_of(system, state), rates)
    np.testing.assert_allclose(found, expected, atol=1e-7 * scale)
    np.testing.assert_allclose(
        ls.forward_dynamics(system, state, rates), expected, atol=1e-7 * scale
    )
