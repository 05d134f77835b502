"""Channels of contacts: what a run tells about gaps, forces, points and slip."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
import scipy.io

import lissom as ls
from lissom import shapes
from lissom.errors import LoadError, StateError
from lissom.sim.loads.contact import Contact, Friction, Hertz, LinearContact
from tests.samples.contacts import LOSSY, MASS, RADIUS, barbell, falling_ball, ground_contact

FREE = falling_ball(joint=ls.Free())
STATE = FREE.state(ball=[1, 0, 0, 0, 0, 0, RADIUS + 1e-3])
STATE = ls.State(FREE, STATE.q, np.array([0, 3.0, 0, 0.3, 0, -1.0]))
KEYS = ("gap", "normal_force", "force", "point", "slip", "slip_speed", "patch")


def sliding(**options):
    contact = ground_contact(FREE, LinearContact(1e5), Friction(0.3, speed=0.05), **options)
    settings = {"integrator": "rk4", "step": 2e-5, "duration": 0.003, "progress": False}
    return ls.simulate(FREE, STATE, loads=[contact], **settings)


RUN = sliding()


def test_the_channels_are_those_of_a_sphere_on_a_plane():
    z, force = RUN["ball.position"][:, 2], RUN["foot.normal_force"]
    np.testing.assert_allclose(RUN["foot.gap"], z - RADIUS, atol=1e-15)
    np.testing.assert_allclose(force, 1e5 * np.maximum(RADIUS - z, 0), atol=1e-9)
    assert force.max() > 30
    np.testing.assert_allclose(RUN["foot.force"][:, 2], force, atol=1e-12)
    np.testing.assert_allclose(RUN["foot.point"][:, :2], RUN["ball.position"][:, :2], atol=1e-15)
    np.testing.assert_allclose(RUN["foot.point"][:, 2], (z - RADIUS) / 2, atol=1e-15)
    np.testing.assert_allclose(RUN["foot.patch"] ** 2, np.maximum(RADIUS - z, 0) * RADIUS)


def test_slip_is_the_speed_of_the_ball_at_the_point():
    velocity, spin = RUN["ball.velocity"], RUN["ball.angular_velocity"]
    arm = RUN["foot.point"] - RUN["ball.position"]
    slip = velocity + np.cross(spin, arm)
    slip[:, 2] = 0.0
    np.testing.assert_allclose(RUN["foot.slip"], slip, atol=1e-14)
    np.testing.assert_allclose(RUN["foot.slip_speed"], np.linalg.norm(slip, axis=1))


def test_the_force_of_the_contact_moves_the_ball():
    np.testing.assert_allclose(MASS * RUN["ball.acceleration"], RUN["foot.force"], atol=1e-9)


def test_force_and_slip_belong_to_the_first_shape():
    other = sliding(swapped=True)
    for key in KEYS:
        sign = -1.0 if key in ("force", "slip") else 1.0
        np.testing.assert_array_equal(other[f"foot.{key}"], sign * RUN[f"foot.{key}"])


def test_several_points_act_at_their_mean_by_force():
    system, capsule = barbell()
    ground = shapes.HalfSpace()
    contact = Contact(capsule, ground, Hertz(stiffness=1e6), name="foot", initially="pressed")
    state = system.state(rod=[0.0, 0.005 - 2e-4, 2e-3])
    run = ls.simulate(system, state, duration=1e-6, loads=[contact], progress=False)
    depths = 2e-4 + np.array([1.0, -1.0]) * 0.05 * np.sin(2e-3)
    presses = 1e6 * np.maximum(depths, 0) ** 1.5
    assert run["foot.normal_force"][0] == pytest.approx(presses.sum())
    assert run["foot.gap"][0] == pytest.approx(-depths.max())
    x = presses @ [-0.05, 0.05] / presses.sum()
    assert run["foot.point"][0, 0] == pytest.approx(x * np.cos(2e-3), rel=1e-3)


def test_far_shapes_have_their_true_gap_and_points():
    ball = FREE.shape("ball", shapes.Sphere(RADIUS))
    rod = shapes.Capsule(0.01, 1.0, rotation={"rpy": (0, np.pi / 2, 0)})
    contact = Contact(ball, rod, LinearContact(1e5), name="foot")
    at = FREE.state(ball=[1, 0, 0, 0, 0.45, 0.0, 3.0])
    run = ls.simulate(FREE, at, duration=1e-3, loads=[contact], progress=False)
    np.testing.assert_allclose(run["foot.gap"], 3.0 - RADIUS - 0.01, rtol=1e-14)
    np.testing.assert_allclose(run["foot.point"][0], [0.45, 0, 0.01 + (2.98) / 2], rtol=1e-14)


def test_a_contact_that_is_off_has_a_gap_and_no_force():
    run = ls.simulate(
        FREE,
        STATE,
        duration=0.003,
        loads=[ground_contact(FREE, LOSSY, on=False)],
        progress=False,
    )
    np.testing.assert_allclose(run["foot.gap"], run["ball.position"][:, 2] - RADIUS, atol=1e-15)
    assert run["foot.gap"].min() < -1e-3 and not run["foot.normal_force"].any() and not run.events


def test_channels_are_listed_and_read_by_component():
    assert list(RUN.channels("foot")) == [f"foot.{key}" for key in KEYS]
    assert RUN.channels()["foot.force"].units == ("N",) * 3
    np.testing.assert_array_equal(RUN["foot.force.x"], RUN["foot.force"][:, 0])
    assert {"foot.gap", "foot.normal_force"} <= set(RUN.to_xarray().data_vars)
    assert "foot.force.z" in [one.name for one in RUN.envelope()]
    assert list(RUN.to_pandas("foot.slip").columns) == ["foot.slip.x", "foot.slip.y", "foot.slip.z"]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("foot", "give one of its quantities, such as 'foot.gap'"),
        ("foot.gp", "contact 'foot' has no 'gp'; did you mean 'gap'"),
        ("fot.gap", "no body or contact 'fot'; did you mean 'foot'"),
        ("foot.force.w", "no component 'w'"),
    ],
)
def test_wrong_names_get_suggestions(name, words):
    with pytest.raises(StateError, match=words):
        RUN[name]
    assert name not in RUN


@pytest.mark.parametrize("suffix", [".nc", ".npz"])
def test_files_keep_the_channels(tmp_path, suffix):
    RUN.save(path := tmp_path / f"run{suffix}")
    loaded = ls.Trajectory.load(path)
    for key in KEYS:
        np.testing.assert_array_equal(loaded[f"foot.{key}"], RUN[f"foot.{key}"])


def test_other_programs_find_the_numbers_by_name(tmp_path):
    for suffix in (".nc", ".mat", ".csv"):
        RUN.save(tmp_path / f"run{suffix}")
    with h5py.File(tmp_path / "run.nc") as file:
        names = [b"".join(x).decode() for x in file["contact_name"][:]]
        units = [b"".join(x).decode().strip("\0") for x in file["contact_unit"][:]]
        rows = file["contact"][:]
    k = [name.strip("\0") for name in names].index("foot.normal_force")
    assert units[k] == "N"
    np.testing.assert_array_equal(rows[:, k], RUN["foot.normal_force"])
    matlab = scipy.io.loadmat(tmp_path / "run.mat", simplify_cells=True)
    assert matlab["names"]["contact"][k] == "foot.normal_force"
    heading = (tmp_path / "run.csv").read_text().splitlines()[0]
    assert "contact foot.normal_force [N]" in heading


def test_forces_between_rows_are_marked():
    contact = ground_contact(FREE, Hertz(stiffness=1e9))
    settings = {"duration": 0.004, "output_step": 5e-4, "integrator": "dopri5", "progress": False}
    run = ls.simulate(FREE, STATE, loads=[contact], **settings)
    assert "higher between rows" in run.envelope("foot.normal_force")[0].largest_mark


@pytest.mark.parametrize("name", ["ball", "ball.tip"])
def test_a_contact_with_the_name_of_a_body_is_refused(name):
    with pytest.raises(LoadError, match="'ball' is a body of the system.*another name"):
        sliding(name=name)


def test_contacts_without_names_are_told_apart():
    same = [ground_contact(FREE, LOSSY, name="") for _ in range(2)]
    run = ls.simulate(FREE, STATE, duration=1e-4, loads=same, progress=False)
    label = "Contact on 'Sphere of ball and HalfSpace'"
    np.testing.assert_array_equal(run[f"{label}.gap"], run[f"{label} (2).gap"])
