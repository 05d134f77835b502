"""The build: front ends and back ends in processes of their own, then one binary."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from ..errors import KernelError
from ..kernels.native import BINARY, has_stable_abi, sealed, unusable
from ..kernels.sources import binary_digest
from .front_end import SLOTS
from .targets import BuildTarget, ProcessorLevel

OLDEST = {"numba": (0, 62), "numpy": (2, 0)}
RUN = "advance"  # the kernel of a run takes as long as all others together
WORDS = "lissom: compiling all kernels, two to three minutes on two cores"


def build(output: Path = BINARY, *, triple: str = "", anew: bool = False) -> bool:
    """Compile all kernels into one binary, with a line of progress on stderr."""
    if not anew and not triple and not unusable(output):
        return False
    check_system()
    _check_packages()
    digest = binary_digest()
    if not digest:
        raise KernelError("the sources of the kernels cannot be read; install the package unpacked")
    with tempfile.TemporaryDirectory(prefix="lissom-") as name, numba_chosen():
        code = _Build(Path(name), BuildTarget.named(triple)).run()
    _replace(output, sealed(code, digest))
    return True


def check_system() -> None:
    """Raise KernelError where kernels cannot be built, whatever packages are installed."""
    if not has_stable_abi():
        raise KernelError("this Python has no stable ABI; use CPython with its global lock")
    c_compiler()
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        raise KernelError(
            "the headers of Python are missing; install them (Debian and Ubuntu: apt install "
            "python3-dev)"
        )


def _check_packages() -> None:
    for name, oldest in OLDEST.items():
        try:
            installed = version(name)
        except PackageNotFoundError:
            raise KernelError(f"kernels cannot be built without {name}; install it") from None
        if tuple(map(int, installed.split(".")[:2])) < oldest:
            needed = ".".join(map(str, oldest))
            raise KernelError(
                f"{name} is {installed}; kernels can be built with {needed} or newer, install that"
            )


def _replace(output: Path, content: bytes) -> None:
    fresh = output.with_name(f"{output.name}.{os.getpid()}")
    try:
        fresh.write_bytes(content)
        fresh.replace(output)
    except OSError as error:
        with suppress(OSError):
            fresh.unlink()
        raise KernelError(f"{output} cannot be written: {error}") from None


@contextmanager
def numba_chosen() -> Iterator[None]:
    """Environment of the processes of the build: Numba as it comes, whatever is in use here."""
    before = dict(os.environ)
    for name in before:
        if name.startswith(("NUMBA_", "LISSOM_KERNELS")):
            del os.environ[name]
    os.environ["LISSOM_KERNELS"] = "numba"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class _Build:
    """One build in a folder of its own."""

    def __init__(self, folder: Path, target: BuildTarget) -> None:
        self.folder, self.target = folder, target
        self.ticks = folder / "ticks"  # a byte for each step that is done
        self.ticks.touch()
        self.start = time.monotonic()

    def run(self) -> bytes:
        """Content of the library, not sealed."""
        outcome = "failed"
        say(WORDS)
        try:
            cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
            with ProcessPoolExecutor(
                min(cores, 6),
                mp_context=get_context("spawn"),
                initializer=end_with,
                initargs=(os.getpid(),),
            ) as pool:
                code = self._run(pool)
            outcome = "done"
            return code
        except KernelError:
            raise
        except Exception as error:  # the compiler has no other way to fail
            raise KernelError(
                f"the kernels do not compile with Numba {version('numba')}: "
                f"{type(error).__name__}: {error}; install another version of Numba"
            ) from error
        finally:
            ending = f" ... {outcome} in {time.monotonic() - self.start:.0f} s"
            say(f"\r{WORDS}{ending}\n" if _on_terminal() else f"{ending}\n")

    def _run(self, pool: ProcessPoolExecutor) -> bytes:
        kernels: dict[str, str] = pool.submit(_kernels).result()
        groups = {"run": [RUN], "rest": [x for x in kernels if x != RUN]}
        steps = len(kernels) + len(groups) * len(self.target.levels)
        fronts = {
            pool.submit(_front, self.folder / name, symbols, self.ticks)
            for name, symbols in groups.items()
        }
        running: set[Future[Path]] = set(fronts)
        objects: list[Path] = []
        while running:
            finished, running = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
            for task in finished:
                file = task.result()
                if task in fronts:
                    running |= {
                        pool.submit(_back, file, level, self.target.triple, self.ticks)
                        for level in self.target.levels
                    }
                else:
                    objects.append(file)
            self._show(steps)
        return linked(self.folder, sorted(objects), self.target.levels, kernels)

    def _show(self, steps: int) -> None:
        if _on_terminal():
            percent = 100 * self.ticks.stat().st_size // steps
            say(f"\r{WORDS} ... {percent} %, {time.monotonic() - self.start:.0f} s ")


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def say(text: str) -> None:
    """Write to stderr, if there is one."""
    with suppress(AttributeError, OSError, ValueError):  # no stderr, a closed one
        sys.stderr.write(text)
        sys.stderr.flush()


def end_with(parent: int) -> None:
    """End this process when its parent is killed, not minutes later."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _kernels() -> dict[str, str]:
    """Letters of the types of all kernels."""
    from .front_end import entries, letters

    return {symbol: letters(entry.signature) for symbol, entry in entries().items()}


def _front(code: Path, symbols: Sequence[str], ticks: Path) -> Path:
    """Bitcode of kernels in a file."""
    from .front_end import bitcode

    code.write_bytes(bitcode(symbols, partial(_tick, ticks)))
    return code


def _back(code: Path, level: ProcessorLevel, triple: str, ticks: Path) -> Path:
    """Object file of kernels for a level."""
    object_file = code.with_name(f"{code.name}_{level.identifier}.o")
    object_file.write_bytes(machine_code(code.read_bytes(), level, triple))
    _tick(ticks)
    return object_file


def _tick(ticks: Path) -> None:
    """Note that a step is done."""
    with ticks.open("ab") as file:
        file.write(b".")


# Bitcode to machine code for one level of processors, by the passes that Numba uses.
#
# Straight-line code is compiled to vector instructions in the functions that `VECTORS` names, those
# of flexible bodies on rows of six numbers, which then take a quarter less time; sweeps over rigid
# bodies would take longer.

VECTORS = (  # functions of `kernels.tree`
    "one_node.pass_one_node",
    "one_node.force_through_one_node",
    "one_node.accelerate_one_node",
    "compliance.seen_force",
    "compliance.deform",
)


def machine_code(bitcode: bytes, level: ProcessorLevel, triple: str = "") -> bytes:
    """Object file of kernels for one level."""
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    module, vectors = llvm.parse_bitcode(bitcode), llvm.parse_bitcode(bitcode)
    machine = _machine(llvm, module, level, triple)
    _machine(llvm, vectors, level, triple)
    for function in _defined(module):
        if _in_vectors(function):
            function.linkage = "available_externally"  # their code is in the other module
            function.add_function_attribute("noinline")
    for function in _defined(vectors):
        function.linkage = "external" if _in_vectors(function) else "internal"
    _drop_unused(llvm, vectors, machine)
    _optimise(llvm, module, machine, vectors=False)
    _optimise(llvm, vectors, machine, vectors=True)
    module.link_in(vectors)
    for function in _defined(module):
        if function.name.startswith("lissom_"):
            function.name = function.name.replace("lissom_", f"lissom_{level.identifier}_", 1)
            function.visibility = "hidden"
        else:
            function.linkage = "internal"
    for variable in module.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    _drop_unused(llvm, module, machine)
    return bytes(machine.emit_object(module))


def _drop_unused(llvm: Any, module: Any, machine: Any) -> None:
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, _builder(llvm, machine, 0))


def _machine(llvm: Any, module: Any, level: ProcessorLevel, triple: str) -> Any:
    """LLVM's description of the processor; the module gets its layout of data."""
    if triple:
        module.triple = triple
    cpu, features = level.cpu, level.features
    if not cpu:
        cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    machine = llvm.Target.from_triple(module.triple).create_target_machine(
        cpu=cpu, features=features, opt=3, reloc="pic", codemodel="default"
    )
    if triple:
        module.data_layout = str(machine.target_data)
    return machine


def _defined(module: Any) -> list[Any]:
    return [x for x in module.functions if not x.is_declaration]


def _in_vectors(function: Any) -> bool:
    """Whether a function is one of `VECTORS`; in Numba's names lengths precede the parts."""
    parts = (x.split(".") for x in VECTORS)
    return any(f"4tree{len(a)}{a}{len(b)}{b}B" in function.name for a, b in parts)


def _builder(llvm: Any, machine: Any, speed: int, vectors: bool = False) -> Any:
    options = llvm.create_pipeline_tuning_options()
    options.speed_level = speed
    options.loop_vectorization = speed > 0
    options.slp_vectorization = vectors
    return llvm.create_pass_builder(machine, options)


def _optimise(llvm: Any, module: Any, machine: Any, *, vectors: bool) -> None:
    builder = _builder(llvm, machine, 0)
    passes = builder.getModulePassManager()
    passes.add_loop_rotate_pass()
    passes.add_instruction_combine_pass()
    passes.add_jump_threading_pass()
    passes.add_refprune_pass()  # pairs of counting a reference up and down
    passes.run(module, builder)
    builder = _builder(llvm, machine, 3, vectors)
    passes = builder.getModulePassManager()
    passes.add_refprune_pass()
    passes.run(module, builder)


CALLING = Path(__file__).resolve().parent / "calling.c"


def c_compiler() -> list[str]:
    """Command of the C compiler: $CC, that of Python, or cc."""
    cc = os.environ.get("CC")
    for command in [cc] if cc else [sysconfig.get_config_var("CC"), "cc"]:
        words = shlex.split(command or "")
        if words and shutil.which(words[0]):
            return words
    raise KernelError(
        f"there is no C compiler{f': CC is {cc!r}' if cc else ''}; install one (Debian and "
        "Ubuntu: apt install gcc) or name it in the environment variable CC"
    )


def linked(
    folder: Path,
    objects: Sequence[Path],
    levels: Sequence[ProcessorLevel],
    kernels: Mapping[str, str],
) -> bytes:
    """Content of the shared library."""
    import numpy as np

    (folder / "table.h").write_text(_table(levels, kernels), encoding="utf-8")
    library = folder / "library.so"
    include = [f"-I{folder}", f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    flags = ["-O2", "-fPIC", "-shared", "-fvisibility=hidden"]
    flags += ["-undefined", "dynamic_lookup"] if sys.platform == "darwin" else ["-s"]
    command = [*c_compiler(), *flags, *include, str(CALLING), *map(str, objects)]
    done = subprocess.run(
        [*command, "-o", str(library), "-lm"], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        reason = next((x for x in lines if "error" in x), lines[-1] if lines else "no message")
        raise KernelError(f"the C compiler failed ({command[0]}): {reason}")
    return library.read_bytes()


def _table(levels: Sequence[ProcessorLevel], kernels: Mapping[str, str]) -> str:
    """Text of table.h, see `calling.c`."""
    rows = {
        "LEVELS(X)": [f'X({x.identifier}, "{x.name}")' for x in levels],
        "KERNELS(X)": [f'X({symbol}, "{types}")' for symbol, types in kernels.items()],
        "KERNELS_OF(X, level)": [f"X(level, {symbol})" for symbol in kernels],
        "CODES_OF(X, symbol)": [f"X({x.identifier}, symbol)" for x in levels],
    }
    slots = max(sum(SLOTS.get(x, 1) for x in types[1:]) for types in kernels.values())
    lines = [f"#define {name} {' '.join(row)}" for name, row in rows.items()]
    return "\n".join([f"#define N_SLOT {slots}", *lines, ""])
