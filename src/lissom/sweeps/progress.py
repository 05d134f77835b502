"""Progress of a sweep, on standard error."""

from __future__ import annotations

from ..sim.run.progress import Bar, time_left


class SweepBar(Bar):
    """Bar with the tasks done, their rate and the time left.

    Parameters
    ----------
    total, before : int
        Number of tasks, and those that were done before.
    wanted : bool or None
        As for `Bar`.
    """

    def __init__(self, total: int, before: int, wanted: bool | None) -> None:
        super().__init__("sweep", 0, total, wanted)
        self.resume_at(before)
        self._failed = 0

    def show(self, done: int, failed: int) -> None:
        """Show the progress.

        Parameters
        ----------
        done, failed : int
            Tasks that ended, and those of them that failed.
        """
        self._failed = failed
        self.update(done)

    def words(self, t: float, speed: float) -> str:
        """Tasks done and failed, their rate, time left."""
        parts = [f"{t} of {self.end}"]
        parts += [f"{self._failed} failed"] if self._failed else []
        if speed > 0:
            parts += [f"{speed:.3g}/s", time_left((self.end - t) / speed)]
        return "  ".join(parts)
