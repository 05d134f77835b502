"""Models from URDF robot descriptions.

A link becomes a body of the same name, carried by the joint that has it as its child.  Joint names
are stored separately, because lissom identifies a joint by the body it carries.  A link that is
merged with another becomes a frame of the same name.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ...bodies import RigidBody
from ...bodies.solids import Solid
from ...errors import MOST_LINES, ModelError, cut_lines, name_list, printable, suggestion
from ...joints import Fixed, Free, Joint
from ...model import Model
from ...notebook import table
from ...printing import Shown, folded
from .collisions import add_collisions
from .joints import Limits, dynamics_of, joint_of, limits_of, nearest
from .visuals import Looks, origin
from .xml_tree import Element, read_xml, shown

if TYPE_CHECKING:
    from .joints import Limits

_REMEDY = 'Correct it, or read the file with mimics="free"'
_ONE_COORDINATE = ("revolute", "continuous", "prismatic")


@dataclass(frozen=True)
class Mimic(Shown):
    """A joint that follows another joint: q = multiplier q_other + offset.

    Attributes
    ----------
    joint : str
        Joint that is followed.
    multiplier, offset : float
    """

    joint: str
    multiplier: float
    offset: float


def read_mimics(joints: Mapping[str, Element], *, checked: bool) -> dict[str, Mimic]:
    """Mimic joints by name."""
    mimics = {}
    for name, joint in joints.items():
        mimic = joint.find("mimic")
        if mimic is None:
            continue
        if checked and joint.text("type") == "fixed":
            words = f"joint {shown(name)!r} is fixed and cannot follow a joint; mimic ignored"
            LOGGER.info(f"{mimic.title}: {words}")
            continue
        other = mimic.text("joint")
        if checked:
            _check_followed(name, joint, mimic, other, joints)
        multiplier, offset = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
        mimics[name] = Mimic(other, multiplier, offset)
    if checked:
        _check_cycles(joints, mimics)
    return mimics


def _check_followed(
    name: str, joint: Element, mimic: Element, other: str, joints: Mapping[str, Element]
) -> None:
    follower, followed = shown(name), shown(other)
    if other not in joints:
        near = suggestion(followed, [shown(x) for x in islice(joints, 2000)])
        raise mimic.fault(f"joint {follower!r}: there is no joint {followed!r}; {near}  {_REMEDY}")
    if other == name:
        raise mimic.fault(f"joint {follower!r} follows itself; give another joint")
    for which, element in ((follower, joint), (followed, joints[other])):
        kind = shown(element.text("type"))
        if kind not in _ONE_COORDINATE:
            raise mimic.fault(
                f"joint {follower!r} follows {followed!r}, but {which!r} is {kind} and does not "
                "have exactly one coordinate; use revolute, continuous or prismatic joints"
            )


def _check_cycles(joints: Mapping[str, Element], mimics: Mapping[str, Mimic]) -> None:
    """Reject joints that follow each other in a cycle."""
    checked: set[str] = set()
    for name in mimics:
        chain: dict[str, None] = {}  # ordered set
        while name in mimics and name not in checked:
            if name in chain:
                cycle = [*list(chain)[list(chain).index(name) :], name]
                words = name_list(map(shown, cycle), between=" -> ")
                mimic = joints[name].need("mimic")
                raise mimic.fault(
                    f"joints {words} follow each other in a cycle; remove one <mimic>"
                )
            chain[name] = None
            name = mimics[name].joint
        checked.update(chain)


def couple_mimics(model: Model, mimics: Mapping[str, Mimic], bodies: Mapping[str, str]) -> None:
    """Add a coupling named "JOINT_mimic" to a model for each mimic joint."""
    for joint, mimic in mimics.items():
        name = f"{joint.replace('.', '_')}_mimic"
        while name in model.parts or name in model.couplings or name in model.frames:
            name += "_"
        ratios = {bodies[joint]: 1.0}
        if mimic.multiplier:
            ratios[bodies[mimic.joint]] = -mimic.multiplier
        model.couple(ratios, offset=mimic.offset, name=name)


Array = np.ndarray

LOGGER = logging.getLogger("lissom")
_NEGLIGIBLE = 1e-15  # inertia that counts as zero [kg m^2]
_BASES = {"fixed": Fixed, "free": Free}


@dataclass(frozen=True, eq=False)
class Urdf:
    """A model from a URDF file, with the other data of the file.

    Attributes
    ----------
    model : Model
    links : mapping
        Name of the body that represents or contains each link; dots in names become underscores.
        A link that is merged into another link's body is a frame of the model.
    joints : mapping
        Name of the body carried by each joint, by joint.
    limits : mapping
        Limits by joint.
    damping, friction : mapping
        Values by joint, only those above zero [N m s/rad and N m, or N s/m and N].
    mimics : mapping
        Mimic joints by name; the model couples them unless it was read with ``mimics="free"``.
    left_out : tuple of str
        What is not drawn, and collision elements that are no shapes, with line and reason.
    """

    model: Model
    links: Mapping[str, str]
    joints: Mapping[str, str]
    limits: Mapping[str, Limits] = field(default_factory=dict)
    damping: Mapping[str, float] = field(default_factory=dict)
    friction: Mapping[str, float] = field(default_factory=dict)
    mimics: Mapping[str, Mimic] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """One line a joint: the body that it carries and its limits."""
        return printed(self)

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        return printed_table(self)


def read_urdf(
    path: str | Path,
    *,
    base: str = "fixed",
    gravity: Any = (0.0, 0.0, -9.81),
    merge_fixed: bool = False,
    unphysical: str = "error",
    mimics: str = "couple",
    meshes: bool = True,
    collisions: bool = False,
    packages: Mapping[str, str | Path] | None = None,
    package_dirs: Sequence[str | Path] = (),
) -> Urdf:
    """Read a robot from a URDF file.

    Parameters
    ----------
    path : path
        URDF file; xacro files must be expanded first.
    base : {"fixed", "free"}
        Joint of the root link to the ground.
    gravity : array (3,)
        Gravitational acceleration in world axes [m/s^2].
    merge_fixed : bool
        Merge links connected by fixed joints into one body: fewer bodies, the same motion.  The
        outer links become frames of the same names.
    unphysical : {"error", "keep"}
        Treatment of physically impossible inertias, as in some published robots: "keep" uses them
        and logs a warning.
    mimics : {"couple", "free"}
        Treatment of mimic joints: couplings named "JOINT_mimic", or independent joints.
    meshes : bool
        Read the meshes of links for drawings: STL, OBJ and Collada (.dae).  Where a mesh cannot be
        read, collision shapes stand in, and one warning is logged.
    collisions : bool
        Make shapes of contact of the collision elements: boxes, cylinders, spheres and capsules, on
        the bodies and frames of the links, named "LINK_collision" if they have no names.  Meshes
        are left out, and one warning is logged.
    packages : mapping, optional
        Folders of packages by name, for "package://NAME/..." and "model://NAME/...".
    package_dirs : sequence of path
        Folders in which other packages are searched, before the folders above the file and those
        of ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, GZ_SIM_RESOURCE_PATH and GAZEBO_MODEL_PATH.

    Returns
    -------
    Urdf
    """
    if not isinstance(base, str) or base not in _BASES:
        raise ModelError(f'read_urdf: base is {base!r}; use "fixed" or "free"')
    if not isinstance(unphysical, str) or unphysical not in ("error", "keep"):
        raise ModelError(f'read_urdf: unphysical is {unphysical!r}; use "error" or "keep"')
    if not isinstance(mimics, str) or mimics not in ("couple", "free"):
        raise ModelError(f'read_urdf: mimics is {mimics!r}; use "couple" or "free"')
    if not isinstance(path, (str, os.PathLike)):
        raise ModelError(f"read_urdf: path is {path!r}; expected a path, such as 'robot.urdf'")
    for name, switch in (
        ("merge_fixed", merge_fixed),
        ("meshes", meshes),
        ("collisions", collisions),
    ):
        if not isinstance(switch, bool):
            raise ModelError(f"read_urdf: {name} is {switch!r}; use True or False")
    if packages is not None and not _are_folders(packages):
        raise ModelError(
            f"read_urdf: packages is {packages!r}; expected folders by package name, such as "
            '{"my_robot": "../my_robot"}'
        )
    if isinstance(package_dirs, (str, os.PathLike)) or not _are_paths(package_dirs):
        raise ModelError(
            f"read_urdf: package_dirs is {package_dirs!r}; expected a list of folders, such as "
            '["../robots"]'
        )
    root = read_xml(path)
    with np.errstate(all="ignore"):  # overflows are errors here, not warnings
        looks = Looks(Path(path), meshes, packages or {}, package_dirs)
        robot = _Robot(root, looks, keep=unphysical == "keep", coupled=mimics == "couple")
        robot.collisions = collisions
        description = robot.build(_BASES[base](), gravity, merge_fixed)
    looks.report()
    return description


def read_robot(path: str) -> Model:
    """Model of a URDF file, with what `read_urdf` takes where nothing is said."""
    return read_urdf(path).model


def _are_paths(folders: Any) -> bool:
    return isinstance(folders, Sequence) and all(isinstance(x, (str, os.PathLike)) for x in folders)


def _are_folders(packages: Any) -> bool:
    return isinstance(packages, Mapping) and all(
        isinstance(x, str) and isinstance(folder, (str, os.PathLike))
        for x, folder in packages.items()
    )


@dataclass
class _Link:
    """Mass properties and solids of a link."""

    element: Element
    mass: float
    com: Array
    inertia: Array  # about com, link axes
    solids: list[Solid]

    def absorb(self, other: _Link, rotation: Array, position: Array) -> None:
        """Merge another link, whose frame has the given pose in this link's frame."""
        com = position + rotation @ other.com
        inertia = rotation @ other.inertia @ rotation.T
        total = self.mass + other.mass
        middle = (self.mass * self.com + other.mass * com) / total if total else self.com
        self.inertia = (
            self.inertia
            + _parallel_axis(self.mass, self.com - middle)
            + inertia
            + _parallel_axis(other.mass, com - middle)
        )
        self.mass, self.com = total, middle
        self.solids += [Looks.moved(solid, rotation, position) for solid in other.solids]

    def body(self, keep: bool) -> RigidBody:
        if not all(np.all(np.isfinite(x)) for x in (self.mass, self.com, self.inertia)):
            raise self.element.fault(
                "its inertia is too large and causes a numerical overflow; give smaller numbers in "
                "<inertial> and <origin>"
            )
        try:
            return RigidBody(self.mass, self.com, self.inertia, solids=self.solids)
        except ModelError as error:
            words = str(error).removeprefix("RigidBody: ")
            if not keep:
                raise self.element.fault(
                    f'{words}; correct its <inertial>, or read it with unphysical="keep"'
                ) from None
            LOGGER.warning(f"{self.element.title}: {words}; used unchanged")
        body = RigidBody(self.mass, self.com, solids=self.solids)
        object.__setattr__(body, "inertia", self.inertia)  # bypasses the check
        return body


def _parallel_axis(mass: float, r: Array) -> Array:
    return mass * (r @ r * np.eye(3) - np.outer(r, r))


class _Robot:
    """Links and joints of a URDF file, by name."""

    def __init__(self, root: Element, looks: Looks, *, keep: bool, coupled: bool) -> None:
        if root.tag != "robot":
            kind = {"sdf": "SDF", "mujoco": "MuJoCo's format"}.get(root.tag)
            hint = f"this is {kind}" if kind else "the root element of a URDF file is <robot>"
            raise root.fault(f"not a URDF file: {hint}; convert it, or check the path")
        for element in root.children:
            if element.tag.startswith("xacro:"):
                raise element.fault(
                    "is xacro; expand the file first: xacro robot.xacro > robot.urdf"
                )
        self.root, self.looks, self.keep, self.coupled = root, looks, keep, coupled
        self.collisions = False  # whether collision elements become shapes
        looks.survey(root)
        self.links = {e.text("name"): e for e in self._unique("link")}
        self.joints = {e.text("name"): e for e in self._unique("joint")}
        if not self.links:
            raise root.fault('has no <link>; add at least one, such as <link name="base"/>')
        self.carried: dict[str, Element] = {}
        for joint in self.joints.values():
            child = self._link_of(joint, "child")
            if child in self.carried:
                other = self.carried[child]
                raise joint.fault(
                    f"carries the link {shown(child)!r}, which {_joint_title(other)} already "
                    "carries; a link has only one parent, give one of the joints another child"
                )
            self.carried[child] = joint

    def _unique(self, tag: str) -> list[Element]:
        seen: dict[str, Element] = {}
        for element in self.root.all(tag):
            name = element.text("name")
            if name in seen:
                line = seen[name].line
                raise element.fault(f"there is a {tag} of this name on line {line}; rename one")
            seen[name] = element
        return list(seen.values())

    def _link_of(self, joint: Element, end: str) -> str:
        element = joint.need(end)
        name = element.text("link")
        if name not in self.links:
            raise element.fault(f"there is no link {shown(name)!r}; {nearest(name, self.links)}")
        return name

    def _ordered(self) -> list[str]:
        """Names of the links, each after its parent."""
        roots = [name for name in self.links if name not in self.carried]
        if len(roots) != 1:
            if not roots:
                raise self._cycle_error(next(iter(self.links)))
            words = name_list(map(shown, roots))
            raise self.root.fault(
                "must have exactly one link that no joint carries, the base; it has "
                f"{len(roots)}: {words}; add joints that carry the others, or remove them"
            )
        children: dict[str, list[str]] = {name: [] for name in self.links}
        for name, joint in self.carried.items():
            children[self._link_of(joint, "parent")].append(name)
        order, waiting = [], [roots[0]]
        while waiting:
            order.append(waiting.pop())
            waiting += reversed(children[order[-1]])
        if len(order) < len(self.links):
            reached = set(order)
            raise self._cycle_error(next(name for name in self.links if name not in reached))
        return order

    def _cycle_error(self, link: str) -> ModelError:
        """Error about the cycle of joints reached from a link towards the base."""
        path: dict[str, None] = {}  # ordered set
        while link not in path:
            path[link] = None
            link = self._link_of(self.carried[link], "parent")
        names = list(path)
        cycle = names[names.index(link) :]
        words = name_list(map(shown, [*cycle, link]), between=" -> ")
        return self.carried[cycle[0]].fault(
            f"is part of a cycle in which each link is carried by the next: {words}; URDF supports "
            "trees only: remove one of the joints, and close the loop with model.close(...)"
        )

    def build(self, base: Joint, gravity: Any, merge_fixed: bool) -> Urdf:
        order = self._ordered()
        links = {name: self._link(self.links[name]) for name in order}
        place = {name: (name, np.eye(3), np.zeros(3)) for name in order}  # body, pose in its frame
        merged = set()
        if merge_fixed:
            for name in order[1:]:
                joint = self.carried[name]
                if joint.text("type") == "fixed":
                    body, turn, r = place[self._link_of(joint, "parent")]
                    rotation, position = origin(joint)
                    place[name] = (
                        body,
                        turn @ rotation,
                        _checked_position(joint, r + turn @ position),
                    )
                    merged.add(name)
            for name in merged:
                links[place[name][0]].absorb(links[name], *place[name][1:])
        return self._assembled(base, gravity, [n for n in order if n not in merged], links, place)

    def _assembled(self, base: Joint, gravity: Any, order: Any, links: Any, place: Any) -> Urdf:
        model = Model(self.root.attributes.get("name", ""), gravity=gravity)
        named = self._names([*place])
        model.add(links[order[0]].body(self.keep), base, name=named[order[0]])
        names: dict[str, str] = {}
        for link in order[1:]:
            joint = self.carried[link]
            body, turn, r = place[self._link_of(joint, "parent")]
            rotation, position = origin(joint)
            at = _checked_position(joint, r + turn @ position)
            model.add(
                links[link].body(self.keep),
                joint_of(joint),
                name=named[link],
                to=named[body],
                at=at,
                rotation=turn @ rotation,
            )
            names[joint.text("name")] = named[link]
        for link, (body, turn, r) in place.items():
            if link != body:
                model.frame(named[link], on=named[body], at=r, rotation=turn)
        no_shapes = add_collisions(model, self.links, named) if self.collisions else []
        moving = {n: self.joints[n] for n in names}
        mimics = read_mimics(self.joints, checked=self.coupled)
        mimics = {n: mimic for n, mimic in mimics.items() if n in names}
        if self.coupled:
            couple_mimics(model, mimics, names)
        return Urdf(
            model=model,
            links={name: named[body] for name, (body, *_) in place.items()},
            joints=names,
            limits={n: limits_of(j) for n, j in moving.items() if j.text("type") != "fixed"},
            damping=dynamics_of(moving, "damping"),
            friction=dynamics_of(moving, "friction"),
            mimics=mimics,
            left_out=(*self.looks.left_out, *no_shapes),
        )

    def _names(self, links: list[str]) -> dict[str, str]:
        """Body names of links, with underscores for dots, which separate body and node."""
        owners: dict[str, str] = {}
        for link in links:
            name = link.replace(".", "_")
            other = owners.setdefault(name, link)
            if other != link:
                raise self.links[link].fault(
                    f"gets the same name {shown(name)!r} as the link {shown(other)!r}, because "
                    "dots become underscores; rename one"
                )
        return {link: name for name, link in owners.items()}

    def _link(self, element: Element) -> _Link:
        inertial = element.find("inertial")
        solids = self.looks.solids(element)
        if inertial is None:
            return _Link(element, 0.0, np.zeros(3), np.zeros((3, 3)), solids)
        mass = inertial.need("mass").number("value", unit=" [kg]", least=0.0)
        rotation, com = origin(inertial)
        inertia = inertial.need("inertia")
        names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        xx, xy, xz, yy, yz, zz = (
            inertia.number(n, 0.0 if n[1] != n[2] else None, unit=" [kg m^2]") for n in names
        )
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if np.abs(tensor).max() < _NEGLIGIBLE:  # rounded zeros in published files
            tensor = np.zeros((3, 3))
        return _Link(element, mass, com, rotation @ tensor @ rotation.T, solids)


def _checked_position(joint: Element, at: Array) -> Array:
    """Position of a joint on its body, checked for overflow."""
    if not np.all(np.isfinite(at)):
        raise joint.fault(
            "is too far from its parent and causes a numerical overflow; give smaller numbers in "
            "<origin>"
        )
    return at


def _joint_title(joint: Element) -> str:
    return f"the joint {shown(joint.text('name'))!r} on line {joint.line}"


_HEADS = ("joint", "carries", "range", "effort", "speed")


def printed(robot: Urdf) -> str:
    """Sizes, and one line a joint: the body that it carries and its limits."""
    rows = [_HEADS, *_rows(robot)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  " + "  ".join(f"{x:{w}s}" for x, w in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    first_lines = cut_lines(lines, MOST_LINES + 1, "joints", len(robot.joints) + 1)
    return folded("\n".join([_title(robot), *first_lines, *_notes(robot)]))


def printed_table(robot: Urdf) -> str:
    """The same as a table of HTML."""
    rows = _rows(robot)[:MOST_LINES]
    more = cut_lines([], 0, "joints", max(0, len(robot.joints) - MOST_LINES))
    return table(_title(robot), _HEADS, rows, [*more, *_notes(robot)])


def _title(robot: Urdf) -> str:
    words = ((len(robot.links), "link"), (len(robot.joints), "joint"))
    counts = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in words)
    return f"Urdf of {printable(robot.model.name) or 'a robot'}: {counts}"


def _rows(robot: Urdf) -> list[tuple[str, ...]]:
    return [
        (printable(joint), printable(body), *_limits(robot.limits.get(joint)))
        for joint, body in robot.joints.items()
    ]


def _limits(limits: Limits | None) -> tuple[str, str, str]:
    if limits is None:
        return "", "", ""
    inside = (limits.lower, limits.upper)
    span = f"{inside[0]:.4g} to {inside[1]:.4g}" if np.isfinite(inside).any() else ""
    effort, speed = (f"{x:.4g}" if np.isfinite(x) else "" for x in (limits.effort, limits.velocity))
    return span, effort, speed


def _notes(robot: Urdf) -> list[str]:
    merged = [
        f"{link} into {body}"
        for link, body in robot.links.items()
        if link.replace(".", "_") != body
    ]
    groups = {
        "merged": merged,
        "damping of": list(robot.damping),
        "friction of": list(robot.friction),
        "mimics": list(robot.mimics),
    }
    notes = []
    for what, names in groups.items():
        if names:
            notes.append(f"  {what} {name_list(names, show=printable, most=4)}")
    return notes
