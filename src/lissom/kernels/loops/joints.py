"""Joints that close loops: the coordinates nearest to a pose, and the constraint map.

Follows `lissom.joints.nearness`.
"""

from __future__ import annotations

import math

from .. import fields as field
from ..compiling import jit
from ..records import joint_work
from ..small import (
    IDENTITY,
    ZERO,
    added,
    axis_rotation,
    cross,
    dot,
    matrix,
    product,
    put_matrix,
    put_vector,
    scaled,
    turn,
    turn_back,
    vector,
)
from ..tree.joints import general_joint

MOST_Q = 6  # largest number of coordinates in the search; the step is stored after them
ATTITUDE = 18  # offset of the attitude of a spherical joint, after its motion map
# As in `nearness`.
ITERATIONS, STARTS, REACHED, SPREAD = 40, 25, 1e-18, 1.1127756842787055


@jit
def back_product(A, B):
    """Product A^T B."""
    return product((A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]), B)


@jit
def quaternion(R):
    """Unit quaternion of a rotation, its first entry not negative."""
    w = 1.0 + R[0] + R[4] + R[8]
    x, y, z = R[7] - R[5], R[2] - R[6], R[3] - R[1]
    xx, yy, zz = 1.0 + R[0] - R[4] - R[8], 1.0 - R[0] + R[4] - R[8], 1.0 - R[0] - R[4] + R[8]
    xy, xz, yz = R[1] + R[3], R[2] + R[6], R[5] + R[7]
    if w >= xx and w >= yy and w >= zz:
        e = w, x, y, z
    elif xx >= yy and xx >= zz:
        e = x, xx, xy, xz
    elif yy >= zz:
        e = y, xy, yy, yz
    else:
        e = z, xz, yz, zz
    s = 1.0 / math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    if e[0] < 0.0:
        s = -s
    return s * e[0], s * e[1], s * e[2], s * e[3]


@jit
def rotation_vector(R):
    """Rotation vector of a rotation, at most pi long."""
    w, x, y, z = quaternion(R)
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return ZERO
    return scaled(2.0 * math.atan2(length, w) / length, (x, y, z))


@jit
def _angle_about(u, R):
    """Angle whose rotation about the unit vector u is nearest to R."""
    sine = u[0] * (R[7] - R[5]) + u[1] * (R[2] - R[6]) + u[2] * (R[3] - R[1])
    return math.atan2(sine, R[0] + R[4] + R[8] - dot(u, turn(R, u)))


@jit
def joint_pose(floats, j, kind, scratch, theta, work):
    """Pose of a loop's joint; its motion map is written to `work`."""
    if kind == field.FIXED:
        return IDENTITY, ZERO
    if kind == field.SPHERICAL:
        for c in range(3):
            for i in range(6):
                scratch[work + 6 * c + i] = 1.0 if i == c else 0.0
        return matrix(scratch, work + ATTITUDE), ZERO
    R, r, _w, _v, _cw, _cv = general_joint(
        floats, j, kind, scratch, theta, scratch, theta, kind < 0, scratch, work
    )
    return R, r


@jit
def nearest(floats, j, kind, dof, R, r, length, scratch, theta, work):
    """Coordinates of a loop's joint nearest to a pose."""
    if kind == field.FIXED:
        return
    if kind == field.SPHERICAL:  # it reaches any attitude
        put_matrix(scratch, work + ATTITUDE, R)
        w, x, y, z = quaternion(R)
        scratch[theta], scratch[theta + 1], scratch[theta + 2], scratch[theta + 3] = w, x, y, z
    elif kind == field.AXIAL:
        u = vector(floats, j)
        turns, slides = floats[j + field.AXIAL_TURN], floats[j + field.AXIAL_SLIDE]
        second = floats[j + field.AXIAL_SECOND]
        angle, slide = _angle_about(u, R), dot(u, r)
        if second != 0.0:
            scratch[theta], scratch[theta + 1] = angle, slide
        elif turns == 0.0:
            scratch[theta] = slide
        else:
            if slides != 0.0:  # the slide determines the number of turns
                angle += 2.0 * math.pi * round((slide / slides - angle) / (2.0 * math.pi))
            scratch[theta] = angle
    elif kind == field.UNIVERSAL:
        u, w = vector(floats, j), vector(floats, j + 3)
        turned = turn(R, w)
        first = math.atan2(dot(u, cross(w, turned)), dot(w, turned) - dot(u, w) * dot(u, turned))
        scratch[theta] = first
        scratch[theta + 1] = _angle_about(w, back_product(axis_rotation(u, first), R))
    elif kind == field.PLANAR:
        scratch[theta] = dot(vector(floats, j + 3), r)
        scratch[theta + 1] = dot(vector(floats, j + 6), r)
        scratch[theta + 2] = _angle_about(vector(floats, j), R)
    else:
        _nearest_by_iteration(floats, j, kind, dof, R, r, length, scratch, theta, work)


@jit
def _nearest_by_iteration(floats, j, kind, dof, R, r, length, scratch, theta, work):
    """Newton's method from several starts: see `nearness.nearest_by_iteration`."""
    best, least = joint_work(work).best, 1e300
    for start in range(STARTS):
        fraction = 1.0
        for c in range(dof):
            fraction /= SPREAD
            e = 0.5 + start * fraction
            scratch[theta + c] = 2.0 * math.pi * (e - math.floor(e) - 0.5)
        left = _descend(floats, j, kind, dof, R, r, length, scratch, theta, work)
        if left < (1.0 - 1e-6) * least:
            least = left
            for c in range(dof):
                scratch[best + c] = scratch[theta + c]
        if least < REACHED:
            break
    for c in range(dof):
        scratch[theta + c] = scratch[best + c]


@jit
def _descend(floats, j, kind, dof, R, r, length, scratch, theta, work):
    """Newton's method from the coordinates at theta; returns the squared residual."""
    for _ in range(ITERATIONS):
        R_j, r_j = joint_pose(floats, j, kind, scratch, theta, work)
        xi_w, xi_v = rotation_vector(back_product(R_j, R)), turn_back(R, added(r, -1.0, r_j))
        orthonormal(scratch, work, dof, length)
        joint_rates(scratch, work, dof, length, xi_w, xi_v, theta + MOST_Q)
        largest = 0.0
        for c in range(dof):
            largest = max(largest, abs(scratch[theta + MOST_Q + c]))
        step = 1.0 / max(1.0, largest)
        for c in range(dof):
            scratch[theta + c] += step * scratch[theta + MOST_Q + c]
        if largest < 1e-15:
            break
    R_j, r_j = joint_pose(floats, j, kind, scratch, theta, work)
    xi_w, xi_v = rotation_vector(back_product(R_j, R)), added(r, -1.0, r_j)
    return dot(xi_w, xi_w) + dot(xi_v, xi_v)


@jit
def orthonormal(scratch, work, dof, length):
    """Orthonormalise the columns of diag(length, 1) H*; also writes the factors."""
    H, basis, factors, _rest, _best = joint_work(work)
    for c in range(dof):
        x_w, x_v = scaled(length, vector(scratch, H + 6 * c)), vector(scratch, H + 6 * c + 3)
        for k in range(6):
            scratch[factors + 6 * k + c] = 0.0
        for _ in range(2):
            for k in range(c):
                y_w, y_v = vector(scratch, basis + 6 * k), vector(scratch, basis + 6 * k + 3)
                e = dot(x_w, y_w) + dot(x_v, y_v)
                x_w, x_v = added(x_w, -e, y_w), added(x_v, -e, y_v)
                scratch[factors + 6 * k + c] += e
        size = math.sqrt(dot(x_w, x_w) + dot(x_v, x_v))
        scratch[factors + 6 * c + c] = size
        size = 1.0 / max(size, 1e-300)
        put_vector(scratch, basis + 6 * c, scaled(size, x_w))
        put_vector(scratch, basis + 6 * c + 3, scaled(size, x_v))


@jit
def joint_rates(scratch, work, dof, length, w, v, out):
    """Speeds of the joint for a motion, by least squares; after `orthonormal`."""
    _H, basis, factors, _rest, _best = joint_work(work)
    for c in range(dof - 1, -1, -1):
        y_w, y_v = vector(scratch, basis + 6 * c), vector(scratch, basis + 6 * c + 3)
        e = length * dot(w, y_w) + dot(v, y_v)
        for k in range(c + 1, dof):
            e -= scratch[factors + 6 * c + k] * scratch[out + k]
        d = scratch[factors + 6 * c + c]
        scratch[out + c] = e / d if d > 1e-9 * length else 0.0


@jit
def joint_force(scratch, work, dof, length, T, o):
    """Moment and force along the free motions that do the work of generalized forces T[o:].

    f = D g,  D = diag(length, 1):  H f = (D H*)^T g = T with the least g; after `orthonormal`.
    """
    _H, basis, factors, y, _best = joint_work(work)
    n, f = ZERO, ZERO
    for c in range(dof):
        e = T[o + c]
        for k in range(c):
            e -= scratch[factors + 6 * k + c] * scratch[y + k]
        d = scratch[factors + 6 * c + c]
        e = e / d if d > 1e-9 * length else 0.0
        scratch[y + c] = e
        n = added(n, e * length, vector(scratch, basis + 6 * c))
        f = added(f, e, vector(scratch, basis + 6 * c + 3))
    return n, f


@jit
def constraint_map(scratch, work, dof, length, P):
    """Write P of the motion map at `work`, see `nearness.constraint_map`; calls `orthonormal`."""
    orthonormal(scratch, work, dof, length)
    _H, basis, _factors, left, _best = joint_work(work)
    for k in range(6):
        for i in range(6):
            scratch[left + 6 * k + i] = 1.0 if i == k else 0.0
        for c in range(dof):
            _take_off(scratch, left + 6 * k, basis + 6 * c)
    for c in range(6 - dof):
        best, most = 0, 0.0
        for k in range(6):
            x_w, x_v = vector(scratch, left + 6 * k), vector(scratch, left + 6 * k + 3)
            size = dot(x_w, x_w) + dot(x_v, x_v)
            if size > most:
                best, most = k, size
        o = P + 6 * c
        for i in range(6):
            scratch[o + i] = scratch[left + 6 * best + i]
        for _ in range(2):
            for k in range(dof):
                _take_off(scratch, o, basis + 6 * k)
            for k in range(c):
                _take_off(scratch, o, P + 6 * k)
        x_w, x_v = vector(scratch, o), vector(scratch, o + 3)
        size = 1.0 / math.sqrt(dot(x_w, x_w) + dot(x_v, x_v))
        put_vector(scratch, o, scaled(size, x_w))
        put_vector(scratch, o + 3, scaled(size, x_v))
        for k in range(6):
            _take_off(scratch, left + 6 * k, o)
    for c in range(6 - dof):
        put_vector(scratch, P + 6 * c, scaled(length, vector(scratch, P + 6 * c)))


@jit
def _take_off(x, o, path):
    """Subtract the component along the unit vector at x[p] from the six numbers at x[o]."""
    e = 0.0
    for i in range(6):
        e += x[o + i] * x[path + i]
    for i in range(6):
        x[o + i] -= e * x[path + i]
