"""Spatial operators of the papers as objects that can be multiplied, transposed and inspected.

Notation (A is Jain & Rodriguez 1992)
  n_b = n_mode + 6 entries for a body: [modal; spatial].  The "body space" stacks them over bodies
  E_Phi, Phi   one step and all steps inward (A 12), (A 18), (A 19)
  H            hinge map, body space -> speeds (A 13)                     here [I 0; 0 H]
  M_m          modal mass matrices (A 23)
  R            composite-body inertias (A 47)
  P, P_plus, D, G, K, tau_bar, E_Psi, Psi    articulated-body quantities (A 51), (A 52), (A 53)
  Gamma, D_f, mu, g, P_R, D_R, G_R, ...      modes and hinge separate (A 62), (A 63)
  Lambda, zeta, Upsilon, Omega               D_f^-1 by the compliance of the body (A B4)
  M = H Phi M_m Phi* H* = (I + H Phi K) D (I + H Phi K)*                (A 43), (A 54)
  M^-1 = (I - H Psi K)* D^-1 (I - H Psi K)                              (A 55), (A 56)
Differs: bodies numbered base to tip, trees instead of chains, modes zero at the inboard node.
"""

from __future__ import annotations

from .algebra import SpatialOperator
from .nodal_terms import NodalTerms
from .operators import Operators, operators

__all__ = ["NodalTerms", "Operators", "SpatialOperator", "operators"]
