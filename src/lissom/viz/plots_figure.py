"""A figure that notebooks show by itself.  This module loads Matplotlib."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class PictureFigure(Figure):
    """Figure of Matplotlib that is its own picture as the last line of a notebook's cell."""

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=110)
        return stream.getvalue()
