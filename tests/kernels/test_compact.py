"""Workspaces whose bodies share records, against those where each has its own: the same bits."""

import numpy as np
import pytest

from lissom.algorithms.tree import engine
from lissom.algorithms.tree.packing import pack, shared_records
from lissom.kernels import fields as field
from lissom.library import flexible_chain, rigid_chain
from tests.samples.kernel_cases import JOINTS, far_state, joint_systems, random_system

STATES = 3  # one after another, so that a record that one state leaves would show in the next


def accelerations(system, packed, rows):
    space = engine.Workspace(system, packed)
    out = np.zeros(STATES * system.n_v)
    assert space.forward(*space.call, *rows, out, engine.ALL, 0, STATES) == -1
    return out


def check(system):
    rng = np.random.default_rng(0)
    states = [far_state(system, rng) for _ in range(STATES)]
    rows = [np.concatenate([getattr(x, name) for x in states]) for name in ("q", "v")]
    rows.append(rng.normal(size=STATES * system.n_v))
    whole, compact = (accelerations(system, pack(system, compact=x), rows) for x in (False, True))
    assert np.array_equal(whole, compact)


@pytest.mark.parametrize("level", [None, "linear", "full", "stiffened"])
def test_random_trees(level):
    for seed in range(12):
        check(random_system(seed, level))


@pytest.mark.parametrize("name", JOINTS)
def test_joint_at_each_place(name):
    for _label, system in joint_systems(JOINTS[name], slice(None, None, 4)):
        check(system)


def test_a_chain_shares_one_record_and_equal_links_their_constants():
    """What a further link adds: 45 numbers less if it is rigid, and 93 less if it bends."""

    def added(make, *arguments):
        sizes = [
            [len(pack(make(n, *arguments).compile(), compact=x).start) for n in (7, 8)]
            for x in (False, True)
        ]
        return [long - short for short, long in sizes]

    whole, compact = added(rigid_chain)
    assert whole - compact == field.ARM
    whole, compact = added(flexible_chain, 4)
    assert whole - compact == 21 + 36 + 36


def test_records_are_shared_only_by_bodies_that_do_not_need_them_at_the_same_time():
    for seed in range(30):
        system = random_system(seed)
        rigid = [x.n_mode == 0 and len(x.node_positions) == 1 for x in system.bodies]
        numbers = shared_records(system, rigid)
        for i, number in numbers.items():
            for j in range(i + 1, max(system.children[i], default=i)):
                assert numbers.get(j) != number
    assert set(shared_records(rigid_chain(9).compile(), [True] * 9).values()) == {0}
