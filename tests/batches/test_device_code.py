"""Code for GPUs, made without one."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

import lissom as ls
from lissom.batches.device import BLOCK, blocks_of
from lissom.errors import KernelError
from lissom.kernels.device import code, ptx
from lissom.kernels.device.entry import DEVICE_ENTRIES, METHODS_OF
from tests.ptx.assembler import assembled, assembler
from tests.ptx.device import PtxDevice
from tests.samples.device_cases import arm, states

PROGRAM = """
import json, sys
from lissom.building.build import numba_chosen
with numba_chosen():
    from lissom.building.device_build import device_code
    texts = device_code(("pose_state", "jacobian_state"))
    newer = [device_code(("pose_state",), x)["pose_state"] for x in (80, 90)]
json.dump([texts, newer], sys.stdout)
"""


def test_kernels_compile_for_three_generations_and_give_the_numbers_of_the_cpu():
    """The PTX itself is executed: two variants of an arm, more states than threads."""
    found = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr[-2000:]
    texts, newer = json.loads(found.stdout)
    for text, target in zip([texts["pose_state"], *newer], ("75", "80", "90"), strict=True):
        assert f".target sm_{target}" in text and ".visible .entry lissom_pose_state(" in text
        if assembler():
            assert assembled(text, int(target)) > 1000
    if shutil.which("gcc"):
        for systems in (arm(), [arm(m) for m in np.linspace(0.5, 2.0, 70)]):
            executed(texts, systems, 70)


def executed(texts, systems, count):
    """Poses and Jacobians by PTX on the CPU, states in turns, against the kernels for the CPU."""
    device = PtxDevice(
        threads=64 if isinstance(systems, ls.System) else 96, texts=texts, counting=True
    )
    here, there = ls.batch(systems), ls.batch(systems, device=device)
    q, _ = states(here.system, count)
    for one, other in (
        *zip(here.pose(q, "hand"), there.pose(q, "hand"), strict=True),
        (here.jacobian(q, "link.tip"), there.jacobian(q, "link.tip")),
    ):
        assert np.abs(one - other).max() <= 1e-13 * np.abs(one).max()


def test_a_launch_has_no_threads_beyond_those_that_have_a_workspace():
    """Where memory is short their number is a multiple of 32 only."""
    for threads in range(32, 2049, 32):
        blocks, width = blocks_of(threads)
        assert blocks * width == threads and width % 32 == 0 and width <= BLOCK
    assert blocks_of(2048) == (16, BLOCK)


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
