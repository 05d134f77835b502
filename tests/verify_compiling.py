"""Kernels that Numba compiles are compiled once, found again, and never out of date.

  python -m tests.verify_compiling

`tests.kernels.test_compiling` has the shortest of them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import lissom
from lissom.kernels.sources import KERNELS, sources_digest

PACKAGE = Path(lissom.__file__).parent
COPIED = (
    "errors.py",
    *(f"kernels/{x}.py" for x in ("compiling", "native", "numba_cache", "sources")),
)

# A package like that of the kernels: the factor is in another file than what Python calls.
CALLEE = """
from .compiling import jit

@jit
def scaled(x):
    return {factor} * x
"""
CALLER = """
from .callee import scaled
from .compiling import CompiledEntry, jit

@jit
def total(values):
    result = 0.0
    for i in range(values.shape[0]):
        result += scaled(values[i])
    return result

READ = "Array(float64, 1, 'C', readonly=True)"
TOTAL = CompiledEntry(total, f"float64({READ})", "totals")
"""
IMPORT = "import numpy as np; from small.kernels.caller import TOTAL\n"
CALL = "print(TOTAL.load()(np.arange(4.0)))\n"  # 6 times the factor
STATS = "s = TOTAL.load().stats; print(sum(s.cache_hits.values()), sum(s.cache_misses.values()))\n"


@dataclass(frozen=True)
class Small:
    """The small package in a folder of its own, with its cache beside it."""

    root: Path

    def __post_init__(self) -> None:
        (self.root / "small/kernels").mkdir(parents=True)
        for name in COPIED:
            shutil.copy(PACKAGE / name, self.root / "small" / name)
        (self.root / "small/__init__.py").touch()
        (self.root / "small/kernels/__init__.py").touch()
        (self.root / "small/kernels/caller.py").write_text(CALLER)
        self.edit(2.0)

    def edit(self, factor: float) -> None:
        (self.root / "small/kernels/callee.py").write_text(CALLEE.format(factor=factor))

    def saved(self, pattern: str) -> Path:
        (path,) = (self.root / "cache").rglob(pattern)
        return path

    def start(self, code: str = IMPORT + CALL, **environment: str) -> subprocess.Popen[str]:
        settings = ("NUMBA_", "LISSOM_")
        plain = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
        own = {"NUMBA_CACHE_DIR": str(self.root / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=self.root,
            env=plain | own | environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, code: str = IMPORT + CALL, **environment: str) -> tuple[list[str], str]:
        """Words on stdout, text on stderr."""
        process = self.start(code, **environment)
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        return out.split(), err


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path)


def compiled(err: str) -> int:
    """How often something was compiled, from what the user saw."""
    assert err.count("lissom: compiling totals") == err.count(" ... done in ")
    return err.count("lissom: compiling totals")


def test_an_edit_in_another_file_changes_the_result(small):
    assert small.run()[0] == ["12.0"]
    small.edit(30.0)
    out, err = small.run()
    assert (out, compiled(err)) == (["180.0"], 1)


def test_numba_itself_does_not_see_an_edit_in_another_file(small):
    """When this fails, Numba has learnt it and the seal can go."""
    plain = "import numba\njit = numba.njit(cache=True)\nCompiledEntry = lambda *_: None\n"
    (small.root / "small/kernels/compiling.py").write_text(plain)
    code = (
        "import numpy as np; from small.kernels.caller import total; print(total(np.arange(4.0)))"
    )
    assert small.run(code)[0] == ["12.0"]
    small.edit(30.0)
    assert small.run(code)[0] == ["12.0"]


def test_a_second_process_loads_without_a_word(small):
    out, err = small.run(IMPORT + CALL + STATS)
    assert out == ["12.0", "0", "1"]
    assert err.startswith("lissom: compiling totals for this machine; this happens once (about ")
    assert compiled(err) == err.count("\n") == 1
    assert small.run(IMPORT + CALL + STATS) == (["12.0", "1", "0"], "")


def test_settings_that_change_the_code_are_seen(small):
    assert compiled(small.run()[1]) == 1
    assert compiled(small.run(NUMBA_BOUNDSCHECK="1")[1]) == 1
    assert compiled(small.run(NUMBA_BOUNDSCHECK="1")[1]) == 0


def test_an_edit_after_the_import_is_not_taken_for_what_was_compiled(small):
    code = IMPORT + "open('small/kernels/callee.py', 'a').write('# edited')\n" + CALL
    out, err = small.run(code)
    assert out == ["12.0"]
    assert "sources of the kernels changed" in err
    assert list((small.root / "cache").rglob("*.nb*")) == []


def test_without_a_writable_folder_it_compiles_and_says_so(small):
    (
        small.root / "small/kernels/__pycache__"
    ).touch()  # a file: no folder can be made, even by root
    nowhere = {"HOME": "/dev/null/x", "XDG_CACHE_HOME": "/dev/null/x"}
    out, err = small.run(NUMBA_CACHE_DIR="/dev/null/x", **nowhere)
    assert (out, compiled(err)) == (["12.0"], 1)
    assert "once" not in err
    assert err.count("set NUMBA_CACHE_DIR") == 1
    assert err.count("\n") == 2


def test_a_disk_that_is_full_when_saving_costs_only_the_saving(small):
    pytest.importorskip("resource")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
    out, err = small.run(IMPORT + limit + CALL)
    assert (out, compiled(err)) == (["12.0"], 1)
    assert err.splitlines()[1].startswith("lissom: compiled kernels cannot be saved in ")
    assert small.run()[0] == ["12.0"]


def test_damaged_files_are_replaced(small):
    def replaced(pattern, damaged):
        small.saved(pattern).write_bytes(damaged)
        out, err = small.run()
        return (out, compiled(err)) == (["12.0"], 1)

    small.run()
    index, data = small.saved("*.nbi").read_bytes(), small.saved("*.nbc").read_bytes()
    code = data.find(b"ELF") + 20  # LLVM ends the process over such code
    assert replaced("*.nbi", b"")
    assert replaced("*.nbi", index[:-100])
    assert replaced("*.nbc", b"")
    assert replaced("*.nbc", data[:code] + 40 * b"?" + data[code + 40 :])
    assert small.run() == (["12.0"], "")


def test_a_process_that_dies_while_saving_leaves_no_old_code_and_no_lock(small):
    """Numba writes its index first: the new index would then point to the old code."""
    small.run()
    small.edit(30.0)
    (small.root / "small/kernels/caller.py").write_text(CALLER + "# edited\n")
    patch = "import os; from numba.core.caching import IndexDataCacheFile as File\n"
    dying = small.start(IMPORT + patch + "File._save_data = lambda *_: os._exit(9)\n" + CALL)
    dying.communicate(timeout=120)
    assert dying.returncode == 9
    assert small.run()[0] == ["180.0"]


def test_of_four_processes_one_compiles(small):
    pytest.importorskip("fcntl")
    code = IMPORT + "print('ready', flush=True); input()\n" + CALL
    processes = [small.start(code) for _ in range(4)]
    assert {process.stdout.readline() for process in processes} == {"ready\n"}
    for process in processes:
        process.stdin.write("\n")
        process.stdin.flush()
    ends = [process.communicate(timeout=120) for process in processes]
    assert [out for out, _ in ends] == ["12.0\n"] * 4
    assert sum(compiled(err) for _, err in ends) == 1


def test_waiting_for_another_process_is_said(small):
    fcntl = pytest.importorskip("fcntl")
    small.run()
    small.saved("*.nbc").unlink()
    with small.saved("*.lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = small.start()
        assert process.stderr.readline() == (
            "lissom: waiting for another process that compiles totals\n"
        )
    out, err = process.communicate(timeout=120)
    assert (out, compiled(err)) == ("12.0\n", 1)


def test_threads_share_one_kernel(small):
    code = """
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as pool:
    kernels = list(pool.map(lambda _: TOTAL.load(), range(8)))
print(len(set(kernels)))
"""
    out, err = small.run(IMPORT + code)
    assert (out, compiled(err)) == (["1"], 1)


def test_compile_all_loads_every_entry(small):
    code = "from small.kernels.compiling import compile_all; compile_all()\n"
    assert compiled(small.run(IMPORT + code)[1]) == 1
    assert small.run() == (["12.0"], "")


def test_without_jit_the_kernel_is_the_function(small):
    code = (
        IMPORT
        + "from small.kernels.caller import total; print(TOTAL.load() is total, type(total))\n"
    )
    out, err = small.run(code + CALL, NUMBA_DISABLE_JIT="1")
    assert (out, err) == (["True", "<class", "'function'>", "12.0"], "")


def test_an_entry_needs_a_decorated_function(small):
    code = "from small.kernels.compiling import CompiledEntry; "
    code += "CompiledEntry(lambda x: x, 'float64(float64)', 'nothing')"
    process = small.start(code)
    assert "'nothing' is not decorated with jit" in process.communicate(timeout=120)[1]


def test_other_types_are_refused_and_writable_arrays_are_taken_as_read_only(small):
    code = """
kernel, values = TOTAL.load(), np.arange(4.0)
kernel(values); values.flags.writeable = False; kernel(values)
for other in (np.arange(4), np.arange(8.0)[::2], np.eye(2)):
    try: kernel(other)
    except TypeError: print('refused')
print(len(kernel.signatures))
"""
    assert small.run(IMPORT + code)[0] == ["refused"] * 3 + ["1"]


def test_not_a_number_is_seen_under_all_flags(small):
    code = """
import math
from small.kernels.compiling import CompiledEntry, jit
def seen(x, values):
    total = 0.0
    for i in range(values.shape[0]): total += x * values[i]
    return math.isfinite(x), math.isnan(x), x == x, math.isfinite(total)
signature = "UniTuple(boolean, 4)(float64, float64[::1])"
for flags in ({}, {"reassociate": True}):
    kernel = CompiledEntry(jit(**flags)(seen), signature, "totals").load()
    for x in (math.nan, math.inf, 1.0): print(*map(int, kernel(x, np.ones(9))))
    print("reassoc" in kernel.inspect_llvm(kernel.signatures[0]))
"""
    words = "0 1 0 0  0 0 1 0  1 0 1 1".split()
    # Nothing is cached: the functions of a command have no file.
    assert small.run(IMPORT + code)[0] == [*words, "False", *words, "True"]


UNEXPECTED = {
    "other cache": """
class Other:
    def __init__(self, function): pass
numba.core.dispatcher.FunctionCache = Other
""",
    "conversion under another name": """
caching.CacheImpl.__abstractmethods__ = frozenset()
caching.CompileResultCacheImpl.__abstractmethods__ = frozenset()
del caching.CompileResultCacheImpl.rebuild, caching.CacheImpl.rebuild
""",
    "no way to switch it on": "del numba.core.dispatcher.Dispatcher.enable_caching\n",
}


@pytest.mark.parametrize("patch", UNEXPECTED.values(), ids=UNEXPECTED.keys())
def test_with_a_numba_of_another_build_it_compiles_at_each_start(small, patch):
    code = "import numba.core.dispatcher; from numba.core import caching\n" + patch + IMPORT + CALL
    for _ in range(2):
        out, err = small.run(code)
        assert (out, compiled(err)) == (["12.0"], 1)
        assert err.count("is not as expected") == 1


def test_code_whose_seal_was_not_asked_for_is_not_used(small):
    small.run()
    patch = "from numba.core import caching; caching.Cache._load_overload = lambda *_: 'old code'\n"
    out, err = small.run(patch + IMPORT + CALL)
    assert (out, compiled(err)) == (["12.0"], 1)


def test_the_seal_covers_the_sources_of_loads(tmp_path):
    loads = tmp_path / "sim/loads"
    loads.mkdir(parents=True)
    digests = {sources_digest(*KERNELS, package=tmp_path)}
    for text in ("", "STIFFNESS = 1\n", "STIFFNESS = 2\n"):
        (loads / "spring.py").write_text(text)
        digests.add(sources_digest(*KERNELS, package=tmp_path))
    assert len(digests) == 4


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", __file__]))
