"""Published robots from URDF files, in lissom and in Pinocchio."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from lissom.io import Urdf, read_urdf
from lissom.library import humanoid, rigid_chain, turned_chain
from lissom.model import Model
from lissom.structures import ALUMINIUM, Tube, beam
from lissom.system import System

from ..peers.twins import PeerError, Pinocchio

Array = np.ndarray

DATA = "example-robot-data"
FILES = {
    "UR5": "ur_description/urdf/ur5_robot.urdf",
    "Panda": "panda_description/urdf/panda.urdf",
}
LIBRARY: dict[str, Callable[[int], Model]] = {
    "rigid chain": rigid_chain,
    "turned chain": turned_chain,
    "humanoid": humanoid,
}


class Twin:
    """A mechanism in both libraries.

    Parameters
    ----------
    system : System
        In lissom.
    end : str
        Its last body.
    model : object
        In Pinocchio, or None without it.
    frame : int
        Frame of the last body there.
    order : array (n_v,)
        Numbers of lissom's speeds in Pinocchio's order.
    """

    def __init__(self, system: System, end: str, model: Any, frame: int, order: Array) -> None:
        self.system, self.end, self.model, self.frame = system, end, model, frame
        self.order = order
        self.data = None if model is None else model.createData()


def robot_path(name: str) -> Path | None:
    """File of a robot; None if the package with the robots is not installed.

    Parameters
    ----------
    name : {"UR5", "Panda"}
        Robot.
    """
    try:
        place = metadata.distribution(DATA).locate_file(
            f"cmeel.prefix/share/{DATA}/robots/{FILES[name]}"
        )
    except metadata.PackageNotFoundError:
        return None
    return Path(str(place))


def from_library(name: str, n: int, *, peer: bool) -> Twin:
    """Mechanism of the library with n joints.

    Parameters
    ----------
    name : str
        One of `LIBRARY`.
    n : int
        Number of joints.
    peer : bool
        Whether Pinocchio is installed.
    """
    model = LIBRARY[name](n)
    system = model.compile()
    twin = Pinocchio(model).model if peer else None
    frame = 0 if twin is None else twin.addJointFrame(twin.njoints - 1)
    return Twin(system, system.names[-1], twin, frame, np.arange(system.n_v))


def from_file(name: str, *, peer: bool) -> Twin | None:
    """Robot from its file; None if there is no such file here.

    Parameters
    ----------
    name : {"UR5", "Panda"}
        Robot.
    peer : bool
        Whether Pinocchio is installed.
    """
    path = robot_path(name)
    if path is None:
        return None
    robot = _read(path)
    system = robot.model.compile()
    if not peer:
        return Twin(system, system.names[-1], None, 0, np.arange(system.n_v))
    twin = importlib.import_module("pinocchio").buildModelFromUrdf(str(path))
    bodies = [robot.joints[joint] for joint in list(twin.names)[1:]]
    order = np.array([system.layout.hinge_v(body).start for body in bodies])
    if len(order) != system.n_v:
        raise PeerError(f"{name}: Pinocchio and lissom read different joints from {path}")
    frame = twin.getFrameId(twin.names[int(np.argmax(order)) + 1])
    return Twin(system, system.names[-1], twin, frame, order)


def with_flexible_forearm() -> Model | None:
    """UR5 whose forearm is a boom with two modes; None without its file."""
    path = robot_path("UR5")
    if path is None:
        return None
    model = _read(path).model
    wrist = model.parts["wrist_1_link"]
    along_z = np.array([[0.0, 0, -1], [0, 1, 0], [1, 0, 0]])
    boom = beam(
        float(wrist.at[2]),
        Tube(0.04, 0.001),
        ALUMINIUM,
        bending=1,
        torsion=0,
        stretch=0,
        damping=0.02,
    )
    model.replace("forearm_link", boom.turned(along_z))
    model.move("wrist_1_link", to="forearm_link.tip", rotation=wrist.rotation)
    return model


def hinged(system: System) -> list[str]:
    """Bodies whose joints move.

    Parameters
    ----------
    system : System
        Mechanism.
    """
    pairs = zip(system.names, system.joints, strict=True)
    return [name for name, joint in pairs if joint.n_v]


def _read(path: Path) -> Urdf:
    return read_urdf(path, merge_fixed=True, unphysical="keep", mimics="free", meshes=False)
