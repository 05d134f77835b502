"""Faults that the tests must notice: pieces of the source, each with what to write instead."""

from __future__ import annotations

from dataclasses import dataclass

ORACLE = "tests/dynamics/test_against_oracle.py"
CONSERVATION = "tests/dynamics/test_conservation.py"
PEERS = "tests/dynamics/test_peers.py"
JOINTS = "tests/dynamics/test_joints.py"
ALGORITHMS = "tests/dynamics/test_algorithms.py"
ROTATIONS = "tests/dynamics/test_rotations.py"
FRAMES = "tests/dynamics/test_frames.py"
STIFFENED = "tests/bodies/test_stiffened_bodies.py"
RODS = "tests/dynamics/test_rods.py"
CONTACTS = "tests/loops/test_contacts.py"
GROUPS = "tests/loops/test_loop_groups.py"
DERIVATIVES = "tests/dynamics/test_derivatives.py"
DESIGN = "tests/dynamics/test_design.py"
SENSITIVITIES = "tests/sensitivities/test_sensitivities.py"
SPRINGS = "tests/sensitivities/test_loads.py"
SPACE = "tests/simulation/test_space_loads.py"
ROSENBROCK = "tests/simulation/test_rosenbrock.py"
COMPACT = "tests/kernels/test_compact.py"

MOTION = "kernels/tree/motion.py"

SIMULATION = "kernels/run/"
(ORDERS, MOVED, GIVEN, JOINT_LOADS, POINTS, TABLES, LOCKS) = (
    f"tests/simulation/test_{name}.py"
    for name in ("orders", "motions", "driven", "loads", "points", "signals", "locks")
)

# All that a fault has to get past; the un-mutated source must pass it.
SUITE = (
    *(ROTATIONS, JOINTS, CONSERVATION, ALGORITHMS, PEERS, ORACLE, FRAMES, STIFFENED, RODS),
    *(CONTACTS, GROUPS, DERIVATIVES, DESIGN, SENSITIVITIES, SPRINGS, SPACE, ROSENBROCK, COMPACT),
    *(ORDERS, MOVED, GIVEN, JOINT_LOADS, POINTS, TABLES, LOCKS),
)


@dataclass(frozen=True)
class Fault:
    """One change to the source.

    Attributes
    ----------
    what : in words.
    path : file below src/lissom.
    old, new : the text and its replacement.
    first : the test file most likely to notice; the rest of the suite follows.
    count : how often the text must occur; every occurrence is replaced.
    """

    what: str
    path: str
    old: str
    new: str
    first: str = CONSERVATION
    count: int = 1

    @property
    def compiled(self) -> bool:
        """Whether it is in the compiled text; the others are looked for in the readable one."""
        return self.path.startswith(("kernels/", "sim/loads/", "sim/integrators/"))

    def applied(self, source: str) -> str:
        """The faulty text of the file; an error if the source has moved on."""
        found = source.count(self.old)
        if found != self.count:
            raise LookupError(
                f"fault {self.what!r}: {self.old!r} occurs {found} times in {self.path}, "
                f"expected {self.count}; bring tests/tools/faults.py up to date"
            )
        return source.replace(self.old, self.new)


BODY_TERMS, REFERENCE = "algorithms/tree/body_terms.py", "algorithms/tree/reference.py"

FAULTS = (
    # Motion of nodes
    Fault(
        "Coriolis acceleration of a node without its factor 2",
        BODY_TERMS,
        "+ 2 * cross(omega, delta_dot)",
        "+ cross(omega, delta_dot)",
    ),
    Fault(
        "Coriolis acceleration of a node with the wrong sign",
        BODY_TERMS,
        "+ 2 * cross(omega, delta_dot)",
        "- 2 * cross(omega, delta_dot)",
    ),
    Fault(
        "mode shapes of a node without J_l",
        BODY_TERMS,
        "np.concatenate([J_l @ Pi[:3], Pi[3:]])",
        "np.concatenate([Pi[:3], Pi[3:]])",
    ),
    Fault(
        "rate of J_l left out",
        BODY_TERMS,
        "left_jacobian_rate(theta, theta_dot) + cross(",
        "0 * left_jacobian_rate(theta, theta_dot) + cross(",
    ),
    Fault(
        "J_l of the right instead of the left",
        "spatial/rotation.py",
        "    _, b, c = _coefficients(theta @ theta)\n",
        "    _, b, c = _coefficients(theta @ theta)\n    b = -b\n",
        ROTATIONS,
    ),
    Fault(
        "rate of J_l at large angles: wrong sign in c1",
        "spatial/rotation.py",
        "3 * s - 2 * t - t * k",
        "3 * s - 2 * t + t * k",
        ROTATIONS,
    ),
    Fault(
        "rate of J_l at small angles: wrong factor in the series",
        "spatial/rotation.py",
        "(-1) ** k * 2 * k / factorial",
        "(-1) ** k * k / factorial",
        ROTATIONS,
    ),
    # Own terms of bodies
    Fault(
        "coupling block of the spatial inertia transposed",
        "spatial/inertia.py",
        "[[inertia, P], [-P, mass * np.eye(3)]]",
        "[[inertia, -P], [P, mass * np.eye(3)]]",
        PEERS,
    ),
    Fault(
        "first row of M_rf with the wrong sign",
        BODY_TERMS,
        "h[1][2] - h[2][1]",
        "h[2][1] - h[1][2]",
    ),
    Fault(
        "inertia of the deformed body with g transposed",
        BODY_TERMS,
        "g[l, k] @ eta + h[k][l] @ eta",
        "g[k, l] @ eta + h[k][l] @ eta",
    ),
    Fault("Q not transposed in b_r", BODY_TERMS, "Q.T @ omega", "Q @ omega"),
    Fault(
        "centrifugal force on the modes with the wrong sign",
        BODY_TERMS,
        "h[l][k]",
        "-h[l][k]",
    ),
    Fault(
        "N_kl transposed in b_f",
        BODY_TERMS,
        "(N[m, l] - N[l, m]) @ eta_dot",
        "(N[l, m] - N[m, l]) @ eta_dot",
    ),
    Fault(
        "offset of a lump dropped",
        BODY_TERMS,
        "lump.mass * (E @ lump.offset)",
        "0 * (E @ lump.offset)",
    ),
    Fault(
        "gyroscopic moment of a lump dropped",
        BODY_TERMS,
        "cross(w, J_b @ w)",
        "0 * cross(w, J_b @ w)",
    ),
    Fault(
        "modal mass with lumps taken for the identity",
        REFERENCE,
        "    if deformable_mass:\n",
        "    if False:\n",
    ),
    Fault(
        "modal mass of points without its z part",
        BODY_TERMS,
        "N[0, 0] + N[1, 1] + N[2, 2] if",
        "N[0, 0] + N[1, 1] if",
        ORACLE,
    ),
    Fault(
        "level linear without the turning of lumps",
        "bodies/normal.py",
        "            + turned,\n",
        "            + 0 * turned,\n",
    ),
    Fault(
        "free-free modes read without the lever of the inboard node's rotation",
        "bodies/flexible.py",
        "Pi - rigid_shift(r).T @ d",
        "Pi - d",
        ORACLE,
    ),
    Fault(
        "free-free modes: bias of a node without the Coriolis term of the inboard one",
        BODY_TERMS,
        " - cross(B_d, l) - 2 * cross(w_d, l_dot)",
        " - cross(B_d, l) - cross(w_d, l_dot)",
        ORACLE,
    ),
    Fault(
        "free-free modes: modal force without that of the frame of the shapes",
        BODY_TERMS,
        "b_f=terms.b_f + terms.M_rf.T @ gamma + S.T @ b_r",
        "b_f=terms.b_f + terms.M_rf.T @ gamma",
        ORACLE,
    ),
    Fault(
        "damping matrix transposed",
        "bodies/flexible.py",
        "x.T @ self.damping @ x",
        "x.T @ self.damping.T @ x",
    ),
    # Joints
    Fault(
        "bias of a product of turns with the wrong sign",
        "joints/factors.py",
        "angular + scaled(speeds, cross(c.w, d.w))",
        "angular - scaled(speeds, cross(c.w, d.w))",
        JOINTS,
    ),
    Fault(
        "pitch of the screw with the wrong sign in its pose",
        "joints/factors.py",
        "scaled(pitch * q[factor.q], axis)",
        "scaled(-pitch * q[factor.q], axis)",
        JOINTS,
    ),
    Fault(
        "bias of the compound joint with the wrong sign",
        "joints/exponential.py",
        "p_dot - bracket(p, velocity)",
        "p_dot + bracket(p, velocity)",
        JOINTS,
    ),
    Fault(
        "bias of the free joint dropped",
        "joints/ball.py",
        "cross(v[:3], v[3:])",
        "0 * cross(v[:3], v[3:])",
        JOINTS,
    ),
    Fault(
        "rate of a quaternion twice too large",
        "joints/ball.py",
        "quaternion_product_map(q) / 2",
        "quaternion_product_map(q)",
        JOINTS,
    ),
    # Sweeps
    Fault(
        "Coriolis acceleration of a hinge with the wrong sign",
        REFERENCE,
        "+ 2 * cross(w_N, r_dot)",
        "- 2 * cross(w_N, r_dot)",
        PEERS,
    ),
    Fault(
        "turning of a hinge's axis with its node left out",
        REFERENCE,
        "np.concatenate([cross(w_N, w_j), linear])",
        "np.concatenate([0 * cross(w_N, w_j), linear])",
        PEERS,
    ),
    Fault(
        "children on the wrong node",
        REFERENCE,
        ".index(int(system.parent_node[i]))",
        ".index(int(system.parent_node[i])) - 1",
        ORACLE,
    ),
    Fault(
        "residual forces of children on the wrong node",
        REFERENCE,
        "            slot = _slot(system, c)\n",
        "            slot = 0\n",
    ),
    Fault(
        "articulated inertia of children on the wrong node",
        REFERENCE,
        "X, slot = motions[c].transform, _slot(system, c)",
        "X, slot = motions[c].transform, 0",
    ),
    Fault("gravity with the wrong sign", REFERENCE, "-system.gravity]", "system.gravity]", PEERS),
    Fault(
        "stiffness left out of forward dynamics",
        REFERENCE,
        "elastic = body.stiffness * motion.eta + ",
        "elastic = ",
    ),
    Fault(
        "stiffness left out of inverse dynamics",
        REFERENCE,
        "T_f + body.stiffness * motion.eta + ",
        "T_f + ",
    ),
    Fault("G G^T in place of G D G^T", REFERENCE, "G @ D @ G.T", "G @ G.T", PEERS),
    Fault(
        "children's forces do not pass the compliance",
        REFERENCE,
        "block.N @ stacked",
        "stacked",
    ),
    Fault(
        "Coriolis acceleration of nodes left out of forward dynamics",
        REFERENCE,
        "n.shapes @ w + n.coriolis",
        "n.shapes @ w",
    ),
    Fault(
        "external forces not turned from node axes",
        REFERENCE,
        "F = rotate(node.rotation, wrench)",
        "F = wrench",
    ),
    Fault(
        "composite bodies without the coupling of modes and base",
        REFERENCE,
        "M_rf = M_rf + phi @ R_t @ Pi_hat",
        "M_rf = M_rf",
        ALGORITHMS,
    ),
    Fault(
        "composite bodies seen from the node, not from the body frame",
        REFERENCE,
        "F, i = node.shift @ F, p",
        "F, i = F, p",
        ALGORITHMS,
    ),
    # What is reported: motion, energy, momentum
    Fault(
        "acceleration of a frame with gravity subtracted",
        "algorithms/tree/kinematics.py",
        "A + gravity",
        "A - gravity",
        PEERS,
    ),
    Fault(
        "frame turned the wrong way against its node",
        "system/frame.py",
        "R @ self.rotation, x",
        "R @ self.rotation.T, x",
        FRAMES,
    ),
    Fault(
        "velocity of a frame without its arm",
        "system/frame.py",
        "V[3:] + cross(V[:3], (R @ self.position).T)",
        "V[3:]",
        FRAMES,
    ),
    Fault(
        "acceleration of a frame without the turning of its arm",
        "system/frame.py",
        "moved[3:] + turning",
        "moved[3:]",
        FRAMES,
    ),
    Fault(
        "force on a frame without its moment about the node",
        "system/frame.py",
        "turned[:3] + cross(self.position, turned[3:])",
        "turned[:3]",
        FRAMES,
    ),
    Fault(
        "point of a frame in the axes of its node",
        "system/frame.py",
        "self.position + self.rotation @ vector",
        "self.position + vector",
        FRAMES,
    ),
    Fault(
        "frame on a frame shifted in the axes of the body",
        "model/frames.py",
        "base.at + base.rotation @ end.at",
        "base.at + end.at",
        FRAMES,
    ),
    Fault(
        "Jacobian without the motion of the modes",
        "algorithms/tree/kinematics.py",
        "to_node @ node.shapes",
        "0 * to_node @ node.shapes",
        ALGORITHMS,
    ),
    Fault(
        "first moment of a deformed body that of the undeformed one",
        BODY_TERMS,
        "body.integrals.first_moment + body.integrals.modal_first_moment @ eta",
        "body.integrals.first_moment",
    ),
    Fault(
        "strain energy twice too large",
        "algorithms/tree/energy.py",
        "* motion.eta) / 2",
        "* motion.eta)",
    ),
    Fault(
        "momentum taken about a point mirrored",
        "algorithms/tree/energy.py",
        "motion.world_position - point",
        "motion.world_position + point",
    ),
    # The compiled text
    Fault(
        "kernel: Coriolis acceleration of a slide once", MOTION, "r), 2.0, rate)", "r), 1.0, rate)"
    ),
    Fault("kernel: bias of a free joint left out", MOTION, "c_v = cross(w_j, rate)", "c_v = ZERO"),
    Fault(
        "kernel: articulated inertia shifted the wrong way",
        "kernels/tree/rigid.py",
        "B_0 = (B[0] + x[0]",
        "B_0 = (B[0] - x[0]",
        PEERS,
    ),
    Fault(
        "kernel: hinge force eliminated with the wrong sign",
        "kernels/tree/hinges.py",
        "e -= l * scratch[o_e + k]",
        "e += l * scratch[o_e + k]",
        ORACLE,
    ),
    Fault(
        "kernel: two modal products exchanged in Q",
        "kernels/tree/flexible.py",
        "row_x[1] + 0.5 * (U[1] - o_z)",
        "row_x[1] + 0.5 * (U[1] + o_z)",
        ORACLE,
    ),
    Fault(
        "kernel: gyroscopic modal force halved",
        "kernels/tree/flexible.py",
        "-2.0 * w[k - 6]",
        "-1.0 * w[k - 6]",
        ORACLE,
    ),
    Fault(
        "kernel: shift from several nodes with the wrong sign",
        "kernels/tree/compliance.py",
        "scratch[y + 4] -= l[2]",
        "scratch[y + 4] += l[2]",
        ORACLE,
    ),
    Fault(
        "kernel: compliance of the one node with the wrong sign",
        "kernels/tree/one_node.py",
        "_minus(a, _seen_from_node(J, yielded))",
        "_plus(a, _seen_from_node(J, yielded))",
        ORACLE,
    ),
    Fault(
        "workspace: a record is given on before its last child has read it",
        "algorithms/tree/packing.py",
        "if stop <= i)",
        "if stop <= i + 1)",
        COMPACT,
    ),
    Fault(
        "kernel: moment of a lump's force left out",
        "kernels/tree/lumps.py",
        "add(n_t, cross(l, f_t))",
        "n_t",
        ORACLE,
    ),
    Fault(
        "kernel: columns of modes not moved to the origin",
        "kernels/tree/composite.py",
        "n_0, back = add(n, cross(l, e)), turn_back(J_l, n)",
        "n_0, back = n, turn_back(J_l, n)",
        ORACLE,
    ),
    Fault(
        "kernel: bias of a compound joint with the wrong sign",
        "kernels/tree/joints.py",
        "rate_dot = added(rate_dot, -1.0,",
        "rate_dot = added(rate_dot, 1.0,",
        ORACLE,
    ),
    Fault(
        "kernel: moment of an external force left out",
        "kernels/tree/external.py",
        "            n = add(n, cross(l, f))\n",
        "",
        ORACLE,
    ),
    # Simulation
    Fault(
        "simulation: rates of a rotation vector with the left Jacobian",
        SIMULATION + "coordinates.py",
        "return _left_inverse(scaled(-1.0, theta), x)",
        "return _left_inverse(theta, x)",
        ORDERS,
    ),
    Fault(
        "simulation: rate of J_l left out at a free joint",
        SIMULATION + "coordinates.py",
        "added(turn(one_plus(a, b, theta), v), -1.0, change)",
        "turn(one_plus(a, b, theta), v)",
        ORDERS,
    ),
    Fault(
        "simulation: given motion of a free joint without w x v",
        SIMULATION + "motions.py",
        "put_vector(x, o_v + 3, added(a, -1.0, cross(w, u)))",
        "put_vector(x, o_v + 3, a)",
        MOVED,
    ),
    Fault(
        "simulation: second rate of a table halved",
        SIMULATION + "signals.py",
        "second = second * x + 2.0 * rate",
        "second = second * x + rate",
        GIVEN,
    ),
    Fault(
        "stiffened: second moment without its second order",
        BODY_TERMS,
        "L + half + half.T, s + sigma @ eta",
        "L + half, s + sigma @ eta",
    ),
    Fault(
        "stiffened: nodes without the bend by modal rates",
        "kernels/tree/nodes.py",
        "y[node.bend + k] = bend",
        "y[node.bend + k] = 0.0",
        STIFFENED,
    ),
    Fault(
        "stiffened: Coriolis forces on the modes with the second order",
        "kernels/tree/flexible.py",
        "form = symmetric_form(floats, product, m, v, o_v, -2.0 * w[k], scratch, b_f)",
        "form = symmetric_form(floats, product, m, v, o_v, 0.0, scratch, b_f)",
        STIFFENED,
    ),
    Fault(
        "rods: sections without the rate of the turning Jacobian",
        "kernels/tree/rods.py",
        "add(turn(R, J_dot), turn(RJ, second))",
        "turn(RJ, second)",
        RODS,
    ),
    Fault(
        "rods: Coriolis acceleration of stretch counted once",
        "kernels/tree/rods.py",
        "turning = cross(w, added(swung, 2.0, stretching))",
        "turning = cross(w, added(swung, 1.0, stretching))",
        RODS,
    ),
    Fault(
        "rods: third moment of the curvature without its commutator",
        "kernels/tree/rods.py",
        "return psi, F1, F2, _skews(1.0 / 12.0, -k / 30.0, P, a1, -k, Q)",
        "return psi, F1, F2, _skews(1.0 / 12.0, -k / 30.0, P, a1, 0.0, Q)",
        RODS,
    ),
    Fault(
        "rods: node between stations where the station is",
        "kernels/tree/rods.py",
        "if c[o + NODE_EMPTY] != 0.0:",
        "if c[o + NODE_EMPTY] >= 0.0:",
        RODS,
    ),
    Fault(
        "rods: modal mass without the turning of sections",
        "kernels/tree/rods.py",
        "+ wz * scratch[work + 2 * m + h]",
        "+ 0.0 * wz * scratch[work + 2 * m + h]",
        RODS,
    ),
    Fault(
        "simulation: weights of generalized-alpha with the wrong sign",
        "sim/integrators/generalized_alpha.py",
        "h * h * ((0.5 - m.beta) * x.a0[k] + m.beta * x.a1[k])",
        "h * h * ((0.5 + m.beta) * x.a0[k] + m.beta * x.a1[k])",
        ORDERS,
    ),
    Fault(
        "simulation: stop at the lower end pushes outward",
        "sim/loads/joint_stop.py",
        "depth, sign = lower - x, -1.0",
        "depth, sign = lower - x, 1.0",
        JOINT_LOADS,
    ),
    Fault(
        "simulation: spring between points without its moment",
        "sim/loads/node_spring.py",
        "add_wrench(work, b, cross(r_b, f_b), f_b)",
        "add_wrench(work, b, (0.0, 0.0, 0.0), f_b)",
        POINTS,
    ),
    Fault(
        "simulation: impulse of a lock without the rotor",
        "sim/events/actions.py",
        "    momentum += plan.armature * change\n",
        "",
        LOCKS,
    ),
    Fault(
        "arm of a revolute joint in the Jacobian with the wrong sign",
        "kernels/tree/path.py",
        "_put_column(J, o_v, h, cross(h, arm))",
        "_put_column(J, o_v, h, cross(arm, h))",
        ALGORITHMS,
    ),
    Fault(
        "modes in the Jacobian of a frame without J_l",
        "kernels/tree/path.py",
        "C_l = product(C, J_l)",
        "C_l = C",
        ALGORITHMS,
    ),
    Fault(
        "pose of a frame without the place of a joint",
        "kernels/tree/path.py",
        "r = turn(C, vector(floats, k + field.PLACE))",
        "r = vector(floats, k + field.PLACE)",
        FRAMES,
    ),
    Fault(
        "contacts: point of contact at rest on the wheel",
        "kernels/loops/closing.py",
        "swept = cross(w, rate)",
        "swept = scaled(0.0, rate)",
        CONTACTS,
    ),
    Fault(
        "contacts: edge of a skate that does not turn",
        "kernels/loops/closing.py",
        "dot(cross(w_rel, e), v_rel)",
        "0.0 * dot(cross(w_rel, e), v_rel)",
        CONTACTS,
    ),
    Fault(
        "contacts: readable text without the turning of the wheel's axis",
        "joints/contacts.py",
        "-s_dot[2] * s - s[2] * s_dot",
        "-s[2] * s_dot",
        CONTACTS,
    ),
    Fault(
        "groups: force on the node of a group forgotten",
        "kernels/loops/groups.py",
        "scratch[d + field.FORCE + c] += _product(scratch, Z, c, X + first + 6 * n_all, n)",
        "pass",
        GROUPS,
    ),
    Fault(
        "groups: forces that do not follow the node",
        "kernels/loops/groups.py",
        "s += scratch[X + c * n_all + k] * alpha[c] + scratch[X + (3 + c) * n_all + k] * a[c]",
        "s += scratch[X + (3 + c) * n_all + k] * a[c]",
        GROUPS,
    ),
    Fault(
        "derivatives: forces that do not turn with what is displaced",
        "kernels/tree/derivatives/sweep.py",
        "t_w, t_v = force_cross(xi_w, xi_v, n, f)",
        "t_w, t_v = ZERO, ZERO",
        DERIVATIVES,
    ),
    Fault(
        "derivatives: momentum of a rigid body with the wrong sign",
        "kernels/tree/derivatives/frames.py",
        "z[0] + x[2] - h[1] - 2.0 * v[0] * p[2]",
        "z[0] + x[2] + h[1] - 2.0 * v[0] * p[2]",
        DERIVATIVES,
    ),
    Fault(
        "derivatives: velocity of the directions of a node forgotten",
        "kernels/run/node_motions.py",
        "put_vector(out, 12 * s + 9, add(d_v, add(cross(d_w, p), cross(V_w, dp))))",
        "put_vector(out, 12 * s + 9, add(d_v, cross(d_w, p)))",
        DERIVATIVES,
    ),
    Fault(
        "derivatives: damping of a mode in the place of its stiffness",
        "kernels/tree/derivatives/design.py",
        "P[o_v + j, k] = q[o_q + j] if kind == STIFFNESS else v[o_v + j]",
        "P[o_v + j, k] = v[o_v + j]",
        DESIGN,
    ),
    Fault(
        "derivatives: an inertia without its centrifugal moment",
        "kernels/tree/derivatives/inertial.py",
        "out[e + 4] += y_w[1] * alpha[2] + y_w[2] * alpha[1] + c[1] * w[2] + c[2] * w[1]",
        "out[e + 4] += y_w[1] * alpha[2] + y_w[2] * alpha[1]",
        DESIGN,
    ),
    Fault(
        "derivatives: an adjoint without the forces on what a hinge moves",
        "kernels/tree/derivatives/products.py",
        "by_q[o_v + c] += dot(x_w, t_w) + dot(x_v, t_v)",
        "by_q[o_v + c] += dot(x_w, t_w)",
        SENSITIVITIES,
    ),
    Fault(
        "derivatives: an adjoint without modes in the rows that carry them",
        "kernels/tree/derivatives/products.py",
        "by_v[o_m + c] += dot(x_w, g_w) + dot(x_v, g_v)",
        "by_v[o_m + c] += dot(x_w, g_w)",
        SENSITIVITIES,
    ),
    Fault(
        "derivatives: an adjoint without the dampers",
        "kernels/run/adjoint.py",
        "by_v[c] += y * slopes[o + n + k, c]",
        "by_v[c] += 0.0",
        SENSITIVITIES,
    ),
    Fault(
        "loads of space: torque of a rotor on its carrier with the wrong sign",
        "sim/loads/rotor.py",
        "moment = added(scaled(-push, axis), -h, cross(omega, axis))",
        "moment = added(scaled(push, axis), -h, cross(omega, axis))",
        SPACE,
    ),
    Fault(
        "loads of space: gravity gradient half as large",
        "sim/loads/gravity_field.py",
        "along = 1.5 * (L[0] + L[3] + L[5]) - 7.5 * dot(d, Ld) / r2",
        "along = 0.75 * (L[0] + L[3] + L[5]) - 7.5 * dot(d, Ld) / r2",
        SPACE,
    ),
)
