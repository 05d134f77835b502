"""One switch over all methods that integrators have registered."""

from __future__ import annotations

from .registry import METHODS, SELECTED, switch

if not METHODS:
    raise ImportError("no integrators are registered; import lissom.sim first")

_METHODS = [x if not SELECTED or x.name in SELECTED else None for x in METHODS]
take_step = switch((x and x.step for x in _METHODS), (0, False))
estimated_error = switch((x and x.error for x in _METHODS), 0.0)
commit_step = switch((x and x.commit for x in _METHODS), False)
