"""Live view of a run, in this or another process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import ResultError, StateError
from ...results.files.disk import as_path, journal_path
from ...results.files.journal.reader import JournalStore, is_being_written
from ...results.files.netcdf.reader import NetcdfStore
from ...results.interpolation import sampled_rows
from ...results.store import Columns, MemoryStore, Store, block_size
from ...results.trajectory import Trajectory
from ...system import System
from ..options import PageOptions
from ..scene.frames import LARGEST
from .curves import described_curves
from .data import PageData
from .page import as_json, filled_page, page_data, waiting_page
from .server import View

_QUIET = 2.0  # s without new rows after which to check whether the run is still alive


def live(
    path: str | os.PathLike[str],
    *,
    browser: bool = True,
    frames: int = 600,
    title: str | None = None,
    trails: Sequence[str] | None = None,
    theme: str = "auto",
    scale: float = 1.0,
    reactions: bool | None = None,
    color: str | None = None,
    plot: str | Sequence[str | Sequence[str]] | None = None,
    follow: str | None = None,
    view: Any = None,
) -> LiveView:
    """Show a run in the browser while it is computed.

    The run may have started already, in this or another process, or start later.  In a ``with``
    block the server stops at the end of the block, when the page has received the last frames::

        with ls.viz.live("arm.nc"):
            run = ls.simulate(system, duration=20.0, file="arm.nc")

    Parameters
    ----------
    path : path
        Results file NAME.nc of the run, its argument `file`.
    browser : bool
        Whether to open the browser.
    frames : int
        Largest number of frames, over the whole duration of the run.
    title, trails, theme, scale, reactions, color, plot, follow, view
        As in `Trajectory.to_html`.

    Returns
    -------
    LiveView
        ``.url`` is the address of the page, ``.close()`` stops the server.
    """
    look = {"title": title, "trails": trails, "theme": theme, "scale": scale, "color": color}
    more = {"reactions": reactions, "plot": plot, "follow": follow, "view": view}
    options = PageOptions(frames=frames, **look, **more)
    name = as_path(path).removesuffix(".part")
    if not name.endswith(".nc"):
        raise ResultError(f"path is {name!r}; expected the results file NAME.nc of a run")
    if not os.path.isdir(folder := os.path.dirname(os.path.abspath(name))):
        raise ResultError(f"path is {name!r}; there is no folder {folder}: correct the path")
    opened = LiveView(Followed(name, options))
    if browser:
        opened.show()
    return opened


class LiveView(View):
    """View of a run in progress; made by `live`."""

    def __init__(self, source: Followed) -> None:
        super().__init__(source)
        self._followed = source

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._followed.begun and kind is not KeyboardInterrupt:
            self._followed.closing = True
            self.finish()
        else:
            self.close()


class Followed:
    """Source of the page of a run, read from the file that the run writes."""

    def __init__(self, path: str, options: PageOptions) -> None:
        self.path, self.part = journal_path(os.path.abspath(path))
        self._options = options
        self._before = _stamp(self.path)  # results of an earlier run
        self._lock = threading.Lock()
        self._store: JournalStore | NetcdfStore | None = None
        self._frames: GrowingFrames | None = None
        self._data: PageData | None = None
        self._meta: dict[str, Any] = {}
        self._over = self.closing = False
        self._grown = 0.0
        self._last: tuple[Any, str] = (None, "")  # key of the last answer, and the answer

    @property
    def begun(self) -> bool:
        """Whether the run has written any rows."""
        with self._lock:
            self._update()
            return self._store is not None

    def page(self) -> tuple[str, bool]:
        """Page with the frames so far, or one that waits for the first."""
        with self._lock:
            self._update()
            if self._frames is None or not len(self._frames):
                return waiting_page(os.path.basename(self.path)), False
            rows, _ = self._frames.trajectory(0, self._meta)
            if self._data is None:
                self._data = page_data(self._options, rows, growing=True)
            more = {"live": True, **self._progress()}
            text = filled_page(self._options, self._data, rows, self._curves(rows), more)
            return text, more["over"]

    def frames(self, first: int) -> tuple[str, bool] | None:
        """Frames from a given number on, as JSON."""
        with self._lock:
            self._update()
            if self._data is None or self._frames is None:
                return None
            rows, first = self._frames.trajectory(first, self._meta)
            progress = self._progress()
            key = (first, rows.n, progress["end"], progress["over"], self._meta["status"])
            if key != self._last[0]:  # without new frames the last answer is repeated
                everything, _ = self._frames.trajectory(0, self._meta)
                plot = {"plot": self._curves(everything)}
                self._last = key, as_json({**self._data.frames(rows, first), **plot, **progress})
            return self._last[1], progress["over"]

    def _curves(self, rows: Trajectory) -> dict[str, Any] | None:
        """Plot over time; a mistake in its names is shown there: nobody else would see it."""
        try:
            return described_curves(rows, rows, self._options.plot, growing=True)
        except StateError as error:
            return {"error": str(error)}

    def _progress(self) -> dict[str, Any]:
        """Progress of the run."""
        assert self._frames is not None
        rows, _ = self._frames.trajectory(1 << 30, {})
        return {
            "next": len(self._frames),
            "running": self._meta["status"] == "running",
            "over": self._over or self.closing,
            "planned": float(self._meta.get("duration", 0.0)),
            "end": float(np.float32(rows.time[-1] - self._frames.start)),
        }

    def _update(self) -> None:
        """Read what the run has written since the last call."""
        if self._over:
            return
        try:
            self._follow()
        except ResultError as error:
            if self._frames is None:
                return  # the header of the file is not written yet
            self._end({"status": "lost", "message": str(error)})

    def _follow(self) -> None:
        if isinstance(self._store, JournalStore) and os.path.exists(self.part):
            if self._store.refresh():
                self._grown = time.monotonic()
        elif self._store is None and os.path.exists(self.part):
            self._store, self._grown = JournalStore(self.part), time.monotonic()
            self._begin(self._store.meta)
        elif (now := _stamp(self.path)) is not None and now != self._before:
            self._take_finished_file(NetcdfStore(self.path))
            return
        elif self._store is not None:
            raise ResultError(f"{self.part} was deleted; start the view again")
        if isinstance(self._store, JournalStore) and self._frames is not None:
            self._frames.take(self._store)
            self._meta = self._store.notes
            alive = time.monotonic() - self._grown < _QUIET or is_being_written(self.part)
            if alive and "ended" not in self._notes(self._store):
                self._meta |= {"status": "running", "message": ""}

    @staticmethod
    def _notes(store: JournalStore) -> dict[str, Any]:
        return {} if store.checkpoint is None else store.checkpoint.notes

    def _begin(self, meta: dict[str, Any]) -> None:
        assert self._store is not None
        duration, start = float(meta.get("duration", 1.0)), float(meta.get("start", 0.0))
        step = max(duration / (self._options.frames - 1), float(meta.get("output_step") or 0.0))
        self._frames = GrowingFrames(self._store.system, self._store.columns, start, step)

    def _take_finished_file(self, store: NetcdfStore) -> None:
        """Switch to the results in NAME.nc of a run that has ended."""
        before, self._store = self._store, store
        if before is not None and before.meta.get("fingerprint") != store.meta.get("fingerprint"):
            raise ResultError(f"{self.path} now contains another run; start the view again")
        if self._frames is None:
            self._begin(store.meta)
        assert self._frames is not None
        self._frames.take(store)
        self._end(store.meta)

    def _end(self, meta: dict[str, Any]) -> None:
        self._over, self._meta = True, {**self._meta, **meta}


def _stamp(path: str) -> tuple[int, int] | None:
    """Identity of a file, to detect that it was replaced; None if there is no file."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ino


Array = np.ndarray


class GrowingFrames:
    """Evenly spaced frames over the whole duration, up to the current time of the run.

    The times are fixed in advance, so that there are never more frames than requested.  The newest
    row follows as a temporary frame, replaced by the next one.

    `start`, `step`: time of the first frame, and between frames [s].
    """

    def __init__(self, system: System, columns: Columns, start: float, step: float) -> None:
        self.system, self.columns, self.start, self.step = system, columns, start, step
        self._frames = np.zeros((0, columns.width))
        self._newest = np.zeros((0, columns.width))
        self._next = 0  # number of the next frame
        self._read = 0  # rows of the run read so far

    def __len__(self) -> int:
        """Number of final frames."""
        return len(self._frames)

    def take(self, store: Store) -> None:
        """Read the new rows."""
        n, size = len(store), block_size(self.columns)
        while self._read < n:
            begin, stop = max(0, self._read - 1), min(n, self._read + size)
            fields = (store.read(name, begin, stop) for name in self.columns.fields)
            rows = np.concatenate([x.reshape(stop - begin, -1) for x in fields], axis=1)
            self._sample(rows[np.all(np.abs(rows) < LARGEST, axis=1)])
            self._read = stop

    def _sample(self, rows: Array) -> None:
        """Add frames between consecutive rows."""
        if not len(rows):
            return
        time = rows[:, 0]
        slack = 1e-9 * self.step
        last = int(np.floor((time[-1] - self.start + slack) / self.step))
        wanted = self.start + self.step * np.arange(self._next, last + 1)
        if len(wanted):
            store = MemoryStore(self.columns, rows)
            inside = np.clip(wanted, time[0], time[-1])
            fresh_rows = sampled_rows(self.system, store, time, inside)
            self._frames = np.concatenate([self._frames, fresh_rows])
            self._next = last + 1
        beyond = not len(self._frames) or time[-1] > self._frames[-1, 0] + slack
        self._newest = rows[-1:] if beyond else rows[:0]

    def trajectory(self, first: int, meta: dict[str, Any]) -> tuple[Trajectory, int]:
        """Frames from a given number on, with the newest row last, and the number of the first one.

        There is at least one if the run has any rows.
        """
        rows = np.concatenate([self._frames, self._newest])
        first = min(first, max(0, len(rows) - 1))
        return Trajectory(self.system, MemoryStore(self.columns, rows[first:]), meta), first
