"""Programs of equations: choice of functions and numbers, and the languages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import sympy

from ..errors import SymbolicError, name_list, suggestion
from .derivation import Derivation
from .matlab_code import write_matlab
from .names import check_choice, identifier
from .printing import C_DOUBLE, C_FLOAT, body_of
from .program import Function, Program, heading
from .python_code import Functions, casadi_functions, numeric_functions, python_source
from .staged import Staged, staged
from .writing import as_path, write_text


class Exports:
    """Base of `Equations`: its programs.

    Attributes
    ----------
    name : str
        Name of the model.
    parameters : tuple of sympy.Symbol
        Symbols of the model.
    """

    name: str
    parameters: tuple[sympy.Symbol, ...]
    _derivation_arguments: tuple[Any, ...]  # arguments of `Derivation`

    @cached_property
    def _program(self) -> Derivation:
        """Derivation for programs, which are faster without sines of sums of angles."""
        return Derivation(*self._derivation_arguments)

    def staged(self, *quantities: str, values: Mapping[Any, float] | None = None) -> Staged:
        """Quantities as a sequence of short assignments to intermediate variables.

        Parameters
        ----------
        *quantities : str
            Functions of a program, such as "mass", "coriolis", "forward_dynamics" (see
            `functions`); by default "mass" and "bias".
        values : mapping, optional
            Numbers for parameters; the others stay symbols.
        """
        program = self._new_program(values, None, None)
        chosen = {name: program.function(name).output for name in quantities or ("mass", "bias")}
        return staged(self._program.bridge, chosen)

    @property
    def functions(self) -> tuple[str, ...]:
        """Names of the functions available in programs."""
        return Program(self._program).names

    def lambdify(
        self,
        *,
        values: Mapping[Any, float] | None = None,
        backend: str = "numpy",
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> Functions:
        """Numeric functions ``.mass(q)``, ``.forward_dynamics(q, v, forces)`` and others.

        Parameters
        ----------
        values : mapping, optional
            Numbers for all parameters, by symbol or name.
        backend : {"numpy", "numba", "jax"}
            "numpy" also accepts arrays of states, "numba" and "jax" are compiled.
        frames : sequence of str, optional
            Frames to provide pose and Jacobian functions for; by default those of the last bodies.
        functions : sequence of str, optional
            Functions to include; by default all but "coriolis", which is long for large systems.
        """
        program = self._new_program(values, frames, functions)
        if program.parameters:
            raise SymbolicError(
                f"no number for {name_list(program.parameters, show=str)}; give numbers for all "
                "parameters with values={symbol: number}"
            )
        return numeric_functions(program, backend)

    def to_python(
        self,
        path: str | Path,
        *,
        values: Mapping[Any, float] | None = None,
        backend: str = "numpy",
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> Path:
        """Write a Python module with all functions.

        Parameters
        ----------
        path : path
            File to write.
        values : mapping, optional
            Numbers for parameters; the others become a vector p.
        backend : {"numpy", "numba", "jax", "casadi"}
            Library used by the module.
        frames, functions : sequence of str, optional
            As for `lambdify`.
        """
        text = self.python_source(
            values=values, backend=backend, frames=frames, functions=functions
        )
        return write_text(path, text)

    def python_source(
        self,
        *,
        values: Mapping[Any, float] | None = None,
        backend: str = "numpy",
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> str:
        """Source text of the module that `to_python` writes.

        Parameters
        ----------
        values : mapping, optional
            Numbers for parameters; the others become a vector p.
        backend : {"numpy", "numba", "jax", "casadi"}
            Library used by the module.
        frames, functions : sequence of str, optional
            As for `lambdify`.
        """
        return python_source(self._new_program(values, frames, functions), backend)

    def to_c(
        self,
        folder: str | Path,
        *,
        name: str | None = None,
        real: str = "double",
        values: Mapping[Any, float] | None = None,
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> tuple[Path, Path]:
        """Write a C99 program, one header and one source, which needs only <math.h>.

        Parameters
        ----------
        folder : path
            Folder to write to.
        name : str, optional
            Name of the files and prefix of the functions; by default the name of the model.
        real : {"double", "float"}
            Floating-point type.
        values : mapping, optional
            Numbers for parameters; the others become fields of a struct.
        frames, functions : sequence of str, optional
            As for `lambdify`.

        Returns
        -------
        tuple of two paths
            Header and source.
        """
        program = self._new_program(values, frames, functions)
        return write_c(program, folder, self._file_name(name), real)

    def to_matlab(
        self,
        folder: str | Path,
        *,
        name: str | None = None,
        values: Mapping[Any, float] | None = None,
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> Path:
        """Write a package of MATLAB functions, which Octave runs too: ``name.mass(q)``.

        Parameters
        ----------
        folder : path
            Folder to write the package to; it must be on MATLAB's path.
        name : str, optional
            Name of the package; by default the name of the model.
        values : mapping, optional
            Numbers for parameters; the others become fields of a struct.
        frames, functions : sequence of str, optional
            As for `lambdify`.

        Returns
        -------
        path
            Folder of the package.
        """
        program = self._new_program(values, frames, functions)
        return write_matlab(program, folder, self._file_name(name))

    def _file_name(self, name: str | None) -> str:
        """Name of files that the user may have given; by default that of the model."""
        name = self.name if name is None else name
        if not isinstance(name, str):
            raise SymbolicError(
                f"name is {name!r}; give a string that files and functions begin with"
            )
        return name or "model"

    def to_casadi(
        self,
        *,
        values: Mapping[Any, float] | None = None,
        frames: Sequence[str] | None = None,
        functions: Sequence[str] | None = None,
    ) -> dict[str, Any]:
        """CasADi functions by name; parameters without a number become a last input, p.

        Parameters
        ----------
        values : mapping, optional
            Numbers for parameters.
        frames, functions : sequence of str, optional
            As for `lambdify`.
        """
        return casadi_functions(self._new_program(values, frames, functions))

    def _new_program(
        self,
        values: Mapping[Any, float] | None,
        frames: Sequence[str] | None,
        functions: Sequence[str] | None,
    ) -> Program:
        return Program(self._program, self._numbers(values), frames, functions)

    def _numbers(self, values: Mapping[Any, Any] | None) -> dict[sympy.Symbol, float]:
        """Numbers by symbol, given by symbol or name."""
        by_name = {s.name: s for s in self.parameters}
        numbers = {}
        for key, value in items(values, "values"):
            symbol = by_name.get(str(key))
            if symbol is None:
                raise SymbolicError(
                    f"values: there is no parameter {str(key)!r}; {suggestion(str(key), by_name)}"
                )
            try:
                numbers[symbol] = float(value)
            except (TypeError, ValueError, OverflowError):
                raise SymbolicError(f"values: {symbol} is {value!r}; expected a number") from None
            if not np.isfinite(numbers[symbol]):
                raise SymbolicError(f"values: {symbol} is {value!r}; expected a finite number")
        return numbers


def items(values: Any, what: str) -> Iterable[tuple[Any, Any]]:
    """Pairs of a mapping given by the user; `what` names it in messages."""
    if values is None:
        return ()
    if not isinstance(values, Mapping):
        raise SymbolicError(f"{what} is {values!r}; give a dictionary {{symbol: value}}")
    return values.items()


_RESERVED = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while _Bool _Complex _Imaginary
    alignas alignof asm bool catch class constexpr const_cast decltype delete dynamic_cast explicit
    export false friend mutable namespace new noexcept nullptr operator private protected public
    reinterpret_cast static_assert static_cast template this thread_local throw true try typeid
    typename typeof using virtual wchar_t
    and and_eq bitand bitor compl not not_eq or or_eq xor xor_eq
    NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL""".split()
)
_REALS = {"double": C_DOUBLE, "float": C_FLOAT}


def write_c(program: Program, folder: str | Path, name: str, real: str) -> tuple[Path, Path]:
    """Write NAME.h and NAME.c into a folder and return their paths."""
    check_choice(real, _REALS, "real")
    prefix = identifier(str(name), ascii_only=True)
    for word in program.parameters:
        _check_name(word)
    functions = [program.function(f) for f in program.names]
    header = _header(program, functions, prefix, real)
    source = _source(program, functions, prefix, real)
    where = as_path(folder, "folder")
    paths = where / f"{prefix}.h", where / f"{prefix}.c"
    for path, text in zip(paths, (header, source), strict=True):
        write_text(path, text)
    return paths


def _check_name(word: str) -> None:
    if word in _RESERVED or not word.isidentifier() or not word.isascii():
        why = "is a reserved word in C" if word in _RESERVED else "is not a valid name in C"
        raise SymbolicError(
            f"the parameter {word!r} {why}; rename the symbol, or give its number with values="
        )


def _comment(program: Program) -> str:
    system = program.derivation.system
    lines = [
        *heading(program),
        f"The caller provides all arrays: q has {system.n_q} entries, v, forces and acceleration",
        f"have {system.n_v}, the size of out is given with each function. Sizes are not checked.",
        "Matrices are stored row by row.  Results may overwrite inputs.",
    ]
    text = _in_comment("\n   ".join(lines).replace("\n   \n", "\n\n"))
    return f"/* {text} */\n"


def _in_comment(text: str) -> str:
    return text.replace("*/", "* /").replace("/*", "/ *")


def _signature(function: Function, program: Program, prefix: str, real: str) -> str:
    arguments = [
        f"{real} {name}" if name in function.SCALARS else f"const {real} *{name}"
        for name in function.inputs
    ]
    if program.parameters:
        arguments.append(f"const {prefix}_parameters *p")
    name = identifier(function.name, ascii_only=True)
    return f"void {prefix}_{name}({', '.join([*arguments, f'{real} *out'])})"


def _shape(function: Function) -> str:
    return " x ".join(str(n) for n in function.output.shape)


def _header(program: Program, functions: list[Function], prefix: str, real: str) -> str:
    guard, system = f"{prefix.upper()}_H", program.derivation.system
    parts = [_comment(program), f"#ifndef {guard}\n#define {guard}\n"]
    for letter, n in (("Q", system.n_q), ("V", system.n_v)):
        parts.append(f"#define {prefix.upper()}_N_{letter} {n}\n")
    parts.append('#ifdef __cplusplus\nextern "C" {\n#endif\n')
    if program.parameters:
        fields = "".join(f"    {real} {name};\n" for name in program.parameters)
        parts.append(f"typedef struct {{\n{fields}}} {prefix}_parameters;\n")
    parts += [
        f"/* {_in_comment(f.words)}: {_shape(f)} */\n{_signature(f, program, prefix, real)};\n"
        for f in functions
    ]
    parts.append("#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
    return "\n".join(parts)


def _source(program: Program, functions: list[Function], prefix: str, real: str) -> str:
    parts = [_comment(program), f'#include "{prefix}.h"\n\n#include <math.h>\n']
    parts += [_function(f, program, prefix, real) for f in functions]
    return "\n".join(parts)


def _function(function: Function, program: Program, prefix: str, real: str) -> str:
    symbols = {name: f"p->{name}" for name in program.parameters}
    where: dict[str, tuple[str, int]] = {}
    for vector, names in function.inputs.items():
        for k, name in enumerate(names):
            symbols[name] = vector if vector in function.SCALARS else f"{vector}{k}"
            where[name] = vector, k
    body = body_of(function, _REALS[real], symbols)
    read = {where[name][0] for name in body.used if name in where}
    unread = [name for name in function.inputs if name not in read]
    if program.parameters and not body.used & set(program.parameters):
        unread.append("p")
    lines = [f"    (void){name};" for name in unread]
    lines += [
        f"    const {real} {vector}{k} = {vector}[{k}];"
        for name, (vector, k) in where.items()
        if name in body.used and vector not in function.SCALARS
    ]
    lines += [f"    const {real} {name} = {text};" for name, text in body.assignments]
    lines += [f"    out[{k}] = {text};" for k, text in enumerate(body.results)]
    head = f"{_signature(function, program, prefix, real)}\n{{\n"
    return head + "\n".join(lines) + "\n}\n"
