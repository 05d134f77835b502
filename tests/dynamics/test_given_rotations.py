"""Rotations as users give them: one reader for all places, checked with SciPy."""

import numpy as np
import pytest
import sympy
from scipy.spatial.transform import Rotation

import lissom as ls
from lissom.bodies.solids import Box
from lissom.spatial.given import given_rotation

AXIS, ANGLE, RPY = np.array([1.0, -2.0, 0.5]), 0.7, (0.3, -1.1, 2.0)
TURN = Rotation.from_rotvec(ANGLE * AXIS / np.linalg.norm(AXIS))
XYZW = TURN.as_quat()
WAYS = {
    "matrix": (TURN.as_matrix(), TURN),
    "lists": (TURN.as_matrix().tolist(), TURN),
    "axis": ({"axis": AXIS, "angle": ANGLE}, TURN),
    "named axis": ({"axis": "y", "angle": -0.4}, Rotation.from_euler("y", -0.4)),
    "rpy": ({"rpy": RPY}, Rotation.from_euler("xyz", RPY)),  # about fixed axes, roll first
    "quaternion": ({"quaternion": XYZW[[3, 0, 1, 2]]}, TURN),
    "scipy": (TURN, TURN),
    "nothing": (None, Rotation.identity()),
}
BODY = ls.RigidBody.box(1.0, (1, 1, 1))


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_rotation_of_scipy(way):
    given, expected = WAYS[way]
    R = given_rotation(given, "it")
    np.testing.assert_allclose(R, expected.as_matrix(), atol=3e-16)
    assert R.flags.c_contiguous


def test_a_symbol_can_be_an_angle():
    a = sympy.Symbol("a")
    for words in ({"axis": "z", "angle": a}, {"rpy": (0, 0, a)}):
        R = given_rotation(words, "it")
        assert sympy.nsimplify(R[0, 0]) == sympy.cos(a)
        assert sympy.nsimplify(R[0, 1]) == -sympy.sin(a)


def placed(given):
    """The rotation that each place that takes one has made of it."""
    model = ls.Model()
    model.add(BODY, ls.Fixed(), name="a", rotation=given)
    model.add(BODY, ls.Free(), name="b")
    model.move("b", to="a", rotation=given)
    model.close(ls.Spherical(), "a", "b", rotation_a=given, rotation_b=given, name="loop")
    model.join(ls.Spherical(), "a", None, rotation_a=given, rotation_b=given, name="join")
    model.frame("f", on="b", rotation=given)
    other = ls.Model()
    other.add(BODY, ls.Fixed(), name="c")
    model.attach(other, rotation=given)
    boom = ls.beam(
        1.0, ls.Tube(radius=0.02, thickness=0.002), ls.STEEL, bending=1, torsion=0, stretch=0
    )
    yield from (model.parts[name].rotation for name in "abc")
    for closing in (model.loops["loop"], model.joins["join"]):
        yield from (closing.a.rotation, closing.b.rotation)
    yield model.frames["f"].end.rotation
    yield Box((1, 1, 1), rotation=given).rotation
    tip = boom.turned(given).positions[boom.names["tip"]]
    np.testing.assert_allclose(tip, TURN.as_matrix()[:, 0], atol=1e-15)


@pytest.mark.parametrize("way", ["axis", "quaternion", "scipy"])
def test_every_place_that_takes_a_rotation_takes_it_in_every_way(way):
    found = list(placed(WAYS[way][0]))
    assert len(found) == 9
    for R in found:
        np.testing.assert_allclose(R, TURN.as_matrix(), atol=3e-16)


WRONG = {
    "four numbers": ((1, 0, 0, 0), '{"quaternion": (w, x, y, z)}, its scalar first'),
    "three numbers": ((0.1, 0.2, 0.3), '{"rpy": (roll, pitch, yaw)} [rad]'),
    "a number": (0.5, "expected a matrix (3, 3)"),
    "text": ("x", "expected a matrix (3, 3)"),
    "stretched": (2 * np.eye(3), "it stretches by 2 to 2"),
    "left-handed": (np.diag([1.0, 1.0, -1.0]), "it is a reflection"),
    "not a number": (np.full((3, 3), np.nan), "not finite"),
    "complex": (1j * np.eye(3), "expected a matrix (3, 3)"),
    "no axis": ({"axis": (0, 0, 0), "angle": 1.0}, "has an axis that is zero"),
    "unknown axis": ({"axis": "w", "angle": 1.0}, '\'w\'; expected "x", "y", "z"'),
    "bad angle": (
        {"axis": "x", "angle": np.inf},
        "has the angle [inf]; its entries must be finite",
    ),
    "angle as text": ({"axis": "x", "angle": "30 deg"}, "'30 deg'; expected one angle [rad]"),
    "two angles": ({"rpy": (1, 2)}, "has the rpy (1, 2); expected three angles [rad]"),
    "bad rpy": ({"rpy": (1, 2, np.nan)}, "its entries must be finite"),
    "long quaternion": ({"quaternion": (2, 0, 0, 0)}, "of length 2; expected length 1"),
    "bad quaternion": ({"quaternion": (np.nan, 0, 0, 0)}, "its entries must be finite"),
    "short quaternion": ({"quaternion": (1, 0, 0)}, "expected four numbers (w, x, y, z)"),
    "other words": ({"euler": (1, 2, 3)}, "has the keys 'euler'"),
    "an axis alone": ({"axis": "x"}, "has the keys 'axis'"),
    "nothing in it": ({}, "has no keys; expected a matrix"),
    "several of SciPy": (Rotation.identity(2), "of shape (2, 3, 3); expected a matrix (3, 3)"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_no_rotation_is_refused_and_named(case):
    given, words = WRONG[case]
    with pytest.raises(ls.ModelError) as raised:
        ls.Model().frame("tool", rotation=given)
    assert str(raised.value).startswith("frame 'tool': rotation ") and words in str(raised.value)
