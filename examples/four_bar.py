"""A parallelogram of bars turns over and over, through the positions in which it lies flat.

Flat, a parallelogram could go on as one or fold into an antiparallelogram: the equations that keep
it closed lose a rank there.  It goes on as its momentum points, and as a parallelogram it is a
pendulum, which tells how well.

    python examples/four_bar.py
"""

import numpy as np
from scipy.integrate import solve_ivp

import lissom as ls

SHORT, LONG, GRAVITY = 1.0, 2.0, 9.81  # [m], [m], [m/s^2]
ANGLE, RATE = 0.7, 5.0  # at the start [rad, rad/s]


def bar(length):
    """A bar of 1 kg/m along x."""
    return ls.RigidBody.box(length, (length, 0.05, 0.05), com=(length / 2, 0, 0))


def linkage():
    """Crank and rocker on the ground, a coupler on the crank, and the pin that closes the loop."""
    model = ls.Model("four-bar", gravity=(0, -GRAVITY, 0))
    model.add(bar(SHORT), ls.Revolute("z"), name="crank")
    model.add(bar(LONG), ls.Revolute("z"), to="crank", at=(SHORT, 0, 0), name="coupler")
    model.add(bar(SHORT), ls.Revolute("z"), at=(LONG, 0, 0), name="rocker")
    model.close(
        ls.Revolute("z"), "coupler", "rocker", at_a=(LONG, 0, 0), at_b=(SHORT, 0, 0), name="pin"
    )
    return model.compile()


def pendulum(times):
    """Angle of the crank if nothing folds: two bars that turn, and one that is carried along."""
    bars = SHORT * (SHORT**2 / 3 + 0.05**2 / 12)
    inertia, moment = 2 * bars + LONG * SHORT**2, GRAVITY * (SHORT**2 + LONG * SHORT)

    def rates(_, y):
        return y[1], -moment * np.cos(y[0]) / inertia

    start = (ANGLE, RATE)
    return solve_ivp(rates, times[[0, -1]], start, "DOP853", times, rtol=1e-12, atol=1e-12).y[0]


def main(duration=10.0):
    """Run it; return the largest error of an angle [rad] and of the energy [J]."""
    system = linkage()
    start = system.state(crank=ANGLE, coupler=0.1 - ANGLE, rocker=0.1 + ANGLE)
    start = ls.assemble(system, start, held=["crank"])
    start = start.replace(v=RATE * ls.closure(system, start).basis[:, 0])
    print(ls.closure(system, start))

    # fixed steps: where the rank is lost, an error estimate would ask for ever shorter ones
    run = ls.simulate(system, start, duration=duration, integrator="rk4", step=2e-3)
    crank, rocker = run["crank.angle"], run["rocker.angle"]
    flat = np.abs(np.diff(crank // np.pi)).sum()
    error = max(np.abs(angle - pendulum(run.time)).max() for angle in (crank, rocker))
    energy, kinetic = np.ptp(run.energy.total), run.energy.kinetic.max()
    forces = np.linalg.norm(run["pin.force"], axis=1)
    print(f"\n{duration:g} s, {run.statistics['steps']} steps, {flat:.0f} times flat")
    print(f"  largest gap of the loop                 {run['closure'].max():.0e} m")
    print(f"  angles beside those of the pendulum     {error:.0e} rad")
    print(f"  change of the energy                    {energy:.0e} J of {kinetic:.0f}")
    print(f"  force in the pin, mean and largest      {forces.mean():.0f} and {forces.max():.0f} N")
    return error, energy


if __name__ == "__main__":
    main()
