"""Names of joint classes in model files."""

from __future__ import annotations

from ...joints import Joint
from ...joints.base import joint_classes

_INTERNAL = ("Product",)  # created by compile only


def file_kind(joint: type[Joint]) -> str:
    """Name of a joint class in files, such as "revolute" or "simple"."""
    return joint.__name__.removesuffix("Joint").lower()


# Joint classes of this package.
JOINTS: dict[str, type[Joint]] = {
    file_kind(kind): kind
    for name, kind in joint_classes().items()
    if kind.__module__.startswith("lissom.") and name not in _INTERNAL
}


def own_joints() -> dict[str, type[Joint]]:
    """User-defined joint classes that exist so far, by name in files."""
    kinds = {file_kind(kind): kind for kind in joint_classes().values()}
    return {
        name: kind
        for name, kind in kinds.items()
        if name not in JOINTS and not kind.__module__.startswith("lissom.")
    }
