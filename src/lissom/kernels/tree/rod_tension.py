"""Rods in implicit steps: rotary armature of sections under tension.

Constant stiffness is armature on the coordinates.  What tension N adds acts on the turning of
sections in space: rotary armature of the sections, t their tangent, c h^2 of the method:
  A_k = c h^2 max(N_k, 0) (1 - t t^T)    N_k = t . sum_j Q_jk f_j + f of nodes, times weight  (11)
  n += A_k (alpha_k - alpha_k of the last iteration)      J += A_k in (10) of `rods`          (12)
"""

from __future__ import annotations

from .. import fields as field
from ..compiling import jit
from ..layout.records import CarrierRecord
from ..layout.tree import BodyRow
from ..records import node_record, node_size, rod_record, section_place, station_record
from ..small import (
    ZERO,
    add,
    added,
    column,
    dot,
    matrix,
    put_symmetric,
    put_vector,
    scaled,
    turn,
    vector,
)
from .modal import three_sums
from .rods import LAST, NODE_MOMENTS, STATION_FORCE, TENSION, TURN, TURN_ACCELERATION


@jit
def stiffen_rods(ints, floats, scratch, factor):
    """Write the rotary armature (11) of all rods; factor: c h^2.

    After a sweep of inverse dynamics with given accelerations.
    """
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        if body.level == field.EXACT:
            _axial_forces(floats, scratch, body)
    o = int(scratch[field.EXTERNAL])
    for _entry in range(int(scratch[field.N_EXTERNAL])):
        body = BodyRow(ints, field.HEADER, int(scratch[o]))
        f = vector(scratch, o + field.WRENCH + 3)
        o += field.EXTERNAL_NODE
        if body.level == field.EXACT:
            m = body.n_mode
            f = turn(matrix(scratch, node_record(o).turn), f)
            _add_axial(scratch, body, scratch, o + node_size(m) + NODE_MOMENTS + 3 * m, f)
        if body.level != field.RIGID:
            o += body.listed
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        if body.level == field.EXACT:
            _put_tension(scratch, body, factor)


@jit
def relax_rods(ints, scratch):
    """Remove the rotary armature of all rods."""
    for i in range(ints[field.N_BODY]):
        body = BodyRow(ints, field.HEADER, i)
        if body.level == field.EXACT:
            m, n = body.n_mode, body.n_station
            place = station_record(body.stations, n, m)
            scratch[place.tension] = 0.0


@jit
def _axial_forces(floats, scratch, body):
    """Write the forces on each station's tangent, of the mass and of what nodes carry."""
    m, n = body.n_mode, body.n_station
    rod, place = rod_record(body.rod, n, m), station_record(body.stations, n, m)
    for k in range(n):
        put_vector(scratch, section_place(place, k) + TENSION, ZERO)
    for j in range(n):
        f = scaled(-1.0, vector(scratch, section_place(place, j) + STATION_FORCE))
        _add_axial(scratch, body, floats, rod.integration + n * j, f)
    c = body.bending
    size = body.listed - node_size(m)
    for node in range(body.n_node):
        d = CarrierRecord(scratch, body.nodes, node)
        f = scaled(-1.0, d.z_v)
        weights = c + node * size + NODE_MOMENTS + 3 * m
        _add_axial(scratch, body, floats, weights, f)


@jit
def _add_axial(scratch, body, c, weights, f):
    """Add a force at the end of a row of Q to those on the stations' tangents."""
    m, n = body.n_mode, body.n_station
    place = station_record(body.stations, n, m)
    for k in range(n):
        s = section_place(place, k) + TENSION
        put_vector(scratch, s, added(vector(scratch, s), c[weights + k], f))


@jit
def _put_tension(scratch, body, factor):
    """Write (11), and the accelerations of the sections as those of the last iteration."""
    m, n = body.n_mode, body.n_station
    place = station_record(body.stations, n, m)
    scratch[place.tension] = 1.0
    for k in range(n):
        s = section_place(place, k)
        t = column(matrix(scratch, s + TURN), 0)
        e = factor * max(0.0, dot(t, vector(scratch, s + TENSION)))
        x, y, z = t
        put_symmetric(
            scratch,
            s + TENSION,
            (e - e * x * x, -e * x * y, -e * x * z, e - e * y * y, -e * y * z, e - e * z * z),
        )
        put_vector(scratch, s + LAST, vector(scratch, s + TURN_ACCELERATION))


@jit
def keep_turning(scratch, body, alpha, x):
    """Keep the angular accelerations of the sections of one rod, for (12).

    alpha: of the root due to the unknowns; x: accelerations of all coordinates.
    """
    m, n = body.n_mode, body.n_station
    place = station_record(body.stations, n, m)
    if scratch[place.tension] == 0.0:
        return
    o_v = body.modal_v
    for k in range(n):
        s, W = section_place(place, k), place.turning + 3 * m * k
        alpha_k = add(vector(scratch, s + TURN_ACCELERATION), alpha)
        put_vector(scratch, s + LAST, add(alpha_k, three_sums(scratch, W, m, x, o_v)))
