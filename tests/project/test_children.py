"""Processes of the tests end with the test that started them, and have bounds."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from lissom.results.files.journal.records import head_follows, record_head
from tests.tools.children import LONGEST_FILE, is_there

ROOT = Path(__file__).parents[2]
PARENT = """
import subprocess, sys
from tests.tools.children import bound_all
bound_all()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="prctl of Linux")
def test_a_child_ends_with_the_process_that_started_it():
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as parent:
        child = int(parent.stdout.readline())
        assert is_there(child)
        os.kill(parent.pid, signal.SIGKILL)
    for _ in range(200):
        if not is_there(child):
            return
        time.sleep(0.02)
    raise AssertionError("the child outlives its parent")


@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
def test_no_child_writes_a_file_without_end(tmp_path):
    code = "import resource; print(*resource.getrlimit(resource.RLIMIT_FSIZE))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(0 < int(x) <= LONGEST_FILE for x in done.stdout.split())


class Growing:
    """File that has another piece whenever it is read, as that of a fast run."""

    def __init__(self, start):
        self.data, self.at, self.pieces = bytearray(start), 0, 0

    def seek(self, at):
        self.at = at

    def read(self, n):
        self.pieces += 1
        assert self.pieces < 100, "it is read without end"
        self.data += b"\0" * (1 << 20)
        piece = bytes(self.data[self.at : self.at + n])
        self.at += len(piece)
        return piece


def test_a_journal_is_read_to_the_size_that_it_had():
    assert not head_follows(Growing(b"x" * 5000), 10, 5000)


def test_a_record_that_is_written_while_a_journal_is_read_is_no_damage():
    head = record_head(b"rows", 3)
    file = Growing(b"x" * 5000 + head + b"rows")
    assert not head_follows(file, 10, 5000)
    assert head_follows(file, 10, 5000 + len(head))
