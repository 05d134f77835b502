"""Changes of gap, normal, points and wrench of all pairs, against differences of their values."""

from __future__ import annotations

import numpy as np
import pytest

from lissom import shapes
from tests.references.contact_pairs import SAMPLES, PairKernels, Sample, placed, slope

RODS = shapes.Capsule(0.1, 1.0), shapes.Capsule(0.2, 0.6)
GROUND = shapes.HalfSpace()
SINGULAR = {  # closest points that are not unique
    "parallel capsules": Sample(*RODS, (0.2, 0.15, 0.2), (0, 0, 0.3)),
    "opposite capsules": Sample(*RODS, (0.2, 0.15, 0.2), (np.pi, 0, 0)),
    "flat disk": Sample(shapes.Cylinder(0.5, 0.2), GROUND, (0, 0, 0.1), (0, 0, 0.3)),
    "capsule on a face": Sample(
        RODS[0], shapes.Box((2, 2, 1)), (0.1, 0.2, 0.59), (0, np.pi / 2, 0)
    ),
}


@pytest.fixture(params=SAMPLES)
def sample(request):
    return SAMPLES[request.param]


def motions(seed, n=3):
    return np.random.default_rng(seed).normal(size=(n, 24))


def test_gap_normal_and_points_change_as_differences_say(sample):
    pair, slots = PairKernels(sample.a, sample.b), placed(sample)
    assert not pair.witness(slots)["singular"]
    for motion in motions(1):
        change = pair.change(slots, motion)[:10]
        expected = slope(pair.numbers, slots, motion, sample.step)
        assert np.abs(change - expected).max() < 2e-10 * max(1, np.abs(change).max())


def test_rate_of_the_gap_and_slip_change_as_differences_say(sample):
    pair, slots = PairKernels(sample.a, sample.b), placed(sample)
    for motion in motions(2):
        change = pair.change(slots, motion)[10:]
        expected = slope(pair.motion, slots, motion, sample.step)
        assert np.abs(change - expected).max() < 2e-10 * max(1, np.abs(change).max())


def test_rate_of_the_gap_is_the_normal_part_of_the_relative_velocity(sample):
    pair, slots = PairKernels(sample.a, sample.b), placed(sample)
    still = np.zeros(6)
    drift = np.concatenate([slots[12:18], still, slots[30:36], still])  # the motion that goes on
    rate = pair.motion(slots)[0]
    assert rate == pytest.approx(slope(pair.numbers, slots, drift, sample.step)[0], abs=2e-10)
    assert rate == pytest.approx(pair.change(slots, drift)[0], abs=1e-14)


def test_whole_wrench_changes_as_differences_say(sample):
    pair, slots = PairKernels(sample.a, sample.b), placed(sample)
    R = np.repeat(slots.reshape(2, 18)[:, :9].reshape(2, 3, 3), 2, axis=0)
    for motion in motions(3):
        change = pair.wrench_change(slots, motion).reshape(4, 3)
        differences = slope(pair.wrench, slots, motion, sample.step / 10).reshape(4, 3)
        expected = np.einsum("kij,kj->ki", R, differences)
        assert np.abs(change).max() > 1.0
        assert np.abs(change - expected).max() < 2e-9 * np.abs(change).max()


def test_wrenches_on_both_bodies_cancel(sample):
    slots = placed(sample)
    wrench = PairKernels(sample.a, sample.b).wrench(slots).reshape(2, 2, 3)
    total = np.zeros((2, 3))
    for slot, (moment, force) in zip(slots.reshape(2, 18), wrench, strict=True):
        R, origin = slot[:9].reshape(3, 3), slot[9:12]
        total += R @ moment + np.cross(origin, R @ force), R @ force
    assert np.abs(wrench).max() > 1.0
    assert np.abs(total).max() < 1e-12 * np.abs(wrench).max()


@pytest.mark.parametrize("name", SINGULAR)
def test_closest_points_that_are_not_unique_are_recognised_and_their_changes_finite(name):
    sample = SINGULAR[name]
    pair, slots = PairKernels(sample.a, sample.b), placed(sample)
    assert pair.witness(slots)["singular"]
    for motion in motions(4):
        assert np.abs(pair.change(slots, motion)).max() < 100
        assert np.abs(pair.wrench_change(slots, motion)).max() < np.inf


def test_changes_of_parallel_capsules_are_exact_for_motions_that_keep_them_parallel():
    sample = SINGULAR["parallel capsules"]
    pair, slots = PairKernels(sample.a, sample.b), placed(sample)
    axis = slots[18:27].reshape(3, 3)[:, 2]
    for motion in motions(5):
        for turn, shift in motion.reshape(2, 4, 3)[:, :2]:
            turn[:] = turn[0] * axis
            shift -= (axis @ shift) * axis
        change = pair.change(slots, motion)[:10]
        expected = slope(pair.numbers, slots, motion, sample.step)
        assert np.abs(change - expected).max() < 1e-9 * max(1, np.abs(change).max())


def test_normal_of_two_spheres_turns_by_the_distance_of_their_centres():
    sample = Sample(shapes.Sphere(0.3), shapes.Sphere(0.5), (0, 0, 0.75), (0, 0, 0), None)
    pair, motion = PairKernels(sample.a, sample.b), np.zeros(24)
    slots = np.array([*np.eye(3).flat, 0, 0, 0.75, *np.zeros(6), *np.eye(3).flat, *np.zeros(9)])
    motion[3] = 1.0
    assert pair.change(slots, motion)[1:4] == pytest.approx([1 / 0.75, 0, 0], abs=1e-14)
