"""One switch over all methods that integrators have registered."""

from __future__ import annotations

from ..compiling import inlined
from .registry import METHODS, SELECTED

if not METHODS:
    raise ImportError("no integrators are registered; import lissom.sim first")

KNOWN = [x for x in enumerate(METHODS) if not SELECTED or x[1].name in SELECTED]


def _steps(methods):
    """Kernel that takes a step of the method `which`."""

    @inlined
    def chain(which, r, t, h, mode):
        return 0, False

    for number, method in reversed(methods):
        chain = _step_or(number, method.step, chain)
    return chain


def _step_or(number, step, others):
    @inlined
    def chain(which, r, t, h, mode):
        if which == number:
            return step(r, t, h, mode)
        return others(which, r, t, h, mode)

    return chain


def _errors(methods):
    """Kernel that estimates the error of the last step of the method `which`."""

    @inlined
    def chain(which, r, h):
        return 0.0

    for number, method in reversed(methods):
        if method.error is not None:
            chain = _binary_or(number, method.error, chain)
    return chain


def _commits(methods):
    """Kernel that commits a step of the method `which`."""

    @inlined
    def chain(which, r, h):
        return False

    for number, method in reversed(methods):
        if method.commit is not None:
            chain = _binary_or(number, method.commit, chain)
    return chain


def _binary_or(number, kernel, others):
    @inlined
    def chain(which, r, h):
        if which == number:
            return kernel(r, h)
        return others(which, r, h)

    return chain


take_step, estimated_error, commit_step = _steps(KNOWN), _errors(KNOWN), _commits(KNOWN)
