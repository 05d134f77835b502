"""A prepared run, from its start to its result."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from ...errors import ResultError
from ...kernels.layout import run
from ...results.store import Store
from .choice import first_step
from .interrupts import Interrupts
from .prepare import Prepared, put_at_start
from .progress import ProgressBar
from .reasons import Outcome
from .record import RunRecord
from .runner import Runner
from .saving import run_meta
from .start import check_ends

Array = np.ndarray
UNFINISHED = ("interrupted", "time limit", "disk", "failed", "memory")


def begun_run(ready: Prepared) -> Array:
    """Put a prepared run at its start; returns the row there."""
    machine = ready.machine
    check_ends(machine.plan, ready.settings)
    row = put_at_start(machine, ready.start, ready.user_state, ready.motions)
    if ready.settings.adaptive:
        machine.memory[run.NEXT_STEP] = first_step(machine, row)
    return row


def completed(
    ready: Prepared,
    record: RunRecord,
    bar: ProgressBar,
    limit: float,
    interrupts: Interrupts | None = None,
) -> tuple[Store, dict[str, Any], Outcome]:
    """Rows, metadata and outcome of a run that has begun.

    `limit`: limit of real time [s].
    """
    bar.resume_at(ready.machine.time)
    interrupts, shared = interrupts or Interrupts(), interrupts is not None
    runner = Runner(ready.machine, record, bar, limit, interrupts)
    begun = time.perf_counter()
    try:
        try:
            outcome = runner.run()
        finally:
            bar.close()
        seconds = time.perf_counter() - begun
        meta = run_meta(ready.machine, runner, outcome, ready.reason, seconds)
        try:
            store = record.finish(meta, whole=outcome.status not in UNFINISHED)
        except ResultError as error:
            outcome = Outcome("disk", str(error), error)
            meta.update(status=outcome.status, message=outcome.message)
            store = record.finish(meta, whole=False)
    except BaseException:  # a second Ctrl-C, or one while the file is written
        record.abandon()
        raise
    if not shared:
        interrupts.pass_on()
    return store, meta, outcome
