"""Figures of the gallery, thumbnails that are frames of the moving views, and the view at home."""

from __future__ import annotations

import inspect
import shutil
from pathlib import Path
from typing import Any
from weakref import WeakSet

import matplotlib.pyplot as plt
import numpy as np
from docutils import nodes
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from PIL import Image
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import figure_rst

import lissom as ls

FRAMES = "frames"  # folder beside the thumbnails, which are written anew in each build
HOME = ("flexible_arm", "pictures/tutorial.png")  # example that moves at home, picture in its place
SIZE, FOOT, THUMB = (960, 670), 70, (480, 300)  # [pixels]; clock and legend stand at the foot

_seen: WeakSet[Figure] = WeakSet()
_shown: list[tuple[ls.Trajectory, dict[str, Any]]] = []
_show = ls.Trajectory.show


def _remembered(run: ls.Trajectory, **options: Any) -> Any:
    _shown.append((run, options))
    return _show(run, **options)


def figures(block: Any, block_vars: Any, gallery_conf: Any) -> str:
    """Text of the figures of a block, pyplot's and those of lissom, which pyplot does not know."""
    names = block_vars["example_globals"]
    open_ones = [plt.figure(number) for number in plt.get_fignums()]
    others = [x for x in names.values() if isinstance(x, Figure) and x not in _seen]
    name, text = Path(block_vars["src_file"]).stem, ""
    folder = Path(gallery_conf["src_dir"]) / gallery_conf["gallery_dirs"] / "images" / FRAMES
    folder.mkdir(parents=True, exist_ok=True)
    for figure in dict.fromkeys([*open_ones, *others]):
        _seen.add(figure)
        path = next(block_vars["image_path_iterator"])
        figure.savefig(path, dpi=110)
        kind = "photo" if figure.findobj(_has_colours_of_its_own) else "plot"
        text += figure_rst([path], gallery_conf["src_dir"]).replace(":class: ", f":class: {kind} ")
        if kind == "photo":
            (folder / f"{name}.photo").touch()
    plt.close("all")
    if _shown:
        frame(name, folder)
    return text


def _has_colours_of_its_own(artist: Any) -> bool:
    """Whether it is an image or a map, whose colours stay as they are on dark pages."""
    return isinstance(artist, (AxesImage, QuadMesh))


def frame(name: str, folder: Path) -> None:
    """Write a frame of the run that was shown, on nothing, and the page that moves at home."""
    run, options = _shown.pop()
    _shown.clear()
    target = folder / f"{name}.png"
    known = inspect.signature(run.to_image).parameters
    wanted = {key: value for key, value in options.items() if key in known}
    middle = run.time[0] + 0.45 * np.ptp(run.time)
    run.to_image(target, middle, **wanted, size=SIZE)
    with Image.open(target) as picture:
        pixels = np.array(picture.convert("RGBA"))
    pixels[(pixels == pixels[0, 0]).all(axis=-1)] = 0
    closer(Image.fromarray(pixels[:-FOOT], "RGBA")).save(target)
    if name == HOME[0]:
        page = {key: x for key, x in options.items() if key not in ("width", "height", "frames")}
        run.to_html(folder / "home.html", **page, frames=150)


def closer(picture: Image.Image) -> Image.Image:
    """Thumbnail of what is to be seen in a picture, with a margin and without enlarging it."""
    left, top, right, bottom = picture.getbbox() or (0, 0, *picture.size)
    width = max(1.12 * (right - left), 1.12 * (bottom - top) * THUMB[0] / THUMB[1], THUMB[0])
    half = np.array([width, width * THUMB[1] / THUMB[0]]) / 2
    middle = np.array([left + right, top + bottom]) / 2
    box = [round(x) for x in (*(middle - half), *(middle + half))]
    return picture.crop(box).resize(THUMB, Image.Resampling.LANCZOS)


def _thumbnails(app: Sphinx) -> None:
    """Put frames in the place of the thumbnails that the gallery has made of figures."""
    images = Path(app.srcdir) / app.config.sphinx_gallery_conf["gallery_dirs"] / "images"
    programs = Path(app.srcdir) / app.config.sphinx_gallery_conf["examples_dirs"]
    for picture in (images / FRAMES).glob("*.png"):
        program = programs / f"{picture.stem}.py"
        if program.exists() and "sphinx_gallery_thumbnail" in program.read_text(encoding="utf-8"):
            continue  # which has chosen one
        shutil.copy(picture, images / "thumb" / f"sphx_glr_{picture.stem}_thumb.png")


def _home(app: Sphinx, tree: nodes.document, name: str) -> None:
    """Let the mechanism on the first page move."""
    if name != app.config.root_doc or app.builder.format != "html" or not _page(app).exists():
        return
    for picture in list(tree.findall(nodes.image)):
        if picture["uri"] == HOME[1]:
            words = picture["alt"]
            text = f'<iframe class="home" src="_static/home.html" loading="lazy" title="{words}">'
            place = picture.parent if isinstance(picture.parent, nodes.reference) else picture
            place.replace_self(nodes.raw("", text + "</iframe>", format="html"))


def _plots(app: Sphinx, tree: nodes.document, name: str) -> None:
    """Mark pictures on white, which turn dark on dark pages."""
    coloured = {path.stem for path in _page(app).parent.glob("*.p*")}  # frames and photos
    for picture in tree.findall(nodes.image):
        path = Path(app.srcdir) / picture["uri"]
        if path.parent.name == "thumb":
            if path.stem.removeprefix("sphx_glr_").removesuffix("_thumb") not in coloured:
                picture["classes"].append("plot")
        elif path.suffix == ".png" and "photo" not in picture["classes"] and path.exists():
            with Image.open(path) as pixels:
                if pixels.convert("RGBA").getpixel((0, 0)) == (255, 255, 255, 255):
                    picture["classes"].append("plot")


def _page(app: Sphinx) -> Path:
    gallery = Path(app.srcdir) / app.config.sphinx_gallery_conf["gallery_dirs"]
    return gallery / "images" / FRAMES / "home.html"


def _copy(app: Sphinx, problem: Exception | None) -> None:
    if problem is None and app.builder.format == "html" and _page(app).exists():
        shutil.copy(_page(app), Path(app.outdir) / "_static" / "home.html")


def setup(app: Sphinx) -> dict[str, bool]:
    """Remember what the examples show; use it after the gallery and after the pages."""
    ls.Trajectory.show = _remembered  # type: ignore[method-assign]
    app.connect("builder-inited", _thumbnails, priority=900)
    app.connect("doctree-resolved", _home)
    app.connect("doctree-resolved", _plots)
    app.connect("build-finished", _copy)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
