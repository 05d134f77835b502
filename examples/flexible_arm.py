"""A flexible two-boom arm on a free hub swings and rings.

Two slender booms carry a payload on a satellite that floats freely.  Smooth torques at shoulder
and elbow swing the arm through half a turn; the booms bend, the hub reacts, and the vibration
stays when the torques have ended.  At the end the energy is balanced against the work of the
torques and the losses of the modal damping.

    python examples/flexible_arm.py [folder]       writes flexible_arm.png and the moving view
                                                   flexible_arm.html there, default "out"
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from scipy.integrate import cumulative_simpson

import lissom as ls

DURATION = 9.0  # s
PULSE = 6.0  # s, the torques end here
TORQUE = {"upper": 560.0, "lower": 260.0}  # N m, amplitudes
ROWS = 1e-3  # s, between rows of the result: the balance integrates over them


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


def torques() -> list[ls.Load]:
    """One full sine wave at each joint, so that the arm comes nearly to rest."""
    times = np.linspace(0.0, PULSE, 61)
    wave = np.sin(2 * np.pi * times / PULSE)
    return [ls.Actuator(joint, ls.Table(times, A * wave, "smooth")) for joint, A in TORQUE.items()]


def main(folder: str = "out") -> float:
    """Run, report and draw; returns the relative error of the energy balance."""
    system = arm()
    start = system.state(upper=-1.1, lower=-0.9)
    print(system, "\n")
    print(f"swinging for {DURATION:g} s of simulated time")
    clock = time.perf_counter()
    run = ls.simulate(system, start, duration=DURATION, loads=torques(), output_step=ROWS)
    print(f"  {run.statistics['chosen']}")
    print(
        f"  {run.statistics['steps']} steps in {run.statistics['seconds']:.2f} s, "
        f"{DURATION / run.statistics['seconds']:.0f} times as fast as the motion itself"
    )
    print(f"  {time.perf_counter() - clock:.1f} s with what is compiled the first time")
    total = run.energy.total
    work = accumulated(run.time, np.sum(run.force * run.v, axis=1))
    loss = accumulated(run.time, sum(damping_loss(run, boom) for boom in ("upper", "lower")))
    error = np.abs(total - total[0] - work + loss).max() / np.ptp(total)
    report(run, work, loss, error)
    picture = Path(folder) / "flexible_arm.png"
    picture.parent.mkdir(parents=True, exist_ok=True)
    draw(run, work, loss, picture)
    page = picture.with_suffix(".html")
    run.to_html(page, trails=["payload", "upper.tip"])
    print(f"\nwrote {picture}, and {page}: open it in a browser to see the arm move")
    return error


def accumulated(times: np.ndarray, power: np.ndarray) -> np.ndarray:
    """Energy from power."""
    return cumulative_simpson(power, x=times, initial=0.0)


def damping_loss(run: ls.Trajectory, boom: str) -> np.ndarray:
    """Power that the modal damping of a boom takes out [W]."""
    rates = run[f"{boom}.mode_rates"]
    damping = run.system.bodies[run.system.layout.index(boom)].damping
    return np.einsum("ti,ij,tj->t", rates, damping, rates)


def report(run: ls.Trajectory, work, loss, error) -> None:
    """Print the balances of energy and momentum."""
    total, h = run.energy.total, run["momentum"]
    bend = np.linalg.norm(run["upper.tip.deflection"], axis=1).max()
    print("\nenergy balance at the end")
    print(f"  mechanical energy gained  {total[-1] - total[0]:12.6f} J")
    print(f"  work of the torques       {work[-1]:12.6f} J")
    print(f"  lost in modal damping     {loss[-1]:12.6f} J")
    print(f"  largest imbalance         {error:12.1e}   of the largest energy, at any time")
    print("momentum: nothing acts from outside, so it stays zero")
    print(f"  largest linear            {np.abs(h[:, 3:]).max():12.1e} N s")
    print(f"  largest angular           {np.abs(h[:, :3]).max():12.1e} N m s")
    print(f"largest bending of the upper boom  {1000 * bend:.0f} mm")


def centre_line(system, state, boom: str) -> tuple[np.ndarray, np.ndarray]:
    """Points along a boom in the world: as it is, and as it would be without bending."""
    root = ls.pose(system, state, boom)
    body = system.bodies[system.layout.index(boom)]
    nodes = range(body.node_names["root"], body.node_names["tip"] + 1, 2)
    bent = np.array([ls.pose(system, state, f"{boom}.{k}").position for k in nodes])
    return bent, root.position + body.node_positions[nodes] @ root.rotation.T


def draw(run: ls.Trajectory, work, loss, picture: Path) -> None:
    """Motion from above, bending and energies."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    times, energy = run.time, run.energy
    figure = plt.figure(figsize=(12, 7.2), layout="constrained")
    grid = figure.add_gridspec(2, 2, width_ratios=[1.15, 1])
    draw_motion(figure.add_subplot(grid[:, 0]), run)
    axes = figure.add_subplot(grid[0, 1])
    upper, lower = (1000 * run[f"{boom}.tip.deflection"] for boom in ("upper", "lower"))
    axes.plot(times, upper[:, 1], label="upper boom, in the plane", color="C0")
    axes.plot(times, lower[:, 1], label="lower boom, in the plane", color="C1")
    axes.plot(times, lower[:, 2], label="lower boom, out of the plane", color="C2", lw=0.9)
    axes.axvline(PULSE, color="0.7", lw=0.8, ls="--")
    axes.set(ylabel="tip deflection [mm]", title="Bending: it rings on when the torques end")
    axes.legend(fontsize=8, loc="upper right")
    axes = figure.add_subplot(grid[1, 1], sharex=axes)
    axes.plot(times, energy.kinetic, label="kinetic", color="C0")
    axes.plot(times, energy.strain, label="strain", color="C1")
    axes.plot(times, energy.total, label="kinetic + strain", color="C7", lw=3)
    axes.plot(times, work - loss, "k--", lw=1, label="work of torques − damping losses")
    axes.axvline(PULSE, color="0.7", lw=0.8, ls="--")
    axes.set(xlabel="time [s]", ylabel="energy [J]", title="Energy")
    axes.legend(fontsize=8, loc="upper right")
    figure.savefig(picture, dpi=130)
    plt.close(figure)


def draw_motion(axes, run: ls.Trajectory) -> None:
    """The arm at some moments, seen along z, and the path of the payload."""
    from matplotlib import colormaps
    from matplotlib.patches import Polygon

    system, path = run.system, run["payload.position"]
    corners = np.array([[-1.5, -1.2], [1.5, -1.2], [1.5, 1.2], [-1.5, 1.2]])
    for k, t in enumerate(np.linspace(run.time[0], run.time[-1], 10)):
        state = run.state(t)
        colour = colormaps["viridis"](0.092 * k)
        hub = ls.pose(system, state, "hub")
        outline = hub.position[:2] + corners @ hub.rotation[:2, :2].T
        axes.add_patch(Polygon(outline, closed=True, fc="none", ec=colour, lw=1))
        for boom in ("upper", "lower"):
            bent, straight = centre_line(system, state, boom)
            axes.plot(straight[:, 0], straight[:, 1], color=colour, lw=0.8, ls=":")
            axes.plot(bent[:, 0], bent[:, 1], color=colour, lw=2)
            axes.plot(*bent[0, :2], "o", color=colour, ms=4)
        end = ls.pose(system, state, "payload").position
        axes.plot(end[0], end[1], "o", color=colour, ms=10)
        if k != 1:  # the start is slow: its label would stand on that of the first second
            place = {"xytext": (9, 4), "textcoords": "offset points", "fontsize": 8}
            axes.annotate(f"{t:.1f} s", end[:2], **place)
    axes.plot(path[:, 0], path[:, 1], color="0.6", lw=0.8, zorder=0)
    axes.set_aspect("equal")
    axes.margins(0.08)
    axes.set(
        xlabel="x [m]", ylabel="y [m]", title="Seen from above; dotted: the booms without bending"
    )
    axes.grid(alpha=0.25)


if __name__ == "__main__":
    main(*sys.argv[1:2])
