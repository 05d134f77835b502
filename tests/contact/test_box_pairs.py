"""Boxes on boxes: closest points by a search of SciPy, their changes by differences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog, minimize
from scipy.spatial.transform import Rotation

from lissom import shapes
from tests.references.contact_pairs import PairKernels, Sample, placed, slope

ROUND, OTHER = shapes.Box((1.1, 0.9, 0.7), rounding=0.1), shapes.Box((0.8, 1.2, 0.6), rounding=0.05)
SHARP, BLOCK = shapes.Box((1.1, 0.9, 0.7)), shapes.Box((0.8, 1.2, 0.6))

CROSSED = tuple(Rotation.from_euler("YXZ", [0.8, 0.7, 0.1]).as_rotvec())

SAMPLES = {
    "corner on a face": Sample(ROUND, OTHER, (0.05, 0.1, 1.0), (0.7, 0.6, 0.2), 0.01),
    "face on a corner": Sample(OTHER, ROUND, (0.6, 0.45, 0.85), (-0.1, 0.55, 0.9), 0.01),
    "crossed edges": Sample(ROUND, OTHER, (0.85, 0.05, 0.85), CROSSED, 0.01),
    "corner on an edge": Sample(ROUND, OTHER, (0.95, 0.3, 0.95), (0.8, 0.2, 0.4), 0.01),
    "corners": Sample(ROUND, OTHER, (1.0, 1.15, 0.85), (0.1, 0.2, 0.1), 0.01),
    "sharp corner on a face": Sample(SHARP, BLOCK, (0.05, 0.1, 0.9), (0.7, 0.6, 0.2), 0.01),
    "face on a sharp corner": Sample(BLOCK, SHARP, (0.6, 0.45, 0.85), (-0.1, 0.55, 0.9), 0.01),
    "crossed sharp edges": Sample(SHARP, BLOCK, (0.85, 0.05, 0.85), CROSSED, 0.01),
}


@pytest.fixture(params=SAMPLES)
def sample(request):
    return SAMPLES[request.param]


def faces(shape, slot):
    """Faces of the core of a box in the world, normals (6, 3) and distances from the origin."""
    R, p = slot[:9].reshape(3, 3), slot[9:12]
    normals = np.concatenate([R.T, -R.T])
    half = 0.5 * shape.size - shape.rounding
    return normals, normals @ p + np.concatenate([half, half])


def random_slots(rng, reach):
    slots = np.zeros((2, 18))
    for slot, p in zip(slots, (rng.normal(size=3), rng.normal(size=3)), strict=True):
        slot[:9] = Rotation.random(random_state=rng).as_matrix().ravel()
        slot[9:12] = p
    d = rng.normal(size=3)
    slots[0, 9:12] = slots[1, 9:12] + reach * d / np.linalg.norm(d)
    return slots


def distance(slots):
    """Distance of two cores, by the points of both in their own axes (SciPy, bounded)."""
    half = [0.5 * x.size - x.rounding for x in (ROUND, OTHER)]
    R = slots[:, :9].reshape(2, 3, 3)

    def squared(x):
        a, b = R[0] @ x[:3] + slots[0, 9:12], R[1] @ x[3:] + slots[1, 9:12]
        return 0.5 * (a - b) @ (a - b), np.concatenate([R[0].T @ (a - b), R[1].T @ (b - a)])

    bounds = [(-h, h) for h in np.concatenate(half)]
    best = minimize(
        squared, np.zeros(6), jac=True, bounds=bounds, method="L-BFGS-B",
        options={"ftol": 1e-17, "gtol": 1e-13, "maxiter": 1000},
    )  # fmt: skip
    return np.sqrt(2 * best.fun)


def test_boxes_that_are_apart_have_the_distance_of_a_search():
    rng, pair, count = np.random.default_rng(0), PairKernels(ROUND, OTHER), 0
    for _ in range(60):
        slots = random_slots(rng, rng.uniform(0.9, 1.8))
        expected = distance(slots)
        if expected < 1e-3:
            continue
        count += 1
        got = pair.witness(slots.ravel())
        assert abs(got["g"] + 0.15 - expected) < 1e-7
        assert np.abs(got["x_a"] - got["x_b"] - got["g"] * got["n"]).max() < 1e-12
        for slot, shape, x, r in (
            (slots[0], ROUND, got["x_a"], 0.1), (slots[1], OTHER, got["x_b"], -0.05),
        ):  # fmt: skip
            normals, reach = faces(shape, slot)
            assert (normals @ (x + r * got["n"]) - reach).max() < 1e-12
    assert count > 30


def test_boxes_that_overlap_are_moved_apart_by_their_depth_and_by_no_less():
    rng, pair, count = np.random.default_rng(1), PairKernels(SHARP, BLOCK), 0
    for _ in range(60):
        slots = random_slots(rng, rng.uniform(0.3, 0.8))
        got = pair.witness(slots.ravel())
        if got["g"] > -1e-3:
            continue
        count += 1
        for factor, apart in ((1 + 1e-4, True), (1 - 1e-4, False)):
            after = slots.copy()
            after[0, 9:12] -= factor * got["g"] * got["n"]
            assert overlap(after) is not apart
        for _ in range(20):  # no other direction is shorter
            n = rng.normal(size=3)
            after = slots.copy()
            after[0, 9:12] -= (1 - 1e-4) * got["g"] * n / np.linalg.norm(n)
            assert overlap(after)
    assert count > 30


def overlap(slots):
    """Whether two boxes have a point in common, by a linear program."""
    both = [faces(shape, slot) for shape, slot in zip((SHARP, BLOCK), slots, strict=True)]
    A, b = np.concatenate([x[0] for x in both]), np.concatenate([x[1] for x in both])
    return linprog(np.zeros(3), A_ub=A, b_ub=b, bounds=(None, None)).status == 0


def motions(seed, n=3):
    return np.random.default_rng(seed).normal(size=(n, 24))


def tolerance(sample, usual):
    """Of changes; two sharp edges count as rounded by 1e-5 of their depth, see `pairs_boxes`."""
    return 1e-4 if sample is SAMPLES["crossed sharp edges"] else usual


def test_gap_normal_and_points_change_as_differences_say(sample):
    pair, slots = PairKernels(sample.a, sample.b), placed(sample)
    assert abs(pair.witness(slots)["g"] + 0.01) < 1e-9
    assert not pair.witness(slots)["singular"]
    for motion in motions(1):
        change = pair.change(slots, motion)[:10]
        expected = slope(pair.numbers, slots, motion, sample.step)
        assert np.abs(change - expected).max() < tolerance(sample, 1e-9) * max(
            1, np.abs(change).max()
        )


def test_whole_wrench_changes_as_differences_say(sample):
    pair, slots = PairKernels(sample.a, sample.b), placed(sample)
    R = np.repeat(slots.reshape(2, 18)[:, :9].reshape(2, 3, 3), 2, axis=0)
    for motion in motions(3):
        change = pair.wrench_change(slots, motion).reshape(4, 3)
        differences = slope(pair.wrench, slots, motion, sample.step / 10).reshape(4, 3)
        expected = np.einsum("kij,kj->ki", R, differences)
        assert np.abs(change).max() > 1.0
        assert np.abs(change - expected).max() < tolerance(sample, 2e-8) * np.abs(change).max()


def test_the_samples_touch_where_their_names_say():
    kinds = {}
    for name, sample in SAMPLES.items():
        witness = PairKernels(sample.a, sample.b).witness(placed(sample))
        kinds[name] = tuple(rank(witness[x]) for x in ("S_a", "S_b"))
    expected = {"corner on a face": (2, 0), "face on a corner": (0, 2), "crossed edges": (1, 1)}
    expected |= {"corner on an edge": (2, 1), "corners": (2, 2), "crossed sharp edges": (1, 1)}
    expected |= {"sharp corner on a face": (2, 0), "face on a sharp corner": (0, 2)}
    assert kinds == expected


def rank(S):
    values = np.linalg.eigvalsh([[S[0], S[1]], [S[1], S[2]]])
    return int(np.sum(values > 1e-9 * (1 + abs(values).max())))
