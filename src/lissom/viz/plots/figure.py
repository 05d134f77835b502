"""Figure that notebooks display automatically.  This module loads Matplotlib."""

from __future__ import annotations

import io

from matplotlib.figure import Figure


class PictureFigure(Figure):
    """Matplotlib figure that is displayed as the last line of a notebook cell."""

    def _repr_png_(self) -> bytes:
        stream = io.BytesIO()
        self.savefig(stream, format="png", dpi=110)
        return stream.getvalue()
