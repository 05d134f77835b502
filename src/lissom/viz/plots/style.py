"""Colours, style and output of Matplotlib figures.

Matplotlib is loaded with the first figure.  Figures are made without pyplot, so that they need no
display and are not kept alive by it.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from ...errors import ResultError
from ...results.files.disk import PathLike, as_path, replacing
from ..options import FigureOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Colours that are distinguishable with colour blindness (Okabe and Ito), without yellow.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.6)), (0, (1.2, 1.2)))
INK, GREY = "0.2", "0.6"

_STYLE: dict[str, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.edgecolor": "0.4",
    "axes.titlesize": 9.5,
    "axes.titlelocation": "left",
    "axes.axisbelow": True,
    "axes.formatter.limits": (-4, 5),
    "axes.formatter.use_mathtext": True,
    "figure.titlesize": 11.0,
    "font.size": 9.0,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 8.0,
    "lines.linewidth": 1.3,
    "pdf.fonttype": 42,
    "savefig.dpi": 150,
    "svg.fonttype": "none",
    "svg.hashsalt": "lissom",
}
# Suffix -> metadata in the file; without a date equal figures give equal files.
_FORMATS: dict[str, dict[str, Any]] = {
    ".png": {},
    ".svg": {"Date": None},
    ".pdf": {"CreationDate": None},
}
_SILENT = ("agg", "cairo", "pdf", "pgf", "ps", "svg", "template")


@contextmanager
def picture(
    options: FigureOptions,
    usual: tuple[float, float],
    *,
    file: PathLike | None = None,
    heading: str = "",
) -> Iterator[Figure]:
    """Figure in the style of lissom, written and shown on exit as requested.

    `usual`, `heading`: width and height [inch] and title where the options have none.
    """
    import matplotlib.style

    path, show = None if file is None else _checked_path(file), options.show
    width, height = usual if options.size is None else map(float, options.size)
    if show:
        _check_display()
    with matplotlib.style.context(["default", _STYLE]):
        figure = _new_figure((width, height), show)
        try:
            yield figure
            if words := heading if options.title is None else options.title:
                figure.suptitle(words, x=0.01, ha="left", color=INK)
            if path is not None:
                ending = _ending(path)
                with replacing(path) as new:
                    figure.savefig(new, format=ending[1:], metadata=_FORMATS[ending])
        except BaseException:
            _close(figure, show)
            raise
        if show:
            import matplotlib.pyplot as plt

            plt.show()


def _new_figure(size: tuple[float, float], show: bool) -> Figure:
    if not show:
        return PictureFigure(figsize=size, layout="constrained")
    import matplotlib.pyplot as plt

    return plt.figure(figsize=size, layout="constrained", FigureClass=PictureFigure)


def _close(figure: Figure, show: bool) -> None:
    if show:
        import matplotlib.pyplot as plt

        plt.close(figure)


def _ending(path: str) -> str:
    return os.path.splitext(path)[1].lower()


def _checked_path(file: PathLike) -> str:
    path = as_path(file)
    if _ending(path) not in _FORMATS:
        raise ResultError(
            f"cannot draw {path}: the suffix {_ending(path)!r} is not a known format; use one of "
            f"{', '.join(_FORMATS)}"
        )
    return path


def _check_display() -> None:
    import matplotlib.pyplot as plt

    if plt.get_backend().lower() in _SILENT:
        raise ResultError(
            f"cannot show a figure: Matplotlib cannot open a window (its backend is "
            f"{plt.get_backend()}); give file='picture.png' instead"
        )


def line_style(k: int) -> dict[str, Any]:
    """Colour and dashes of line k; they repeat after eighteen lines."""
    n = len(COLORS)
    return {"color": COLORS[k % n], "linestyle": DASHES[k // n % len(DASHES)]}


class PictureFigure(Figure):
    """Matplotlib figure that is displayed as the last line of a notebook cell."""

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=110)
        return stream.getvalue()
