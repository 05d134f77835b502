"""What sits on bodies that bend: moved to nodes by `replace`, warned of where a node was meant."""

import warnings

import numpy as np
import pytest

import lissom as ls

BOOM = ls.beam(2.0, ls.Tube(radius=0.03, thickness=0.002), ls.ALUMINIUM, modes=4)
ROD = ls.RigidBody.rod(3.0, 2.0, com=(1, 0, 0))
BALL = ls.RigidBody.sphere(1.5, 0.1)


def chain(body, to="link", **place):
    model = ls.Model("chain", gravity=(0, 0, -9.81))
    model.add(body, ls.Revolute("y"), name="link")
    model.add(BALL, ls.Revolute("z"), to=to, name="ball", **place)
    return model


def test_a_rigid_link_that_becomes_flexible_carries_at_its_node():
    """As if it had been built so: to the last bit."""
    model = chain(ROD, at=(2.0, 0, 0))
    model.replace("link", BOOM)
    ours, built = model.compile(), chain(BOOM, "link.tip").compile()
    rng = np.random.default_rng(3)
    q, v = rng.normal(size=(2, ours.n_v))
    state = ours.state(q, v)
    assert np.array_equal(ls.mass_matrix(ours, state), ls.mass_matrix(built, built.state(q, v)))
    assert model.parts["ball"].to.node == "tip"


@pytest.mark.parametrize("at", [(2.1, 0.2, -0.1), (1.03, 0, 0.3), (0.01, 0.05, 0)])
def test_the_point_stays_while_nothing_is_bent(at):
    rigid, model = chain(ROD, at=at), chain(ROD, at=at)
    model.replace("link", BOOM)
    rigid, bending = rigid.compile(), model.compile()
    for angle in (0.0, 0.7):
        places = [
            ls.pose(s, s.state(link=angle, ball=0.3), "ball").position for s in (rigid, bending)
        ]
        assert np.allclose(*places, rtol=0, atol=1e-15)


def test_ends_of_loops_move_to_nodes_too():
    model = ls.Model("closed")
    model.add(ROD, ls.Revolute("z"), name="a")
    model.add(ROD, ls.Revolute("z"), at=(1, 0, 0), name="b")
    model.close(ls.Revolute("z"), "a", "b", at_a=(2, 0, 0), at_b=(2, 0, 0), name="pin")
    model.replace("a", BOOM)
    pin = model.loops["pin"]
    assert str(pin.a.part) == "a.tip" and str(pin.b.part) == "b"
    assert np.array_equal(pin.a.at, np.zeros(3)) and np.array_equal(pin.b.at, (2, 0, 0))


def test_what_was_put_on_a_flexible_body_stays():
    model = chain(BOOM, at=(0.5, 0, 0))
    model.replace(
        "link", ls.beam(1.0, ls.Tube(0.03, 0.002), ls.STEEL, bending=1, torsion=0, stretch=0)
    )
    assert model.parts["ball"].to.node is None
    assert np.array_equal(model.parts["ball"].at, (0.5, 0, 0))


def test_a_forgotten_node_is_warned_of():
    with pytest.warns(ls.ModelWarning, match='attach it to "link.tip"') as caught:
        chain(BOOM, at=(2.0, 0, 0)).compile()
    (warning,) = caught
    assert str(warning.message).startswith(
        "body 'ball' is attached to the frame of 'link', at the position"
    )
    assert warning.filename == __file__


@pytest.mark.parametrize(("body", "at"), [(BOOM, (0.3, 0.2, 0)), (ROD, (2, 0, 0)), (BOOM, 0)])
def test_other_places_are_not(body, at):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        chain(body, at=np.zeros(3) + at).compile()
        chain(BOOM, "link.tip").compile()
