"""Derivatives of inverse and forward dynamics against Pinocchio's."""

import dataclasses

import numpy as np
import pytest

import lissom as ls
from benchmarks.calls.robots import from_file
from tests.references.peers import peer
from tests.references.pinocchio_twins import build_twins, draw_parts
from tests.tools.derivative_checks import error

pytestmark = pytest.mark.peer

# Pinocchio's derivatives leave out the change of a joint's own motions (universal, composite ones).
CONSTANT = ("revolute", "aligned", "prismatic", "screw", "spherical", "free", "fixed")


def _parts(seed):
    """A random tree of joints whose motions are constant in the body."""
    parts = draw_parts(seed)
    kinds = [CONSTANT[(seed + k) % 4] for k in range(len(parts))]
    return [
        part if part.kind in CONSTANT else dataclasses.replace(part, kind=kind)
        for part, kind in zip(parts, kinds, strict=True)
    ]


@pytest.mark.parametrize("seed", range(12))
def test_random_rigid_trees(seed):
    pin = peer("pinocchio")
    rng = np.random.default_rng([seed, 5])
    twins = build_twins(pin, _parts(seed), rng.standard_normal(3), rng)
    if twins.model.nv == 0:
        return
    q = pin.randomConfiguration(twins.model, *[x * np.ones(twins.model.nq) for x in (-1, 1)])
    v, a, f = rng.standard_normal((3, twins.model.nv))
    pin.computeRNEADerivatives(twins.model, twins.data, q, v, a)
    own_q = np.empty(twins.system.n_q)
    own_q[twins.q_index] = q
    state = twins.system.state(own_q, twins.to_lissom(v))
    order = np.ix_(twins.v_index, twins.v_index)
    found = ls.inverse_dynamics_derivatives(twins.system, state, twins.to_lissom(a))
    assert error(found.q[order], twins.data.dtau_dq) < 1e-10
    assert error(found.v[order], twins.data.dtau_dv) < 1e-10
    pin.computeABADerivatives(twins.model, twins.data, q, v, f)
    found = ls.forward_dynamics_derivatives(twins.system, state, twins.to_lissom(f))
    scale = np.linalg.cond(ls.mass_matrix(twins.system, state))
    assert error(found.q[order], twins.data.ddq_dq) < 1e-14 * scale + 1e-10
    assert error(found.v[order], twins.data.ddq_dv) < 1e-14 * scale + 1e-10


@pytest.mark.parametrize("name", ["UR5", "Panda"])
def test_robots_from_their_files(name):
    pin, rng = peer("pin"), np.random.default_rng(2)
    twin = from_file(name, peer=True)
    q, v, f = rng.uniform(-1, 1, (3, twin.system.n_v))
    own_q, own_v, own_f = np.empty((3, twin.system.n_v))
    for own, theirs in ((own_q, q), (own_v, v), (own_f, f)):
        own[twin.order] = theirs
    order, evaluator = np.ix_(twin.order, twin.order), twin.system.evaluator()
    pin.computeRNEADerivatives(twin.model, twin.data, q, v, f)
    found = evaluator.inverse_dynamics_derivatives(own_q, own_v, own_f)
    assert error(found.q[order], twin.data.dtau_dq) < 1e-10
    assert error(found.v[order], twin.data.dtau_dv) < 1e-10
    pin.computeABADerivatives(twin.model, twin.data, q, v, f)
    moving = evaluator.forward_dynamics_derivatives(own_q, own_v, own_f)
    assert error(moving.q[order], twin.data.ddq_dq) < 1e-10
    assert error(moving.v[order], twin.data.ddq_dv) < 1e-10
    inverse = np.triu(twin.data.Minv) + np.triu(twin.data.Minv, 1).T
    assert error(moving.forces[order], inverse) < 1e-10
