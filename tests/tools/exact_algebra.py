"""Equality of expressions with sines and cosines, decided and not guessed, and rational points."""

import sympy as sp


def vanishes(value):
    """Whether an expression, or every entry of a matrix, is zero.

    The angles have to be sums of whole multiples of symbols.
    """
    if isinstance(value, sp.MatrixBase):
        return all(vanishes(x) for x in value)
    return normal_form(value) == 0


def normal_form(value):
    """Numerator of an expression, multiplied out, with 1 - cos^2 for sin^2: unique."""
    x = sp.fraction(sp.together(sp.expand_trig(_with_sines_and_cosines(value))))[0]
    angles = sorted({f.args[0] for f in x.atoms(sp.sin, sp.cos)}, key=str)
    if not all(angle.is_Symbol for angle in angles):
        raise ValueError(f"angles that are not symbols: {angles}")
    for angle in angles:
        s, c = sp.Dummy("s"), sp.Dummy("c")
        x = x.xreplace({sp.sin(angle): s, sp.cos(angle): c})
        powers = sp.Poly(x, s).terms()
        x = sp.Add(*(k * s ** (n % 2) * (1 - c**2) ** (n // 2) for (n,), k in powers))
    return sp.expand(x)


def circle_point(angles, parameters):
    """Rational sines and cosines of angles, from rational tangents of their halves."""
    point = {}
    for angle, t in zip(angles, parameters, strict=True):
        point[sp.sin(angle)] = 2 * t / (1 + t**2)
        point[sp.cos(angle)] = (1 - t**2) / (1 + t**2)
    return point


def at(value, point):
    """A matrix or an expression with rational numbers for sines, cosines and symbols."""
    if isinstance(value, sp.MatrixBase):
        return value.applyfunc(lambda x: at(x, point))
    x = _with_sines_and_cosines(value)
    turns = {f: sp.expand_trig(f).xreplace(point) for f in x.atoms(sp.sin, sp.cos)}
    return x.xreplace(turns | point)


def _with_sines_and_cosines(value):
    x = sp.sympify(value)
    x = x.replace(sp.tan, lambda a: sp.sin(a) / sp.cos(a))
    return x.replace(sp.sec, lambda a: 1 / sp.cos(a))
