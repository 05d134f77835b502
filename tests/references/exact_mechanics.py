"""Textbook mechanics with symbols: what equations are checked against, without lissom.

Poses are 4x4 matrices X, spatial velocities [angular; linear] in body axes.
"""

import sympy as sp


def skew(a):
    """Matrix of the cross product with a."""
    return sp.Matrix([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def hat(h):
    """A spatial velocity as X^-1 dX/dt."""
    return sp.Matrix.vstack(skew(h[:3]).row_join(sp.Matrix(h[3:])), sp.zeros(1, 4))


def vee(m):
    """The spatial velocity of a matrix X^-1 dX/dt."""
    return sp.Matrix([m[2, 1], m[0, 2], m[1, 0], m[0, 3], m[1, 3], m[2, 3]])


def turn(axis, angle):
    """Rotation about an axis, 3x3."""
    c, s = sp.cos(angle), sp.sin(angle)
    return {
        "x": sp.Matrix([[1, 0, 0], [0, c, -s], [0, s, c]]),
        "y": sp.Matrix([[c, 0, s], [0, 1, 0], [-s, 0, c]]),
        "z": sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]]),
    }[axis]


def pose(rotation=None, position=(0, 0, 0)):
    """A rotation and a position as one matrix."""
    R = sp.eye(3) if rotation is None else rotation
    return sp.Matrix.vstack(R.row_join(sp.Matrix(position)), sp.Matrix([[0, 0, 0, 1]]))


def inverse(X):
    """Inverse of a pose."""
    return pose(X[:3, :3].T, -X[:3, :3].T * X[:3, 3])


def adjoint(X):
    """6x6: the velocity of an outboard frame with pose X, from that of the frame inboard of it."""
    L, r = X[:3, :3].T, X[:3, 3]
    return sp.Matrix.vstack(L.row_join(sp.zeros(3)), (-L * skew(r)).row_join(L))


def bracket(a, b, q):
    """[a, b] of two vector fields over the coordinates q."""
    return b.jacobian(q) * a - a.jacobian(q) * b


def pseudo_inertia(mass, com, inertia):
    """Integral of x x^T dm over a body, with x = (position; 1); inertia about the com."""
    about_com = sp.eye(3) * inertia.trace() / 2 - inertia
    c = sp.Matrix(com)
    first = mass * c
    return sp.Matrix.vstack(
        (about_com + mass * c * c.T).row_join(first), first.T.row_join(sp.Matrix([[mass]]))
    )


class Lagrange:
    """Lagrange's equations M q'' + b + G = Q from the poses of the bodies.

    The kinetic energy is half the sum of tr(X' J X'^T) with the pseudo-inertia J of each body; so
    M_ij = tr(X_i J X_j^T) and b_i = tr(X_i J (sum over j, k of X_jk q_j' q_k')^T), with X_i the
    derivative by q_i.

    Parameters
    ----------
    poses, inertias : list of matrices (4, 4)
        Of the bodies; inertias as from `pseudo_inertia`.
    q : sequence of symbols
        Coordinates.
    gravity : array (3,)
        Acceleration.
    """

    def __init__(self, poses, inertias, q, gravity=(0, 0, 0)):
        self.bodies = list(zip(poses, inertias, strict=True))
        self.q, self.gravity = list(q), sp.Matrix([*gravity, 0])

    def mass(self, point=None):
        """M, or its value at a point."""
        n = len(self.q)
        M = sp.zeros(n, n)
        for X, J in self.bodies:
            slopes = [self._at(X.diff(x), point) for x in self.q]
            M += sp.Matrix([[(a * J * b.T).trace() for b in slopes] for a in slopes])
        return M

    def bias(self, rates, point=None):
        """b for rates of the coordinates, or its value at a point."""
        total = sp.zeros(len(self.q), 1)
        for X, J in self.bodies:
            second = sp.zeros(4, 4)
            for x, x_dot in zip(self.q, rates, strict=True):
                for y, y_dot in zip(self.q, rates, strict=True):
                    second += self._at(X.diff(x, y), point) * x_dot * y_dot
            slopes = [self._at(X.diff(x), point) for x in self.q]
            total += sp.Matrix([(slope * J * second.T).trace() for slope in slopes])
        return total

    @property
    def potential(self):
        """Potential of gravity."""
        return -sum((self.gravity.T * X * J[:, 3])[0] for X, J in self.bodies)

    def _at(self, matrix, point):
        return matrix if point is None else sp.ImmutableMatrix(matrix).xreplace(point)
