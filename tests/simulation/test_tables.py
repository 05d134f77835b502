"""Tables between their points: monotone curves, motions from rest to rest, overshoot."""

import warnings

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

import lissom as ls
from tests.samples.mechanisms import sled

TIMES = np.array([0.0, 0.3, 0.4, 1.0, 1.1, 2.0, 2.7])
VALUES = np.array([0.0, 0.0, 2.0, 2.0, 1.5, 1.4, 3.0])


SLED = sled()


def at(table, t, order=0):
    """Value or derivative of a table, from its coefficients."""
    pieces = table.pieces()
    k = np.clip(np.searchsorted(table.times, t, side="right") - 1, 0, len(pieces) - 1)
    p = [np.polyder(np.poly1d(pieces[i, 0]), order) for i in range(len(pieces))]
    return np.array([p[i](x - table.times[i]) for i, x in zip(k, t, strict=True)])


def test_a_monotone_table_is_the_curve_of_fritsch_and_butland():
    t, rng = np.linspace(0, 2.7, 500), np.random.default_rng(0)
    for values in (VALUES, *rng.normal(size=(20, 7))):
        table, other = ls.Table(TIMES, values, "monotone"), PchipInterpolator(TIMES, values)
        for order in (0, 1, 2):
            assert np.allclose(at(table, t, order), other(t, order), rtol=1e-10, atol=1e-10)


def test_a_monotone_table_of_two_points_is_a_line_and_a_clamped_one_starts_and_ends_at_rest():
    assert np.allclose(ls.Table([0, 2], [1, 5], "monotone").end_slopes(), 2.0)
    clamped = ls.Table(TIMES, VALUES, "monotone", clamped=True)
    assert np.abs(clamped.end_slopes()).max() < 1e-12
    t = np.linspace(0, 2.7, 2000)
    assert at(clamped, t).min() >= 0.0 and at(clamped, t).max() <= 3.0


def test_a_table_of_rests_stands_still_at_each_point_and_is_the_polynomial_between():
    table = ls.Table(TIMES, VALUES, "rest")
    for order in (1, 2):
        assert np.abs(at(table, TIMES[:-1], order)).max() == 0.0
        assert np.abs(at(table, TIMES[1:] - 1e-13, order)).max() < 1e-5
    x = np.linspace(0, 1, 50, endpoint=False)
    exact = 2.0 * (10 * x**3 - 15 * x**4 + 6 * x**5)
    assert np.allclose(at(table, 0.3 + 0.1 * x), exact, atol=1e-12)


@pytest.mark.parametrize("kind", ["monotone", "rest"])
@pytest.mark.parametrize("settings", [{}, {"integrator": "generalized_alpha", "step": 1e-3}])
def test_a_sled_moves_as_its_table_and_needs_the_force_of_its_acceleration(kind, settings):
    table = ls.Table(TIMES, VALUES, kind, clamped=True)
    load = ls.Motion("sled", table)
    run = ls.simulate(SLED, duration=2.7, loads=[load], **settings)
    inside = np.abs(run.time[:, None] - TIMES).min(axis=1) > 1e-9
    t = run.time[inside]
    assert np.allclose(run.q[:, 0], at(table, run.time), atol=1e-12)
    assert np.allclose(run.v[inside, 0], at(table, t, 1), atol=1e-10)
    assert np.allclose(run["sled.force"][inside, 0], at(table, t, 2), atol=1e-8)
    assert np.abs(run.time[:, None] - TIMES).min(axis=0).max() < 1e-12 or kind == "rest"


def test_a_step_does_not_cross_the_jump_of_acceleration_of_a_monotone_table():
    """A mass on a spring on the sled, against the same motion in pieces, each with its own run."""
    model = ls.Model("two")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="sled")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), to="sled", name="mass")
    system, spring = model.compile(), ls.JointSpring("mass", 40.0)
    table = ls.Table([0, 0.7, 1.1, 2.0], [0, 1, 1, 0.2], "monotone", clamped=True)
    run = ls.simulate(system, duration=2.0, loads=[ls.Motion("sled", table), spring])
    # x'' = -40 x - a(t), a linear in each piece, integrated exactly
    x, v, w = 0.0, 0.0, np.sqrt(40.0)
    for k, (t0, t1) in enumerate(zip(table.times[:-1], table.times[1:], strict=True)):
        a1, a0 = 6 * table.pieces()[k, 0, 0], 2 * table.pieces()[k, 0, 1]
        h = t1 - t0
        c, d = x + a0 / 40, (v + a1 / 40) / w
        x = c * np.cos(w * h) + d * np.sin(w * h) - (a0 + a1 * h) / 40
        v = w * (-c * np.sin(w * h) + d * np.cos(w * h)) - a1 / 40
    assert abs(run.q[-1, 1] - x) < 1e-8 and abs(run.v[-1, 1] - v) < 1e-7


def test_a_smooth_table_that_leaves_its_points_is_told_with_a_remedy_that_works():
    times, values = [0, 1, 1.1, 2, 2.1, 3], [0.0, 0.0, 2.0, 2.0, 0.0, 0.0]
    words = r"reaches .* but its points lie between 0 and 2; use kind=\"monotone\""
    smooth = ls.Motion("sled", ls.Table(times, values, "smooth", clamped=True))
    with pytest.warns(ls.SimulationWarning, match=words):
        run = ls.simulate(SLED, duration=3.0, loads=[smooth], output_step=0.01)
    assert run.q.max() > 2.2
    monotone = ls.Motion("sled", ls.Table(times, values, "monotone"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = ls.simulate(SLED, duration=3.0, loads=[monotone], output_step=0.01)
        ls.simulate(
            SLED,
            duration=1.0,
            loads=[ls.Actuator("sled", ls.Table(TIMES, np.sin(TIMES), "smooth"))],
        )
    assert run.q.min() >= 0.0 and run.q.max() <= 2.0


STEP = [0.0, 0.0, 1.0, 1.0]
AT = [0.0, 0.5, 0.6, 1.0]


@pytest.mark.parametrize("field", ["position", "velocity"])
def test_what_the_message_about_a_rough_table_proposes_can_be_run(field):
    table = ls.Table(AT, STEP, "steps")
    with pytest.raises(ls.LoadError, match=r'use kind="monotone"'):
        ls.simulate(SLED, duration=1.0, loads=[ls.Motion("sled", **{field: table})])
    better = ls.Motion("sled", **{field: ls.Table(AT, STEP, "monotone")})
    assert ls.simulate(SLED, duration=1.0, loads=[better]).status == "finished"


def test_what_the_message_about_a_jump_proposes_can_be_run():
    jump = ls.Motion("sled", lambda t: 0.0 if t < 0.55 else 1.0)
    with pytest.raises(ls.LissomError, match=r'Table\(times, values, "monotone"\)'):
        ls.simulate(SLED, duration=1.0, loads=[jump])
    ls.simulate(SLED, duration=1.0, loads=[ls.Motion("sled", ls.Table(AT, STEP, "monotone"))])


@pytest.mark.parametrize("remedy", [{"kind": "rest"}, {"kind": "smooth", "clamped": True}])
def test_what_the_message_about_a_table_that_ends_while_it_moves_proposes_can_be_run(remedy):
    moving = ls.Motion("sled", ls.Table([0, 1], [0, 1], "smooth"))
    with pytest.raises(ls.LoadError, match=r'kind="rest" or clamped=True'):
        ls.simulate(SLED, duration=2.0, loads=[moving])
    still = ls.Motion("sled", ls.Table([0, 1], [0, 1], **remedy))
    assert ls.simulate(SLED, duration=2.0, loads=[still]).q[-1, 0] == 1.0


@pytest.mark.parametrize("kind", ["monotone", "rest"])
def test_tables_of_all_kinds_go_to_files_and_back(tmp_path, kind):
    model = ls.Model("sled")
    model.add(ls.RigidBody.box(1.0, (1, 1, 1)), ls.Prismatic("x"), name="sled")
    table = ls.Table(TIMES, VALUES, kind, clamped=kind == "monotone")
    settings = {"duration": 2.7, "loads": [ls.Motion("sled", table)]}
    model.save(tmp_path / "sled.toml", simulation=settings)
    assert not ls.check_file(tmp_path / "sled.toml")
    again = ls.load_run(tmp_path / "sled.toml")
    (load,) = again.settings["loads"]
    assert (load.position.kind, load.position.clamped) == (kind, kind == "monotone")
    run, other = again.simulate(), ls.simulate(SLED, **settings)
    assert np.array_equal(run.q, other.q)


def test_derivatives_by_the_values_of_a_table_of_rests_and_none_of_a_monotone_one():
    def end(values):
        force = ls.Actuator("sled", ls.Table([0, 0.5, 1], values, "rest"))
        return ls.simulate(SLED, duration=1.0, step=0.01, integrator="rk4", loads=[force]).q[-1, 0]

    settings = {"duration": 1.0, "step": 0.01}
    control = ls.Actuator("sled", ls.Table([0, 0.5, 1], [0.0, 1.0, 0.0], "rest"))
    result = ls.sensitivity(SLED, SLED.neutral(), controls=[control], **settings)
    by = [end(row) - end([0, 0, 0]) for row in np.eye(3)]  # the motion is linear in the values
    assert np.allclose(np.ravel(result.controls[0][-1][0]), by, atol=1e-12)
    other = ls.Actuator("sled", ls.Table([0, 0.5, 1], [0.0, 1.0, 0.0], "monotone"))
    with pytest.raises(ls.LoadError, match="monotone"):
        ls.sensitivity(SLED, SLED.neutral(), controls=[other], **settings)
