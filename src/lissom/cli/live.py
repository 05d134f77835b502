"""Live views of runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from .output import say


@contextmanager
def shown_live(target: Path, *, wanted: bool) -> Iterator[None]:
    """Show a run in the browser while the block computes it.

    Parameters
    ----------
    target : path
        Path of the results.
    wanted : bool
        Whether to show it.
    """
    if not wanted:
        yield
        return
    from ..errors import ResultError
    from ..viz import live

    if target.suffix != ".nc":
        raise ResultError(f"--view: only runs written to NAME.nc can be shown live, not {target}")
    with live(target, browser=False) as view:
        say(f"the run is shown at {view.url}", err=True)
        with redirect_stdout(sys.stderr):  # the standard output is reserved for --json
            view.open()
        yield


def in_progress(file: Path) -> bool:
    """Whether a run is currently writing the file.

    Parameters
    ----------
    file : path
        NAME.nc, or its journal.
    """
    from ..results.files.disk import journal_path
    from ..results.files.journal.reader import is_being_written

    return is_being_written(journal_path(file)[1])


def follow_run(file: Path, *, browser: bool, **options: Any) -> None:
    """Show a run computed by another process, until Ctrl-C.

    Parameters
    ----------
    file : path
        NAME.nc, or its journal.
    browser : bool
        Whether to open the browser.
    **options
        As for `lissom.viz.live`.
    """
    from ..viz import live

    view = live(file, browser=False, **options)
    say(f"the run is in progress and is shown at {view.url}\nCtrl-C ends this command")
    if browser:
        view.open()
    view.wait()
