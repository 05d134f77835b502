"""Names of joints in model files."""

from __future__ import annotations

from ..joints import Joint
from ..joints.base import joint_classes

_INTERNAL = ("Product",)  # made by compile, never by a user


def file_kind(joint: type[Joint]) -> str:
    """Name of a class of joints in files: "revolute", "simple".

    Parameters
    ----------
    joint : type
        A joint.
    """
    return joint.__name__.removesuffix("Joint").lower()


# The joints of this package.
JOINTS: dict[str, type[Joint]] = {
    file_kind(kind): kind
    for name, kind in joint_classes().items()
    if kind.__module__.startswith("lissom.") and name not in _INTERNAL
}


def own_joints() -> dict[str, type[Joint]]:
    """Joints that users have defined so far."""
    found = {file_kind(kind): kind for kind in joint_classes().values()}
    return {
        name: kind
        for name, kind in found.items()
        if name not in JOINTS and not kind.__module__.startswith("lissom.")
    }
