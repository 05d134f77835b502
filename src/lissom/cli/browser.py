"""Pages in the user's browser."""

from __future__ import annotations

from .output import say


def open_in_browser(address: str) -> None:
    """Open an address, or ask the user to open it.

    Parameters
    ----------
    address : str
        Address of a page or a file.
    """
    import webbrowser

    if not webbrowser.open(address):
        say(f"lissom: no browser was found; open {address} yourself", err=True)
