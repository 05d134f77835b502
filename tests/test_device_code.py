"""Code for GPUs, made without one."""

import subprocess
import sys

import pytest

from lissom.errors import KernelError
from lissom.kernels.device import code, ptx
from lissom.kernels.device.entry import DEVICE_ENTRIES, METHODS_OF

PROGRAM = """
from lissom.building.build import numba_chosen
with numba_chosen():
    from lissom.building.device_build import device_code
    from lissom.kernels.device.ptx import GENERATIONS
    for generation in GENERATIONS:
        (text,) = device_code(("pose_state",), generation.capability).values()
        print([x for x in text.splitlines() if x.startswith((".target", ".visible .entry"))])
"""


def test_kernels_compile_for_three_generations():
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr[-2000:]
    lines = found.stdout.splitlines()
    assert [
        ".target sm_75" in lines[0],
        ".target sm_80" in lines[1],
        ".target sm_90" in lines[2],
    ] == [True] * 3
    assert all("lissom_pose_state" in x for x in lines)


def test_every_kernel_of_a_device_is_in_the_archive():
    import lissom.sim
    from lissom.building.device_build import GROUPS
    from lissom.kernels.device import runs, states

    assert lissom.sim and runs and states
    built = {symbol for group in GROUPS for symbol in group}
    assert built == set(DEVICE_ENTRIES)
    assert set(METHODS_OF) < built


def test_an_archive_tells_its_sources(tmp_path, monkeypatch):
    archive = tmp_path / "device.zip"
    with pytest.raises(KernelError, match="has not been built; `lissom build --device`"):
        code.ptx_of("pose_state", archive)
    archive.write_bytes(b"no zip")
    with pytest.raises(KernelError, match="cannot be read"):
        code.ptx_of("pose_state", archive)
    code.write_archive(archive, code.device_digest(), {"pose_state": "text"})
    assert code.is_current(archive) and code.ptx_of("pose_state", archive)[0] == "text"
    monkeypatch.setattr(code, "device_digest", lambda: b"other")
    assert not code.is_current(archive)
    with pytest.raises(KernelError, match="sources of the kernels have changed"):
        code.ptx_of("pose_state", archive)


def test_without_libdevice_the_remedy_is_said(monkeypatch):
    monkeypatch.setattr(ptx, "_cuda_folders", lambda: iter(()))
    with pytest.raises(KernelError, match="pip install nvidia-cuda-nvcc-cu12"):
        ptx.libdevice()
