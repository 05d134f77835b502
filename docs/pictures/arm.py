"""Make the moving picture of the README, arm.gif, from the moving view of examples/flexible_arm.py.

python docs/pictures/arm.py      needs Chromium, and the extra dev for Playwright
"""

from __future__ import annotations

import io
import runpy
import shutil
import tempfile
from pathlib import Path

import matplotlib
import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

import lissom as ls

HERE = Path(__file__).parent
SIZE = {"width": 640, "height": 340}
FRAMES, MILLISECONDS = 60, 100
FLAGS = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
CLOSER = (300, 150)  # where the pointer zooms in
HIDE = "header, #panel, #bar, #message { display: none !important }"


def main() -> None:
    """Run the example, photograph its page, and put the photographs together."""
    matplotlib.use("Agg")
    run = runpy.run_path(str(HERE.parent.parent / "examples" / "flexible_arm.py"))["run"]
    frames = photographs(run, np.linspace(*run.time[[0, -1]], FRAMES))
    # One palette for all, so that still parts of the picture stay as they are.
    samples = np.hstack([np.asarray(frame) for frame in frames[::10]])
    palette = Image.fromarray(samples).quantize(256, Image.Quantize.FASTOCTREE)
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    path = HERE / "arm.gif"
    small[0].save(path, save_all=True, append_images=small[1:], duration=MILLISECONDS, loop=0)
    print(f"{path.name}: {path.stat().st_size // 1000} kB")


def photographs(run: ls.Trajectory, times: np.ndarray) -> list[Image.Image]:
    """Pictures of the page at some times."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "arm.html"
        run.to_html(page, trails=["payload", "upper.tip"], theme="light")
        chromium = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        tab = browser.new_page(viewport=SIZE, device_scale_factor=2)
        tab.goto(page.as_uri())
        tab.wait_for_timeout(1000)
        tab.add_style_tag(content=HIDE)
        tab.mouse.move(*CLOSER)
        for _ in range(2):
            tab.mouse.wheel(0, -200)
        found = []
        for t in times:
            tab.evaluate(f"window.lissom.seek({t})")
            tab.wait_for_timeout(60)
            big = Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
            found.append(big.resize((SIZE["width"], SIZE["height"]), Image.Resampling.LANCZOS))
        browser.close()
    return found


if __name__ == "__main__":
    main()
