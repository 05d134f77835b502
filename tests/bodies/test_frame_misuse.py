"""What is wrong with a frame or a panel is named, with the remedy."""

from __future__ import annotations

import numpy as np
import pytest

import lissom as ls

TUBE, ALLOY = ls.Tube(0.03, 0.002), ls.ALUMINIUM
NODES = [(0, 0, 0), (1, 0, 0), (1, 1, 0)]
GOOD = [ls.Member(0, 1, TUBE, ALLOY), ls.Member(1, 2, TUBE, ALLOY)]


def made(nodes=NODES, members=GOOD, interfaces=None, **more):
    return ls.frame(
        nodes, members, interfaces={"root": 0} if interfaces is None else interfaces, **more
    )


def member(first=0, second=1, section=TUBE, material=ALLOY, **more):
    return [ls.Member(first, second, section, material, **more), GOOD[1]]


FRAMES = {
    "zero length": (
        {"nodes": [(0, 0, 0), (0, 0, 0), (1, 1, 0)]},
        r"member 0 from node 0 to node 1 has zero length; give two nodes",
    ),
    "one node": ({"members": member(1, 1)}, "member 0 from node 1 to node 1 has zero length"),
    "unknown node": (
        {"members": member(0, 7)},
        "member 0: second node is 7, which does not exist; the nodes are 0 to 2",
    ),
    "node that is no number": ({"members": member("root")}, "first node is 'root', which does not"),
    "node without member": (
        {"nodes": [*NODES, (5, 5, 5)]},
        "node 3 has no member; connect it, or leave it out",
    ),
    "no section": ({"members": member(section=0.03)}, "member 0: section is 0.03; give a Section"),
    "two kinds of section": (
        {"members": member(section=(TUBE, ls.Circle(0.1)))},
        "member 0: the sections at root and tip .* two of the same kind",
    ),
    "no material": ({"members": member(material="steel")}, "material is 'steel'; give a Material"),
    "no members": ({"members": []}, "members is .*give a list of ls.Member"),
    "a pair for a member": ({"members": [(0, 1)]}, r"member 0 is \(0, 1\); give ls.Member"),
    "parts": ({"members": member(parts=0)}, "member 0: parts must be an integer >= 1, not 0"),
    "pinned": ({"members": member(pinned="left")}, "member 0: pinned is 'left'; give"),
    "all pinned": (
        {
            "members": [
                ls.Member(0, 1, TUBE, ALLOY, pinned="second"),
                ls.Member(1, 2, TUBE, ALLOY, pinned="first"),
            ]
        },
        "all members at node 1 are pinned there, so that nothing holds its rotation",
    ),
    "reference along the member": (
        {"members": member(reference=(-2, 0, 0))},
        "reference .* is parallel to the member; give a direction across it",
    ),
    "no reference": ({"members": member(reference=(0, 0, 0))}, "reference .* is zero"),
    "offsets": ({"members": member(offsets=(0, 0, 1))}, r"offsets \[m\] is .*shape \(2, 3\)"),
    "nodes": ({"nodes": [(0, 0), (1, 0), (1, 1)]}, r"nodes \[m\] is .*shape \(n, 3\)"),
    "node at infinity": ({"nodes": [(0, 0, np.inf), *NODES[1:]]}, "give finite numbers"),
    "interface": (
        {"interfaces": {"root": 0, "tip": 9}},
        "interface 'tip' is at node 9, which does not exist; the nodes are 0 to 2",
    ),
    "no interfaces": ({"interfaces": {}}, "interfaces is .*give names and nodes"),
    "two interfaces at one node": (
        {"interfaces": {"a": 0, "b": 0}},
        "interfaces 'a' and 'b' are at the same node 0",
    ),
    "name of an interface": ({"interfaces": {3: 0}}, "interface 3 must be a string"),
    "name of an unknown node": ({"names": {"x": 5}}, "name 'x' is at node 5, which does not exist"),
    "name taken": ({"names": {"x": 0}}, "name 'x' of node 0 is already taken by the interface"),
    "mass at an unknown node": ({"masses": {4: 1.0}}, "a mass is at node 4, which does not exist"),
    "massless body": ({"masses": {1: ls.RigidBody(0.0)}}, "mass at node 1 .* above zero"),
    "masses in a list": ({"masses": [1.0]}, r"masses is .*give {node: mass \[kg\]}"),
    "negative mass": ({"masses": {1: -1.0}}, "mass at node 1 .* above zero"),
    "theory": ({"theory": "bernoulli"}, 'theory is .*"timoshenko" or "euler-bernoulli"'),
    "two parts": (
        {
            "nodes": [*NODES, (5, 0, 0), (6, 0, 0)],
            "members": [*GOOD, ls.Member(3, 4, TUBE, ALLOY)],
        },
        "no members connect node 3, 4 with interface 'root'",
    ),
}


@pytest.mark.parametrize("case", FRAMES)
def test_a_wrong_frame_is_named(case):
    given, message = FRAMES[case]
    with pytest.raises(ls.ModelError, match=message):
        made(**given)


PLATE = {"width": 1.0, "height": 0.5, "thickness": 0.01, "material": ALLOY}
EDGE = {"interfaces": {"root": "left"}}
PANELS = {
    "inverted": ({"width": -1.0}, r"panel: width \[m\] must be above zero, not -1.0"),
    "degenerate": ({"height": 0.0}, r"panel: height \[m\] must be above zero, not 0.0"),
    "thickness": ({"thickness": np.nan}, r"thickness \[m\] must be finite"),
    "material": ({"material": 70e9}, "material must be a Material, not 7"),
    "edge": (
        {"interfaces": {"root": "west"}},
        "interface 'root' is at 'west', which does not exist; give an edge, 'left'",
    ),
    "outside": (
        {"interfaces": {"root": "left", "tip": (1.2, 0)}},
        r"interface 'tip' is at \(1.2, 0\), outside of the panel; x is from 0 to 1",
    ),
    "no point": ({"interfaces": {"root": (1, 2, 3)}}, r"interface 'root' is at \(1, 2, 3\); give"),
    "no interfaces": ({"interfaces": None}, "interfaces is None; give names and places"),
    "shared": (
        {"interfaces": {"root": "left", "corner": (0, 0.25)}},
        "interfaces 'root' and 'corner' share a point",
    ),
    "adjacent edges": (
        {"interfaces": {"root": "left", "side": "top"}},
        "interfaces 'root' and 'side' share a point",
    ),
    "divisions": ({"divisions": (2, 0)}, "divisions along y must be an integer >= 1"),
    "three divisions": ({"divisions": (2, 2, 2)}, "divisions is .*one number or two"),
    "sandwich": (
        {"bending_stiffness": 1e6},
        "bending_stiffness 1e\\+06 N m needs faces of .* more than half of it",
    ),
    "area density": ({"area_density": 0}, "area_density .* must be above zero"),
}


@pytest.mark.parametrize("case", PANELS)
def test_a_wrong_panel_is_named(case):
    given, message = PANELS[case]
    with pytest.raises(ls.ModelError, match=message):
        ls.panel(**(PLATE | EDGE | given))


def test_sections_of_ones_own_are_checked_where_they_are_used():
    class Wrong(ls.Section):
        area, second_moment_y, second_moment_z, torsion_constant = 1e-3, -1e-6, 2e-6, 1e-8

    with pytest.raises(
        ls.ModelError, match="member 0: section Wrong: second_moment_y .* must be above zero"
    ):
        made(members=member(section=Wrong()))
