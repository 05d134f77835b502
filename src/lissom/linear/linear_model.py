"""A linear model: matrices with names and units, its responses, reductions and exports."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ResultError, StateError, printable, shown, suggestion
from ..fields import as_numbers
from ..results.files.disk import as_path, replacing
from ..results.labels import Parts
from ..sim.run.checks import positive

if TYPE_CHECKING:
    from .gramians import Gramians

Array = np.ndarray

METHODS = ("zoh", "foh", "bilinear", "impulse")
_MOST = 12  # names in a printout
_WIDTH = 80


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Linear model x' = A x + B u, y = C x + D u; or x[k+1] = A x[k] + B u[k], if discrete.

    Made by `linearize`.  States, inputs and outputs are deviations from the state about which the
    model was made.

    Parameters
    ----------
    A, B, C, D : array
        Matrices (n, n), (n, n_input), (n_output, n), (n_output, n_input).
    states, inputs, outputs : tuple of (str, str)
        Name and unit of each.
    step : float or None
        Sampling time of a discrete model [s].
    title : str
        Name of the mechanism.
    notes : str
        What was left out, of a reduced model.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    states: Parts
    inputs: Parts = ()
    outputs: Parts = ()
    step: float | None = None
    title: str = ""
    notes: str = ""

    def __post_init__(self) -> None:
        for what in ("states", "inputs", "outputs"):
            object.__setattr__(self, what, _named(getattr(self, what), what))
        n, m, p = len(self.states), len(self.inputs), len(self.outputs)
        for name, shape in (("A", (n, n)), ("B", (n, m)), ("C", (p, n)), ("D", (p, m))):
            matrix = _matrix(getattr(self, name), name)
            if matrix.shape != shape:
                raise StateError(
                    f"LinearModel: {name} has shape {matrix.shape}; expected {shape}, from the "
                    f"names of {n} states, {m} inputs and {p} outputs"
                )
            matrix.flags.writeable = False
            object.__setattr__(self, name, matrix)
        if self.step is not None:
            object.__setattr__(self, "step", positive(self.step, "LinearModel: step"))

    @property
    def n(self) -> int:
        """Number of states."""
        return len(self.states)

    def poles(self) -> Array:
        """Eigenvalues of A [rad/s], by magnitude; of a discrete model dimensionless."""
        eigenvalues = np.linalg.eigvals(self.A)
        return eigenvalues[np.lexsort((-eigenvalues.imag, np.abs(eigenvalues)))]

    # Parts of the model

    def input(self, name: str) -> int:
        """Number of an input.

        Parameters
        ----------
        name : str
            Its name.
        """
        return _number(name, self.inputs, "input")

    def output(self, name: str) -> int:
        """Number of an output.

        Parameters
        ----------
        name : str
            Its name.
        """
        return _number(name, self.outputs, "output")

    def chosen(self, input: Any = None, output: Any = None) -> LinearModel:
        """The model with some of its inputs and outputs.

        Parameters
        ----------
        input, output : str or sequence of str, optional
            Names; by default all.
        """
        u = _numbers(input, self.inputs, "input")
        y = _numbers(output, self.outputs, "output")
        return replace(
            self,
            B=self.B[:, u],
            C=self.C[y],
            D=self.D[np.ix_(y, u)],
            inputs=tuple(self.inputs[k] for k in u),
            outputs=tuple(self.outputs[k] for k in y),
        )

    def discrete(self, step: float, method: str = "zoh") -> LinearModel:
        """Model at sampling times.

        Parameters
        ----------
        step : float
            Sampling time [s].
        method : {"zoh", "foh", "bilinear", "impulse"}
            "zoh": inputs are held between samples, and the model is exact for such inputs; "foh":
            inputs are linear between samples; "bilinear": Tustin's rule.
        """
        from scipy.signal import cont2discrete

        if self.step is not None:
            raise StateError(f"the model is discrete already, with steps of {self.step:g} s")
        if method not in METHODS:
            raise StateError(f"method is {shown(method)}; {suggestion(str(method), METHODS)}")
        h = positive(step, "discrete: step", "a positive time [s]")
        A, B, C, D, _ = cont2discrete((self.A, self.B, self.C, self.D), h, method)
        return replace(self, A=A, B=B, C=C, D=D, step=h)

    # Responses

    def frequency_response(self, omega: Any, *, input: Any = None, output: Any = None) -> Array:
        """Response to sines, G(i omega).

        Parameters
        ----------
        omega : array (k,) or float
            Circular frequencies [rad/s].
        input, output : str or sequence of str, optional
            Names; by default all.

        Returns
        -------
        array, complex
            Shape (k, n_output, n_input); without the axes of what was named alone or given as
            one number.
        """
        from .responses import frequency_response

        return frequency_response(self, omega, input, output)

    def transfer(self, input: str, output: str) -> Any:
        """Transfer function from an input to an output, as zeros, poles and gain.

        Poles that zeros cancel are left out: what the input does not move, or the output does not
        show.

        Parameters
        ----------
        input, output : str
            Names.

        Returns
        -------
        scipy.signal.ZerosPolesGain
        """
        from .responses import transfer

        return transfer(self, input, output)

    def step_response(
        self, duration: float, *, input: Any = None, output: Any = None, points: int = 501
    ) -> tuple[Array, Array]:
        """Response to a unit step of each input, from rest.

        Parameters
        ----------
        duration : float
            Length [s].
        input, output : str or sequence of str, optional
            Names; by default all.
        points : int
            Number of instants; of a discrete model the samples.

        Returns
        -------
        time : array (k,)
        values : array (k, n_output, n_input)
            Without the axes of what was named alone.
        """
        from .responses import step_response

        return step_response(self, duration, input, output, points)

    # Gramians and reduction

    def gramians(self) -> Gramians:
        """Controllability and observability Gramians and Hankel singular values.

        Returns
        -------
        Gramians
            Of the stable part of the model; the others are listed as ``excluded``.
        """
        from .gramians import gramians

        return gramians(self)

    def modal_gains(self) -> tuple[Array, Array]:
        """Gain of each mode, which also undamped ones have.

        Returns
        -------
        poles : array (k,), complex
            Poles other than zero, one of each conjugate pair, by magnitude [rad/s].
        gains : array (k,)
            ``|C x| |y^H B| / |pole|``: of a lightly damped mode, twice its damping ratio times its
            Hankel singular values.
        """
        from .reduction import modal_gains

        if self.step is not None:
            raise StateError("modal_gains is for continuous models; call it before .discrete(step)")
        return modal_gains(self)

    def reduced(
        self, n: int | None = None, *, method: str = "auto", tolerance: float = 1e-3
    ) -> LinearModel:
        """Model with fewer states.

        Parameters
        ----------
        n : int, optional
            Number of states; by default those above the tolerance.  Poles that do not decay are
            kept in any case.
        method : {"auto", "balanced", "modal"}
            "balanced": balanced truncation of the stable part, with the error bound 2 sum of the
            Hankel singular values left out; "modal": whole modes, by their gains; "auto": balanced
            if all poles but those at zero decay, else modal.
        tolerance : float
            Of singular values or gains, relative to the largest.

        Returns
        -------
        LinearModel
            ``.notes`` says what was kept and what was left out.
        """
        from .reduction import reduced

        return reduced(self, n, method, tolerance)

    # Exports

    def to_scipy(self) -> Any:
        """The model as a `scipy.signal.StateSpace`."""
        from scipy.signal import StateSpace

        more = {} if self.step is None else {"dt": self.step}
        return StateSpace(self.A, self.B, self.C, self.D, **more)

    def to_control(self) -> Any:
        """The model as a `control.StateSpace`, with its names; needs the package control."""
        return to_control(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file for MATLAB and Octave: A, B, C, D, step, names and units.

        Parameters
        ----------
        path : path
            File to write, with the suffix ".mat".
        """
        save(self, path)

    def __repr__(self) -> str:
        """Sizes, names with units, and slowest and fastest poles."""
        kind = "continuous" if self.step is None else f"discrete, steps of {self.step:g} s"
        rows = [
            f"LinearModel of {printable(self.title) or 'a system'}: {self.n} states, "
            f"{len(self.inputs)} inputs, {len(self.outputs)} outputs, {kind}"
        ]
        for what in ("states", "inputs", "outputs"):
            rows += _list(what, getattr(self, what))
        rows += [f"  {self.notes}"] if self.notes else []
        return "\n".join(line for row in rows for line in _wrapped(row))


def _named(entries: Any, what: str) -> Parts:
    """Names and units, checked."""
    try:
        return tuple((str(name), str(unit)) for name, unit in entries)
    except (TypeError, ValueError):
        raise StateError(
            f"LinearModel: {what} is {shown(entries)}; expected pairs of name and unit, such as "
            '("arm.angle", "rad")'
        ) from None


def _matrix(entry: Any, name: str) -> Array:
    matrix = as_numbers(entry)
    if matrix is None or not np.all(np.isfinite(matrix)):
        raise StateError(f"LinearModel: {name} is {shown(entry)}; expected finite numbers")
    return matrix


def _list(what: str, parts: Parts) -> list[str]:
    if not parts:
        return []
    words = [f"{printable(name)} [{unit}]" for name, unit in parts[:_MOST]]
    left = len(parts) - _MOST
    return [f"  {what}: {', '.join(words)}{f' and {left} more' if left > 0 else ''}"]


def _wrapped(row: str) -> list[str]:
    import textwrap

    return textwrap.wrap(row, _WIDTH, subsequent_indent="    ", break_long_words=False)


def _number(name: Any, parts: Parts, what: str) -> int:
    names = [x for x, _ in parts]
    if name not in names:
        raise StateError(f"the model has no {what} {shown(name)}; {suggestion(str(name), names)}")
    return names.index(name)


def _numbers(names: Any, parts: Parts, what: str) -> list[int]:
    if names is None:
        return list(range(len(parts)))
    if isinstance(names, str) or not isinstance(names, Iterable):
        return [_number(names, parts, what)]
    return [_number(name, parts, what) for name in names]


def to_control(model: LinearModel) -> Any:
    """Model of the package control."""
    try:
        import control
    except ImportError:
        raise StateError(
            "to_control needs the package control, which is not installed; run: pip install control"
        ) from None
    names = {
        kind: [name.replace(".", "_") for name, _ in getattr(model, kind)]
        for kind in ("states", "inputs", "outputs")
    }
    step = 0 if model.step is None else model.step
    return control.ss(model.A, model.B, model.C, model.D, step, **names)


def save(model: LinearModel, path: str | os.PathLike[str]) -> None:
    """Write a model as a MATLAB file."""
    from scipy.io import savemat

    file = as_path(path)
    if os.path.splitext(file)[1].lower() != ".mat":
        raise ResultError(f"cannot write {file}: a model is written as MATLAB file; use .mat")
    content: dict[str, Any] = {name: getattr(model, name) for name in "ABCD"}
    content["step"] = 0.0 if model.step is None else model.step
    for kind in ("state", "input", "output"):
        parts = getattr(model, f"{kind}s")
        content[f"{kind}_names"] = np.array([name for name, _ in parts], dtype=object)
        content[f"{kind}_units"] = np.array([unit for _, unit in parts], dtype=object)
    with replacing(file) as new:
        savemat(new, content, appendmat=False, oned_as="column")
