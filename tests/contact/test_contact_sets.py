"""Sets of contacts: which pairs they have, and the same motion as with contacts one by one."""

import math
from itertools import combinations

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.errors import LoadError, ResultError
from lissom.kernels.layout.contact import NearRecord
from lissom.sim.loads.contact import Contact, Contacts, Friction, LinearContact, sets
from lissom.sim.run.near_contacts import near_parts
from lissom.sim.run.start import at_rest, planned
from lissom.system import PlacedShape
from tests.tools.runs import DeathError, dying, refused

LAW, HARD = LinearContact(1e4), LinearContact(1e6, dissipation=0.1)
FLOOR = PlacedShape(shapes.HalfSpace(), None, "floor")
R = 0.1


def robot() -> tuple[ls.System, dict[str, PlacedShape]]:
    """Hull on a free joint with two legs, each with a foot; shapes on all, two on the hull."""
    model = ls.Model("robot")
    body = ls.RigidBody(1.0, inertia=(0.1, 0.1, 0.1))
    model.add(body, ls.Free(), name="hull")
    for side in ("left", "right"):
        model.add(body, ls.Revolute("y"), to="hull", name=side)
        model.add(body, ls.Revolute("y"), to=side, at=(0, 0, -1), name=f"{side}_foot")
    system = model.compile()
    placed = {x: system.shape(x, shapes.Sphere(R), x) for x in system.names}
    placed["nose"] = system.shape("hull", shapes.Sphere(R, at=(1, 0, 0)), "nose")
    return system, placed | {"floor": FLOOR}


SYSTEM, SHAPES = robot()


def pairs_of(**options) -> set[frozenset[str]]:
    """Names of the pairs of a set on the robot."""
    load = Contacts(list(SHAPES.values()), **{"law": LAW, **options})
    names = [part.label for part, *_ in planned(SYSTEM, None, [load], ()).contact_parts]
    assert len(set(names)) == len(names)
    return {frozenset(name.split("-")) for name in names}


def pair(a: str, b: str) -> frozenset[str]:
    return frozenset((a, b))


ALL = {frozenset(x) for x in combinations(SHAPES, 2)}
JOINED = {
    pair(*x)
    for x in [
        ("hull", "left"), ("hull", "right"), ("nose", "left"), ("nose", "right"),
        ("left", "left_foot"), ("right", "right_foot"),
    ]
}  # fmt: skip


def test_all_pairs_but_those_on_one_body_and_on_joined_bodies():
    assert pairs_of() == ALL - JOINED - {pair("hull", "nose")}


def test_joined_bodies_touch_if_they_are_told_to():
    assert pairs_of(joined=True) == ALL - {pair("hull", "nose")}


def test_excluded_pairs_by_the_names_of_shapes_and_of_bodies():
    without = pairs_of() - pairs_of(exclude=[("floor", "nose"), ("left", "right")])
    assert without == {pair("nose", "floor"), pair("left", "right")}
    of_body = pairs_of() - pairs_of(exclude=[("hull", "ground")])
    assert of_body == {pair("hull", "floor"), pair("nose", "floor")}


def test_shapes_of_one_group_have_no_contact_with_each_other():
    legs = [f"{x}{y}" for x in ("left", "right") for y in ("", "_foot")]
    touching = pairs_of(groups={"robot": ["hull", *legs], "world": ["floor"]})
    assert touching == {pair(x, "floor") for x in ("hull", "nose", *legs)}


def test_shapes_without_a_group_may_touch_all_others():
    touching = pairs_of(groups={"feet": ["left_foot", "right_foot"]})
    assert pairs_of() - touching == {pair("left_foot", "right_foot")}


def test_two_shapes_of_the_ground_have_no_contact():
    other = PlacedShape(shapes.Sphere(1.0), None, "rock")
    load = Contacts([FLOOR, other, SHAPES["hull"]], law=LAW)
    parts = planned(SYSTEM, None, [load], ()).contact_parts
    assert [x.label for x, *_ in parts] == ["floor-hull", "rock-hull"]


def test_shapes_of_the_same_name_are_numbered():
    system = SYSTEM
    load = Contacts(
        [system.shape("left_foot", shapes.Sphere(R)), system.shape("right_foot", shapes.Sphere(R)),
         shapes.HalfSpace(), shapes.Sphere(1.0)], law=LAW,
    )  # fmt: skip
    names = [x.label for x, *_ in planned(system, None, [load], ()).contact_parts]
    assert names == [
        "left_foot-right_foot", "left_foot-ground_1", "left_foot-ground_2",
        "right_foot-ground_1", "right_foot-ground_2",
    ]  # fmt: skip


@pytest.mark.parametrize("way", ["table", "function"])
def test_laws_and_friction_by_pair(way):
    slippery, feet = Friction(0.1), ("left_foot", "right_foot")
    law = {("floor", "left_foot"): HARD, "otherwise": LAW, ("hull", "floor"): None}
    friction = {("right_foot", "ground"): slippery}
    if way == "function":
        table, rough = law, friction

        def law(a, b):
            return table.get((b.name, a.name)) or (None if a.name in ("hull", "nose") else LAW)

        def friction(a, b):
            return (
                rough[feet[1], "ground"] if a.name == "right_foot" and b.name == "floor" else None
            )

    names = {x: SHAPES[x] for x in (*feet, "hull", "nose", "floor")}
    load = Contacts(
        list(names.values()), law=law, friction=friction, exclude=[("hull", x) for x in feet]
    )
    plan = planned(SYSTEM, None, [load], ())
    labels = [x.label for x, *_ in plan.contact_parts]
    assert "left_foot-floor" in labels and "hull-floor" not in labels and "nose-floor" not in labels
    state = SYSTEM.state(q=np.r_[1.0, 0, 0, 0, 0, 0, 1.0 + 0.9 * R, np.zeros(4)])
    state = SYSTEM.state(q=state.q, v=np.r_[np.zeros(3), 1.0, np.zeros(6)])
    singles = [
        Contact(SHAPES["left_foot"], FLOOR, HARD, name="a"),
        Contact(SHAPES["right_foot"], FLOOR, LAW, slippery, name="b"),
        Contact(SHAPES["left_foot"], SHAPES["right_foot"], LAW, name="c"),
    ]
    a, b = (ls.load_derivatives(SYSTEM, state, x) for x in ([load], singles))
    assert np.max(np.abs(b.forces)) > 1.0
    for name in ("forces", "q", "v"):
        first, second = getattr(a, name), getattr(b, name)
        assert np.allclose(first, second, rtol=1e-12, atol=1e-12 * np.max(np.abs(second)))


# Refusals


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"exclude": [("hul", "floor")]}, ["exclude", "'hul'", "did you mean 'hull'"]),
        ({"groups": {"a": ["leftfoot"]}}, ["groups", "'leftfoot'", "did you mean 'left_foot'"]),
        ({"groups": {"a": ["hull"], "b": ["hull"]}}, ["'hull'", "'a'", "'b'"]),
        ({"groups": ["hull"]}, ["groups", "names by group"]),
        ({"exclude": ["hull"]}, ["exclude", "pairs of names"]),
        ({"law": 3.0}, ["law is 3.0", "Hertz"]),
        ({"law": {"hull": LAW}}, ["key 'hull'", "two names", "otherwise"]),
        ({"law": {("hull", "floor"): LAW}}, ["law has nothing", "otherwise"]),
        ({"law": lambda _a, _b: 7}, ["law of", "is 7"]),
        ({"friction": 0.3}, ["friction is 0.3", "Friction(0.3)"]),
        ({"channels": [("hull", "roof")]}, ["channels", "'roof'"]),
        ({"law": lambda _a, _b: None}, ["no two of the 7 shapes"]),
    ],
)
def test_what_is_refused(options, words):
    refused(lambda: pairs_of(**options), LoadError, *words)


def test_shapes_that_are_none_or_unknown_are_refused():
    refused(lambda: Contacts(["left", 3.0], law=LAW), LoadError, "shapes is", "names")
    one = Contacts(["nothing", "left"], law=LAW)
    refused(lambda: planned(SYSTEM, None, [one], ()), LoadError, "nothing")
    one = Contacts([FLOOR], law=LAW)
    refused(lambda: planned(SYSTEM, None, [one], ()), LoadError, "contacts need two")
    one = Contacts(law=LAW)
    refused(lambda: planned(SYSTEM, None, [one], ()), LoadError, "the system has 0 shapes")


def test_a_pair_without_a_kernel_is_named_unless_it_is_excluded():
    bore = PlacedShape(shapes.Bore(0.3), None, "hole")
    box = SYSTEM.shape("hull", shapes.Capsule(R, 0.2), "belly")
    members = [bore, box, SYSTEM.shape("left_foot", shapes.Cylinder(R, 0.1), "sole"), FLOOR]
    load = Contacts(members, law=LAW)
    words = "Capsule", "Cylinder", "'belly'", "'sole'", "exclude=[('belly', 'sole')]"
    refused(lambda: planned(SYSTEM, None, [load], ()), LoadError, *words)
    load = Contacts(members, law=LAW, exclude=[("belly", "sole")])
    names = [x.label for x, *_ in planned(SYSTEM, None, [load], ()).contact_parts]
    assert names == ["hole-belly", "hole-sole", "belly-floor", "sole-floor"]


# Motions


def cloud(n: int, seed: int, *, size: float = 0.45, speed: float = 2.0):
    """Balls apart from each other above a floor, with random velocities; state and shapes."""
    rng = np.random.default_rng(seed)
    model = ls.Model("cloud", gravity=(0, 0, -3.0))
    for k in range(n):
        model.add(ls.RigidBody(1.0, inertia=(0.004,) * 3), ls.Free(), name=f"b{k}")
    system = model.compile()
    places: list[np.ndarray] = []
    while len(places) < n:
        x = rng.uniform(-size, size, 3)
        x[2] += size + 1.1 * R
        if all(np.linalg.norm(x - y) > 2.1 * R for y in places):
            places.append(x)
    state = system.state()
    q, v = state.q.copy(), state.v.copy()
    for k, x in enumerate(places):
        q[system.layout.hinge_q(k)][-3:] = x
        v[system.layout.hinge_v(k)] = rng.normal(size=6) * np.repeat([3.0, speed], 3)
    balls = [system.shape(f"b{k}", shapes.Sphere(R)) for k in range(n)]
    return system, system.state(q=q, v=v), balls


def last(run: ls.Trajectory):
    state = run.state(run.time[-1])
    return state.q, state.v


def pair_loads(members, law, friction=None):
    return [
        Contact(a, b, law, friction, name=f"c{k}")
        for k, (a, b) in enumerate(combinations(members, 2))
    ]


WAYS = {
    "rk4": {"integrator": "rk4", "step": 0.01, "duration": 0.12},
    "dop853": {"integrator": "dop853", "rtol": 1e-4, "duration": 0.05},
    "generalized_alpha": {"integrator": "generalized_alpha", "step": 0.01, "duration": 0.06},
}


@pytest.mark.parametrize(
    ("way", "margin"),
    [("rk4", None), ("rk4", 0.0), ("rk4", math.inf), ("dop853", None), ("generalized_alpha", 0.0)],
)
def test_balls_move_as_with_a_contact_for_each_pair_to_the_last_bit(way, margin):
    system, state, balls = cloud(3, 5, size=0.2, speed=2.5)
    members = [*balls, shapes.HalfSpace()]
    friction = Friction(0.3, speed=1.0)
    options = {"progress": False, **WAYS[way]}
    one = ls.simulate(
        system,
        state,
        loads=[Contacts(members, law=LAW, friction=friction, margin=margin)],
        **options,
    )
    other = ls.simulate(system, state, loads=pair_loads(members, LAW, friction), **options)
    assert len(other.events) >= 1
    assert [t for t, _ in one.events] == [t for t, _ in other.events]
    assert one.events[0][1].endswith(" touches")
    for a, b in zip(last(one), last(other), strict=True):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("seed", [5, 7])
def test_a_cloud_moves_as_with_all_pairs_looked_at_to_the_last_bit(seed):
    system, state, balls = cloud(8, seed, speed=2.5)
    members, ends = [*balls, shapes.HalfSpace()], []
    for margin in (None, math.inf):
        run = ls.simulate(
            system, state, loads=[Contacts(members, law=LAW, margin=margin)],
            integrator="rk4", step=5e-3, duration=0.06, progress=False,
        )  # fmt: skip
        ends.append((*last(run), run.events))
    assert len(ends[0][2]) >= 1 and ends[0][2] == ends[1][2]
    assert all(a.tobytes() == b.tobytes() for a, b in zip(ends[0][:2], ends[1][:2], strict=True))


def test_more_pairs_than_are_supported_are_refused(monkeypatch):
    monkeypatch.setattr(sets, "MOST_PAIRS", 10)
    refused(pairs_of, LoadError, "7 shapes have 14 pairs", "at most 10", "group")


def test_the_list_holds_the_near_pairs_only_and_all_at_rest():
    system, state, balls = cloud(6, 1, size=1.0)
    load = Contacts([*balls, shapes.HalfSpace()], law=LAW)
    plan = planned(system, None, [load], ())
    machine = at_rest(plan, state)
    assert NearRecord(machine.memory, plan.near).count == len(plan.contacts) == 21
    assert near_parts(plan, machine.memory) == list(range(21))


def test_a_fast_ball_is_not_missed_by_a_short_list():
    model = ls.Model("shot", gravity=(0, 0, 0))
    for k in range(2):
        model.add(ls.RigidBody(1.0), ls.Prismatic("x"), name=f"b{k}")
    system = model.compile()
    balls = [system.shape(f"b{k}", shapes.Sphere(R)) for k in range(2)]
    state = system.state(q=[0.0, 5.0], v=[0.0, -40.0])
    for options in ({"integrator": "rk4", "step": 0.2}, {"integrator": "dop853"}):
        run = ls.simulate(
            system, state, loads=[Contacts(balls, law=LAW, margin=1e-6)], duration=0.4,
            progress=False, **options,
        )  # fmt: skip
        time, name = run.events[0]
        assert name == "b0-b1 touches" and abs(time - (5.0 - 2 * R) / 40.0) < 1e-9
        alone = ls.simulate(
            system, state, loads=pair_loads(balls, LAW), duration=0.4, progress=False, **options
        )
        assert [t for t, _ in run.events] == [t for t, _ in alone.events]
        assert last(run)[1].tobytes() == last(alone)[1].tobytes()


def test_boxes_and_capsules_on_a_floor_touch_with_their_parts():
    model = ls.Model("parts", gravity=(0, 0, -9.81))
    for k in range(2):
        model.add(ls.RigidBody(1.0, inertia=(0.01, 0.01, 0.01)), ls.Free(), name=f"b{k}")
    system = model.compile()
    box = system.shape("b0", shapes.Box((0.2, 0.2, 0.2)))
    capsule = system.shape("b1", shapes.Capsule(0.05, 0.2))
    q = system.state().q.copy()
    q[system.layout.hinge_q(0)][-3:], q[system.layout.hinge_q(1)][-3:] = (0, 0, 0.11), (1, 0, 0.16)
    state = system.state(q=q)
    members = [box, capsule, shapes.HalfSpace()]
    options = {"duration": 0.08, "integrator": "rk4", "step": 2e-3, "progress": False}
    one = ls.simulate(system, state, loads=[Contacts(members, law=LAW)], **options)
    other = ls.simulate(system, state, loads=pair_loads(members, LAW), **options)
    assert {name for _, name in one.events} >= {"b0-ground touches", "b1-ground touches"}
    for a, b in zip(last(one), last(other), strict=True):
        assert np.allclose(a, b, rtol=0, atol=1e-13)


def test_a_set_is_switched_by_its_name():
    system, state, balls = cloud(2, 4, size=0.2)
    load = Contacts([*balls, shapes.HalfSpace()], law=LAW, name="all", on=False)
    run = ls.simulate(system, state, loads=[load], duration=0.5, integrator="rk4", step=0.02,
                      progress=False)  # fmt: skip
    free = ls.simulate(system, state, duration=0.5, integrator="rk4", step=0.02, progress=False)
    assert not run.events
    assert np.array_equal(run.state(0.5).q, free.state(0.5).q)


# Channels


def test_sums_of_a_shape_are_those_of_its_contacts():
    system, state, balls = cloud(3, 5, size=0.2, speed=2.5)
    members = [*balls, PlacedShape(shapes.HalfSpace(), None, "floor")]
    options = {"progress": False, **WAYS["rk4"]}
    friction = Friction(0.3, speed=1.0)
    whole = ls.simulate(
        system, state, loads=[Contacts(members, law=LAW, friction=friction)], **options
    )
    some = Contacts(members, law=LAW, friction=friction, channels=[("b0", "floor")])
    sums = ls.simulate(system, state, loads=[some], **options)
    assert np.array_equal(whole.time, sums.time)
    of_pair, of_sum = (dict(_numbers(run)) for run in (whole, sums))
    assert list(of_pair) == ["b0-b1", "b0-b2", "b0-floor", "b1-b2", "b1-floor", "b2-floor"]
    assert list(of_sum) == ["b0-floor", *(f"{x}.contacts" for x in ("b0", "b1", "b2", "floor"))]
    assert np.array_equal(of_sum["b0-floor"][:, 1:5], of_pair["b0-floor"][:, 1:5])
    total, pressed = 0.0, []
    for name in ("b0", "b1", "b2", "floor"):
        expected, press = 0.0, 0.0
        for label, numbers in of_pair.items():
            a, b = label.split("-")
            if name in (a, b):
                expected = expected + (1.0 if name == a else -1.0) * numbers[:, 2:5]
                press = press + numbers[:, 1]
        summed = of_sum[f"{name}.contacts"]
        assert np.allclose(summed[:, 2:5], expected, atol=1e-9)
        assert np.allclose(summed[:, 1], press, atol=1e-9)
        total = total + summed[:, 2:5]
        pressed.append(np.max(press))
    assert max(pressed) > 1.0
    assert np.allclose(total, 0.0, atol=1e-9)


def _numbers(run: ls.Trajectory):
    """Stored numbers (n, 12) of each contact of one point, those of its first shape."""
    rows = run.store.read("contact")
    for k, (name, *_, swapped) in enumerate(run.store.columns.contacts):
        numbers = rows[:, 12 * k : 12 * (k + 1)].copy()
        if swapped[0]:
            numbers[:, [2, 3, 4, 8, 9, 10]] *= -1.0
        yield name, numbers


def test_the_gap_of_a_far_pair_is_stored():
    system, state, balls = cloud(2, 4, size=2.0, speed=0.0)
    run = ls.simulate(system, state, loads=[Contacts(balls, law=LAW)], duration=0.01, step=0.01,
                      integrator="rk4", progress=False)  # fmt: skip
    places = [state.q[system.layout.hinge_q(k)][-3:] for k in range(2)]
    expected = np.linalg.norm(places[0] - places[1]) - 2 * R
    assert expected > 3 * R and abs(run.store.read("contact")[0, 0] - expected) < 1e-12


def test_few_pairs_have_channels_and_many_have_sums():
    system, _state, balls = cloud(11, 2, size=2.0)
    few, many = (
        planned(system, None, [Contacts([*balls[:n], shapes.HalfSpace()], law=LAW)], ())
        for n in (9, 11)
    )
    assert len(few.columns.contacts) == 45 and not few.totals
    assert len(many.columns.contacts) == 12 and many.n_output == 12 * 12


# Runs that go on


def test_a_run_that_died_goes_on_to_the_same_bits(tmp_path, monkeypatch, small_chunks):
    system, state, balls = cloud(3, 5, size=0.2, speed=2.5)
    load = Contacts([*balls, shapes.HalfSpace()], law=LAW, friction=Friction(0.3, speed=1.0))
    options = {"loads": [load], "progress": False, **WAYS["rk4"]}
    whole = ls.simulate(system, state, **options)
    path = tmp_path / "run.nc"
    with monkeypatch.context() as patch:
        dying(patch, 7)
        with pytest.raises(DeathError):
            ls.simulate(system, state, file=path, **options)
    again = ls.simulate(system, state, resume=path, **options)
    assert again.events == whole.events
    for field in ("time", "q", "v", "force", "wrench"):
        assert again.store.read(field).tobytes() == whole.store.read(field).tobytes()
    other = {**options, "loads": [Contacts(load.shapes, law=HARD)]}
    with monkeypatch.context() as patch:
        dying(patch, 3)
        with pytest.raises(DeathError):
            ls.simulate(system, state, file=tmp_path / "next.nc", **options)
    refused(
        lambda: ls.simulate(system, state, resume=tmp_path / "next.nc", **other), ResultError, "law"
    )
