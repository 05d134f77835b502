"""Kernels built ahead give Numba's numbers, and are used only where they are what the sources say.

`tests.verify_native` compares all kernels at all processor levels with Numba's.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import lissom as ls
from lissom.algorithms.tree import engine
from lissom.building.build import VECTORS, build
from lissom.building.front_end import _wrapper_text, entries as all_entries, letters
from lissom.building.targets import BuildTarget
from lissom.kernels import entries
from lissom.kernels.compiling import LIBRARY
from lissom.kernels.native import BINARY, sealed
from lissom.kernels.sources import binary_digest
from tests.tools.native_numbers import NUMBERS, differences, numbers, numbers_of

PACKAGE = Path(ls.__file__).parent
SMALL = ("prepare", "multiply_blocks")  # what Numba compiles in seconds
USED = "from lissom.kernels.compiling import kernels_in_use; print(kernels_in_use())"


@pytest.fixture(scope="module", autouse=True)
def _built():
    if LIBRARY is None and os.environ.get("CI") != "true":
        pytest.skip("the kernels are not built ahead: make kernels")
    assert LIBRARY is not None, "the kernels are not built ahead"


@pytest.fixture(scope="module")
def _copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, folder / "lissom", ignore=shutil.ignore_patterns("*.nb?"))
    return folder


@pytest.fixture
def copy(_copy):
    """Folder with a copy of the package, whose binary a test may replace."""
    shutil.copy(BINARY, _copy / "lissom/kernels" / BINARY.name)
    return _copy


def python(code: str, folder: Path | None = None, **environment: str):
    """Outcome of a program, with the package in a folder or with this one."""
    paths = [str(folder or PACKAGE.parent), str(PACKAGE.parent.parent)]
    own = {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | own | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def check_close(a, b, bound=1e-11):
    worst = {key: error for key, error in differences(a, b).items() if not error <= bound}
    assert not worst, worst


def test_numbers_are_those_of_numba(tmp_path):
    by_numba = numbers_of(tmp_path / "numbers.npz", *SMALL, LISSOM_KERNELS="numba")
    check_close(by_numba, numbers(*SMALL))


def test_the_lowest_level_gives_the_same_numbers(tmp_path):
    if len(LIBRARY.levels) < 2:
        pytest.skip("one level here")
    lowest = LIBRARY.levels[0].rpartition("-")[2]
    found = numbers_of(tmp_path / "numbers.npz", *NUMBERS, LISSOM_KERNELS_LEVEL=lowest)
    here = numbers(*NUMBERS)
    check_close(found, here, 1e-9)
    assert any(not np.array_equal(found[key], here[key]) for key in here), "one level for both"


def test_every_kernel_is_in_the_binary_and_has_its_numbers():
    found = all_entries()
    assert set(NUMBERS) == set(found)
    assert all(callable(LIBRARY.kernel(symbol)) for symbol in found)


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("LISSOM_KERNELS", "fast", ("'fast'", '"native" or "numba"')),
        ("LISSOM_KERNELS_LEVEL", "v9", ("'v9'", "this processor has")),
    ],
)
def test_settings_that_do_not_exist_are_refused(variable, value, words):
    done = python(USED, **{variable: value})
    assert done.returncode == 1 and "KernelError" in done.stderr
    assert all(word in done.stderr for word in words)


def test_after_an_edit_numba_compiles_and_one_line_says_how_to_build(copy):
    assert python(USED, copy).stdout.startswith("built ahead")
    file = copy / "lissom/sim/loads/servo.py"
    text = file.read_text(encoding="utf-8")
    file.write_text(f"{text}# edited\n", encoding="utf-8")
    try:
        done, forced = python(USED, copy), python(USED, copy, LISSOM_KERNELS="native")
    finally:
        file.write_text(text, encoding="utf-8")
    assert done.stdout.startswith("compiled by Numba")
    assert done.stderr.count("\n") == 1 and "`lissom build`" in done.stderr
    assert "have changed since they were built" in done.stderr
    assert forced.returncode == 1 and "have changed since they were built" in forced.stderr


def damaged():
    content = BINARY.read_bytes()
    half = len(content) // 2
    return {
        "empty": b"",
        "cut": content[:half],
        "other bytes": content[:half] + b"????" + content[half + 4 :],
        "of another version": sealed(content[:-64], bytes(32)),
        "of another machine": sealed(b"\x7fELF" + bytes(1000), binary_digest()),
    }


@pytest.mark.parametrize("what", ["empty", "cut", "other bytes", "of another version",
                                  "of another machine"])  # fmt: skip
def test_a_binary_that_is_not_right_is_not_used(copy, what):
    (copy / "lissom/kernels" / BINARY.name).write_bytes(damaged()[what])
    done = python(USED, copy)
    assert done.stdout.startswith("compiled by Numba"), done.stderr
    assert done.stderr.count("\n") == 1 and "`lissom build`" in done.stderr


def test_without_a_binary_nothing_is_said(copy):
    (copy / "lissom/kernels" / BINARY.name).unlink()
    done = python(USED, copy)
    assert (done.stdout, done.stderr) == ("compiled by Numba at first use\n", "")
    forced = python(USED, copy, LISSOM_KERNELS="native")
    assert "kernels have not been built ahead; `lissom build`" in forced.stderr


RUN = """
import sys, numpy as np, lissom as ls
from dataclasses import dataclass

@dataclass(frozen=True, eq=False)
class Own(ls.Joint):
    coordinates = ls.Revolute("z").coordinates
    def pose(self, q): return ls.Revolute("z").pose(q)
    def motion_map(self, q): return ls.Revolute("z").motion_map(q)
    def bias(self, q, v): return np.zeros(6)

def force(t, state):
    if t > 0.005: raise ValueError("too late")
    return 0.0 * state.v

model = ls.library.flexible_chain(3, 2)
model.add(ls.RigidBody.rod(1.0, 1.0), Own(), name="own")
system = model.compile()
print(ls.forward_dynamics(system, system.neutral()))
try:
    ls.simulate(system, system.neutral(), duration=0.01, step=1e-3, forces=force,
                integrator="generalized_alpha")
except ls.SimulationError as error:
    print(error, error.trajectory.q[-1])
assert "numba" not in sys.modules and "llvmlite" not in sys.modules
"""


def test_plain_functions_and_joints_are_called_without_numba():
    done = python(RUN)
    assert (done.returncode, done.stderr) == (0, "")
    assert "forces raised ValueError: too late" in done.stdout


AT_ONCE = """
import lissom as ls
system = ls.library.rigid_chain(3).compile()
print(ls.forward_dynamics(system, system.neutral()))
"""


def test_eight_processes_at_once_from_a_folder_that_stays_as_it_is(copy):
    before = sorted(copy.rglob("*"))
    paths = {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "LISSOM_KERNELS": "native"}
    started = [
        subprocess.Popen(
            [sys.executable, "-c", AT_ONCE],
            env=os.environ | paths,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for _ in range(8)
    ]
    ends = [process.communicate(timeout=200) for process in started]
    assert len({out for out, _ in ends}) == 1 and ends[0][0]
    assert {err for _, err in ends} == {b""}
    assert sorted(copy.rglob("*")) == before


def test_other_arguments_are_refused():
    system = ls.library.rigid_chain(2).compile()
    kernel, call = entries.MASS.load(), engine.workspace(system).call
    q, M = np.zeros(2), np.empty((2, 2))
    assert kernel(*call, q, M, 0, 1, True, 0, 1) == -1
    read_only = np.zeros(2)
    read_only.flags.writeable = False
    others = (np.zeros(2, dtype=int), np.zeros(4)[::2], np.zeros((1, 2)), read_only, [0.0, 0.0])
    for other in (*others, np.zeros(2, dtype=">f8"), None):
        with pytest.raises(TypeError, match="argument 3 is not a writable contiguous vector"):
            kernel(*call, other, M, 0, 1, True, 0, 1)
    with pytest.raises(TypeError, match="argument 4 is not a writable contiguous matrix"):
        kernel(*call, q, np.empty((2, 2), order="F"), 0, 1, True, 0, 1)
    with pytest.raises(TypeError, match="argument 5 is not an integer"):
        kernel(*call, q, M, 0.5, 1, True, 0, 1)
    with pytest.raises(TypeError, match="takes 10 arguments, not 3"):
        kernel(*call)


def test_other_threads_run_while_a_kernel_does():
    system = ls.library.rigid_chain(30).compile()
    q = np.zeros(30)
    engine.mass_matrix_loop(system, q, 1)
    worker = threading.Thread(target=engine.mass_matrix_loop, args=(system, q, 100_000))
    turns = 0
    worker.start()
    while worker.is_alive():
        turns += 1
        worker.join(1e-3)
    assert turns > 5


def test_without_a_c_compiler_the_build_says_so_and_leaves_the_binary(copy):
    code = "import sys; sys.argv[1:] = ['--anew']; import runpy\n"
    code += "runpy.run_module('lissom.building', run_name='__main__')"
    done = python(code, copy, CC="/no/such/compiler")
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "there is no C compiler: CC is '/no/such/compiler'; install one" in done.stderr
    assert python(USED, copy).stdout.startswith("built ahead")


def test_the_build_needs_numba_and_numpy_only():
    others = ("scipy", "h5py", "h5netcdf", "sympy", "matplotlib", "pydantic", "typer", "rich")
    code = f"import sys; sys.modules.update(dict.fromkeys({others}))\n"
    code += "from lissom.building.front_end import entries; print(len(entries()))"
    done = python(code, LISSOM_KERNELS="numba")
    assert done.stdout.strip() == str(len(NUMBERS)), done.stderr


def test_a_build_that_is_up_to_date_does_nothing():
    assert build() is False


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    from lissom.building.build import _replace

    (tmp_path / "file").touch()
    with pytest.raises(ls.KernelError, match=r"kernels\.so cannot be written"):
        _replace(tmp_path / "file/kernels.so", b"")


def test_no_file_of_the_package_is_ignored_and_so_left_out_of_wheels():
    root = PACKAGE.parent.parent
    files = [
        str(x) for x in PACKAGE.rglob("*") if x.suffix in (".py", ".pyi", ".c", ".js", ".html")
    ]
    command = ["git", "check-ignore", "--no-index", "--stdin"]
    done = subprocess.run(
        command, input="\n".join(files), cwd=root, capture_output=True, text=True, check=False
    )
    if done.returncode > 1:
        pytest.skip("not in a clone")
    assert done.stdout == ""


def test_targets_and_signatures():
    assert [x.name for x in BuildTarget.named("x86_64-unknown-linux-gnu").levels][-1] == "x86-64-v4"
    assert [x.name for x in BuildTarget.named("aarch64-unknown-linux-gnu").levels] == ["generic"]
    assert [x.cpu for x in BuildTarget.named("riscv64-unknown-linux-gnu").levels] == [""]
    assert letters("int64(int64[::1], float64[:,::1], float64, boolean)") == "iIMfb"
    with pytest.raises(RuntimeError, match="not as expected"):
        _wrapper_text("sum", "iF", "native", ["ptr", "ptr", "ptr"])


def test_functions_for_vector_instructions_are_kernels():
    """A name that matched none would cost their speed without a word."""
    for name in VECTORS:
        module, function = name.split(".")
        kernels = importlib.import_module(f"lissom.kernels.tree.{module}")
        assert getattr(kernels, function).__module__ == kernels.__name__
