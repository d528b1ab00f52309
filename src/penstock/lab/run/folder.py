"""The folder of a run: raw measurements as Parquet, with machine, version and command.

`run.json` describes the run; `steps/<id>/` has a finished step, written beside and renamed last, so a killed
run leaves at most one unfinished step; `fold` makes one file of each kind at the end. No host or user
name and no path is kept. Columns are in docs/reference/laboratory.md.
"""

from __future__ import annotations

import fcntl
import json
import secrets
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA = 1
TABLES = ("steps", "samples", "times", "processes", "facts")
COLUMNS: dict[str, dict[str, str]] = {
    "steps": {
        "step_id": "string", "test": "string", "variant": "string", "x_name": "string", "x": "float64",
        "round": "int16", "place": "int32", "sitting": "int16", "begun": "float64", "warm_s": "float32",
        "window_s": "float32", "state": "string", "why": "string", "measured": "string", "unit": "string",
        "offered": "float64", "messages": "float64", "foreign_percent": "float32", "kind": "string",
    },
    "samples": {
        "step_id": "string", "role": "string", "slice": "int16", "seconds": "float64", "operations": "int64",
        "bytes": "int64", "errors": "int64", "overdue": "int64",
    },
    "times": {
        "step_id": "string", "role": "string", "kind": "string", "slice": "int16", "bucket": "int16",
        "count": "int64",
    },
    "processes": {
        "step_id": "string", "part": "string", "cpu_ns": "int64", "busiest_thread_ns": "int64",
        "waited_ns": "int64", "switches_voluntary": "int64", "switches_forced": "int64",
        "read_bytes": "int64", "write_bytes": "int64", "write_calls": "int64", "rss_bytes": "int64",
        "threads": "int64",
    },
    "facts": {"step_id": "string", "name": "string", "value": "float64"},
}  # fmt: skip


def arrow() -> Any:
    """Return pyarrow; 8604 without it."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as _  # noqa: F401 - part of it from now on
    except ImportError:
        raise error(mq.PSRC_LAB_PACKAGE, "raw samples are written with pyarrow") from None
    return pa


class RunFolder:
    """One run on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    @classmethod
    def create(cls, path: Path | None, about: dict[str, Any]) -> RunFolder:
        """Begin a run in a new folder; 8603 when there is something in it already."""
        if path is None:
            stamp = time.strftime("%Y%m%d-%H%M%S")
            path = Path(f"lab-{stamp}-{about['tier']}-{secrets.token_hex(2)}")
        if path.exists() and any(path.iterdir()):
            raise error(
                mq.PSRC_LAB_RUN, f"{path} is not empty; take a run up again with --resume", folder=str(path)
            )
        folder = cls(path)
        (path / "steps").mkdir(parents=True)
        folder.write_about(about)
        return folder

    @classmethod
    def existing(cls, path: Path) -> RunFolder:
        """Open a run that was begun; 8602 if there is none."""
        if not (path / "run.json").is_file():
            raise error(
                mq.PSRC_LAB_FILE, f"{path} has no run.json: it is not the folder of a run", folder=str(path)
            )
        folder = cls(path)
        found = folder.about().get("schema")
        if found != SCHEMA:
            raise error(mq.PSRC_LAB_FILE, f"{path} has schema {found}; this version reads {SCHEMA}")
        return folder

    def lock(self) -> Any:
        """Keep others out while a conductor writes; 8603 if there is one already."""
        file = (self.path / ".lock").open("w")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise error(mq.PSRC_LAB_RUN, f"{self.path}: another process writes this run") from None
        return file

    def about(self) -> dict[str, Any]:
        """Return the contents of run.json."""
        about: dict[str, Any] = json.loads((self.path / "run.json").read_text())
        return about

    def write_about(self, about: dict[str, Any]) -> None:
        """Write run.json, whole or not at all."""
        part = self.path / ".run.json"
        part.write_text(json.dumps({"schema": SCHEMA, **about}, indent=1) + "\n")
        part.rename(self.path / "run.json")

    def finished(self) -> dict[str, dict[str, Any]]:
        """Return the summaries of finished steps by their ids."""
        found = sorted((self.path / "steps").glob("*/step.json"))
        return {
            path.parent.name: json.loads(path.read_text()) for path in found if path.parent.name[0] != "."
        }

    def write_step(
        self, step_id: str, summary: dict[str, Any], tables: dict[str, list[dict[str, Any]]]
    ) -> None:
        """Write a finished step; it exists once it is renamed."""
        part, whole = self.path / "steps" / f".{step_id}", self.path / "steps" / step_id
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        for name, rows in tables.items():
            self._write(part / f"{name}.parquet", name, rows)
        (part / "step.json").write_text(json.dumps(summary) + "\n")
        part.rename(whole)

    def fold(self) -> None:
        """Make one file of each kind from those of all steps."""
        pa = arrow()
        for name in TABLES:
            files = sorted((self.path / "steps").glob(f"[!.]*/{name}.parquet"))
            if files:
                tables = [pa.parquet.read_table(path) for path in files]
                self._save(pa.concat_tables(tables), self.path / f"{name}.parquet")

    def rows(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the rows of one kind."""
        pa = arrow()
        for path in self.files(name):
            yield from pa.parquet.read_table(path).to_pylist()

    def files(self, name: str) -> list[Path]:
        """Return the files that hold one kind of rows: the folded one, or those of the steps since then."""
        steps = sorted((self.path / "steps").glob(f"[!.]*/{name}.parquet"))
        folded = self.path / f"{name}.parquet"
        if not folded.exists():
            return steps
        made = folded.stat().st_mtime_ns
        return steps if any(path.stat().st_mtime_ns > made for path in steps) else [folded]

    def _write(self, path: Path, name: str, rows: list[dict[str, Any]]) -> None:
        pa = arrow()
        schema = pa.schema([(column, getattr(pa, kind)()) for column, kind in COLUMNS[name].items()])
        self._save(pa.Table.from_pylist(rows, schema=schema), path)

    def _save(self, table: Any, path: Path) -> None:
        arrow().parquet.write_table(table, path, compression="zstd")
