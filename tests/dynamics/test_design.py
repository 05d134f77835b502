"""Derivatives by design: Pinocchio's regressor, the oracle with CasADi, differences."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree.design import inertial_products
from tests.oracle.random_mechanism import draw, with_level
from tests.references.design_oracle import derivatives
from tests.references.peers import peer
from tests.references.pinocchio_twins import build_twins, draw_parts
from tests.samples.random_trees import build

PIN_INERTIA = [0, 1, 3, 2, 4, 5]  # Pinocchio: xx, xy, yy, xz, yz, zz


def moving_twins(seed):
    """Trees without fixed bodies, which Pinocchio lumps with their carriers."""
    pin, rng = peer("pin"), np.random.default_rng(seed)
    parts = [
        replace(part, kind="revolute") if part.kind == "fixed" else part
        for part in draw_parts(seed)
    ]
    return pin, build_twins(pin, parts, rng.normal(size=3) * 6, rng), rng


@pytest.mark.parametrize("seed", range(8))
def test_the_regressor_is_pinocchios(seed):
    pin, twins, rng = moving_twins(seed)
    model, system = twins.model, twins.system
    q = pin.randomConfiguration(model, -np.ones(model.nq), np.ones(model.nq))
    v, a = rng.normal(size=(2, model.nv))
    expected = pin.computeJointTorqueRegressor(model, twins.data, q, v, a)
    own_q = np.empty(model.nq)
    own_q[twins.q_index] = q
    state = system.state(own_q, twins.to_lissom(v))
    found = ls.inertial_regressor(system, state, twins.to_lissom(a))
    columns = {name: k for k, name in enumerate(found.names)}
    scale = np.abs(expected).max()
    for part in twins.parts:
        first = 10 * (twins.joint_id[part.name] - 1)
        own = found.matrix[twins.v_index, columns[f"{part.name}.mass"] :][:, :10]
        theirs = expected[:, first : first + 10]
        assert np.allclose(own[:, :4], theirs[:, :4], rtol=0, atol=1e-12 * scale)
        assert np.allclose(own[:, 4:], theirs[:, 4:][:, PIN_INERTIA], rtol=0, atol=1e-12 * scale)
    y = rng.normal(size=model.nv)
    given = (own_q, twins.to_lissom(v), twins.to_lissom(a), twins.to_lissom(y))
    products = inertial_products(system, *(x[None] for x in given))
    for part in twins.parts:
        first = 10 * (twins.joint_id[part.name] - 1)
        theirs = y @ expected[:, first : first + 10]
        own = products[system.layout.index(part.name)]
        assert np.allclose(own[:4], theirs[:4], rtol=0, atol=1e-11 * scale)
        assert np.allclose(own[4:], theirs[4:][PIN_INERTIA], rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize("seed", range(4))
def test_the_regressor_times_the_parameters_is_inverse_dynamics(seed):
    """Also with other parameters: the forces are linear in them."""
    _, twins, rng = moving_twins(seed)
    system, a = twins.system, rng.normal(size=twins.system.n_v)
    state = system.state(v=rng.normal(size=system.n_v))
    found = ls.inertial_regressor(system, state, a)
    forces = ls.inverse_dynamics(system, state, a)
    assert np.allclose(found.matrix @ found.values, forces, rtol=1e-11, atol=1e-11)
    heavier = [replace(part, mass=2 * part.mass, inertia=2 * part.inertia) for part in twins.parts]
    other = build_twins(twins.pin, heavier, system.gravity, np.random.default_rng(0)).system
    again = [other.names.index(name) for name in system.names]
    assert np.allclose(
        ls.inertial_regressor(other, other.state()).values.reshape(-1, 10)[again].ravel(),
        2 * found.values,
    )
    order = np.concatenate([np.r_[other.layout.hinge_v(name)] for name in system.names])
    into = np.concatenate([np.r_[system.layout.hinge_v(name)] for name in system.names])
    q, v, x = np.empty(system.n_q), np.empty(system.n_v), np.empty(system.n_v)
    for name in system.names:
        q[other.layout.hinge_q(name)] = state.q[system.layout.hinge_q(name)]
    v[order], x[order] = state.v[into], a[into]
    doubled = ls.inverse_dynamics(other, (q, v), x)[order]
    assert np.allclose(doubled, 2 * forces[into], rtol=1e-11, atol=1e-11)


def all_parameters(system):
    names = ["gravity"]
    for name, body in zip(system.names, system.bodies, strict=True):
        names += [f"{name}.at", f"{name}.rotation"]
        if body.n_mode:
            names += [f"{name}.stiffness", f"{name}.damping"]
        elif len(body.node_positions) == 1 and not body.lumps and body.mass > 0:
            names += [f"{name}.mass", f"{name}.com", f"{name}.inertia"]
    return names


@pytest.mark.parametrize("level", ("full", "ruthless"))
@pytest.mark.parametrize("seed", (0, 1, 3, 5, 6, 10))
def test_derivatives_by_design_are_those_of_the_oracle(seed, level):
    """All named parameters of a random tree with flexible bodies; T is exact, too."""
    for attempt in range(20):
        description = with_level(draw(seed, attempt), level)
        try:
            tree = build(description, level)
        except ls.ModelError:
            continue
        break
    system, order = tree.system, tree.v_index
    names, forces, expected = derivatives(description, tree.transforms)
    state = tree.state(*description.state(tree.transforms))
    acceleration = tree.to_lissom(description.acceleration)
    held = ls.inverse_dynamics(system, state, acceleration)
    assert np.allclose(held[order], forces, rtol=1e-9, atol=1e-9 * np.abs(forces).max())
    found = ls.design_derivatives(system, state, all_parameters(system), forces=held)
    assert np.allclose(found.value, acceleration, rtol=1e-7, atol=1e-7)
    assert not np.any(found.errors)
    columns = {name: k for k, name in enumerate(names)}
    for k, name in enumerate(found.names):
        theirs = expected[:, columns[name]]
        atol = 1e-9 * max(1.0, np.abs(theirs).max())
        assert np.allclose(found.inverse[order, k], theirs, rtol=1e-9, atol=atol), name
    mass = ls.mass_matrix(system, state)
    assert np.allclose(mass @ found.acceleration, -found.inverse, atol=1e-8 * np.abs(mass).max())


def arm(length, level="full", tip=0.4):
    """Two flexible links and a load, in three dimensions."""
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    tube = ls.Tube(radius=0.03, thickness=0.002)
    upper = ls.beam(1.2, tube, ls.ALUMINIUM, modes=4, level=level)
    fore = ls.beam(length, tube, ls.ALUMINIUM, modes=4, level=level)
    model.add(upper, ls.Universal("z", "y"), name="upper")
    model.add(fore, ls.Revolute("y"), to="upper.tip", name="fore")
    model.add(ls.RigidBody.box(tip, (0.2, 0.1, 0.1), com=(0.1, 0, 0)), ls.Fixed(), to="fore.tip",
              name="load")  # fmt: skip
    return model


def one_link(_):
    """Another mechanism."""
    model = ls.Model("link")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Revolute("z"), name="link")
    return model


def moving(system, seed=3):
    """Deflections of a thousandth of the length, at which all levels are definite."""
    rng = np.random.default_rng(seed)
    q, v = 1e-3 * rng.normal(size=system.n_q), 0.3 * rng.normal(size=system.n_v)
    for name in ("upper", "fore"):
        q[system.layout.hinge_q(name)] += 0.5
    return system.state(q, v)


@pytest.mark.parametrize("level", ["ruthless", "linear", "full", "stiffened"])
def test_a_built_parameter_agrees_with_the_named_one(level):
    """The mass of the load, by differences of whole models and exactly."""
    system = arm(0.9, level).compile()
    built = ls.DesignParameter("tip", lambda m: _with_mass(level, m), 0.4)
    state, external = moving(system), {"fore.tip": [0.1, 0.2, 0.3, 1.0, -2.0, 0.5]}
    found = ls.design_derivatives(system, state, ["load.mass", built], external=external)
    assert found.names == ("load.mass", "tip")
    assert np.allclose(found.inverse[:, 1], found.inverse[:, 0], rtol=1e-9, atol=1e-9)
    assert found.errors[0] == 0 < found.errors[1] < 1e-8


def _with_mass(level, m):
    """The arm whose load has another mass at constant inertia about its centre."""
    model = arm(0.9, level)
    box = ls.RigidBody.box(0.4, (0.2, 0.1, 0.1), com=(0.1, 0, 0))
    model.replace("load", ls.RigidBody(m, box.com, box.inertia))
    return model


def test_the_length_of_a_flexible_link_by_differences_of_another_spacing():
    """The estimate of the error covers the distance from Richardson extrapolation."""
    system = arm(0.9).compile()
    state = moving(system)
    one = ls.design_derivatives(system, state, ls.DesignParameter("length", arm, 0.9))

    def forces(length):
        return ls.inverse_dynamics(arm(length).compile(), (state.q, state.v), one.value)

    central = [(forces(0.9 + h) - forces(0.9 - h)) / (2 * h) for h in (4e-3, 2e-3, 1e-3)]
    first = [(4 * b - a) / 3 for a, b in pairwise(central)]
    expected = (16 * first[1] - first[0]) / 15
    scale = np.abs(expected).max()
    assert np.allclose(one.inverse[:, 0], expected, rtol=0, atol=1e-8 * scale)
    assert one.errors[0] < 1e-5


@pytest.mark.parametrize(
    ("parameter", "words"),
    [
        ("mass", "is not a parameter"),
        ("upper.mass", "is flexible"),
        ("load.stiffness", "has no modes"),
        ("load.weight", "load.weight"),
        ("load.com.w", "load.com.w"),
        (["load.mass", "load.mass"], "given twice"),
        (ls.DesignParameter("length", arm, 1.0), "another mechanism"),
        (ls.DesignParameter("level", one_link, 1.0), "other bodies"),
        (ls.DesignParameter("none", lambda x: None, 1.0), "build returned None"),
        (5, "parameters is 5"),
    ],
)
def test_a_wrong_parameter_is_named(parameter, words):
    system = arm(0.9).compile()
    with pytest.raises(ls.errors.LissomError, match=words):
        ls.design_derivatives(system, moving(system), parameter)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((3, arm, 1.0), "expected a name"),
        (("length", 5, 1.0), "build is 5"),
        (("length", arm, np.nan), "value is nan"),
        (("length", arm, "1 m"), "value is '1 m'"),
        (("length", arm, 1.0, -0.1), "spacing is -0.1"),
    ],
)
def test_mistakes_about_a_parameter_of_a_function_are_named(given, words):
    with pytest.raises(ls.StateError, match=words):
        ls.DesignParameter(*given)
