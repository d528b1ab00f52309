"""Lines of code in `src`, without blank lines, comments, docstrings and the texts of reason codes.

`python -m tests.code_lines [REVISION]` prints them for each room, at a commit and in the working tree.
A room that was renamed or split is compared as one: `wire` became `protocol`, `client` and `serve`.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from pathlib import Path

SOURCE = re.compile(r"src/.*\.(py|pyi|pyx|pxd)$")
REASONS = re.compile(r"model/reasons_\d+\.py$")
SILENT = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
HELD = {"wire", "protocol", "client", "serve", "host", "face", "tools"}
HELD_NAME = "host, wire (now face, tools, protocol, client, serve)"


def code_lines(text: str) -> int:
    """Return on how many lines some code stands."""
    lines: set[int] = set()
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in SILENT:
            begins = begins or token.type in {tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
            continue
        if not (begins and token.type == tokenize.STRING):
            lines.update(range(token.start[0], token.end[0] + 1))
        begins = False
    return len(lines)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], check=True, capture_output=True, text=True).stdout


def counted(revision: str | None) -> Counter[str]:
    """Return the lines of each room, of a commit or of the working tree."""
    listed = ("ls-tree", "-r", "--name-only", revision) if revision else ("ls-files",)
    rooms: Counter[str] = Counter()
    for path in _git(*listed, "src").splitlines():
        if SOURCE.match(path) and not REASONS.search(path):
            text = _git("show", f"{revision}:{path}") if revision else Path(path).read_text(encoding="utf-8")
            parts = path.split("/")
            room = parts[2] if len(parts) > 3 else "-"
            rooms[HELD_NAME if room in HELD else room] += code_lines(text)
    return rooms


def main(revision: str) -> None:
    """Print both counts for each room."""
    before, after = counted(revision), counted(None)
    for room in sorted(before | after):
        print(f"{room:55} {before[room]:7} {after[room]:7}")
    old = sum(after[room] for room in before)
    print(
        f"{'rooms that were there':55} {before.total():7} {old:7} {100 * (old / before.total() - 1):+.1f} %"
    )
    print(
        f"{'all':55} {before.total():7} {after.total():7} {100 * (after.total() / before.total() - 1):+.1f} %"
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "HEAD")
