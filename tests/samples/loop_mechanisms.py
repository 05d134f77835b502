"""Closed mechanisms in lissom, with the values of their oracles in `tests.loop_oracles`."""

from __future__ import annotations

import numpy as np

import lissom as ls
from tests.loop_oracles import bricard, crossed
from tests.loop_oracles.governor import Governor
from tests.loop_oracles.planar import FlexibleSliderCrank, FourBar
from tests.loop_oracles.stewart import GRAVITY, Stewart


def rod(mass: float, length: float, *, axis: int = 0, tip_mass: float = 0.0) -> ls.RigidBody:
    """Thin uniform rod from the origin along an axis, with a particle at its end."""
    e = np.eye(3)[axis]
    com = (mass / 2 + tip_mass) * length / (mass + tip_mass)
    second = mass * length**2 / 3 + tip_mass * length**2 - (mass + tip_mass) * com**2
    return ls.RigidBody(mass + tip_mass, com * e, second * (np.eye(3) - np.outer(e, e)))


def about_x(angle: float) -> np.ndarray:
    """Rotation about x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def bricard_ring() -> ls.System:
    """Rods "rod0".."rod4" on hinges about z; the ground is the sixth bar."""
    model = ls.Model("Bricard", gravity=bricard.GRAVITY)
    body, end = rod(bricard.MASS, bricard.LENGTH), (bricard.LENGTH, 0, 0)
    for k in range(5):
        place = {"to": f"rod{k - 1}", "at": end, "rotation": about_x(bricard.TWISTS[k - 1])}
        model.add(body, ls.Revolute("z"), name=f"rod{k}", **(place if k else {}))
    model.close(
        ls.Revolute("z"),
        "rod4",
        None,
        at_a=end,
        rotation_a=about_x(bricard.TWISTS[4]),
        at_b=(-bricard.LENGTH, 0, 0),
        rotation_b=about_x(-bricard.TWISTS[5]),
        name="last",
    )
    return model.compile()


def bricard_state(system: ls.System, x: float, y: float, xdot=0.0, ydot=0.0) -> ls.State:
    """State with the alternating angles of the ring."""
    return system.state(q=[x, y, x, y, x], v=[xdot, ydot, xdot, ydot, xdot])


def four_bar(values: FourBar, joint: ls.Joint | None = None) -> ls.System:
    """Bodies "crank", "coupler", "rocker" with relative angles, closed by "pin"."""
    a, b, c = (rod(m, x) for m, x in zip(values.masses, values.lengths, strict=True))
    model = ls.Model("four-bar", gravity=(0, -values.gravity, 0))
    model.add(a, ls.Revolute("z"), name="crank")
    model.add(b, ls.Revolute("z"), to="crank", at=(values.lengths[0], 0, 0), name="coupler")
    model.add(c, ls.Revolute("z"), at=(values.base, 0, 0), name="rocker")
    model.close(
        ls.Revolute("z") if joint is None else joint,
        "coupler",
        "rocker",
        at_a=(values.lengths[1], 0, 0),
        at_b=(values.lengths[2], 0, 0),
        name="pin",
    )
    return model.compile()


def four_bar_state(system: ls.System, q, qdot) -> ls.State:
    """State from the absolute angles of the oracle."""
    angles = {"crank": q[0], "coupler": q[1] - q[0], "rocker": q[2]}
    rates = {"crank": qdot[0], "coupler": qdot[1] - qdot[0], "rocker": qdot[2]}
    return system.state(**angles, **{f"{name}.rates": x for name, x in rates.items()})


def crossed_linkage() -> ls.System:
    """Bodies "crank", "coupler", "rocker" with relative angles, closed by "pin"."""
    lengths = (crossed.ARM, crossed.SPAN, crossed.ARM)
    return four_bar(FourBar(lengths, crossed.MASSES, crossed.SPAN, crossed.GRAVITY))


def crossed_state(system: ls.System) -> ls.State:
    """State at the start of the oracle."""
    angles, slopes = crossed.angles(crossed.START)
    return four_bar_state(system, angles, slopes * crossed.RATE)


def flexible_rod(values: FlexibleSliderCrank) -> ls.FlexibleBody:
    """The bending rod of the slider-crank along x; its last node is "tip"."""
    n = values.n_particle
    positions, shapes = np.zeros((n, 3)), np.zeros((n, 6, values.n_shape))
    positions[:, 0] = values.places
    shapes[:, 4], shapes[:, 2] = values.shapes(), values.slopes()
    K = values.stiffness()
    return ls.FlexibleBody(
        positions, values.masses, shapes, K, values.retardation * K, names={"tip": n - 1}
    )


def slider_crank(values: FlexibleSliderCrank) -> ls.System:
    """Bodies "crank", "rod", "slider", closed by "pin" at the rod's tip."""
    model = ls.Model("slider-crank", gravity=(0, -values.gravity, 0))
    end = (values.crank_length, 0, 0)
    model.add(rod(values.crank_mass, values.crank_length), ls.Revolute("z"), name="crank")
    model.add(flexible_rod(values), ls.Revolute("z"), to="crank", at=end, name="rod")
    model.add(ls.RigidBody(values.slider_mass), ls.Prismatic("x"), name="slider")
    model.close(ls.Revolute("z"), "rod.tip", "slider", name="pin")
    return model.compile()


def slider_crank_state(system: ls.System, values: FlexibleSliderCrank, q, qdot) -> ls.State:
    """State from the oracle's coordinates."""
    to_modes = np.linalg.inv(flexible_rod(values).transform)
    return system.state(
        crank=q[0],
        rod=q[1] - q[0],
        slider=q[2],
        **{
            "rod.modes": to_modes @ q[3:],
            "crank.rates": qdot[0],
            "rod.rates": qdot[1] - qdot[0],
            "slider.rates": qdot[2],
            "rod.mode_rates": to_modes @ qdot[3:],
        },
    )


def governor(values: Governor, *, rigid_links: bool) -> ls.System:
    """Bodies "shaft", "slider", "arm0", "arm1", and "link0", "link1" that close the loops.

    Arms and links hang along -z at zero; hinge angles about y lead them outward.
    """
    model = ls.Model("governor", gravity=(0, 0, -values.gravity))
    shaft = ls.RigidBody(1.0, inertia=[values.shaft_inertia] * 3)
    slider = ls.RigidBody(values.slider_mass, inertia=[values.slider_inertia] * 3)
    arm = rod(values.arm_mass, -values.arm, axis=2, tip_mass=values.ball_mass)
    link = rod(values.link_mass, -values.link, axis=2)
    model.add(shaft, ls.Revolute("z"), name="shaft")
    model.add(slider, ls.Prismatic("z"), to="shaft", name="slider")
    for k, side in enumerate((1, -1)):
        axis = (0, -side, 0)
        at = (side * values.offset, 0, values.height)
        model.add(arm, ls.Revolute(axis), to="shaft", at=at, name=f"arm{k}")
        if not rigid_links:
            continue
        at = (0, 0, -values.reach)
        model.add(link, ls.Revolute(axis), to=f"arm{k}", at=at, name=f"link{k}")
        model.close(
            ls.Revolute("y"),
            f"link{k}",
            "slider",
            at_a=(0, 0, -values.link),
            at_b=(side * values.offset, 0, 0),
            name=f"pin{k}",
        )
    return model.compile()


def governor_state(system: ls.System, values: Governor, a: float, spin: float) -> ls.State:
    """State at the angle a of both arms, at rest but for the spin."""
    angles = {"arm0": a, "arm1": a, "slider": values.slide(a), "shaft.rates": spin}
    if "link0" in system.names:
        inward = np.arcsin(values.reach * np.sin(a) / values.link)
        angles |= {"link0": -a - inward, "link1": -a - inward}
    return system.state(**angles)


def stewart_platform(values: Stewart) -> ls.System:
    """Bodies "platform" (free), "lower0".."lower5", "upper0".."upper5", closed by "ball0".. ."""
    model = ls.Model("Stewart", gravity=GRAVITY)
    lower = ls.RigidBody(
        values.lower.mass,
        (0, 0, values.lower.centre),
        (values.lower.across, values.lower.across, values.lower.along),
    )
    upper = ls.RigidBody(
        values.upper.mass,
        (0, 0, -values.upper.centre),
        (values.upper.across, values.upper.across, values.upper.along),
    )
    platform = ls.RigidBody(values.mass, values.centre, values.inertia)
    model.add(platform, ls.Free(), name="platform")
    for i in range(6):
        place = {"at": values.base[i], "rotation": values.frame(i)}
        model.add(lower, ls.Universal("x", "y"), name=f"lower{i}", **place)
        model.add(upper, ls.Prismatic("z"), to=f"lower{i}", name=f"upper{i}")
        ball = f"ball{i}"
        model.close(ls.Spherical(), f"upper{i}", "platform", at_b=values.joints[i], name=ball)
    return model.compile()


def stewart_state(system: ls.System, q, v) -> ls.State:
    """State from the oracle's coordinates and speeds, see `Stewart.motion`."""
    pieces = {"platform": q[:7], "platform.rates": v[:6]}
    for i, (x, rate) in enumerate(zip(q[7:].reshape(6, 3), v[6:].reshape(6, 3), strict=True)):
        pieces |= {f"lower{i}": x[:2], f"upper{i}": x[2]}
        pieces |= {f"lower{i}.rates": rate[:2], f"upper{i}.rates": rate[2]}
    return system.state(**pieces)


def floating_ring() -> tuple[ls.System, ls.State]:
    """Free hub, two flexible booms, and a strut between their tips that closes the ring."""
    boom = ls.beam(2.0, ls.Tube(radius=0.02, thickness=0.001), ls.ALUMINIUM, modes=4, damping=0.0)
    strut = ls.RigidBody(0.5, (0.6, 0, 0), (0.001, 0.06, 0.06))
    model = ls.Model("ring")
    model.add(ls.RigidBody(4.0, (0.1, 0, -0.1), (0.5, 0.4, 0.6)), ls.Free(), name="hub")
    for name, y, axis in (("left", 0.5, "z"), ("right", -0.5, (0, 0.3, 1))):
        model.add(boom, ls.Revolute(axis), to="hub", at=(0.2, y, 0), name=name)
    model.add(strut, ls.Spherical(), to="left.tip", name="strut")
    model.close(ls.Spherical(), "strut", "right.tip", at_a=(1.2, 0, 0), name="end")
    system = model.compile()
    turned = [np.sqrt(0.5), 0, 0, -np.sqrt(0.5)]
    start = {"left": 0.2, "right": -0.1, "strut": turned}
    speeds = {"hub.rates": [0.4, -0.6, 0.5, 0.1, 0.2, -0.3], "left.rates": 1.0}
    speeds |= {"strut.rates": [0.2, 0.5, -0.4], "left.mode_rates": [0.3, -0.5, 0.1, 0.05]}
    return system, ls.assemble(system, system.state(**start, **speeds))
