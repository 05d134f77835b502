"""Python programs for NumPy, Numba, JAX and CasADi."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np

from ..errors import StateError, SymbolicError
from ..printing import filled
from .names import check_choice
from .printing import FUNCTIONS, Body, Language, body_of
from .program import Function, Program, heading


def _language(module: str, select: str, arc: str = "") -> Language:
    names = {name: f"{module}.{name}" for name in FUNCTIONS}
    return Language(names | {"atan": f"{module}.{arc or 'atan'}"}, select)


_LANGUAGES = {
    "numpy": _language("np", "np.where({x} < {limit}, {below}, {above})", "arctan"),
    "numba": _language("math", "({below} if {x} < {limit} else {above})"),
    "jax": _language("jnp", "jnp.where({x} < {limit}, {below}, {above})", "arctan"),
    "casadi": _language("ca", "ca.if_else({x} < {limit}, {below}, {above})"),
}
_DECORATORS = {"numba": "@njit", "jax": "@jax.jit"}
BACKENDS = ("numpy", "numba", "jax")

_HEADS = {
    "numpy": '''"""{title}

States may be arrays: q (n_q, ...), and the results then have the same trailing axes.
"""

import numpy as np

_Error = ValueError


def _checked(function, sizes, *arguments, many=True):
    arrays = []
    for (name, n), values in zip(sizes, arguments):
        x = values
        if type(x) is not np.ndarray or x.dtype != np.float64:
            x = _floats(function, name, n, values)
        x = x[None] if n == 0 else x  # a number
        if x.shape[:1] != (n or 1,) or (x.ndim > 1 and not many):
            words = f", or ({{n}}, ...) for many states" if many else ""
            problem = f"{{function}}: {{name}} has shape {{x.shape[1:] if n == 0 else x.shape}}"
            raise _Error(f"{{problem}}; expected {{f'({{n}},){{words}}' if n else 'one number'}}")
        if x.ndim == 1:
            total = sum(x.tolist())  # total - total is NaN if an entry is not finite
            finite = total - total == 0.0 or np.isfinite(x).all()
        else:
            finite = np.isfinite(x).all()
        if not finite:
            k = tuple(int(i) for i in np.argwhere(~np.isfinite(x))[0])
            problem = f"{{function}}: {{name}}{{list(k)}} is {{x[k]}}"
            raise _Error(f"{{problem}}; all entries must be finite")
        arrays.append(x)
    shapes = {{x.shape[1:] for x in arrays}}
    if len(shapes) > 1:
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            listing = ", ".join(f"{{n}} {{x.shape}}" for (n, _), x in zip(sizes, arrays))
            raise _Error(f"{{function}}: {{listing}} have different numbers of states") from None
    return [x if n else x[0] for (_, n), x in zip(sizes, arrays)]


def _floats(function, name, n, values):
    try:
        x = np.asarray(values)
    except ValueError:  # one number for many states: [0.3, angles]
        try:
            x = np.array(np.broadcast_arrays(*values))
        except ValueError:
            x = np.array(None)
    if x.dtype.kind not in "biuf":
        problem = f"{{function}}: {{name}} is {{values!r}}"
        words = f"an array of {{n}} real numbers" if n else "one real number"
        raise _Error(f"{{problem}}; expected {{words}}")
    return x.astype(float)


def _gathered(shape, entries):
    values = np.broadcast_arrays(*entries)
    return np.array(values, dtype=float).reshape(*shape, *values[0].shape)
''',
    "numba": '''"""{title}"""

import math

import numpy as np
from numba import njit

_Error = ValueError


@njit
def _checked(values, n):
    x = np.asarray(values)
    fits, flat = x.shape == (n,), x.ravel()
    for number in flat:
        fits = fits and math.isfinite(number)
    return fits, flat
''',
    "jax": '''"""{title}

One state each: jax.vmap makes functions of many, jax.grad and jax.jacfwd derivatives.  Numbers have
single precision unless jax.config.update("jax_enable_x64", True) is called first.
"""

import jax
import jax.numpy as jnp

_Error = ValueError


def _vector(function, name, n, values):
    x = jnp.asarray(values)
    if x.shape != ((n,) if n else ()):
        expected = f"({{n}},); use jax.vmap for many states" if n else "one number"
        raise _Error(f"{{function}}: {{name}} has shape {{x.shape}}; expected {{expected}}")
    return x
''',
    "casadi": '''"""{title}

Vectors are CasADi's, numeric or symbolic; parameters are one vector p.
"""

import casadi as ca


def _check(function, name, n, x):
    shape = tuple(x.shape) if hasattr(x, "shape") else (len(x),)
    if shape not in ((n,), (n, 1), (1, n)):
        raise ValueError(f"{{function}}: {{name}} has shape {{shape}}; expected ({{n}},)")
    if isinstance(x, ca.DM) and not x.is_regular():
        raise ValueError(f"{{function}}: {{name}} is {{x}}; all entries must be finite")
''',
}


def python_source(program: Program, backend: str) -> str:
    """Source text of a module with all functions of a program."""
    check_choice(backend, _LANGUAGES, "backend")
    title = "\n".join(heading(program))
    if program.parameters:
        title += f"\np: {', '.join(program.parameters)}"
    pieces = [_HEADS[backend].format(title=_in_docstring(title))]
    pieces += [_source(program.function(name), program, backend) for name in program.names]
    return "\n\n".join(pieces)


def _source(function: Function, program: Program, backend: str) -> str:
    symbols = {
        name: vector if vector in function.SCALARS else f"{vector}[{k}]"
        for vector, names in function.inputs.items()
        for k, name in enumerate(names)
    }
    symbols |= {name: f"p[{k}]" for k, name in enumerate(program.parameters)}
    body = body_of(function, _LANGUAGES[backend], symbols)
    sizes = _sizes(function, program)
    lines = [f"def {function.name}({', '.join(sizes)}):"]
    words = _in_docstring(function.words)
    lines.append(f'    """{words[0].upper()}{words[1:]}."""')
    if backend in _DECORATORS:
        lines.insert(0, _DECORATORS[backend])
    lines += _checks(function.name, sizes, backend)
    lines += [f"    {name} = {text}" for name, text in body.assignments]
    return "\n".join([*lines, *_return_lines(function, body, backend)]) + "\n"


def _sizes(function: Function, program: Program) -> dict[str, int]:
    """Number of entries of each argument of a function; 0 for a number, which is no vector."""
    sizes = {
        key: 0 if key in function.SCALARS else len(names) for key, names in function.inputs.items()
    }
    return sizes | ({"p": len(program.parameters)} if program.parameters else {})


def _checks(function: str, sizes: Mapping[str, int], backend: str) -> list[str]:
    """Lines that check shape and finiteness of the arguments."""
    if backend == "numpy":
        names = ", ".join(sizes) + ("," if len(sizes) == 1 else "")
        check_call = f"_checked({function!r}, {tuple(sizes.items())}, {', '.join(sizes)})"
        return [f"    {names} = {check_call}"]
    if backend == "jax":
        return [
            f"    {key} = _vector({function!r}, {key!r}, {n}, {key})" for key, n in sizes.items()
        ]
    if backend == "casadi":
        return [f"    _check({function!r}, {key!r}, {n}, {key})" for key, n in sizes.items() if n]
    lines = []
    for key, n in sizes.items():
        if n == 0:
            words = f"{function}: {key} must be a finite number"
            lines += [f"    if not math.isfinite({key}):", f"        raise _Error({words!r})"]
            continue
        words = f"{function}: {key} must be {n} finite numbers, an array of shape ({n},)"
        lines += [f"    fits, {key} = _checked({key}, {n})"]
        lines += ["    if not fits:", f"        raise _Error({words!r})"]
    return lines


def _in_docstring(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"")


def _return_lines(function: Function, body: Body, backend: str) -> list[str]:
    shape, entries = function.output.shape, body.results
    if backend == "numpy":
        return [f"    return _gathered({shape}, [{', '.join(entries)}])"]
    if backend == "jax":  # an entry may be a plain number
        return [f"    return jnp.array([{', '.join(entries)}], dtype=float).reshape({shape})"]
    if backend == "casadi":
        if len(shape) == 1:
            return [f"    return ca.vertcat({', '.join(entries)})"]
        rows = [entries[k : k + shape[1]] for k in range(0, len(entries), shape[1])]
        joined = [f"ca.horzcat({', '.join(row)})" for row in rows]
        return [f"    return ca.vertcat({', '.join(joined)})"]
    lines = [f"    out = np.empty({shape})", "    flat = out.ravel()"]
    lines += [f"    flat[{k}] = {text}" for k, text in enumerate(entries)]
    return [*lines, "    return out"]


class Functions(SimpleNamespace):
    """Numeric functions and the program that defines them.

    They raise a `StateError` for arguments of the wrong shape or with entries that are not finite.

    Parameters
    ----------
    source : str
        Source text of the module.
    **functions
        Functions by name; each becomes an attribute.
    """

    source: str

    def __init__(self, source: str, **functions: Any) -> None:
        super().__init__(source=source, **functions)

    def __copy__(self) -> Functions:
        """Another namespace with the same functions."""
        return Functions(**vars(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> Functions:
        """As `__copy__`: functions do not change."""
        return Functions(**vars(self))

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle is the program, which is executed again."""
        sizes = {
            name: function._sizes if isinstance(function, Compiled) else None
            for name, function in vars(self).items()
            if name != "source"
        }
        return _executed_again, (self.source, sizes)

    def __repr__(self) -> str:
        """Names of the functions and length of the program."""
        names = [name for name in vars(self) if name != "source"]
        return filled("Functions(", [*names, f"source of {self.source.count(chr(10))} lines"])


class Compiled:
    """Function compiled by Numba, callable from Python and from other compiled functions.

    Arguments of the wrong kind are rejected here, with a shorter message than Numba's.
    """

    def __init__(self, dispatcher: Any, sizes: Mapping[str, int]) -> None:
        self._dispatcher, self._sizes = dispatcher, tuple(sizes.items())
        self._shapes = tuple((n,) if n else () for n in sizes.values())
        self.__name__, self.__doc__ = dispatcher.__name__, dispatcher.__doc__

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Result for the vectors of one state."""
        if named or len(arguments) != len(self._shapes):
            return self._dispatcher(*arguments, **named)
        for x, shape in zip(arguments, self._shapes, strict=True):
            if type(x) is not np.ndarray or x.shape != shape or x.dtype != float:
                arguments = self._vectors(arguments)
                break
        try:
            return self._dispatcher(*arguments)
        except StateError:
            self._vectors(arguments)  # raises the detailed error
            raise

    def _vectors(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """Arguments as arrays, or an error that names the wrong one."""
        return tuple(_CHECKS["_checked"](self.__name__, self._sizes, *arguments, many=False))

    def __getattr__(self, name: str) -> Any:
        """Attribute of the dispatcher, so that compiled code and `simulate` accept this object."""
        if name.startswith("__") or name == "_dispatcher":
            raise AttributeError(name)
        return getattr(self._dispatcher, name)

    def __repr__(self) -> str:
        """Name and arguments."""
        return f"{self.__name__}({', '.join(name for name, _ in self._sizes)}), compiled by Numba"


def numeric_functions(program: Program, backend: str) -> Functions:
    """Numeric functions of a program without free parameters."""
    check_choice(backend, BACKENDS, "backend")
    if backend == "jax" and importlib.util.find_spec("jax") is None:
        raise SymbolicError("JAX is not installed; run: pip install 'lissom[jax]'")
    functions = _functions_of_source(program, python_source(program, backend))
    if backend == "numba":
        for name in program.names:
            sizes = _sizes(program.function(name), program)
            setattr(functions, name, Compiled(getattr(functions, name), sizes))
    return functions


def casadi_functions(program: Program) -> dict[str, Any]:
    """CasADi functions by name."""
    try:
        import casadi
    except ImportError:
        raise SymbolicError("CasADi is not installed; run: pip install 'lissom[casadi]'") from None
    functions = _functions_of_source(program, python_source(program, "casadi"))
    result = {}
    for name in program.names:
        inputs = _sizes(program.function(name), program)
        symbols = [casadi.SX.sym(key, max(n, 1)) for key, n in inputs.items()]
        output = getattr(functions, name)(*symbols)
        result[name] = casadi.Function(name, symbols, [output], [*inputs], ["out"])
    return result


def _functions_of_source(program: Program, source: str) -> Functions:
    space = _run(source, f"<equations of {program.derivation.system.name}>")
    return Functions(source=source, **{name: space[name] for name in program.names})


def _executed_again(source: str, sizes: Mapping[str, Any]) -> Functions:
    """Functions of a pickle, by name with the sizes of arguments of compiled ones."""
    space = _run(source, "<equations>")
    functions = {
        name: space[name] if args is None else Compiled(space[name], dict(args))
        for name, args in sizes.items()
    }
    return Functions(source, **functions)


def _run(source: str, name: str) -> dict[str, Any]:
    """Namespace of an executed module, whose functions raise `StateError`."""
    space: dict[str, Any] = {}
    exec(compile(source, name, "exec"), space)
    space["_Error"] = StateError
    return space


_CHECKS = _run(_HEADS["numpy"].format(title=""), "<checks>")
