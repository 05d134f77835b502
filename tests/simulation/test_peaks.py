"""Impulses of locks, peaks of loads after them, and peaks between rows."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from typer.testing import CliRunner

import lissom as ls
from lissom.cli import app
from lissom.results.event_records import EventRecord
from tests.samples.flexible_arms import spacecraft
from tests.tools.measures import random_state

LENGTH, EI, LINE_MASS = 5.0, 2e4, 4.0
AT = 0.01  # of the locks [s]
RISING = "ignore:.*rise with the number of shapes"


def at(time):
    return lambda t, state: t - time


def beam(n, shapes="clamped"):
    section = ls.GeneralSection(1e-3, 2e-7, 2e-7, 4e-7)
    material = ls.Material("sheet", EI / 2e-7, LINE_MASS / 1e-3)
    return ls.beam(
        LENGTH,
        section,
        material,
        bending=(n, 0),
        torsion=0,
        stretch=0,
        shapes=shapes,
        level="linear",
        damping=0.0,
    )


def latched(n, **settings):
    """A beam on a hinge of the ground turns at 0.1 rad/s and is locked."""
    model = ls.Model("latch")
    model.add(beam(n), ls.Revolute("z"), name="boom")
    system = model.compile()
    lock = ls.Event(at(AT), ls.Lock("boom"), name="latch")
    start = system.state(**{"boom.rates": [0.1]})
    return ls.simulate(system, start, **{"duration": 0.02, "events": [lock], **settings})


def gripping(n):
    """A mass of 50 kg that slides along the tip of a cantilever."""
    model = ls.Model("grip")
    model.add(beam(n), ls.Fixed(), name="boom")
    model.add(ls.RigidBody(50.0), ls.Prismatic("y"), to="boom.tip", name="mass")
    return model.compile()


def gripped(n, lock=None, **settings):
    system, lock = gripping(n), ls.Lock("mass") if lock is None else lock
    grip = ls.Event(at(AT), lock, name="grip", once=True)
    start = system.state(**{"mass.rates": [0.1]})
    return ls.simulate(system, start, **{"duration": 0.05, "events": [grip], **settings})


def only(run):
    (impulse,) = run.events[0].impulses
    return impulse


def lost(run):
    """Kinetic energy before the first event less that after it."""
    k = np.flatnonzero(np.diff(run.time) == 0)[0]
    return run.energy.kinetic[k] - run.energy.kinetic[k + 1]


# Impulses


def test_two_particles_that_lock_share_their_momentum():
    m, M, v = 2.0, 3.0, 1.5
    model = ls.Model("pair")
    model.add(ls.RigidBody(M), ls.Prismatic("x"), name="cart")
    model.add(ls.RigidBody(m), ls.Prismatic("x"), to="cart", name="mass")
    system = model.compile()
    start = system.state(**{"cart.rates": [0.4], "mass.rates": [v]})
    lock = ls.Event(at(0.1), ls.Lock("mass"), name="lock")
    run = ls.simulate(system, start, duration=0.2, events=[lock])
    impulse, reduced = only(run), m * M / (m + M)
    assert run.events == [(pytest.approx(0.1), "lock")] and impulse.units == ("N s",)
    np.testing.assert_allclose(impulse.impulse, [-reduced * v], rtol=1e-13)
    np.testing.assert_allclose(impulse.inertia, [[reduced]], rtol=1e-13)
    assert impulse.loss == pytest.approx(reduced * v**2 / 2, rel=1e-13)
    assert impulse.loss == pytest.approx(lost(run), rel=1e-12)
    assert impulse.shares == {} and impulse.share == 0


@pytest.mark.filterwarnings(RISING)
@pytest.mark.parametrize("n, expected", [(1, 4.89), (2, 0.77), (4, 0.103)])
def test_impulse_of_a_hinge_latch_is_the_inertia_that_no_shape_carries(n, expected):
    """Inertia about the hinge less the squares of the moments of momentum of the shapes."""
    b = np.array([1.8751040687, 4.6940911330, 7.8547574382, 10.9955407349])[:n]
    carried = np.sum((2 * np.sqrt(LINE_MASS * LENGTH) * LENGTH / b**2) ** 2)
    closed_form = LINE_MASS * LENGTH**3 / 3 - carried
    assert closed_form == pytest.approx(expected, rel=0.01)
    run = latched(n)
    assert -10 * only(run).impulse[0] == pytest.approx(
        closed_form, abs=0.006
    )  # a beam is particles
    assert only(run).loss == pytest.approx(lost(run), rel=1e-9)


@pytest.mark.filterwarnings("ignore:body .* (turns at|is pulled|is pressed|deflects)", RISING)
@pytest.mark.parametrize("name", ["boom", "hub"])
def test_impulse_is_that_of_a_dense_plastic_impact(name):
    system = spacecraft()
    start = random_state(system, np.random.default_rng(1), speed=0.5)
    names = [x for x, joint in zip(system.names, system.joints, strict=True) if joint.n_v]
    name = name if name in names else names[0]
    lock = ls.Event(at(AT), ls.Lock(name), name="lock")
    run = ls.simulate(system, start, duration=2 * AT, events=[lock])
    k = np.flatnonzero(np.diff(run.time) == 0)[0]
    M = ls.mass_matrix(system, system.state(q=run.q[k], v=run.v[k]))
    E = np.eye(system.n_v)[:, system.layout.hinge_v(name)]
    reduced = np.linalg.inv(E.T @ np.linalg.solve(M, E))
    np.testing.assert_allclose(only(run).inertia, reduced, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(only(run).impulse, -reduced @ E.T @ run.v[k], rtol=1e-9, atol=1e-9)
    assert only(run).loss == pytest.approx(lost(run), rel=1e-9)
    assert len(only(run).units) == len(only(run).impulse)


def test_impulse_beside_a_closed_loop():
    """A slider crank in particles: momentum along the slide gives the impulse of its loop."""
    model = ls.Model("press")
    link = ls.RigidBody.rod(1.0, 1.0, com=(0.5, 0, 0))
    model.add(link, ls.Revolute("z"), name="crank")
    model.add(link, ls.Revolute("z"), to="crank", at=(1, 0, 0), name="rod")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="ram")
    model.close(ls.Revolute("z"), "rod", "ram", at_a=(1, 0, 0), name="pin")
    system = model.compile()
    guess = system.state(crank=0.6, rod=-1.2, **{"crank.rates": 2.0})
    start = ls.assemble(system, guess, held=["crank"])
    lock = ls.Event(at(AT), ls.Lock("crank"), name="lock")
    run = ls.simulate(system, start, duration=2 * AT, events=[lock])
    k = np.flatnonzero(np.diff(run.time) == 0)[0]
    impulse = only(run)
    assert np.abs(run["ram.rates"][k + 1]).max() < 1e-9 < np.abs(run["ram.rates"][k]).max()
    assert impulse.loss == pytest.approx(lost(run), rel=1e-9)
    # the pin alone acts on the ram along its slide
    on_ram = 2.0 * (run["ram.rates"][k + 1, 0] - run["ram.rates"][k, 0])
    loop = system.loops[0]
    sign = 1.0 if system.names[loop.b.body] == "ram" else -1.0
    R = run[f"{system.names[loop.b.body]}.rotation"][k] @ loop.b.rotation
    assert sign * (R @ impulse.loops["pin"][3:])[0] == pytest.approx(on_ram, rel=1e-8)


def test_events_are_pairs_with_impulses_and_can_be_copied():
    import copy
    import pickle

    run = latched(4)
    time, label = run.events[0]
    assert (time, label) == (run.events[0].time, run.events[0].label) == run.events[0]
    for other in (copy.deepcopy(run.events[0]), pickle.loads(pickle.dumps(run.events[0]))):
        assert isinstance(other, EventRecord) and other == run.events[0]
        np.testing.assert_array_equal(other.impulses[0].impulse, only(run).impulse)


# Shapes


@pytest.mark.filterwarnings(RISING)
def test_share_of_the_upper_shapes_falls_for_a_hinge_and_stays_for_a_bare_tip():
    hinge = [only(latched(n)).share for n in (2, 4, 8)]
    tip = [only(gripped(n, duration=0.02)).share for n in (2, 4, 8)]
    assert np.all(np.diff(hinge) < 0) and hinge[1] == pytest.approx(4e-3, rel=0.1)
    assert np.abs(np.array(tip) - 0.5).max() < 0.05


@pytest.mark.filterwarnings(RISING)
def test_shapes_in_another_plane_are_a_series_of_their_own():
    """In-plane shapes are faster than all others, and their lower half is not upper for that."""
    model = ls.Model("sheet")
    strip = ls.beam(2.0, ls.Rectangle(0.5, 0.01), ls.ALUMINIUM, bending=4, torsion=0, stretch=0)
    model.add(strip, ls.Revolute("y"), name="strip")
    model.add(strip, ls.Revolute("z"), name="edge")
    system = model.compile()
    start = system.state(**{"strip.rates": [1.0], "edge.rates": [1.0]})
    locks = [ls.Event(at(AT), [ls.Lock("strip"), ls.Lock("edge")], name="locks")]
    both = ls.simulate(system, start, duration=0.011, events=locks).events[0].impulses
    for impulse, name in zip(both, ("strip", "edge"), strict=True):
        assert impulse.shares[name] < 0.05


def test_a_rod_has_shares_of_its_vibrations():
    rod = ls.rod(LENGTH, ls.Rectangle(0.1, 0.02), ls.ALUMINIUM, bending=(4, 4))
    model = ls.Model("rod")
    model.add(rod, ls.Revolute("z"), name="boom")
    system = model.compile()
    lock = ls.Event(at(1e-3), ls.Lock("boom"), name="latch")
    start = system.state(**{"boom.rates": [0.1]})
    run = ls.simulate(system, start, duration=1.1e-3, events=[lock])
    assert 0 < only(run).shares["boom"] < 0.05


# Marks


@pytest.fixture(scope="module")
def marked(tmp_path_factory):
    """A run whose peaks rise, and its file."""
    with pytest.warns(ls.SimulationWarning, match="rise with the number of shapes"):
        run = gripped(2)
    path = tmp_path_factory.mktemp("peaks") / "grip.nc"
    run.save(path)
    return run, path


def test_peaks_after_a_grip_are_marked(marked):
    run, _ = marked
    envelope = run.envelope("boom.reaction", "mass.reaction", "boom.tip.position")
    force = envelope["mass.reaction.force_y"]
    assert "rises with the number of shapes" in (force.largest_mark or force.smallest_mark)
    assert not envelope["boom.tip.position.y"].largest_mark
    text = repr(envelope)
    assert "* rises with the number of shapes" in text and f"{force.smallest:.5g}*" in text
    assert "Lock('mass', stiffness=...)" in " ".join(text.split())
    assert "grip" in envelope._repr_html_() and "*" in envelope._repr_html_()


def test_peaks_before_the_event_are_not_marked(marked):
    run, _ = marked
    rows = run.sample(run.time[run.time < 0.009])
    assert all(not x.largest_mark and not x.smallest_mark for x in rows.envelope("boom.reaction"))


def test_peaks_after_a_hinge_latch_are_not_marked():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = latched(4)
        assert run.peak_notes() == []
        assert not any(x.largest_mark or x.smallest_mark for x in run.envelope())


def test_marks_stay_with_the_file(marked, tmp_path):
    run, path = marked
    again = ls.Trajectory.load(path)
    assert again.peak_notes() == run.peak_notes() != []
    assert repr(again.envelope()) == repr(run.envelope())
    again.save(tmp_path / "other.npz")
    assert ls.Trajectory.load(tmp_path / "other.npz").peak_notes() == run.peak_notes()


def test_marks_in_tables_and_plots(marked, tmp_path):
    run, _ = marked
    run.envelope("mass.reaction").save(tmp_path / "envelope.csv")
    assert "rises with the number of shapes" in (tmp_path / "envelope.csv").read_text()
    run.load_table(tmp_path / "loads.csv", "mass.reaction")
    first = (tmp_path / "loads.csv").read_text().splitlines()[:4]
    assert any("rise with the number of shapes" in x for x in first if x.startswith("#"))
    figure = run.plot("mass.reaction", "boom.tip.position")
    titles = [axes.get_title() for axes in figure.axes]
    assert all("rises with the number" in x for x in titles if "reaction" in x)
    assert not any("rises with the number" in x for x in titles if "position" in x)
    assert "rise" in run.to_xarray("mass.reaction")["mass.reaction"].attrs["note"]


def test_marks_on_the_command_line(marked):
    _, path = marked
    said = CliRunner().invoke(app, ["loads", str(path), "mass.reaction"])
    assert said.exit_code == 0 and "* rises with the number of shapes" in said.output


@pytest.mark.filterwarnings("error")
def test_marks_reach_batches_steppers_and_sweeps():
    system = gripping(2)
    start = system.state(**{"mass.rates": [1.0]})
    grip = [ls.Event(at(AT), ls.Lock("mass"), name="grip")]
    with pytest.warns(ls.SimulationWarning, match="2 of 2 runs.*rise with the number"):
        runs = ls.simulate_batch(system, [start, start], duration=0.02, events=grip)
    assert all(run.peak_notes("mass.reaction") for run in runs)
    stepper = ls.Stepper(system, start, step=1e-3, events=grip)
    with pytest.warns(ls.SimulationWarning, match="rise with the number"):
        for _ in range(12):
            stepper.step()
    assert stepper.events[0].impulses[0].share > 0.4

    def run(system, speed):
        state = system.state(**{"mass.rates": [speed]})
        there = ls.simulate(system, state, duration=0.02, events=grip)
        return {"peak": float(np.abs(there["mass.reaction.force_y"]).max())}

    with pytest.warns(ls.SimulationWarning, match="rise with the number"):
        study = ls.sweep(lambda: system, {"speed": [0.5, 1.0]}, run)
    assert all("rise with the number" in x for x in study["warning"].values.ravel())


def test_a_shock_of_rigid_bodies_is_in_no_force_and_the_table_says_so():
    model = ls.Model("door")
    model.add(ls.RigidBody.rod(3.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("z"), name="door")
    system = model.compile()
    lock = ls.Event("door", ls.Lock("door"), value=0.5, name="latch")
    start = system.state(**{"door.rates": [1.0]})
    run = ls.simulate(system, start, duration=1.0, events=[lock])
    (note,) = run.peak_notes()
    assert "impulse of 1 N m s" in note and "0.5 J" in note and "no force here contains it" in note
    assert "no force here contains it" in " ".join(repr(run.envelope()).split())
    soft = ls.Event("door", ls.Lock("door", stiffness=100.0), value=0.5, name="latch", once=True)
    run = ls.simulate(system, start, duration=1.0, events=[soft])
    assert run.peak_notes() == []  # the remedy of the note
    assert np.abs(run["door.force"]).max() == pytest.approx(np.sqrt(100.0), rel=1e-3)


# Rows


def test_rows_sparser_than_steps_are_told():
    """Rows every 10 ms show 2/3 of the force that the run has, and say so; all rows have it."""
    lock = ls.Lock("mass", stiffness=1e6)
    with pytest.warns(ls.SimulationWarning, match="change with the number of shapes"):
        sparse = gripped(4, lock, duration=0.08, output_step=0.01)
        every = gripped(4, lock, duration=0.08)
    names = ("boom.reaction", "mass.reaction")
    size = np.abs(every["mass.reaction.force_y"]).max()
    seen = sparse.envelope(*names)["mass.reaction.force_y"]
    assert max(seen.largest, -seen.smallest) < 0.9 * size
    assert "may be higher between rows" in seen.largest_mark
    assert "without output_step" in " ".join(repr(sparse.envelope(*names)).split())
    there = every.envelope(*names)["mass.reaction.force_y"]
    assert "between rows" not in there.largest_mark
    assert max(there.largest, -there.smallest) == size


def test_extremes_between_rows_that_show_the_motion_are_found():
    """A pendulum with nine rows in a swing: its largest pull lies between two of them."""
    model = ls.Model("pendulum", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(2.0, com=(0, 0, -1)), ls.Revolute("y"), name="bob")
    system = model.compile()
    start = system.state(bob=1.0)
    run = ls.simulate(system, start, duration=1.9, output_step=0.211, rtol=1e-11)
    pull = run.envelope("bob.reaction")["bob.reaction.force_z"]
    exact = 2.0 * 9.81 * (3 - 2 * np.cos(1.0))
    assert np.abs(run["bob.reaction.force_z"]).max() < 0.99 * exact
    assert pull.largest == pytest.approx(exact, rel=6e-3)
    assert pull.largest_mark == ""


def slider(mass=2.0):
    model = ls.Model("slider")
    model.add(ls.RigidBody(mass), ls.Prismatic("x"), name="mass")
    return model.compile()


def hits_a_stop(k=1e7, **settings):
    """A contact of 1.4 ms between two rows: rows see the speed turn round, and no force."""
    stop = ls.JointStop("mass", -1.0, 0.3043, stiffness=k)
    system = slider()
    start = system.state(**{"mass.rates": [1.0]})
    return ls.simulate(system, start, duration=0.6, loads=[stop], **settings), np.sqrt(2.0 * k)


def swings_in_whole_periods(k=2.0 * (200 * np.pi) ** 2, **settings):
    """100 Hz: each row sees the mass in the middle."""
    spring = ls.JointSpring("mass", k)
    system = slider()
    start = system.state(**{"mass.rates": [1.0]})
    return ls.simulate(system, start, duration=0.2, loads=[spring], **settings), np.sqrt(2.0 * k)


def is_caught_in_flight(w=100 * np.pi, ratio=0.05, **settings):
    """50 Hz for a while, after a long way without a force: there are fewer steps than rows."""
    lock = ls.Lock("mass", stiffness=2.0 * w**2, damping=2 * ratio * 2.0 * w)
    latch = [ls.Event(at(10.003), lock, name="latch", once=True)]
    root = np.sqrt(1 - ratio**2)
    # largest k x + c v, where its rate is zero
    turn = np.arctan2(root * (1 - 4 * ratio**2), ratio * (3 - 4 * ratio**2)) / root
    push = np.exp(-ratio * turn) * (
        np.sin(root * turn) / root * (1 - 2 * ratio**2) + 2 * ratio * np.cos(root * turn)
    )
    system = slider()
    start = system.state(**{"mass.rates": [1.0]})
    run = ls.simulate(system, start, duration=20.0, events=latch, **settings)
    return run, 2.0 * w * push


COARSE = [hits_a_stop, swings_in_whole_periods, is_caught_in_flight]


@pytest.mark.parametrize("case", COARSE)
def test_rows_that_miss_a_peak_are_told_wherever_it_is_read(case, tmp_path):
    run, peak = case(output_step=0.01)
    assert np.abs(run["mass.force"]).max() < 0.75 * peak
    run.save(tmp_path / "run.nc")
    for one in (run, ls.Trajectory.load(tmp_path / "run.nc")):
        (force,) = one.envelope("mass.force")
        assert "between rows" in force.largest_mark and "between rows" in force.smallest_mark
        assert "'mass.force' may change faster" in one.peak_notes("mass.force")[-1]
        assert any("mass.reaction" in x for x in one.peak_notes())  # one of the usual loads
        note = one.to_xarray("mass.force")["mass.force"].attrs["note"]
        assert "peaks between rows may be higher" in note
    run.load_table(tmp_path / "loads.csv", "mass.force")
    assert "# rows are 0.01 s apart" in (tmp_path / "loads.csv").read_text()
    run.envelope("mass.force").save(tmp_path / "envelope.csv")
    assert "may be higher between rows" in (tmp_path / "envelope.csv").read_text()
    for command in ("loads", "table"):
        words = [command, str(tmp_path / "run.nc"), "mass.force"]
        words += ["-o", str(tmp_path / "x.csv")] if command == "table" else []
        said = " ".join(CliRunner().invoke(app, words).output.split())
        assert "peaks between rows may be higher. A run without output_step has them" in said
    assert run.peak_notes("mass.slide") == []


@pytest.mark.parametrize("case", COARSE)
def test_without_an_output_step_there_is_the_peak_and_no_mark(case):
    """The remedy of the note, against closed forms."""
    run, peak = case()
    (force,) = run.envelope("mass.force")
    assert max(force.largest, -force.smallest) == pytest.approx(peak, rel=0.01)
    assert (force.largest_mark, force.smallest_mark) == ("", "")
    assert run.peak_notes("mass.force") == []


def test_rows_that_show_the_motion_have_no_mark():
    """25 rows in a period: forces are linear between them."""
    run, peak = swings_in_whole_periods(output_step=0.01 / 25)
    (force,) = run.envelope("mass.force")
    assert (force.largest_mark, force.smallest_mark) == ("", "")
    assert max(force.largest, -force.smallest) == pytest.approx(peak, rel=0.01)


def test_peaks_that_a_study_takes_of_rows_are_told(tmp_path):
    model = ls.Model("slider")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="mass")
    path = tmp_path / "slider.toml"
    loads = [ls.JointStop("mass", -1.0, 0.3043, stiffness=1e7)]
    start = {"mass.rates": [1.0]}
    system = model.compile()
    settings = {"duration": 0.6, "loads": loads, "state": system.state(**start)}
    model.save(path, simulation=settings | {"output_step": 0.01})
    study = """
[sweep.parameters]
"bodies.mass.mass" = ["2 kg", "3 kg"]
[sweep.outputs]
peak = { channel = "mass.force", reduce = "peak" }
last = { channel = "mass.slide", reduce = "final" }
"""
    path.write_text(path.read_text() + study)
    with pytest.warns(ls.SimulationWarning, match="peaks between rows may be higher"):
        dataset = ls.load_sweep(path).sweep()
    assert all("taken over rows" in x for x in dataset["warning"].values.ravel())
    assert np.all(dataset["peak"].values < 1.0)  # of v sqrt(k m), 4472 N


# Locks with a stiffness


@pytest.mark.parametrize(
    "integrator, settings, error",
    [
        ("dop853", {"rtol": 1e-10}, 1e-8),
        ("rk4", {"step": 1e-3}, 1e-6),
        ("rosenbrock", {"rtol": 1e-8}, 1e-4),
        ("generalized_alpha", {"step": 1e-3}, 1e-2),
    ],
)
def test_a_mass_on_a_closing_spring_oscillates_about_where_it_was_caught(
    integrator, settings, error
):
    m, k, v = 2.0, 200.0, 3.0
    model = ls.Model("mass")
    model.add(ls.RigidBody(m), ls.Prismatic("x"), name="mass")
    system = model.compile()
    lock = ls.Event("mass", ls.Lock("mass", stiffness=k), value=0.3, once=True, name="latch")
    start = system.state(**{"mass.rates": [v]})
    run = ls.simulate(system, start, duration=1.0, events=[lock], integrator=integrator, **settings)
    t, w = run.time[run.time > 0.1] - 0.1, np.sqrt(k / m)
    assert run.events[0].time == pytest.approx(0.1, abs=1e-6)
    expected = 0.3 + v / w * np.sin(w * t)
    assert np.abs(run["mass.slide"][run.time > 0.1] - expected).max() < error
    assert only(run).impulse[0] == 0 and only(run).rate == pytest.approx(w, rel=1e-12)
    peak = run.envelope("mass.force")["mass.force.slide"]
    assert -peak.smallest == pytest.approx(v * np.sqrt(k * m), rel=max(1e-3, error))


def test_damping_of_a_lock_lowers_its_peak():
    """Largest spring and damper force v sqrt(k m) exp(-z/sqrt(1 - z^2) acos z), of ratio z."""
    m, k, v, z = 2.0, 200.0, 3.0, 0.2
    model = ls.Model("mass")
    model.add(ls.RigidBody(m), ls.Prismatic("x"), name="mass")
    system = model.compile()
    lock = ls.Lock("mass", stiffness=k, damping=2 * z * np.sqrt(k * m))
    event = ls.Event("mass", lock, value=0.3, once=True, name="latch")
    start = system.state(**{"mass.rates": [v]})
    run = ls.simulate(system, start, duration=1.0, events=[event], max_step=2e-3)
    after = run["mass.slide"][run.time > 0.1] - 0.3
    expected = v / np.sqrt(k / m) * np.exp(-z / np.sqrt(1 - z**2) * np.arccos(z))
    assert after.max() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("joint, size", [(ls.Spherical(), 3), (ls.Free(), 6)])
def test_a_closing_spring_on_a_pose_keeps_the_energy(joint, size):
    """About a turned and shifted pose: kinetic energy and that of the spring, in any direction."""
    rng = np.random.default_rng(0)
    model = ls.Model("body")
    model.add(ls.RigidBody(2.0, (0.1, 0, 0.2), (0.3, 0.4, 0.5)), joint, name="body")
    system = model.compile()
    turn = rng.normal(size=4)
    pose = [*(turn / np.linalg.norm(turn)), *([0.3, -0.2, 0.5] if size == 6 else [])]
    stiffness = (20.0, 60.0) if size == 6 else 20.0
    lock = ls.Event(at(0.2), ls.Lock("body", stiffness=stiffness), name="dock", once=True)
    start = system.state(**{"body": pose, "body.rates": rng.normal(size=size)})
    run = ls.simulate(system, start, duration=2.0, events=[lock], rtol=1e-10)
    k = np.flatnonzero(np.diff(run.time) == 0)[0]
    R = run["body.rotation"]
    relative = np.einsum("ji,njk->nik", R[k], R)
    angle = np.arccos(np.clip((np.trace(relative, axis1=1, axis2=2) - 1) / 2, -1, 1))
    stored = 20.0 * angle**2 / 2
    if size == 6:
        shift = run["body.position"] - run["body.position"][k]
        stored = stored + 60.0 * np.sum(shift**2, axis=1) / 2
    total = run.energy.kinetic[k + 1 :] + stored[k + 1 :]
    assert np.ptp(total) < 1e-7 * total[0] and stored.max() > 0.3 * total[0]


def test_a_released_latch_lets_go_and_closes_again_elsewhere():
    model = ls.Model("mass")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="mass")
    system = model.compile()
    lock = ls.Lock("mass", stiffness=200.0)
    events = [
        ls.Event(at(0.1), lock, name="first"),
        ls.Event(at(0.1 + np.pi / 10), ls.Release("mass"), name="release"),
        ls.Event(at(1.0), lock, name="second"),
    ]
    start = system.state(**{"mass.rates": [3.0]})
    run = ls.simulate(system, start, duration=1.0 + np.pi / 20, events=events, rtol=1e-10)
    released = 0.3  # it comes back there at -3 m/s, after half a period
    free = (run.time > 0.42) & (run.time < 1.0)
    expected = released - 3.0 * (run.time[free] - 0.1 - np.pi / 10)
    assert np.abs(run["mass.slide"][free] - expected).max() < 1e-8
    where = released - 3.0 * (0.9 - np.pi / 10)
    assert run["mass.slide"][-1, 0] if run["mass.slide"].ndim > 1 else True
    assert run.state(run.time[-1]).q[0] == pytest.approx(where - 0.3, abs=1e-7)
    assert np.abs(run["mass.force"][free]).max() == 0


@pytest.mark.filterwarnings(RISING, "ignore:.*change with the number of shapes")
def test_peak_on_a_closing_spring_converges_with_the_number_of_shapes():
    """v sqrt(k m) bounds it; the rigid grip has 136, 226, 390 N for 1, 2, 4 shapes."""
    soft, rigid = (
        [
            np.abs(gripped(n, ls.Lock("mass", **how), duration=0.9)["mass.reaction.force_y"]).max()
            for n in (2, 4)
        ]
        for how in ({"stiffness": 1e3}, {})
    )
    assert abs(soft[1] / soft[0] - 1) < 0.02
    assert rigid[1] / rigid[0] > 1.6
    assert only(gripped(4, ls.Lock("mass", stiffness=1e3))).share < 0.02
    assert only(gripped(4, ls.Lock("mass", stiffness=1e8))).share > 0.3  # as good as rigid


def test_a_stepper_closes_a_latch_as_a_run_does():
    model = ls.Model("arm", gravity=(0, 0, -9.81))
    model.add(ls.RigidBody(2.0, com=(0, 0, -1)), ls.Revolute("y"), name="arm")
    system = model.compile()
    lock = ls.Lock("arm", stiffness=300.0, damping=2.0)
    events = [ls.Event("arm", lock, value=0.4, once=True, name="latch")]
    start = system.state(arm=0.9)
    stepper = ls.Stepper(system, start, step=1e-3, events=events, integrator="rk4")
    for k in range(1200):
        stepper.step([0.0])  # pushed forces act beside the latch
        if k == 900:
            stepper = stepper.copy()
    run = ls.simulate(system, start, duration=1.2, step=1e-3, events=events, integrator="rk4")
    assert len(stepper.events) == 1
    np.testing.assert_allclose(stepper.q, run.q[-1], rtol=0, atol=1e-13)
    pushed = ls.Stepper(system, start, step=1e-3, events=events, integrator="rk4")
    for _ in range(10):
        pushed.step([5.0])
    assert pushed["arm.force"][0] == pytest.approx(5.0)


def test_each_run_of_a_batch_closes_its_latch_where_it_is():
    model = ls.Model("mass")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="mass")
    system, speeds = model.compile(), np.array([1.0, 2.0, 3.0])
    lock = ls.Event(at(0.1), ls.Lock("mass", stiffness=200.0), name="latch")
    starts = [system.state(**{"mass.rates": [v]}) for v in speeds]
    runs = ls.simulate_batch(system, starts, duration=1.0, events=[lock], rtol=1e-10)
    ends = [run.q[-1, 0] for run in runs]
    expected = 0.1 * speeds + speeds / 10 * np.sin(10 * 0.9)
    np.testing.assert_allclose(ends, expected, atol=1e-9)


def test_an_interrupted_run_goes_on_with_its_latch(tmp_path):
    model = ls.Model("mass")
    model.add(ls.RigidBody(2.0), ls.Prismatic("x"), name="mass")
    system = model.compile()
    start = system.state(**{"mass.rates": [3.0]})
    calls = []

    def brake(t):
        calls.append(t)
        if t > 0.5 and len(calls) > 0 and brake.fails:
            raise RuntimeError("a fault")
        return 0.0

    lock = ls.Event("mass", ls.Lock("mass", stiffness=200.0), value=0.3, once=True, name="latch")
    settings = {
        "duration": 1.0, "step": 1e-3, "events": [lock], "integrator": "rk4",
        "loads": [ls.Actuator("mass", brake)],
    }  # fmt: skip
    brake.fails = True
    with pytest.raises(ls.SimulationError):
        ls.simulate(system, start, file=tmp_path / "a.nc", **settings)
    part = ls.Trajectory.load(tmp_path / "a.nc.part")
    assert only(part).rate == pytest.approx(10.0)
    brake.fails = False
    resumed = ls.simulate(system, start, resume=tmp_path / "a.nc", **settings)
    whole = ls.simulate(system, start, **settings)
    assert np.array_equal(resumed.q, whole.q)
    assert only(resumed).plain() == only(whole).plain()


def test_locks_in_model_files(tmp_path):
    model = ls.Model("arm")
    model.add(ls.RigidBody.rod(2.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("z"), name="arm")
    path = tmp_path / "arm.toml"
    lock = ls.Lock("arm", stiffness=[50.0], damping=0.5)
    events = [ls.Event("arm", lock, value=0.2, once=True, name="latch")]
    system = model.compile()
    start = system.state(**{"arm.rates": [1.0]})
    model.save(path, simulation={"duration": 1.0, "events": events, "state": start})
    again = ls.load_run(path)
    (event,) = again.settings["events"]
    (action,) = event.actions
    assert (np.ravel(action.stiffness), action.damping) == ([50.0], 0.5)
    text = path.read_text().replace("50.0", '"50 N/m"')
    path.write_text(text)
    with pytest.raises(ls.ModelFileError, match="stiffness"):
        ls.load_run(path)


@pytest.mark.parametrize(
    "lock, words",
    [
        (lambda: ls.Lock("arm", stiffness=-1.0), "stiffness is -1.0"),
        (lambda: ls.Lock("arm", stiffness=0.0), "stiffness is zero"),
        (lambda: ls.Lock("arm", damping=1.0), "without a stiffness"),
        (lambda: ls.Lock("arm", stiffness="stiff"), "stiffness is 'stiff'"),
    ],
)
def test_errors_of_locks_say_what_is_wrong(lock, words):
    with pytest.raises(ls.LoadError, match=words):
        lock()


def test_a_stiffness_of_the_wrong_size_names_the_event():
    model = ls.Model("arm")
    model.add(ls.RigidBody.rod(2.0, 1.0, com=(0.5, 0, 0)), ls.Revolute("z"), name="arm")
    lock = ls.Event(at(0.1), ls.Lock("arm", stiffness=[1.0, 2.0]), name="latch")
    with pytest.raises(ls.LoadError, match="event 'latch': stiffness of the lock"):
        ls.simulate(model.compile(), duration=0.2, events=[lock])


def test_facts_of_a_run_have_its_impulses(marked):
    from lissom.cli.texts import run_facts, run_text

    run, _ = marked
    facts = json.loads(json.dumps(run_facts(run)))
    assert facts["events"][0]["impulses"][0]["joint"] == "mass" and facts["notes"]
    assert "lock of 'mass': impulse" in run_text(run)
