"""What tests need and this version may lack: a probe for each, and the sentence that `lab list` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tools import own_postgresql

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.lab.catalogue.test_file import Test

RUNS, WAITS, NEVER = "runs", "waits", "never"


class Need(NamedTuple):
    """Something that a test needs."""

    there: Callable[[], bool]
    reason: str
    never: bool = False


def _no() -> bool:
    return False


NEEDS = {
    "shared queues": Need(own_postgresql.is_installed, f"it needs pip install {own_postgresql.PACKAGES}"),
    "JMS": Need(_no, "there is no JMS here; the tests without it show the same scenario", never=True),
    "IMS": Need(_no, "there is no IMS here", never=True),
}


def state(test: Test) -> tuple[str, str]:
    """Return whether a test runs, waits for something or never runs, and the reason."""
    missing = []
    for name in test.needs:
        need = NEEDS.get(name)
        if need is None:
            raise error(mq.PSRC_LAB_FILE, f"{test.test}: no need is called {name!r}", test=test.test)
        if not need.there():
            missing.append(need)
    if not missing:
        return RUNS, ""
    return (NEVER if any(need.never for need in missing) else WAITS), missing[0].reason
