"""`penstock demo --shared` runs as root and as another user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import SECONDS

pytestmark = [pytest.mark.crash, pytest.mark.installed]
ANOTHER = "65534"
START = """
import io, pathlib, sys
from rich.console import Console
from penstock.cli import demo_shared
with demo_shared._server(Console(file=io.StringIO()), pathlib.Path(sys.argv[1])) as url:
    import psycopg
    print(psycopg.connect(url).execute("select 1").fetchone())
"""


def as_another_user() -> list[str]:
    """Return the words that run a command as another user, who can read this installation."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("root and setpriv are needed to become another user")
    reads = "+dac_read_search"
    words = [f"--reuid={ANOTHER}", f"--regid={ANOTHER}", "--clear-groups"]
    return ["setpriv", *words, f"--inh-caps={reads}", f"--ambient-caps={reads}"]


def run(words: list[str], folder: Path, seconds: float = SECONDS) -> str:
    environment = {**os.environ, "HOME": str(folder), "TMPDIR": "/tmp"}
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=seconds, check=False, cwd="/", env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def folder() -> Path:
    """A folder that the other user may use."""
    found = Path(subprocess.check_output(["mktemp", "-d", "/tmp/penstock-demo-XXXXXX"], text=True).strip())
    found.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(found, int(ANOTHER), int(ANOTHER))
    return found


def test_another_user_has_a_server_although_root_had_one(folder: Path) -> None:
    """The lock file that root's servers leave in /tmp is not for others."""
    try:
        words = [*as_another_user(), sys.executable, "-P", "-c", START, str(folder)]
        assert "(1,)" in run(words, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.soak
@pytest.mark.parametrize("user", ["this", "another"])
def test_the_demo_counts_every_message(folder: Path, user: str) -> None:
    words = [sys.executable, "-P", "-m", "penstock.cli.main", "demo", "--shared", "--orders", "300"]
    try:
        said = run(words if user == "this" else [*as_another_user(), *words], folder, 4 * SECONDS)
        assert "lost 0, doubled 0, left behind 0" in said
    finally:
        shutil.rmtree(folder, ignore_errors=True)
