"""An independent model of a mechanism: particles, their positions, and automatic differentiation.

It shares no idea with the package it checks. It knows where each particle is, r(q), and how the
coordinates move, qdot = N(q) v. Differentiation gives velocities and accelerations; d'Alembert's
principle, Σ m J'(a - g) = forces, gives the rest. See `Oracle` and `Snapshot`.
"""

from .description import Body, Cloud, Joint, Link, Mechanism, particle, rigid_body, six_particles
from .dynamics import Oracle, Snapshot

__all__ = [
    "Body",
    "Cloud",
    "Joint",
    "Link",
    "Mechanism",
    "Oracle",
    "Snapshot",
    "particle",
    "rigid_body",
    "six_particles",
]
