"""PDF of a report by the system's Chromium, which prints the page as a reader would."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS_MAX = 180.0


def browser() -> str | None:
    """Return the browser of this machine, if it has one."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


def print_pdf(page: Path, target: Path) -> None:
    """Print a page; 8604 without a browser."""
    program = browser()
    if program is None:
        raise error(mq.PSRC_LAB_PACKAGE, f"PDF is printed by one of {', '.join(BROWSERS)}")
    with tempfile.TemporaryDirectory() as profile:
        words = (
            "--headless",
            "--disable-gpu",
            "--no-sandbox",
            "--no-pdf-header-footer",
            "--disable-dev-shm-usage",
        )
        subprocess.run(
            [
                program,
                *words,
                f"--user-data-dir={profile}",
                f"--print-to-pdf={target}",
                page.resolve().as_uri(),
            ],
            check=True,
            capture_output=True,
            timeout=SECONDS_MAX,
        )
