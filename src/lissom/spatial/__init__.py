"""Rotations, spatial vectors and inertias of any scalar type."""

from .inertia import inertia_fault, inertia_matrix, parallel_axis, second_moment, spatial_inertia
from .rotation import (
    axis_rotation,
    cross,
    exact_rotation,
    left_jacobian,
    left_jacobian_rate,
    quaternion_product_map,
    quaternion_rotation,
    rotation_exp,
    rotation_fault,
    shortest_rotation,
    skew,
)
from .vectors import block_diagonal, bracket, motion_transform, rigid_shift, rotate, symmetric

__all__ = [
    "axis_rotation",
    "block_diagonal",
    "bracket",
    "cross",
    "exact_rotation",
    "inertia_fault",
    "inertia_matrix",
    "left_jacobian",
    "left_jacobian_rate",
    "motion_transform",
    "parallel_axis",
    "quaternion_product_map",
    "quaternion_rotation",
    "rigid_shift",
    "rotate",
    "rotation_exp",
    "rotation_fault",
    "second_moment",
    "shortest_rotation",
    "skew",
    "spatial_inertia",
    "symmetric",
]
