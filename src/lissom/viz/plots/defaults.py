"""Default panels of a plot: joints, bending, energies with their balance, loops."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from ...bodies import NormalBody
from ...bodies.nodes import node_called
from .panels import Line, Panel

if TYPE_CHECKING:
    from ...results import Trajectory

Array = np.ndarray

_FEW = 3  # largest number of flexible bodies whose deflection is shown by components
_SMALL = 1e-6  # fraction of the largest component below which a component is not shown
# Fractions of the range of the energy: largest change of the balance with finer rows (its error is
# then much smaller), and largest power that the rows may not account for.
_COARSE, _MISSING = 0.05, 1e-6
_HIGH = 3.0  # potential energy, in ranges of the energies, above which its level is subtracted
_BALANCE = "start + work − losses"
_LOOKED_AT = 7  # rows at which this is checked
# Unit of joint coordinates -> title and axis label, in the order of the panels.
_JOINTS = {
    "rad": ("Joint angles", "angle"),
    "m": ("Joint positions", "position"),
    "1": ("Attitudes and other joint coordinates", "coordinate"),
}


def usual_panels(run: Trajectory) -> list[Panel]:
    """Default panels of a run.

    Parameters
    ----------
    run : Trajectory
        Run to plot.
    """
    return [*_joints(run), *_deflections(run), _energies(run), *_loops(run)]


def _joints(run: Trajectory) -> list[Panel]:
    """Coordinates of all joints, one panel for each unit."""
    system, lines = run.system, dict[str, list[Line]]()
    for i, (name, joint) in enumerate(zip(system.names, system.joints, strict=True)):
        parts, q = joint.coordinates, run.q[:, system.layout.hinge_q(i)]
        for k, (label, unit) in enumerate(parts):
            words = name if len(parts) == 1 else f"{name}.{label}"
            lines.setdefault(unit, []).append(Line(words, q[:, k]))
    return [Panel(*_JOINTS[unit], unit, lines[unit]) for unit in _JOINTS if unit in lines]


def _deflections(run: Trajectory) -> list[Panel]:
    """Deflections at the ends of flexible bodies."""
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
        return [Panel("Deflection of flexible bodies", "deflection", "m", lines)]
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
    """Name of the node "tip", or name or number of the node that moves most."""
    if "tip" in body.node_names:
        return "tip"
    node = int(np.argmax(np.abs(body.node_shapes[:, 3:]).sum(axis=(1, 2))))
    return node_called(body.node_names, node) or str(node)


def _energies(run: Trajectory) -> Panel:
    """Nonzero energies, their sum, and the expected sum from the work done."""
    parts = {key: run[f"energy.{key}"] for key in ("kinetic", "potential", "strain")}
    found = {key: values for key, values in parts.items() if np.any(values)}
    if len(found) != 1:
        found["total"] = run["energy.total"]
    balance = _balance(run)
    if balance is not None:
        found[_BALANCE] = balance
    # the level of the potential is arbitrary: it must not hide the other curves
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
    """Initial energy plus the work of forces and loads, minus the losses of modal damping.

    None if there is nothing to balance, if the rows are too far apart to integrate, or if they are
    incomplete: the kinetic energy of rotors belongs to actuators, not to the mechanism.
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
    """Energy [J] possibly missed between rows: changes of speed that accelerations do not show.

    It detects vibrations faster than the spacing of the rows, which are aliased in the rows alone.
    """
    steps, rates = np.diff(run.time), run.acceleration
    gap = np.abs(np.diff(run.v, axis=0) - steps[:, None] * (rates[1:] + rates[:-1]) / 2)
    sizes = np.abs(run.v).max(axis=0)
    part = np.max(gap / np.maximum(sizes, 1e-3 * sizes.max() + 1e-300), axis=1)
    hidden = np.sum(gap * np.maximum(forces[1:], forces[:-1]), axis=1)
    return float(steps @ (hidden + part * np.maximum(np.abs(loads[1:]), np.abs(loads[:-1]))))


def _has_rotors(run: Trajectory) -> bool:
    """Whether the power through single-axis joints differs from that of the applied forces."""
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
    stored = np.asarray(run.store.read("wrench")).reshape(run.n, -1, 6)
    for k, place in enumerate(run.store.columns.wrenches):
        load = run.system.place(place).wrench_at_frame(stored[:, k].T).T
        turn = run[f"{place}.rotation"]
        for given, rate in ((load[:, :3], "angular_velocity"), (load[:, 3:], "velocity")):
            power += np.einsum("tij,tj,ti->t", turn, given, run[f"{place}.{rate}"])
    return power


def _trapezoids(time: Array, power: Array) -> Array:
    steps = np.diff(time) * (power[1:] + power[:-1]) / 2
    return np.concatenate([[0.0], np.cumsum(steps)])


def _integral(time: Array, power: Array) -> Array:
    """Integral by Simpson's rule on each interval without a jump."""
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
