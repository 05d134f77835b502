"""Texts of drawings: none on another, none over the edge, every name by what it names."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Text

import lissom as ls
from lissom.viz.drawing.space import projected
from tests.samples.public_objects import mechanism

EXAMPLES = Path(__file__).parents[2] / "examples"


def chain():
    return ls.library.flexible_chain(12, modes=3).compile()


def rover():
    """Names of many letters close to each other, on a long thin mechanism."""
    model, to = ls.Model("rover"), None
    for k in range(12):
        at = (4.0 if k == 6 else 0.1, 0.02 * k, 0) if to else (0, 0, 0)
        box = ls.RigidBody.box(1.0, (0.1, 0.1, 0.1))
        name = f"segment_with_a_name_{k}"
        model.add(box, ls.Revolute("xyz"[k % 3]), to=to, at=at, name=name)
        to = name
    return model.compile()


CASES = {
    "six axes": lambda: ls.read_urdf(EXAMPLES / "six_axis.urdf").model.compile(),
    "gripper": lambda: ls.read_urdf(EXAMPLES / "robot_arm.urdf").model.compile(),
    "humanoid": lambda: ls.library.humanoid(13).compile(),
    "crane": lambda: mechanism().compile(),
    "chain": chain,
    "rover": rover,
    "planar": lambda: ls.library.rigid_chain(3).compile(),
}


def boxes(figure):
    """Left, bottom, right and top of all texts that are seen [pixel], by text."""
    figure.draw_without_rendering()
    (axes,) = figure.axes
    texts = [*axes.texts, *figure.legends[0].get_texts(), figure._suptitle]
    if axes.axison:
        texts += [axes.xaxis.label, axes.yaxis.label]
        texts += [*axes.get_xticklabels(), *axes.get_yticklabels()]
    return [(x.get_text(), own_box(x)) for x in texts if x.get_text()]


def own_box(text):
    """Box of a text without the line that leads from it."""
    return Text.get_window_extent(text).extents


def overlap(a, b):
    """Width and height that two boxes share; not positive if they are apart."""
    return np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])


@pytest.fixture(scope="module", params=[*CASES, "narrow crane"])
def drawn(request):
    name = request.param.removeprefix("narrow ")
    size = (3.4, 4) if name != request.param else None  # the legend is below
    system = CASES[name]()
    return system, ls.viz.draw(system, names=True, frames=name == "crane", size=size)


def test_no_text_lies_on_another(drawn):
    _, figure = drawn
    for (one, a), (other, b) in itertools.combinations(boxes(figure), 2):
        assert not np.all(overlap(a, b) > 1.0), (one, other)


def test_nothing_is_cut_off(drawn):
    _, figure = drawn
    size = np.array(figure.bbox.size)
    for text, box in boxes(figure):
        assert np.all(box[:2] >= 0) and np.all(box[2:] <= size), text
    (axes,) = figure.axes
    for artist in axes.lines:
        points = artist.get_data_3d() if axes.name == "3d" else artist.get_data()
        if axes.name == "3d":
            points = projected(axes, np.array(points, dtype=float).T).T
        places = axes.transData.transform(np.array(points, dtype=float).T)
        assert np.all(places >= 0) and np.all(places <= size)


def test_every_name_is_written_once_and_belongs_to_its_body(drawn):
    system, figure = drawn
    (axes,) = figure.axes
    words = [text.get_text() for text in axes.texts]
    wanted = [*system.names, *(f.name for f in system.frames if "crane" in system.name)]
    for name in wanted:
        assert words.count(name) == 1
    texts = {x.get_text(): x for x in axes.texts if x.get_text() in wanted}
    for name, text in texts.items():
        box = own_box(text)
        middle = axes.transData.transform(text.xy)
        gap = np.maximum(np.maximum(box[:2] - middle, middle - box[2:]), 0)
        leads = text.arrow_patch is not None
        assert leads or np.linalg.norm(gap) < 40 * figure.dpi / 72, name


def test_ticks_are_round_numbers_where_the_axes_say():
    """Each number beside the box is the coordinate of its place."""
    figure = ls.viz.draw(CASES["six axes"](), view=(25, -60))
    (axes,) = figure.axes
    ticks = [x for x in axes.texts if x.get_text().replace("−", "").replace(".", "").isdigit()]
    assert len(ticks) >= 6
    limits = np.array([axes.get_xlim(), axes.get_ylim(), axes.get_zlim()])
    for tick in ticks:
        value = float(tick.get_text().replace("−", "-"))
        corners = [limits[k] for k in range(3)]
        seen = []
        for k in range(3):
            ends = [x if j != k else [value] for j, x in enumerate(corners)]
            seen += [projected(axes, np.array([p]))[0] for p in itertools.product(*ends)]
        assert np.linalg.norm(np.array(seen) - tick.xy, axis=1).min() < 1e-9
