"""The command `lissom check` for results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import typer

from .ending import FAILED
from .output import json_text, say

if TYPE_CHECKING:
    from ..results.store import Store

RESULTS = (".nc", ".npz", ".nc.part")


def check_results(file: str, *, json: bool) -> None:
    """Verify the checksums of a results file, and describe its content.

    Parameters
    ----------
    file : str
        NAME.nc, NAME.npz or NAME.nc.part.
    json : bool
        Whether to write JSON.
    """
    from ..errors import ResultError

    facts: dict[str, Any] = {"file": file, "problems": []}
    try:
        facts |= _facts(file)
    except ResultError as error:
        facts["problems"] = [str(error)]
    if json:
        say(json_text(facts))
    else:
        _print(facts)
    if facts["problems"]:
        raise typer.Exit(FAILED)


def _facts(file: str) -> dict[str, Any]:
    from ..results.files.formats import open_results

    system, store, meta = open_results(file)
    times = store.read("time")
    return {
        "name": system.name,
        "rows": len(store),
        "start": float(times[0]) if len(times) else None,
        "end": float(times[-1]) if len(times) else None,
        "status": str(meta.get("status", "")),
        "checked": _checked(store),
    }


def _checked(store: Store) -> str:
    """Verify a store; return the outcome as text."""
    from ..results.files.journal.reader import JournalStore
    from ..results.files.netcdf.reader import NetcdfStore
    from ..results.store import MemoryStore

    if isinstance(store, MemoryStore):
        return "all parts match their checksums"
    if isinstance(store, JournalStore):
        torn = "; an incomplete record at the end is ignored" if store.torn else ""
        return f"all records match their checksums{torn}"
    assert isinstance(store, NetcdfStore)
    store.check()
    if store.sealed:
        return "all bytes match their checksums"
    return "rows, system and notes match their checksums; the file as a whole has none"


def _print(facts: dict[str, Any]) -> None:
    if facts["problems"]:
        say("\n".join(facts["problems"]))
        say("1 problem")
        return
    span = "" if facts["start"] is None else f", {facts['start']:g} s to {facts['end']:g} s"
    say(f"run of {facts['name'] or 'a mechanism'}: {facts['rows']} rows{span}")
    say(facts["checked"])
    say(f"{facts['file']}: no problems")
