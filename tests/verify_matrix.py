"""Random mechanisms, loads and operations: finite numbers, or a refusal that is named and known.

python -m tests.verify_matrix 10000 [first]

Blocks of combinations run in processes of their own, which say what they begin: one that dies or
hangs is a failure of the combination that it had begun, and the rest of its block goes on.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import asdict

from tests.feature_matrix.operations import OPERATIONS
from tests.feature_matrix.verdicts import BOUND, Verdict, name_of, pattern, verdict_of

BLOCK = 250
BUSY = 6.0  # seconds on the wall that a second of work may take on a busy machine
BEGUN = "begun "


def work(first: int, stop: int) -> None:
    """Judge a block; lines say what is begun and what came of it."""
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w", buffering=1)
    for number in range(first, stop):
        print(f"{BEGUN}{number}", file=lines)
        print(json.dumps(asdict(verdict_of(number))), file=lines)


def judged(first: int, stop: int) -> list[Verdict]:
    """Verdicts of a block, whatever happens to the processes that compute them."""
    verdicts: list[Verdict] = []
    while first < stop:
        command = [sys.executable, "-m", "tests.verify_matrix", "--block", str(first), str(stop)]
        alone = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=alone) as process:
            begun = [time.monotonic()]
            threading.Thread(target=_watch, args=(process, begun), daemon=True).start()
            assert process.stdout is not None
            for line in process.stdout:
                begun[0] = time.monotonic()
                if line.startswith("{"):
                    verdicts.append(Verdict(**json.loads(line)))
                    first = verdicts[-1].number + 1
        if first < stop:
            what = f"the process ended with {process.returncode}"
            verdicts.append(Verdict(first, name_of(first), "failed", what))
            first += 1
    return verdicts


def _watch(process: subprocess.Popen[str], begun: list[float]) -> None:
    """End a process that does not come back even to Python."""
    while process.poll() is None:
        time.sleep(1.0)
        if time.monotonic() - begun[0] > BUSY * BOUND:
            process.kill()


def main() -> int:
    """Judge the combinations; the exit status is 0 if none failed."""
    if sys.argv[1:2] == ["--block"]:
        work(int(sys.argv[2]), int(sys.argv[3]))
        return 0
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    blocks: queue.Queue[int] = queue.Queue()
    for begin in range(first, first + count, BLOCK):
        blocks.put(begin)
    verdicts: list[Verdict] = []

    def worker() -> None:
        while True:
            try:
                begin = blocks.get_nowait()
            except queue.Empty:
                return
            for verdict in judged(begin, min(begin + BLOCK, first + count)):
                verdicts.append(verdict)
                if verdict.kind == "failed":
                    print(verdict, flush=True)
            print(f"{len(verdicts)} combinations", flush=True)

    threads = [threading.Thread(target=worker) for _ in range(os.cpu_count() or 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    kinds = Counter(x.kind for x in verdicts)
    refusals = Counter(pattern(x.what) for x in verdicts if x.kind == "refused")
    for text, number in refusals.most_common():
        print(f"{number:5d}  {text}")
    print(
        f"{len(verdicts)} combinations of mechanisms, loads and {len(OPERATIONS)} operations: "
        f"{kinds['fine']} gave finite numbers, {kinds['refused']} were refused in {len(refusals)} "
        f"known ways, {kinds['failed']} failed"
    )
    return int(bool(kinds["failed"]) or len(verdicts) != count)


if __name__ == "__main__":
    sys.exit(main())
