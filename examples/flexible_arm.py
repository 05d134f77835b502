"""A flexible two-boom arm on a free hub swings and rings.

Two slender booms carry a payload on a satellite that floats freely.  Smooth torques at shoulder
and elbow swing the arm through half a turn; the booms bend, the hub reacts, and the vibration
stays when the torques have ended.  SciPy integrates; the work of the torques and the losses of
the modal damping are integrated along, so that the energy can be balanced at the end.

    python examples/flexible_arm.py [folder]       writes flexible_arm.png there, default "out"
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from scipy.integrate import solve_ivp

import lissom as ls

DURATION = 9.0  # s
PULSE = 6.0  # s, the torques end here
TORQUE = {"upper": 560.0, "lower": 260.0}  # N m, amplitudes


def arm() -> ls.System:
    """Satellite, shoulder about z, elbow about a tilted axis, payload at the end."""
    boom = ls.beam(
        length=6.0, section=ls.Tube(radius=0.04, thickness=0.002), material=ls.CARBON, modes=4
    )
    model = ls.Model("flexible arm")
    model.add(ls.RigidBody.box(mass=4000, size=(3.0, 2.4, 2.4)), ls.Free(), name="hub")
    model.add(boom, ls.Revolute("z"), to="hub", at=(1.5, 0, 0), name="upper")
    model.add(boom, ls.Revolute((0, 0.3, 1)), to="upper.tip", name="lower")
    model.add(ls.RigidBody.sphere(mass=40, radius=0.3), ls.Fixed(), to="lower.tip", name="payload")
    return model.compile()


def torques(system: ls.System, t: float) -> np.ndarray:
    """Generalized forces at time t: one full sine wave, so that the arm comes nearly to rest."""
    wave = np.sin(2 * np.pi * t / PULSE) if t < PULSE else 0.0
    forces = np.zeros(system.n_v)
    for name, amplitude in TORQUE.items():
        forces[system.layout.hinge_v(name).start] = amplitude * wave
    return forces


def damping_loss(system: ls.System, state: ls.State) -> float:
    """Power that the modal damping takes out [W]."""
    rates = {name: state[f"{name}.mode_rates"] for name in ("upper", "lower")}
    return sum(
        rate @ system.bodies[system.layout.index(name)].damping @ rate
        for name, rate in rates.items()
    )


def swing(system: ls.System, start: ls.State, duration: float, rtol: float = 1e-6):
    """Integrate q, v, work and loss; returns the times and one column for each."""
    n_q, n_v = system.n_q, system.n_v
    clock = time.perf_counter()
    shown = [clock]

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        now = time.perf_counter()
        if now - shown[0] > 2.0:
            shown[0] = now
            print(f"  t = {t:5.2f} s of {duration:g} s", flush=True)
        state = system.state(y[:n_q], y[n_q : n_q + n_v])
        forces = torques(system, t)
        vdot = ls.forward_dynamics(system, state, forces)
        power = [forces @ state.v, damping_loss(system, state)]
        return np.concatenate([ls.qdot(system, state), vdot, power])

    times = np.linspace(0, duration, 361)
    y = np.concatenate([start.q, start.v, [0.0, 0.0]])[:, None]
    # The torque has a kink where it ends: integrate the two pieces one after the other.
    for begin, end in ((0.0, PULSE), (PULSE, duration)):
        at = times[(times >= begin) & (times <= end)]
        piece = solve_ivp(rates, (begin, end), y[:, -1], "DOP853", at, rtol=rtol, atol=1e-9)
        y = np.concatenate([y, piece.y[:, 1:]], axis=1)
    print(f"  integrated in {time.perf_counter() - clock:.1f} s")
    return times, y


def main(folder: str = "out") -> float:
    """Run, report and draw; returns the relative error of the energy balance."""
    system = arm()
    start = system.state(upper=-1.1, lower=-0.9)
    print(system, "\n")
    print(f"swinging for {DURATION:g} s of simulated time")
    times, y = swing(system, start, DURATION)
    n_q, n_v = system.n_q, system.n_v
    states = [system.state(q, v) for q, v in zip(y[:n_q].T, y[n_q : n_q + n_v].T, strict=True)]
    energies = [ls.energy(system, state) for state in states]
    total = np.array([e.total for e in energies])
    work, loss = y[n_q + n_v], y[n_q + n_v + 1]
    error = np.abs(total - total[0] - work + loss).max() / np.ptp(total)
    report(system, states, total, work, loss, error)
    picture = Path(folder) / "flexible_arm.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    draw(system, times, states, energies, work, loss, picture)
    print(f"\nwrote {picture}")
    return error


def report(system, states, total, work, loss, error) -> None:
    """Print the balances of energy and momentum."""
    h = np.array([ls.momentum(system, s) for s in states])
    bend = max(np.linalg.norm(deflection(system, s, "upper")) for s in states)
    print("\nenergy balance at the end")
    print(f"  mechanical energy gained  {total[-1] - total[0]:12.6f} J")
    print(f"  work of the torques       {work[-1]:12.6f} J")
    print(f"  lost in modal damping     {loss[-1]:12.6f} J")
    print(f"  largest imbalance         {error:12.1e}   of the largest energy, at any time")
    print("momentum: nothing acts from outside, so it stays zero")
    print(f"  largest linear            {np.abs(h[:, 3:]).max():12.1e} N s")
    print(f"  largest angular           {np.abs(h[:, :3]).max():12.1e} N m s")
    print(f"largest bending of the upper boom  {1000 * bend:.0f} mm")


def deflection(system, state, boom: str) -> np.ndarray:
    """Displacement of the boom's tip against its undeformed place, in the boom's axes [m]."""
    body = system.bodies[system.layout.index(boom)]
    return body.node_shapes[body.node_names["tip"], 3:] @ state[f"{boom}.modes"]


def centre_line(system, state, boom: str) -> tuple[np.ndarray, np.ndarray]:
    """Points along a boom in the world: as it is, and as it would be without bending."""
    root = ls.pose(system, state, boom)
    body = system.bodies[system.layout.index(boom)]
    nodes = range(body.node_names["root"], body.node_names["tip"] + 1, 2)
    bent = np.array([ls.pose(system, state, f"{boom}.{k}").position for k in nodes])
    return bent, root.position + body.node_positions[nodes] @ root.rotation.T


def draw(system, times, states, energies, work, loss, picture: Path) -> None:
    """Motion from above, bending and energies."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(12, 7.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[1.15, 1])
    draw_motion(figure.add_subplot(grid[:, 0]), system, times, states)
    axes = figure.add_subplot(grid[0, 1])
    bend = 1000 * np.array([deflection(system, s, "upper") for s in states])
    bend_lower = 1000 * np.array([deflection(system, s, "lower") for s in states])
    axes.plot(times, bend[:, 1], label="upper boom, in the plane", color="C0")
    axes.plot(times, bend_lower[:, 1], label="lower boom, in the plane", color="C1")
    axes.plot(times, bend_lower[:, 2], label="lower boom, out of the plane", color="C2", lw=0.9)
    axes.axvline(PULSE, color="0.7", lw=0.8, ls="--")
    axes.set(ylabel="tip deflection [mm]", title="Bending: it rings on when the torques end")
    axes.legend(fontsize=8, loc="upper right")
    axes = figure.add_subplot(grid[1, 1], sharex=axes)
    axes.plot(times, [e.kinetic for e in energies], label="kinetic", color="C0")
    axes.plot(times, [e.strain for e in energies], label="strain", color="C1")
    axes.plot(times, [e.total for e in energies], label="kinetic + strain", color="C7", lw=3)
    axes.plot(times, work - loss, "k--", lw=1, label="work of torques − damping losses")
    axes.axvline(PULSE, color="0.7", lw=0.8, ls="--")
    axes.set(xlabel="time [s]", ylabel="energy [J]", title="Energy")
    axes.legend(fontsize=8, loc="upper right")
    figure.savefig(picture, dpi=130)
    plt.close(figure)


def draw_motion(axes, system, times, states) -> None:
    """The arm at some moments, seen along z, and the path of the payload."""
    from matplotlib import colormaps
    from matplotlib.patches import Polygon

    picks = np.linspace(0, len(states) - 1, 10).astype(int)
    corners = np.array([[-1.5, -1.2], [1.5, -1.2], [1.5, 1.2], [-1.5, 1.2]])
    for k in picks:
        colour = colormaps["viridis"](0.92 * k / len(states))
        hub = ls.pose(system, states[k], "hub")
        outline = hub.position[:2] + corners @ hub.rotation[:2, :2].T
        axes.add_patch(Polygon(outline, closed=True, fc="none", ec=colour, lw=1))
        for boom in ("upper", "lower"):
            bent, straight = centre_line(system, states[k], boom)
            axes.plot(straight[:, 0], straight[:, 1], color=colour, lw=0.8, ls=":")
            axes.plot(bent[:, 0], bent[:, 1], color=colour, lw=2)
            axes.plot(*bent[0, :2], "o", color=colour, ms=4)
        end = ls.pose(system, states[k], "payload").position
        axes.plot(end[0], end[1], "o", color=colour, ms=10)
        if times[k] != 1:  # the start is slow: its label would stand on that of the first second
            place = {"xytext": (9, 4), "textcoords": "offset points", "fontsize": 8}
            axes.annotate(f"{times[k]:.1f} s", end[:2], **place)
    path = np.array([ls.pose(system, s, "payload").position for s in states[::4]])
    axes.plot(path[:, 0], path[:, 1], color="0.6", lw=0.8, zorder=0)
    axes.set_aspect("equal")
    axes.margins(0.08)
    axes.set(
        xlabel="x [m]", ylabel="y [m]", title="Seen from above; dotted: the booms without bending"
    )
    axes.grid(alpha=0.25)


if __name__ == "__main__":
    main(*sys.argv[1:2])
