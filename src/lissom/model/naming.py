"""Conflicts between the names of parts and the names of result quantities.

In results "body" refers to the coordinates of its joint, "body.quantity" to a quantity of the body
and "body.node.quantity" to a quantity of a node.  A part with the name of a quantity is hidden by
that quantity.
"""

from __future__ import annotations

from ..errors import ModelError
from ..system import System

# Arguments of system.state(q=..., v=...).
OF_VECTORS = ("q", "v")
# Quantities of the whole system, of systems with loops or couplings, and of bodies and nodes.
OF_WHOLE = ("time", *OF_VECTORS, "acceleration", "force", "momentum", "center_of_mass")
OF_LOOPS = ("closure", "closure_rate")
OF_BODIES = frozenset(
    """position rotation quaternion velocity angular_velocity acceleration angular_acceleration
    angles hinge_angles joint_angle joint_slide joint_rate motor_angle motor_slide motor_rate
    gear_torque gear_force deflection load coordinates angle slide rates hinge_acceleration force
    modes mode_rates mode_acceleration modal_force reaction servo_force servo_error servo_integral
    curvature strain section_moment section_force stress interface_load interface_load_parent
    interface_load_world reaction_parent reaction_world""".split()
)


def check_body_name(name: str) -> None:
    """Reject a body name that `System.state` uses for the whole system."""
    if name in OF_VECTORS:
        raise ModelError(
            f"body name {name!r} is reserved: system.state({name}=...) and run[{name!r}] refer to "
            f"the {'coordinates' if name == 'q' else 'speeds'} of the whole system; give the body "
            "another name"
        )


def shadowing_warnings(system: System) -> list[str]:
    """Warnings about parts with the name of a result quantity."""
    lines, whole = [], (*OF_WHOLE, *(OF_LOOPS if system.constraints else ()))
    groups = {"body": system.names, "loop": [x.name for x in system.loops]}
    groups["coupling"] = [x.name for x in system.couplings]
    groups["frame"] = [x.name for x in system.frames]
    own_names = {"coupling": "gap", "frame": "position"}
    for kind, names in groups.items():
        for name in names:
            if name in whole:
                quantity = own_names.get(kind, "coordinates")
                lines.append(
                    f"{kind} {name!r} has the name of a quantity of the whole system: in results "
                    f'"{name}" refers to that quantity; use "{name}.{quantity}" for the {kind}, or '
                    "rename it"
                )
    for body, constants in zip(system.names, system.bodies, strict=True):
        for node in sorted(OF_BODIES & set(constants.node_names)):
            lines.append(
                f"node {node!r} of body {body!r} has the name of a quantity: in results "
                f'"{body}.{node}" refers to that quantity of the body; use '
                f'"{body}.{node}.position" for the node, or rename it'
            )
    return lines
