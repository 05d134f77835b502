"""Names of bodies, nodes, frames and loops beside the names of quantities in results.

In results "body" is the coordinates of its joint, "body.quantity" one of its quantities and
"body.node.quantity" one of a node.  A name that is that of a quantity as well would stand for
something else than its body or node.
"""

from __future__ import annotations

from ..errors import ModelError
from ..system import System

__all__ = ["OF_BODIES", "OF_LOOPS", "OF_VECTORS", "OF_WHOLE", "check_body_name", "shadowed"]

# Names that a state is made with: system.state(q=..., v=...).
OF_VECTORS = ("q", "v")
# Quantities of the whole system, of systems with loops or couplings, and of bodies and nodes.
OF_WHOLE = ("time", *OF_VECTORS, "acceleration", "force", "momentum", "center_of_mass")
OF_LOOPS = ("closure", "closure_rate")
OF_BODIES = frozenset(
    """position rotation quaternion velocity angular_velocity acceleration angular_acceleration
    deflection load coordinates angle slide rates hinge_acceleration force modes mode_rates
    mode_acceleration modal_force reaction servo_force servo_error servo_integral""".split()
)


def check_body_name(name: str) -> None:
    """Refuse a body whose joint could not be named in a state."""
    if name in OF_VECTORS:
        raise ModelError(
            f"body name {name!r} is taken: system.state({name}=...) and run[{name!r}] are the "
            f"{'coordinates' if name == 'q' else 'speeds'} of the whole system; give the body "
            "another name"
        )


def shadowed(system: System) -> list[str]:
    """Sentences about names that are those of quantities too.

    Parameters
    ----------
    system : System
        Compiled mechanism.
    """
    found, whole = [], (*OF_WHOLE, *(OF_LOOPS if system.constraints else ()))
    groups = {"body": system.names, "loop": [x.name for x in system.loops]}
    groups["coupling"] = [x.name for x in system.couplings]
    groups["frame"] = [x.name for x in system.frames]
    own_names = {"coupling": "gap", "frame": "position"}
    for kind, names in groups.items():
        for name in names:
            if name in whole:
                own = own_names.get(kind, "coordinates")
                found.append(
                    f"{kind} {name!r} has the name of a quantity of the whole system: in results "
                    f'"{name}" is that quantity, and "{name}.{own}" is of the {kind}; another name '
                    "would be clearer"
                )
    for body, constants in zip(system.names, system.bodies, strict=True):
        for node in sorted(OF_BODIES & set(constants.node_names)):
            found.append(
                f"node {node!r} of body {body!r} has the name of a quantity: in results "
                f'"{body}.{node}" is that of the body, and "{body}.{node}.position" is of the '
                "node; another name would be clearer"
            )
    return found
