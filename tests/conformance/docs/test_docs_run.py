"""All code in README and docs runs, and prints what the page says.

```python blocks of a page share one namespace and run in order. ```console blocks hold `$ command` lines
and the output expected after each, where `...` stands for anything. Each page has a folder and a
PENSTOCK_HOME of its own. Other fences (sh, text, mqsc) are not run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.uncompiled import ROOT

FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS_MAX = 60
SPARK_SECONDS_MAX = 300
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]


@dataclass
class Block:
    kind: str
    code: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text()
    found = [Block(m[1], m[2], text.count("\n", 0, m.start()) + 2) for m in FENCE.finditer(text)]
    return [block for block in found if block.kind in ("python", "console")]


def pages_with_code() -> list[Path]:
    return [page for page in PAGES if blocks(page)]


@pytest.mark.installed
@pytest.mark.parametrize("page", pages_with_code(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_code_of_a_page_runs_and_prints_what_the_page_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if "penstock.spark" in page.read_text():
        run_apart(page)
        return
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(page):
        where = f"{page.relative_to(ROOT)}:{block.line}"
        if block.kind == "python":
            run_python(block, namespace, where)
        else:
            run_console(block, where)


def run_apart(page: Path) -> None:
    """Run a page that starts Spark: what is typed first, then its Python in one process of its own."""
    home, shared = Path(os.environ["PENSTOCK_HOME"]), ROOT / "build" / "spark-home" / ".spark"
    home.mkdir(exist_ok=True)
    shared.mkdir(parents=True, exist_ok=True)
    (home / ".spark").symlink_to(shared)  # the class archive of other tests
    for block in blocks(page):
        if block.kind == "console":
            run_console(block, f"{page.relative_to(ROOT)}:{block.line}")
    code = "\n".join(block.code for block in blocks(page) if block.kind == "python")
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            timeout=SPARK_SECONDS_MAX,
            check=False,
        )
    finally:
        subprocess.run(["penstock", "qmgr", "stop", "QM1"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert_printed(done.stdout, promises(code), str(page.relative_to(ROOT)))


def run_python(block: Block, namespace: dict[str, object], where: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * (block.line - 1) + block.code, where, "exec"), namespace)
    assert_printed(printed.getvalue(), promises(block.code), where)


def promises(code: str) -> list[str]:
    """Return what the comments after `print(...)` say that it prints."""
    return re.findall(r"^[^#\n]*\bprint\(.*\)\s+# (.+)$", code, re.MULTILINE)


def assert_printed(printed: str, promised: list[str], where: str) -> None:
    """Comments after `print(...)` say what it prints; each must have been, in that order."""
    rest = iter(printed.splitlines())
    for line in promised:
        assert any(pattern(line).fullmatch(f"{each}\n") for each in rest), (
            f"{where}: {line!r} is not in\n{printed}"
        )


def run_console(block: Block, where: str) -> None:
    for step in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
        command, expected = split_step(step)
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, timeout=SECONDS_MAX, check=False
        )
        shown = done.stdout + done.stderr
        lines = "".join(f"{line.rstrip()}\n" for line in shown.rstrip().splitlines())
        assert pattern(expected.rstrip()).fullmatch(lines), f"{where}: $ {command}\n{shown}"


def split_step(step: str) -> tuple[str, str]:
    """A command goes on while its lines end in a backslash, or until its here-document ends."""
    lines = step.splitlines(keepends=True)
    last = 1
    while lines[last - 1].rstrip().endswith("\\"):
        last += 1
    here = re.search(r"<<\s*'?(\w+)'?", lines[0])
    if here:
        last = next(number for number, line in enumerate(lines, 1) if line.rstrip() == here[1])
    return "".join(lines[:last]).rstrip("\n"), "".join(lines[last:])


def pattern(expected: str) -> re.Pattern[str]:
    """`...` alone on a line stands for any lines, inside a line for any characters."""
    lines = [r"[^\n]*".join(map(re.escape, line.split("..."))) + r"\n" for line in expected.splitlines()]
    return re.compile("".join(r"(?:[^\n]*\n)*?" if line == r"[^\n]*\n" else line for line in lines))


def test_links_between_pages_lead_somewhere():
    broken = []
    for page in [*PAGES, *ROOT.glob("*.md")]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
            if not target.startswith("http") and not (page.parent / target).exists():
                broken.append(f"{page.relative_to(ROOT)} -> {target}")

    assert broken == []


def test_the_first_screen_of_the_readme_holds_commands_and_code():
    first_screen = (ROOT / "README.md").read_text().splitlines()[:60]

    assert any("make demo" in line for line in first_screen)
    assert any("import penstock" in line for line in first_screen)


def test_no_page_names_a_package_index_or_a_path_of_somebodys_machine():
    wrong = re.compile(r"pypi\.|simple/|/root/|/home/\w+/|index-url")
    found = [str(page) for page in [*PAGES, *ROOT.glob("*.md")] if wrong.search(page.read_text())]

    assert found == []


def test_the_index_links_every_page():
    index = (ROOT / "docs" / "README.md").read_text()
    pages = [str(page.relative_to(ROOT / "docs")) for page in sorted((ROOT / "docs").rglob("*.md"))]

    assert [page for page in pages if page != "README.md" and f"]({page})" not in index] == []


def test_the_architecture_names_files_that_are_there():
    text = (ROOT / "ARCHITECTURE.md").read_text()
    named = re.findall(r"`(?:src/penstock/)?((?:\w+/)+\w+\.pyx?)`", text)

    missing = [
        name for name in named if not any((ROOT / top / name).exists() for top in ("src/penstock", "."))
    ]

    assert len(named) > 10
    assert missing == []
