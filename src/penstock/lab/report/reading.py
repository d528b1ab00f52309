"""Reads the folders of runs for report, comparison and planner: figures of each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.summary import figures

if TYPE_CHECKING:
    from penstock.lab.run.folder import RunFolder


def figures_of(folder: RunFolder) -> list[dict[str, Any]]:
    """Return the figures of all steps of a run."""
    return figures(*(folder.rows(name) for name in ("steps", "samples", "times", "processes", "facts")))
