"""Sets of contacts in implicit steps, events and warnings: as contacts one by one."""

import numpy as np
import pytest

import lissom as ls
from lissom import shapes
from lissom.errors import LoadError
from lissom.sim.loads.contact import Contact, Contacts, Friction, LinearContact, PressureField

LAW, ROUGH = LinearContact(1e5, restitution=0.5), Friction(0.3, speed=0.02)
R = 0.05


def pile(n: int) -> tuple[ls.System, ls.State, list]:
    """Balls above each other and beside, a little turned, above the ground."""
    model = ls.Model("pile", gravity=(0, 0, -9.81))
    for k in range(n):
        model.add(ls.RigidBody.sphere(1.0 + 0.1 * k, R), ls.Free(), name=f"ball{k}")
    system = model.compile()
    rng = np.random.default_rng(2)
    q, v = system.state().q.copy(), np.zeros(system.n_v)
    for k in range(n):
        at = [0.11 * (k % 2), 0.01 * k, 0.052 + 0.101 * (k // 2)]
        q[system.layout.hinge_q(k)][-3:] = at
        v[system.layout.hinge_v(k)] = 0.3 * rng.normal(size=6)
    members = [system.shape(x, shapes.Sphere(R), x) for x in system.names]
    return system, system.state(q, v), [*members, shapes.HalfSpace()]


def one_by_one(members: list, law=LAW, friction=ROUGH) -> list[Contact]:
    n = len(members)
    pairs = [(a, b) for i, a in enumerate(members) for b in members[i + 1 : n]]
    return [Contact(a, b, law, friction) for a, b in pairs]


@pytest.mark.parametrize("n", [2, 6])
@pytest.mark.parametrize("integrator", ["rosenbrock", "generalized_alpha", "implicit_euler"])
def test_implicit_steps_of_a_set_are_those_of_its_contacts(n, integrator):
    """With few balls between bodies there are rows of contacts, with many the rows of slots."""
    system, state, members = pile(n)
    options = {"duration": 0.02, "integrator": integrator, "progress": False, "step": 1e-3}
    one = ls.simulate(system, state, loads=[Contacts(members, law=LAW, friction=ROUGH)], **options)
    other = ls.simulate(system, state, loads=one_by_one(members), **options)
    assert len(one.events) == len(other.events) > 0
    assert np.abs(one.q[-1] - other.q[-1]).max() < (1e-9 if n == 2 else 2e-4)
    assert [x.touch.impulse for x in one.events] == pytest.approx(
        [x.touch.impulse for x in other.events], rel=1e-2, abs=1e-4
    )


def test_an_event_watches_a_contact_of_a_set_by_its_name():
    system, state, members = pile(2)
    stop = ls.Event("ball1-ground", ls.Stop())
    run = ls.simulate(
        system, state, duration=0.1, loads=[Contacts(members, law=LAW)], events=[stop]
    )
    assert "ball1-ground touches" in [x.label for x in run.events]
    assert run.time[-1] < 0.1


def test_the_peak_of_several_points_is_that_of_their_sum():
    """A box that falls flat: four corners, one impact of its whole mass."""
    model = ls.Model("box", gravity=(0, 0, 0))
    model.add(ls.RigidBody.box(2.0, (0.2, 0.2, 0.2)), ls.Prismatic("z"), name="box")
    system = model.compile()
    box = system.shape("box", shapes.Box((0.2, 0.2, 0.2)))
    law, floor = LinearContact(1e5), shapes.HalfSpace()
    for load in (Contact(box, floor, law), Contacts([box, floor], law=law)):
        run = ls.simulate(
            system, system.state([0.101], [-1.0]), duration=0.02, loads=[load],
            integrator="dop853", rtol=1e-9,
        )  # fmt: skip
        left = run.events[-1].touch
        assert left.peak == pytest.approx(np.sqrt(2.0 * 4e5), rel=2e-3)
        assert left.impulse == pytest.approx(4.0, rel=2e-4)


@pytest.mark.parametrize("n", [3, 11])
def test_shapes_of_a_set_that_overlap_at_the_start_are_refused(n):
    system, state, members = pile(n)
    q = state.q.copy()
    q[system.layout.hinge_q(0)][-1] -= 0.02
    deep = system.state(q, state.v)
    with pytest.raises(LoadError, match="overlap by 0.018 m"):
        ls.simulate(system, deep, duration=1e-3, loads=[Contacts(members, law=LAW)])
    loads = [Contacts(members, law=LAW, initially="pressed")]
    assert ls.simulate(system, deep, duration=1e-3, step=1e-3, loads=loads).time[-1] == 1e-3


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"law": PressureField(1e9)}, "PressureField, which sets of contacts do not have"),
        ({"law": LAW, "friction": Friction(0.3, hold=True, load=1.0)}, "hold=True"),
    ],
)
def test_laws_that_sets_do_not_have_are_refused(options, words):
    system, state, members = pile(2)
    with pytest.raises(LoadError, match=words):
        ls.simulate(system, state, duration=1e-3, loads=[Contacts(members, **options)])
