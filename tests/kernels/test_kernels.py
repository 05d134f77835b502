"""The compiled text against the readable one: some random trees, every joint, every structure.

`tests.verify_kernels` has the families of random trees; both texts meet the oracle elsewhere.
"""

import numpy as np
import pytest

from tests.samples.kernel_cases import JOINTS, STRUCTURES, far_state, joint_systems, random_case
from tests.tools.kernel_comparison import Case, Findings, compare, compare_forward, compare_products

SEEDS, CHUNK = 10, 5  # each deformation in each chunk


def check(failures):
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_random_trees(first):
    failures = []
    for seed in range(first, first + CHUNK):
        failures += compare(f"seed {seed}", *random_case(seed))
    check(failures)


@pytest.mark.parametrize("level", ["ruthless", "linear", "full", "stiffened"])
def test_random_trees_at_one_level(level):
    failures = []
    for seed in range(CHUNK):
        failures += compare(f"seed {seed}, {level}", *random_case(seed, level))
    check(failures)


def test_products_with_the_mass_matrix():
    failures = []
    for seed in range(SEEDS):
        case = Case(Findings(f"seed {seed}"), *random_case(seed))
        compare_products(case)
        failures += case.findings.failures
    check(failures)


@pytest.mark.parametrize("name", JOINTS)
def test_joint(name):
    """At one in seven of its places, other ones with each joint; `tests.verify_kernels` has all."""
    failures, first = [], list(JOINTS).index(name) % 7
    for label, system in joint_systems(JOINTS[name], slice(first, None, 7)):
        rng = np.random.default_rng(first)
        case = f"{name}: {label}"
        failures += compare(case, system, far_state(system, rng), rng, frames=1)
    check(failures)


@pytest.mark.parametrize("name", JOINTS)
def test_joint_at_its_neutral_position(name):
    """Where sines are zero, and quaternions and rotation matrices are exact."""
    failures = []
    for k, (label, system) in enumerate(joint_systems(JOINTS[name], slice(0, None, 3))):
        rng = np.random.default_rng(k)
        state = system.neutral().replace(v=rng.standard_normal(system.n_v))
        case = Case(Findings(f"{name} at rest: {label}"), system, state, rng)
        compare_forward(case, methods=("articulated",))
        failures += case.findings.failures
    check(failures)


@pytest.mark.parametrize("name", STRUCTURES)
def test_structure(name):
    system, failures = STRUCTURES[name]().compile(), []
    for k, deformation in enumerate((0.0, 0.02, 0.4)):
        rng = np.random.default_rng(k)
        state = far_state(system, rng, deformation=deformation)
        label = f"{name}, deformation {deformation}"
        failures += compare(label, system, state, rng, frames=12 if k == 2 else 2)
    check(failures)


@pytest.mark.parametrize("name", STRUCTURES)
def test_products_with_the_mass_matrix_of_a_structure(name):
    system, rng = STRUCTURES[name]().compile(), np.random.default_rng(3)
    case = Case(Findings(name), system, far_state(system, rng), rng)
    compare_products(case)
    case.findings.check()
