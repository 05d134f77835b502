"""Model: a mechanism assembled from named bodies and joints."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MOST_LINES, ModelError, cut_lines, printable, shown, suggestion
from ..joints import Joint
from ..notebook import table
from ..printing import folded
from ..shapes import ContactShape
from ..system import System
from ..system.layout import frame_words
from .attaching import Mount
from .attachment import moved_to_node
from .coupling import Couple, checked_couple
from .frames import NamedFrame, carrier, checked_frame
from .loops import checked_closing, removed
from .naming import check_body_name
from .parts import (
    Body,
    Closing,
    Connection,
    End,
    Part,
    checked_body,
    checked_connection,
    checked_rotation,
    checked_vector,
    place,
)
from .shapes import NamedShape, checked_shape, free_name

if TYPE_CHECKING:
    import os


class Model:
    """A mechanism: rigid or flexible bodies, each carried by a joint on another body or the ground.

    Additional joints between bodies close loops: `close` adds a joint that is cut, `join` lets
    `compile` choose the cut joint.  `couple` adds equations between joint coordinates, such as
    gears.  `frame` names places on bodies; `add_shape` says with which shapes bodies touch.

    Parts may be added in any order; names are resolved and values checked by `compile`.  A
    compiled system does not change when the model changes later.  `copy.copy` returns an
    independent model.

    Parameters
    ----------
    name : str
        Name of the mechanism.
    gravity : array (3,)
        Gravitational acceleration in world axes [m/s^2].
    """

    def __init__(self, name: str = "", *, gravity: Any = (0.0, 0.0, 0.0)) -> None:
        self.name = str(name)
        self.gravity = gravity
        self._parts: dict[str, Connection] = {}
        self._loops: dict[str, Closing] = {}
        self._joins: dict[str, Closing] = {}
        self._couplings: dict[str, Couple] = {}
        self._frames: dict[str, NamedFrame] = {}
        self._shapes: dict[str, NamedShape] = {}

    def __copy__(self) -> Model:
        """Independent model with the same parts."""
        copied = object.__new__(type(self))
        for name, value in self.__dict__.items():  # bodies, joints and frames are immutable
            copied.__dict__[name] = value.copy() if hasattr(value, "copy") else value
        return copied

    def __deepcopy__(self, memo: Any) -> Model:
        """Same as a shallow copy: all parts are immutable."""
        return self.__copy__()

    @property
    def gravity(self) -> Any:
        """Gravitational acceleration in world axes [m/s^2], array (3,); settable."""
        return self._gravity

    @gravity.setter
    def gravity(self, values: Any) -> None:
        self._gravity = checked_vector(values, "gravity", f"model {self.name!r}")

    @property
    def parts(self) -> Mapping[str, Connection]:
        """Bodies with their joints by body name, in the order of addition."""
        return dict(self._parts)

    @property
    def loops(self) -> Mapping[str, Closing]:
        """Joints added by `close`, by name, in the order of addition."""
        return dict(self._loops)

    @property
    def joins(self) -> Mapping[str, Closing]:
        """Joints added by `join`, by name, in the order of addition."""
        return dict(self._joins)

    @property
    def couplings(self) -> Mapping[str, Couple]:
        """Equations added by `couple`, by name, in the order of addition."""
        return dict(self._couplings)

    @property
    def frames(self) -> Mapping[str, NamedFrame]:
        """Frames added by `frame`, by name, in the order of addition."""
        return dict(self._frames)

    @property
    def shapes(self) -> Mapping[str, NamedShape]:
        """Shapes added by `add_shape`, by name, in the order of addition."""
        return dict(self._shapes)

    def add(
        self,
        body: Body,
        joint: Joint | None,
        *,
        name: str,
        to: str | Part | None = None,
        node: str | int | None = None,
        at: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
    ) -> Part:
        """Add a body and the joint that carries it.

        Parameters
        ----------
        body : RigidBody, FlexibleBody, NodalBody or Rod
            Body to add.
        joint : Joint or None
            Motion it allows.  The joint's outboard frame is the body's frame.  None: the body is
            connected by joints of `join` only.
        name : str
            Name of the body, unique in the model, without a dot.
        to : str or Part, optional
            "body", "body.node", a frame or a handle; by default the ground.
        node : str or int, optional
            Node of the body `to`, if `to` does not name it.
        at : array (3,)
            Origin of the joint's inboard frame, in the frame of that body or node [m].
        rotation : array (3, 3), mapping or SciPy Rotation, optional
            Joint's inboard axes to the axes of that body or node: a matrix, ``{"axis": "z",
            "angle": 0.5}``, ``{"rpy": (roll, pitch, yaw)}``, ``{"quaternion": (w, x, y, z)}``, or
            an object with `as_matrix`; angles in radians.

        Returns
        -------
        Part
            Handle for later calls.
        """
        self._check_name(name, "body")
        self._parts[name] = checked_connection(name, body, joint, to, node, at, rotation)
        return Part(name, model=self)

    def frame(
        self,
        name: str,
        *,
        on: str | Part | None = None,
        node: str | int | None = None,
        at: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
    ) -> Part:
        """Add a named frame fixed to a body, a node or the ground.

        Its name can be used wherever a body or node can be named: for poses, velocities and
        Jacobians, for loads, for joints attached to it, in results.  A frame has no mass and adds
        no coordinates.

        Parameters
        ----------
        name : str
            Name of the frame, unique in the model, without a dot.
        on : str or Part, optional
            "body", "body.node", another frame or a handle; by default the ground.
        node : str or int, optional
            Node of the body `on`, if `on` does not name it.
        at : array (3,)
            Origin, in the frame of that body, node or frame [m].
        rotation : array (3, 3), mapping or SciPy Rotation, optional
            Axes of the frame to the axes of that body, node or frame, as in `add`.

        Returns
        -------
        Part
            Handle for later calls.

        Examples
        --------
        >>> import lissom as ls
        >>> model = ls.Model("an arm with a tool")
        >>> _ = model.add(ls.RigidBody.rod(mass=1.0, length=2.0), ls.Revolute("z"), name="arm")
        >>> tool = model.frame("tool", on="arm", at=(1, 0, 0), rotation={"axis": "z", "angle": 0.5})
        >>> system = model.compile()
        >>> print(ls.velocity(system, system.state(**{"arm.rates": 3.0}), "tool"))
        [0. 0. 3. 0. 3. 0.]
        """
        self._check_name(name, "frame")
        self._frames[name] = checked_frame(name, on, node, at, rotation)
        return Part(name, model=self)

    def add_shape(
        self,
        shape: ContactShape,
        on: str | Part | None = None,
        *,
        node: str | int | None = None,
        name: str = "",
    ) -> Part:
        """Add a shape with which a body, a node, a frame or the ground touches others.

        Shapes are for the load `Contact`, and are drawn for bodies without solids.  They have no
        mass, and do nothing without such a load.

        Parameters
        ----------
        shape : ContactShape
            One of `lissom.shapes`; its `at` and `rotation` are in the axes of what carries it.
        on : str or Part, optional
            "body", "body.node", a frame or a handle; by default the ground.
        node : str or int, optional
            Node of the body `on`, if `on` does not name it.
        name : str
            Name of the shape, unique in the model, without a dot; by default its carrier and kind,
            such as "ball_sphere".

        Returns
        -------
        Part
            Handle of the shape, for contacts.

        Examples
        --------
        >>> import lissom as ls
        >>> from lissom import shapes
        >>> model = ls.Model("a ball above the ground", gravity=(0, 0, -9.81))
        >>> ball = model.add(ls.RigidBody.sphere(1.0, 0.1), ls.Free(), name="ball", at=(0, 0, 1))
        >>> _ = ball.add_shape(shapes.Sphere(0.1))
        >>> _ = model.add_shape(shapes.HalfSpace(), name="ground")
        >>> model
        Model 'a ball above the ground': 1 body, 2 shapes
          ball: RigidBody, free, on the ground
          ball_sphere: shape, Sphere on ball
          ground: shape, HalfSpace on the ground
        >>> touch = ls.Contact("ball", "ground", ls.LinearContact(1e5, restitution=0.5))
        """
        if name == "":
            name = free_name(shape, on, node, {x for names in self._groups.values() for x in names})
        self._check_name(name, "shape")
        self._shapes[name] = checked_shape(shape, on, node, name)
        return Part(name)

    def close(
        self,
        joint: Joint,
        a: str | Part | None,
        b: str | Part | None,
        *,
        at_a: Any = (0.0, 0.0, 0.0),
        at_b: Any = (0.0, 0.0, 0.0),
        rotation_a: Any = None,
        rotation_b: Any = None,
        name: str,
    ) -> None:
        """Close a loop: connect two parts that other joints already carry.

        The frame at `b` moves relative to the frame at `a` only as the joint allows.
        The joint is cut: it becomes constraint equations, one of `System.loops`.

        Parameters
        ----------
        joint : Joint
            Any joint except Free; its inboard frame is at `a`, its outboard frame at `b`.
        a, b : str, Part or None
            "body", "body.node", a frame or a handle; None is the ground.
        at_a, at_b : array (3,)
            Origins of the two frames, in the frames of these bodies or nodes [m].
        rotation_a, rotation_b : array (3, 3), mapping or SciPy Rotation, optional
            Axes of the two frames to the axes of these bodies or nodes, as in `add`.
        name : str
            Name of the loop, unique among bodies, loops and joins, without a dot.
        """
        self._check_name(name, "loop")
        ends = ((a, at_a, rotation_a), (b, at_b, rotation_b))
        self._loops[name] = checked_closing("loop", name, joint, *ends)

    def join(
        self,
        joint: Joint,
        a: str | Part | None,
        b: str | Part | None,
        *,
        at_a: Any = (0.0, 0.0, 0.0),
        at_b: Any = (0.0, 0.0, 0.0),
        rotation_a: Any = None,
        rotation_b: Any = None,
        name: str,
    ) -> None:
        """Connect two parts with a joint; `compile` decides whether it carries a body or is cut.

        The frame at `b` moves relative to the frame at `a` only as the joint allows.
        Where joints form loops, `compile` cuts those that give the fewest constraint equations;
        the printed system and the logger "lissom" name them.

        Parameters
        ----------
        joint : Joint
            Any joint except Free; its inboard frame is at `a`, its outboard frame at `b`.
        a, b : str, Part or None
            "body", "body.node", a frame or a handle; None is the ground.
        at_a, at_b : array (3,)
            Origins of the two frames, in the frames of these bodies or nodes [m].
        rotation_a, rotation_b : array (3, 3), mapping or SciPy Rotation, optional
            Axes of the two frames to the axes of these bodies or nodes, as in `add`.
        name : str
            Name of the joint, unique among bodies, loops and joins, without a dot.

        Notes
        -----
        A joint that carries a body away from the body's frame gets a massless body there, named
        "body@name", and its coordinates have that name instead of the body's.
        A joint of `add` that is cut becomes a loop named "body-carrier".
        """
        self._check_name(name, "join")
        ends = ((a, at_a, rotation_a), (b, at_b, rotation_b))
        self._joins[name] = checked_closing("join", name, joint, *ends)

    def couple(self, ratios: Mapping[Any, Any], *, offset: Any = 0.0, name: str) -> None:
        """Couple joint coordinates: sum of ratio * coordinate = offset.

        For gears, belts, racks and pinions, differentials; a single coordinate is locked.  Each
        joint receives its ratio times the force that the coupling transmits (`coupling_forces`).

        Parameters
        ----------
        ratios : mapping
            {"left": 1.0, "right": -1.0}: factors of the coordinates [rad or m].  "body" is the
            coordinate of the joint that carries the body; if that joint has several, name one of
            them: "body.angle", "body.slide", "body.x", as in results.
        offset : float
            Value of the sum.
        name : str
            Name of the coupling, unique among bodies, loops, joins and couplings, without a dot.

        Notes
        -----
        Only joints whose speeds are the rates of their coordinates can be coupled: revolute,
        prismatic, screw, cylindrical, universal and planar joints.

        Examples
        --------
        >>> import lissom as ls
        >>> model = ls.Model("two meshing wheels")
        >>> wheel = ls.RigidBody.cylinder(mass=1.0, radius=0.1, length=0.02)
        >>> _ = model.add(wheel, ls.Revolute("z"), name="left")
        >>> _ = model.add(wheel, ls.Revolute("z"), at=(0.3, 0, 0), name="right")
        >>> model.couple({"left": 1.0, "right": 2.0}, name="gear")
        >>> system = model.compile()
        >>> print(ls.forward_dynamics(system, system.state(), {"left": 0.005}).round(3))
        [ 0.8 -0.4]
        """
        self._check_name(name, "coupling")
        self._couplings[name] = checked_couple(name, ratios, offset)

    def replace(self, name: str | Part, body: Body) -> None:
        """Replace a body; its joint, children, loops, joins, frames and shapes are kept.

        If a rigid body is replaced by a flexible one, everything attached to its frame moves to the
        nearest node, at the same position, so that it follows the deformation; use `move` for
        other places.

        Parameters
        ----------
        name : str or Part
            Body to replace.
        body : RigidBody, FlexibleBody, NodalBody or Rod
            New body; it must have the nodes to which children, loops, joins, frames and shapes
            are attached.
        """
        part = self._find(name)
        old, new = part.body, checked_body(body, f"replace({part.name!r})")
        self._parts[part.name] = replace(part, body=new)
        for child in self._parts.values():
            end = moved_to_node(End(child.to, child.at, child.rotation), part.name, old, new)
            self._parts[child.name] = replace(child, to=end.part, at=end.at)
        for group in (self._loops, self._joins):
            for closing in group.values():
                a, b = (moved_to_node(end, part.name, old, new) for end in (closing.a, closing.b))
                group[closing.name] = replace(closing, a=a, b=b)
        for frame in self._frames.values():
            end = moved_to_node(frame.end, part.name, old, new)
            self._frames[frame.name] = replace(frame, end=end)
        for shape in self._shapes.values():
            self._shapes[shape.name] = shape.on_replaced(part.name, old, new)

    def move(
        self,
        name: str | Part,
        *,
        to: str | Part | None,
        node: str | int | None = None,
        at: Any = (0.0, 0.0, 0.0),
        rotation: Any = None,
    ) -> None:
        """Attach a body elsewhere; its joint, children and loops are kept.

        Parameters
        ----------
        name : str or Part
            Body to move.
        to, node, at, rotation
            New place of its joint, as in `add`.
        """
        part = self._find(name)
        where = f"body {part.name!r}"
        if part.loose:
            raise ModelError(
                f"{where} has no joint to move, it is connected by joins; remove these joins and "
                "join it elsewhere"
            )
        self._parts[part.name] = replace(
            part,
            to=place(to, node, where),
            at=checked_vector(at, "at", where),
            rotation=checked_rotation(rotation, where),
            geared=False,
        )

    def mark_gear(self, name: str | Part) -> None:
        """Mark a joint as the elastic gear of a drive; the body it is attached to is the rotor.

        `flexible_drive` does this.  A simulation of the model then requires the load of that drive.

        Parameters
        ----------
        name : str or Part
            Body that the joint carries.
        """
        part = self._find(name)
        on_body = part.to is not None and carrier(part.to.name, self._frames) is not None
        if part.loose or not on_body:
            raise ModelError(
                f"body {part.name!r}: its joint ({part.words}) is not attached to a body, so it "
                "cannot be a gear; attach it to the body of the rotor with model.move"
            )
        self._parts[part.name] = replace(part, geared=True)

    def remove(self, name: str | Part, *, outboard: bool = False) -> None:
        """Remove a body and its joint, or a frame, loop, join, coupling or shape.

        The shapes of a body or frame go with it.

        Parameters
        ----------
        name : str or Part
            Part to remove.
        outboard : bool
            Also remove everything that the body or frame carries, and the loops, joins and
            couplings of the removed parts.  If False, their existence is an error.
        """
        if not isinstance(outboard, (bool, np.bool_)):
            raise ModelError(f"outboard is {shown(outboard)}; expected True or False")
        groups: tuple[dict[str, Any], ...] = (self._loops, self._joins, self._couplings)
        first = name.name if isinstance(name, Part) else name
        if isinstance(first, str) and first in self._shapes:
            del self._shapes[first]
            return
        for named in groups:
            if isinstance(name, str) and name in named:
                del named[name]
                return
        if not isinstance(first, str) or first not in self._frames:
            first = self._find(name, *groups, self._frames, self._shapes).name
        groups = (*groups, self._frames)
        self._parts, self._loops, self._joins, self._couplings, self._frames = removed(
            first, self._parts, *groups, outboard=outboard
        )
        carriers = {None, *self._parts, *self._frames}
        left = (x for x in self._shapes.values() if x.end.body in carriers)
        self._shapes = {shape.name: shape for shape in left}

    def attach(
        self,
        model: Model,
        *,
        to: str | Part | None = None,
        prefix: str = "",
        node: str | int | None = None,
        at: Any = None,
        rotation: Any = None,
    ) -> list[Part]:
        """Add a copy of another model: all that it has, bodies with their joints and so on.

        Parameters
        ----------
        model : Model
            Model to copy; it is not changed.  Its gravity is ignored.
        to : str or Part, optional
            Body, node or frame that replaces the other model's ground; by default the ground.
        prefix : str
            Prepended to each of the added names.
        node : str or int, optional
            Node of the body `to`, if `to` does not name it.
        at : array (3,), optional
            Origin of the other model's ground, in the frame of that body or node [m].
        rotation : array (3, 3), mapping or SciPy Rotation, optional
            Axes of the other model's ground to the axes of that body or node, as in `add`.

        Returns
        -------
        list of Part
            Handles of the added bodies.
        """
        mount = self._mount(model, to, prefix, node, at, rotation)
        bodies = [mount.connection(part) for part in model._parts.values()]
        loops = [mount.closing(loop) for loop in model._loops.values()]
        joins = [mount.closing(join) for join in model._joins.values()]
        added: dict[str, list[Any]] = {"body": bodies, "loop": loops, "join": joins}
        added["coupling"] = [one.prefixed(prefix) for one in model._couplings.values()]
        added["frame"] = [mount.frame(frame) for frame in model._frames.values()]
        added["shape"] = [mount.shape(shape) for shape in model._shapes.values()]
        for kind, things in added.items():
            for thing in things:
                self._check_name(thing.name, kind)
        if mount.base is not None and any(
            mount.base.name == x.name for x in (*bodies, *added["frame"])
        ):
            raise ModelError(
                f"attach: to={str(mount.base)!r} is one of the attached parts, which would carry "
                "themselves; give another body, or another prefix"
            )
        for kind, things in added.items():
            self._groups[kind].update({thing.name: thing for thing in things})
        return [Part(body.name, model=self) for body in bodies]

    def compile(
        self, *, level: str | None = None, values: Mapping[Any, float] | None = None
    ) -> System:
        """Resolve names, convert parameters to floats, check them, and number the bodies.

        Parameters
        ----------
        level : {"full", "linear", "ruthless", "stiffened"}, optional
            Level for all flexible bodies; by default the level of each body.
        values : mapping, optional
            Values of the symbols in parameters.

        Returns
        -------
        System
        """
        from .compile import compile_model

        return compile_model(self, level=level, values=values or {})

    def save(
        self, path: str | os.PathLike[str], *, simulation: Mapping[str, Any] | None = None
    ) -> None:
        """Write the model to a file that `load` reads, preserving every bit of the numbers.

        Large arrays of flexible bodies are written to NAME_bodies.npz in the same folder, short
        ones to the file itself.

        Parameters
        ----------
        path : path
            NAME.toml, NAME.json or NAME.yaml; an existing file is replaced.
        simulation : mapping, optional
            Arguments of `simulate` by name, including the state, for the section [simulation].
            Functions are saved as "module:name" or "file.py:name".
        """
        from ..io.model_file.write.model import save_model

        save_model(self, path, simulation)

    def _repr_html_(self) -> str:
        """Parts as a table, for notebooks."""
        title = repr(self).split("\n", 1)[0]
        rows, more = [], []
        for kind, group in self._groups.items():
            for one in list(group.values())[:MOST_LINES]:
                rows.append((one.name, *_words(one, kind).split(", ", 1)))
            plural = "bodies" if kind == "body" else f"{kind}s"
            more += cut_lines([], 0, plural, max(0, len(group) - MOST_LINES))
        return table(title, ("name", "kind", "place"), rows, more)

    def __repr__(self) -> str:
        """One line for each body, loop, join, coupling, frame and shape."""
        n = len(self._parts)
        heading = f"Model {self.name!r}: {n} {'body' if n == 1 else 'bodies'}"
        rows: list[str] = []
        for kind, group in self._groups.items():
            if group and kind != "body":
                heading += f", {len(group)} {kind}{'s' if len(group) > 1 else ''}"
            lines = (f"  {printable(x.name)}: {_words(x, kind)}" for x in group.values())
            plural = "bodies" if kind == "body" else f"{kind}s"
            rows += cut_lines(lines, MOST_LINES, plural, len(group))
        return folded("\n".join([heading, *rows]))

    def _find(self, name: str | Part, *others: Mapping[str, Any]) -> Connection:
        key = name.name if isinstance(name, Part) else name
        if not isinstance(key, str) or key not in self._parts:
            if isinstance(key, str) and key in self._frames:
                part = self._frames[key].end.part
                raise ModelError(
                    f"{frame_words(key, part.name if part else '')}; to change a frame, remove it "
                    "and add it again"
                )
            choices = [part for names in (self._parts, *others) for part in names]
            raise ModelError(f"there is no body {key!r}; {suggestion(str(key), choices)}")
        return self._parts[key]

    @property
    def _groups(self) -> dict[str, dict[str, Any]]:
        """All named parts, by kind."""
        return {
            "body": self._parts,
            "loop": self._loops,
            "join": self._joins,
            "coupling": self._couplings,
            "frame": self._frames,
            "shape": self._shapes,
        }

    def _mount(self, model: Any, to: Any, prefix: Any, node: Any, at: Any, rotation: Any) -> Mount:
        if not isinstance(model, Model):
            raise ModelError(f"attach: expected a Model, got {model!r}")
        if model is self:
            raise ModelError(
                "attach: a model cannot be attached to itself; attach a copy: copy.deepcopy(model)"
            )
        if not isinstance(prefix, str):
            raise ModelError(f"attach: prefix is {prefix!r}; expected text, such as 'left_'")
        return Mount(
            place(to, node, "attach"),
            None if at is None else checked_vector(at, "at", "attach"),
            None if rotation is None else checked_rotation(rotation, "attach"),
            prefix,
        )

    def _check_name(self, name: str, kind: str) -> None:
        if not isinstance(name, str) or not name:
            raise ModelError(f"a {kind}'s name must be non-empty text, got {name!r}")
        if "." in name:
            raise ModelError(
                f"{kind} name {name!r} contains a dot; dots separate body and node, use another "
                "character"
            )
        if kind == "body":
            check_body_name(name)
        for other_kind, names in self._groups.items():
            if name in names:
                raise ModelError(f"there is a {other_kind} {name!r} already; names must be unique")


def _words(part: Any, kind: str) -> str:
    """Description of a named part for `repr`."""
    what = type(part.body).__name__ if kind == "body" else kind
    return printable(f"{what}, {part.words}")
