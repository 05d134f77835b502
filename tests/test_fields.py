"""Fields of parts, declared once: what is checked, documented and read from files agrees."""

from __future__ import annotations

import dataclasses
import inspect
import re

import numpy as np
import pytest

import lissom as ls
from lissom.fields import NumberField, check_fields, declare, declared
from lissom.io.model_file.schema.loads import load_table
from lissom.sim.loads import LOADS

NAMES = [load.__name__ for load in LOADS]


@pytest.mark.parametrize("load", LOADS, ids=NAMES)
def test_each_field_of_a_load_has_a_paragraph_and_a_key_with_its_default(load):
    words, keys = inspect.getdoc(load), load_table(load).model_fields
    for entry in dataclasses.fields(load):
        assert len(re.findall(rf"^{entry.name} : ", words, re.MULTILINE)) == 1
        required = entry.default is dataclasses.MISSING
        assert keys[entry.name].is_required() == required
        assert required or keys[entry.name].default == entry.default
    assert words.count("Parameters\n----------") == 1
    assert max(map(len, words.splitlines())) <= 100


def test_units_stand_where_the_words_say_or_at_their_end():
    words = " ".join(inspect.getdoc(ls.JointSpring).split())
    assert "Stiffness [N m/rad or N/m]; spherical joints take one number" in words
    assert "Relaxed length [m]." in inspect.getdoc(ls.NodeSpring)
    assert "[]" not in words


BOUNDS = {
    "at least zero": (NumberField("length", least=0), (0, 2.5), (-1, np.nan, np.inf, True, "1")),
    "above zero": (NumberField("time", above=0), (1e-300, 3), (0, -0.0, np.inf, 10**400, None)),
    "perhaps infinite": (NumberField("number", above=0, infinite=True), (1, np.inf), (0, -np.inf)),
    "not zero": (NumberField("number", nonzero=True), (-2, 1), (0, np.nan, 1j)),
}


@pytest.mark.parametrize("name", BOUNDS)
def test_a_number_within_its_bounds_becomes_a_float_and_others_are_refused_by_name(name):
    form, good, bad = BOUNDS[name]

    @declared()
    class Sample:
        """A sample."""

        size: float = declare(form, "Its size.")

        def __post_init__(self) -> None:
            check_fields(self, "sample 'a'")

    for value in good:
        assert type(Sample(value).size) is float and Sample(value).size == value
    for value in bad:
        with pytest.raises(ls.ModelError, match="^sample 'a': size is .*; expected"):
            Sample(value)


def test_a_section_of_the_users_needs_no_declaration():
    @dataclasses.dataclass(frozen=True)
    class Square(ls.Section):
        side: float

        area = property(lambda self: self.side**2)
        second_moment_y = second_moment_z = property(lambda self: self.side**4 / 12)
        torsion_constant = property(lambda self: 0.1406 * self.side**4)

    square, same = ls.beam(1.0, Square(0.01), ls.STEEL), ls.Rectangle(0.01, 0.01)
    assert np.allclose(square.masses.sum(), ls.beam(1.0, same, ls.STEEL).masses.sum())


def test_a_section_in_a_file_needs_all_its_sizes(tmp_path):
    path = tmp_path / "beam.toml"
    path.write_text(
        'lissom = 2\n[[parts]]\nname = "a"\njoint = "revolute z"\n[parts.body]\nkind = "beam"\n'
        'length = 1.0\nmaterial = "steel"\nsection = {kind = "general", area = "1 mm^2"}\n'
    )
    with pytest.raises(ls.ModelFileError, match="second_moment_y: .*missing|second_moment_y"):
        ls.load(path)


def test_a_wrong_field_names_the_load_by_its_place_before_and_after_the_check():
    with pytest.raises(ls.LoadError) as error:
        ls.NodeSpring("hub", stiffness=-1.0)
    assert str(error.value).startswith(f"{ls.NodeSpring('hub').label}: stiffness is -1.0; expected")
    assert str(error.value).endswith("a stiffness [N/m], zero or more")
    with pytest.raises(ls.LoadError, match=r"^Rotor on 'hub': inertia is 0; expected a positive"):
        ls.Rotor("hub", 0)
