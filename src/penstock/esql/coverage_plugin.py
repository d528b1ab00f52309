"""A coverage.py plugin for `.esql` files: `plugins = penstock.esql.coverage_plugin` under `[run]`.

Compiled ESQL has the names and lines of its files, so coverage.py sees by itself what ran; this reports which
lines can run. Nothing else needs it: `penstock esql test` measures coverage itself. Only this module imports
the package `coverage`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from coverage.plugin import CoveragePlugin, FileReporter, FileTracer

from penstock.esql.compiler.compile import compile_sources
from penstock.esql.coverage import executable_lines
from penstock.esql.source import Source

if TYPE_CHECKING:
    from coverage.plugin_support import Plugins

SUFFIX = ".esql"


class EsqlTracer(FileTracer):
    """Reports that the lines seen in a file are the file's own."""

    def __init__(self, file: str) -> None:
        self.file = file

    def source_filename(self) -> str:
        return self.file


class EsqlReporter(FileReporter):
    """Reports which lines of a file can run; the files beside it are compiled with it, as in a project."""

    def lines(self) -> set[int]:
        files = sorted(Path(self.filename).parent.glob(f"*{SUFFIX}"))
        library = compile_sources([Source(str(each), each.read_text("utf-8")) for each in files])
        return executable_lines(library, self.filename)


class EsqlPlugin(CoveragePlugin):
    """Handles `.esql` files."""

    def file_tracer(self, filename: str) -> FileTracer | None:
        return EsqlTracer(filename) if filename.endswith(SUFFIX) else None

    def file_reporter(self, filename: str) -> FileReporter:
        return EsqlReporter(filename)


def coverage_init(registry: Plugins, options: dict[str, Any]) -> None:
    """Register the plugin: coverage.py calls this."""
    registry.add_file_tracer(EsqlPlugin())
