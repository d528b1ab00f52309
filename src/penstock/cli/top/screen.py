"""The screen of `penstock top`: what is shown, and what keys change. Drawing is rich's."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.cli.top.views import COLUMNS, VIEWS, arranged, text_of

if TYPE_CHECKING:
    from rich.console import RenderableType

    from penstock.cli.top.views import Sample

INTERVALS = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
HELP = (
    "1 queues  2 channels  3 flows  4 log  o/O next or previous column to sort by  r reverse  "
    "/ filter, Enter ends it  space pause  +/- slower or faster  ? help  q quit"
)
ENTER, BACKSPACES, FRAME_LINES = ("\r", "\n"), ("\x7f", "\b"), 7


@dataclass
class Screen:
    """What the user has chosen."""

    view: str = VIEWS[0]
    sort: int = 1  # column
    reverse: bool = True
    pattern: str = ""
    typing: bool = False  # the filter
    paused: bool = False
    help: bool = False
    ended: bool = False
    interval: int = 2  # in INTERVALS

    @property
    def seconds(self) -> float:
        """The time between two looks."""
        return INTERVALS[self.interval]

    @property
    def sorted_by(self) -> str:
        """The column that the rows are sorted by."""
        columns = COLUMNS[self.view]
        return columns[self.sort % len(columns)]

    def press(self, key: str) -> None:
        """Do what a key asks."""
        if self.typing:
            self._type(key)
        elif key.isdigit() and 0 < int(key) <= len(VIEWS):
            self.view, self.sort, self.reverse = VIEWS[int(key) - 1], 1, True
        elif key in "oO":
            self.sort = (self.sort + (1 if key == "o" else -1)) % len(COLUMNS[self.view])
        elif key == "r":
            self.reverse = not self.reverse
        elif key == "/":
            self.typing, self.pattern = True, ""
        elif key == " ":
            self.paused = not self.paused
        elif key in "+-":
            step = 1 if key == "+" else -1
            self.interval = min(max(0, self.interval + step), len(INTERVALS) - 1)
        elif key == "?":
            self.help = not self.help
        elif key == "q":
            self.ended = True

    def _type(self, key: str) -> None:
        if key in ENTER or key.startswith("\x1b"):
            self.typing = False
        elif key in BACKSPACES:
            self.pattern = self.pattern[:-1]
        elif key.isprintable():
            self.pattern += key

    def draw(self, sample: Sample, height: int) -> RenderableType:
        """Return what the terminal shows."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        columns = COLUMNS[self.view]
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in columns:
            marked = f"{column} {'▼' if self.reverse else '▲'}" if column == self.sorted_by else column
            table.add_column(marked, justify="left" if column == columns[0] else "right", no_wrap=True)
        rows = arranged(sample.rows.get(self.view, []), columns, self.sorted_by, self.reverse, self.pattern)
        space = max(1, height - FRAME_LINES)
        for row in rows[:space]:
            table.add_row(*(text_of(row.get(column)) for column in columns))
        hidden = f"{len(rows) - space:,} more; narrow them with /" if len(rows) > space else ""
        return Group(Text(self._head(sample)), Text(self._line()), Text(""), table, Text(hidden, style="dim"))

    def _head(self, sample: Sample) -> str:
        totals = sample.totals
        when = time.strftime("%H:%M:%S", time.localtime(sample.at))
        return (
            f"{sample.name}  {when}  messages {text_of(int(totals['messages']))}  "
            f"in {text_of(totals['put_rate'])}/s  out {text_of(totals['get_rate'])}/s  "
            f"syncs {text_of(totals['sync_rate'])}/s  log {totals['log_percent']:.0f} %  "
            f"connections {text_of(int(totals['connections']))}"
        )

    def _line(self) -> str:
        if self.help:
            return HELP
        state = "paused" if self.paused else f"every {self.seconds:g} s"
        chosen = f"  filter {self.pattern}{'_' if self.typing else ''}" if self.pattern or self.typing else ""
        return f"{self.view}  {state}{chosen}  ? for help"
