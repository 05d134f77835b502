"""The command `lissom sweep`."""

from __future__ import annotations

import errno
import shlex
import shutil
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from .ending import FAILED, INTERRUPTED
from .output import json_text, say
from .values import NoCode


def sweep(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Model file with a section [sweep].")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Results; by default NAME_sweep.nc.", metavar="FILE"),
    ] = None,
    samples: Annotated[
        int | None, typer.Option(help="Number of samples, overrides the file.", metavar="N")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of random numbers, overrides the file.", metavar="N")
    ] = None,
    channels: Annotated[
        str | None,
        typer.Option(
            help="Channels over time in place of the file's, separated by commas.", metavar="NAMES"
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="Processes; by default all processors.", metavar="N")
    ] = None,
    store: Annotated[
        Path | None,
        typer.Option(
            help="Folder for results task by task; by default NAME.sweep, removed at the end.",
            metavar="FOLDER",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Do what is missing in the folder.")
    ] = False,
    retry_failed: Annotated[
        bool, typer.Option("--retry-failed", help="Repeat tasks that failed.")
    ] = False,
    tasks: Annotated[
        str | None,
        typer.Option(
            help="Only tasks FIRST:LAST of a shared --store, LAST not included.",
            metavar="FIRST:LAST",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no summary.")] = False,
    no_code: NoCode = False,
    json: Annotated[bool, typer.Option("--json", help="Write the summary as JSON.")] = False,
) -> None:
    """Run a parameter study and write its results."""
    from ..io import load_sweep

    share = _share(tasks, store)
    folder = Path(f"{file.stem}.sweep") if store is None else store
    target = Path(f"{file.stem}_sweep.nc") if output is None else output
    _check_target(target)
    _check_folder(folder, resume or share is not None)
    study = load_sweep(file, code=not no_code)
    changes: dict[str, Any] = {"samples": samples, "seed": seed, "workers": workers, "tasks": share}
    warned: list[str] = []
    with _collecting_warnings(warned):
        dataset = study.sweep(
            channels=None if channels is None else [x.strip() for x in channels.split(",")],
            store=folder,
            retry_failed=retry_failed,
            progress=False if quiet or json else None,
            **{name: value for name, value in changes.items() if value is not None},
        )
    status = dataset["status"].values.ravel().tolist()
    counts = {name: status.count(name) for name in ("done", "failed", "missing")}
    whole = not counts["missing"]
    if whole:
        _write(dataset, target)
        if store is None:
            shutil.rmtree(folder)
    if json:
        places = {"file": str(target) if whole else None, "store": None if whole else str(folder)}
        say(
            json_text(
                {
                    "description": dataset.attrs["description"],
                    **counts,
                    **places,
                    "warnings": warned,
                }
            )
        )
    elif not quiet:
        say(f"{dataset.attrs['description']}: {counts['done']} done, {counts['failed']} failed")
        say(
            f"wrote {target}"
            if whole
            else f"kept in {folder}: {counts['missing']} tasks are missing"
        )
    _end(whole or share is not None, counts, file, folder, store)


def _end(
    complete: bool, counts: dict[str, int], file: Path, folder: Path, store: Path | None
) -> None:
    if not complete:
        more = [] if store is None else ["--store", str(folder)]
        words = shlex.join(["lissom", "sweep", str(file), *more, "--resume"])
        say(f"lissom: the sweep was interrupted; continue with: {words}", err=True)
        raise typer.Exit(INTERRUPTED)
    if counts["failed"] and not counts["done"]:
        raise typer.Exit(FAILED)


@contextmanager
def _collecting_warnings(texts: list[str]) -> Iterator[None]:
    """Keep the texts of warnings, which are still shown."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def note(message: Warning | str, *others: Any, **more: Any) -> None:
            texts.append(str(message))
            show(message, *others, **more)

        warnings.showwarning = note
        yield


def _share(text: str | None, store: Path | None) -> Iterable[int] | None:
    if text is None:
        return None
    first, colon, last = text.partition(":")
    if not (colon and first.isdecimal() and last.isdecimal() and int(first) < int(last)):
        raise typer.BadParameter(f"--tasks is {text!r}; expected FIRST:LAST, such as 0:100")
    if store is None:
        raise typer.BadParameter("--tasks does a share of the work; give a shared folder: --store")
    return range(int(first), int(last))


def _check_target(target: Path) -> None:
    from ..errors import ResultError

    if target.suffix != ".nc":
        raise ResultError(f"--output {target}: use the suffix .nc")
    try:  # before the work, not after it
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a folder")
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise ResultError.of(error, target, "write") from None


def _check_folder(folder: Path, go_on: bool) -> None:
    from ..errors import ResultError

    if folder.exists() and any(folder.iterdir()) and not go_on:
        raise ResultError(
            f"{folder} is from an earlier sweep; continue it with --resume, or delete it"
        )
    if not folder.exists() and go_on and not folder.parent.is_dir():
        raise ResultError(f"{folder}: there is no folder {folder.parent}; correct the path")


def _write(dataset: Any, target: Path) -> None:
    """Write the dataset; HDF5 wants a lock of its own, hence a second temporary file."""
    from ..results.files.disk import replacing

    with replacing(target) as temporary:
        place = Path(temporary)
        whole = place.with_name(f".hdf5{place.name}")
        try:
            dataset.to_netcdf(whole, engine="h5netcdf")
            whole.replace(place)
        finally:
            whole.unlink(missing_ok=True)
