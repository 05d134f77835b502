"""What a plot shows if it is not told: joints, bending, energies with their balance, loops."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ..bodies import NormalBody
from ..bodies.nodes import node_called
from ..results.labels import hinge_coordinates
from .plots_panels import Line, Panel

if TYPE_CHECKING:
    from ..results import Trajectory

Array = np.ndarray

_FEW = 3  # flexible bodies whose components of deflection are shown one by one
_SMALL = 1e-6  # of the largest: components that are not worth a line
# Parts of the range of the energy: how much finer rows may change the balance, which is then known
# much better, and what may be missing from the power that the rows tell of.
_COARSE, _MISSING = 0.05, 1e-6
_HIGH = 3.0  # ranges of the energies: from here on the level of the potential is taken off
_BALANCE = "start + work − losses"
_LOOKED_AT = 7  # rows at which that is checked
# Unit of joint coordinates -> title and words at the axis, in the order of the panels.
_JOINTS = {
    "rad": ("Joint angles", "angle"),
    "m": ("Joint positions", "position"),
    "1": ("Attitudes and other joint coordinates", "coordinate"),
}


def usual_panels(run: Trajectory) -> list[Panel]:
    """Panels of what one looks at first.

    Parameters
    ----------
    run : Trajectory
        What is plotted.
    """
    return [*_joints(run), *_deflections(run), _energies(run), *_loops(run)]


def _joints(run: Trajectory) -> list[Panel]:
    """Coordinates of all joints, a panel for each unit."""
    system, lines = run.system, dict[str, list[Line]]()
    for i, (name, joint) in enumerate(zip(system.names, system.joints, strict=True)):
        parts, q = hinge_coordinates(joint), run.q[:, system.layout.hinge_q(i)]
        for k, (label, unit) in enumerate(parts):
            words = name if len(parts) == 1 else f"{name}.{label}"
            lines.setdefault(unit, []).append(Line(words, q[:, k]))
    return [Panel(*_JOINTS[unit], unit, lines[unit]) for unit in _JOINTS if unit in lines]


def _deflections(run: Trajectory) -> list[Panel]:
    """How far the ends of flexible bodies are bent away."""
    system = run.system
    bent = [i for i, body in enumerate(system.bodies) if body.n_mode]
    found = []
    for i in bent:
        node = _end(system.bodies[i])
        place = f"{system.names[i]}.{node}"
        found.append((place, run[f"{place}.deflection"]))
    if not found:
        return []
    if len(found) > _FEW:
        lines = [Line(place, np.linalg.norm(values, axis=1)) for place, values in found]
        return [Panel("How far flexible bodies are bent", "deflection", "m", lines)]
    worth = _SMALL * max(np.abs(values).max() for _, values in found)
    lines = [
        Line(f"{place} {axis}", values[:, k])
        for place, values in found
        for k, axis in enumerate("xyz")
        if np.abs(values[:, k]).max() > worth
    ]
    title = "Bending, in the axes of the body"
    return [Panel(title, "deflection", "m", lines or [Line(p, v[:, 0]) for p, v in found])]


def _end(body: NormalBody) -> str:
    """The node called "tip", or the one that moves most, by its name if it has one."""
    if "tip" in body.node_names:
        return "tip"
    node = int(np.argmax(np.abs(body.node_shapes[:, 3:]).sum(axis=(1, 2))))
    return node_called(body.node_names, node) or str(node)


def _energies(run: Trajectory) -> Panel:
    """Energies that are not zero, their sum, and what it has to be by the work that was done."""
    parts = {key: run[f"energy.{key}"] for key in ("kinetic", "potential", "strain")}
    found = {key: values for key, values in parts.items() if np.any(values)}
    if len(found) != 1:
        found["total"] = run["energy.total"]
    balance = _balance(run)
    if balance is not None:
        found[_BALANCE] = balance
    # the level of the potential is arbitrary: it shall not hide all the rest
    level = float(parts["potential"][0])
    range_ = max(np.ptp(values) for values in found.values())
    level = level if abs(level) > _HIGH * range_ > 0 else 0.0
    lines = [
        Line(key, values if key in ("kinetic", "strain") else values - level, key == _BALANCE)
        for key, values in found.items()
    ]
    title = f"Energies; potential and total less {level:.6g} J" if level else "Energies"
    return Panel(title, "energy", "J", lines)


def _balance(run: Trajectory) -> Array | None:
    """Energy at the start, plus the work of forces and loads, less what modal damping took.

    None where there is nothing to balance, where the rows are too far apart to integrate, and where
    they do not tell everything: the inertia of rotors belongs to actuators, not to the mechanism.
    """
    drag = np.zeros_like(run.v)
    for i, body in enumerate(run.system.bodies):
        piece = run.system.layout.modal_v(i)
        drag[:, piece] = run.v[:, piece] @ body.damping.T
    loads = _power_of_loads(run)
    power = np.einsum("ti,ti->t", run.force - drag, run.v) + loads
    if run.n < 3 or not np.any(power):
        return None
    fine, coarse = _integral(run.time, power), _trapezoids(run.time, power)
    doubt = max(np.abs(fine - coarse).max(), _doubt(run, np.abs(run.force) + np.abs(drag), loads))
    if doubt > _COARSE * np.ptp(run["energy.total"]) or _has_rotors(run):
        return None
    return run["energy.total"][0] + fine


def _doubt(run: Trajectory, forces: Array, loads: Array) -> float:
    """Energy [J] that may hide between rows, by what speeds do there that their rates do not tell.

    It sees vibrations that are faster than the rows, which look slow in the rows alone.
    """
    steps, rates = np.diff(run.time), run.acceleration
    gap = np.abs(np.diff(run.v, axis=0) - steps[:, None] * (rates[1:] + rates[:-1]) / 2)
    sizes = np.abs(run.v).max(axis=0)
    part = np.max(gap / np.maximum(sizes, 1e-3 * sizes.max() + 1e-300), axis=1)
    hidden = np.sum(gap * np.maximum(forces[1:], forces[:-1]), axis=1)
    return float(steps @ (hidden + part * np.maximum(np.abs(loads[1:]), np.abs(loads[:-1]))))


def _has_rotors(run: Trajectory) -> bool:
    """Whether joints that turn or slide pass on another power than that of the applied forces."""
    rows = np.linspace(0, run.n - 1, min(_LOOKED_AT, run.n)).astype(int)
    few = run.sample(run.time[rows])
    missing, whole = 0.0, 0.0
    for name, joint in zip(run.system.names, run.system.joints, strict=True):
        if joint.n_v == 1:
            passed = few[f"{name}.reaction"] @ joint.motion_map(joint.neutral())
            given, rates = few[f"{name}.force"], few[f"{name}.rates"]
            missing = max(missing, float(np.abs((passed - given) * rates).max()))
            size = np.abs(few[f"{name}.reaction"]).max() + np.abs(given).max()
            whole = max(whole, float(size * np.abs(rates).max()))
    return missing > _MISSING * whole


def _power_of_loads(run: Trajectory) -> Array:
    """Power of the loads on nodes [W]."""
    power = np.zeros(run.n)
    for place in dict.fromkeys(run.store.columns.wrenches):
        turn, load = run[f"{place}.rotation"], run[f"{place}.load"]
        for given, rate in ((load[:, :3], "angular_velocity"), (load[:, 3:], "velocity")):
            power += np.einsum("tij,tj,ti->t", turn, given, run[f"{place}.{rate}"])
    return power


def _trapezoids(time: Array, power: Array) -> Array:
    steps = np.diff(time) * (power[1:] + power[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)])


def _integral(time: Array, power: Array) -> Array:
    """Integral by Simpson's rule on each stretch without a jump."""
    from scipy.integrate import cumulative_simpson

    total = _trapezoids(time, power)
    jumps = np.flatnonzero(np.diff(time) == 0) + 1
    ends = [0, *(int(k) for k in jumps), len(time)]
    before = 0.0
    for a, b in pairwise(ends):
        if b - a >= 3:
            total[a:b] = before + cumulative_simpson(power[a:b], x=time[a:b], initial=0.0)
        else:
            total[a:b] = before + _trapezoids(time[a:b], power[a:b])
        before = total[b - 1]
    return total


def _loops(run: Trajectory) -> list[Panel]:
    if not run.system.constraints:
        return []
    gap = np.where(run["closure"] > 0, run["closure"], np.nan)
    if not np.any(np.isfinite(gap)):
        return []
    return [Panel("Largest gap of the loops", "gap", "m", [Line("", gap)], logarithmic=True)]
