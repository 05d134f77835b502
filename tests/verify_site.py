"""The built site in Chromium: its search finds answers, and its pages load nothing from elsewhere.

It is brought up to date first, as by `make docs`.
"""

from __future__ import annotations

import functools
import http.server
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Page, sync_playwright

from tests.samples.motions_to_view import chromium

ROOT = Path(__file__).resolve().parent.parent
SITE = ROOT / "docs" / "_build" / "html"
BUILD = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "--quiet", "-b", "html"]
FIRST = 3  # so many results are read

sys.path.insert(0, str(ROOT / "docs" / "_ext"))
from questions import ANSWERS  # noqa: E402


class Server(http.server.ThreadingHTTPServer):
    """Server that does not mind when a page is left before it has arrived."""

    def handle_error(self, *_: Any) -> None:
        """Say nothing: a page that fails is found by its status."""


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Server of the folder that does not print."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def found(page: Page, base: str, words: str) -> list[str]:
    """Addresses of the first results of the search page, within the site."""
    page.goto(f"{base}search.html?q={quote(words)}")
    page.wait_for_selector("#search-results h2")
    done = "!document.querySelector('#search-results h2').textContent.endsWith('ing')"
    page.wait_for_function(done)
    page.wait_for_timeout(100)
    links = page.query_selector_all("#search-results ul.search > li > a")
    return [(link.get_attribute("href") or "").removeprefix(base) for link in links[:FIRST]]


def search(page: Page, base: str) -> list[str]:
    """Questions whose answer is not among the first results."""
    missed = []
    for place, words in ANSWERS.items():
        name = place.partition("#")[0]
        for question in words:
            results = found(page, base, question)
            if not any(r.split("?")[0].startswith(f"{name}.html") for r in results):
                missed.append(f"{question!r} finds {results}, and not {place}")
    return missed


def visit(page: Page, base: str, width: int) -> list[str]:
    """What is wrong on the pages: requests elsewhere, errors, pages wider than the window."""
    wrong: list[str] = []
    page.on(
        "request",
        lambda r: (
            None if r.url.startswith((base, "data:", "blob:", "about:")) else wrong.append(r.url)
        ),
    )
    page.on("response", lambda r: wrong.append(f"{r.status} {r.url}") if r.status >= 400 else None)
    page.on("pageerror", lambda e: wrong.append(f"{page.url}: {e}"))
    page.set_viewport_size({"width": width, "height": 900})
    for path in sorted(SITE.rglob("*.html")):
        if "_static" in path.parts:
            continue
        page.goto(base + path.relative_to(SITE).as_posix())
        wide = page.evaluate("document.documentElement.scrollWidth")
        if wide > width:
            wrong.append(f"{page.url} is {wide} pixels wide in a window of {width}")
    return wrong


def main() -> int:
    """Search and visit; the exit status is 1 if anything is wrong."""
    subprocess.run([*BUILD, "docs", SITE], cwd=ROOT, check=True)
    server = Server(("127.0.0.1", 0), functools.partial(Quiet, directory=str(SITE)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}/"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        wrong = search(browser.new_page(), base)
        asked = sum(map(len, ANSWERS.values()))
        for width in (1440, 390):
            wrong += visit(browser.new_page(), base, width)
        browser.close()
    for line in wrong:
        print(line)
    pages = sum("_static" not in path.parts for path in SITE.rglob("*.html"))
    print(
        f"{asked} questions answered among the first {FIRST} results, {pages} pages in two widths "
        f"fit and load nothing from elsewhere; {len(wrong)} exceptions"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
