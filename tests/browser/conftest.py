"""One queue manager, one console and one browser for all browser tests: the system's Chromium and Playwright.

Without them the tests are skipped with the reason; PENSTOCK_BROWSER=required makes that a failure.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import penstock
import penstock.examples
from tests.served import Served
from tests.uncompiled import ROOT

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--disable-dev-shm-usage", "--disable-gpu", "--force-color-profile=srgb", "--hide-scrollbars"]
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
PICTURES = ROOT / "build" / "screenshots"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
RULES = f"async () => (await axe.run({{runOnly: {TAGS}}})).violations"
ORDERS = Path(next(iter(penstock.examples.__path__))) / "orders"
SCRIPT = """
DEFINE QLOCAL(ORDERS) DESCR('Incoming orders') MAXDEPTH(5000)
DEFINE QLOCAL(BILLING)
DEFINE QLOCAL(INVOICES)
DEFINE QLOCAL(SCRATCH)
DEFINE QLOCAL(BULK)
DEFINE QLOCAL(DEAD)
DEFINE QLOCAL(SECRETS)
DEFINE QLOCAL(CARDS)
DEFINE TOPIC(PRICES) TOPICSTR('prices')
DEFINE SUB(FRUIT) TOPICSTR('prices/fruit') DEST(BILLING)
ALTER QMGR DEADQ(DEAD)
DEFINE CHANNEL(APP.SVRCONN) CHLTYPE(SVRCONN)
DEFINE QLOCAL(TO.EAST) USAGE(XMITQ)
DEFINE CHANNEL(WEST.EAST) CHLTYPE(SDR) CONNAME('127.0.0.1(9)') XMITQ(TO.EAST)
DEFINE QREMOTE(EAST.ORDERS) RNAME(ORDERS) RQMNAME(EAST) XMITQ(TO.EAST)
SET AUTHREC OBJTYPE(QMGR) PRINCIPAL('viewer') AUTHADD(CONNECT,INQ,DSP)
SET AUTHREC PROFILE(ORDERS) OBJTYPE(QUEUE) PRINCIPAL('viewer') AUTHADD(DSP,BROWSE,INQ)
"""


def browser_path() -> str:
    """Return the browser to use; empty when there is none."""
    named = os.environ.get("PENSTOCK_BROWSER", "")
    if named not in ("", "required"):
        return named
    return next((found for name in BROWSERS if (found := shutil.which(name))), "")


def missing(reason: str) -> None:
    if os.environ.get("PENSTOCK_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass
class Running:
    """The console and what it serves."""

    served: Served
    process: subprocess.Popen[str]
    address: str
    projects: Path  # that can be deployed

    def new_link(self) -> str:
        """Return another address that works once."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def qm(self) -> penstock.ClientQueueManager:
        return self.served.local()


def start_console(home: Path, *words: str) -> tuple[subprocess.Popen[str], str]:
    """Start a console; return its process and its first line."""
    process = subprocess.Popen(
        [sys.executable, "-m", "penstock.cli.main", *words],
        env={**os.environ, "PENSTOCK_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    process.stdout.readline()
    return process, line


@pytest.fixture(scope="session")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    pytest.importorskip("starlette", reason="the packages of the extra console are not installed")
    served = Served(tmp_path_factory.mktemp("console"), script=SCRIPT)
    served.start()
    projects = tmp_path_factory.mktemp("projects")
    shutil.copytree(ORDERS, projects / "orders")
    process, line = start_console(served.home, "console", "--projects", str(projects))
    link = re.search(r"http://\S+", line)
    assert link is not None, line
    yield Running(served, process, link.group().partition("?")[0].rstrip("/"), projects)
    process.terminate()
    assert process.wait(60) == 0
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    served.stop()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser for one module's tests: while it is open, Playwright's event loop runs in this thread."""
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        missing("playwright is not installed")
    path = browser_path()
    if not path:
        missing("there is no Chromium on this machine: apt-get install chromium, or set PENSTOCK_BROWSER")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, chromium_sandbox=False, args=ARGUMENTS)
        yield browser
        browser.close()


def visitor(chromium: Any) -> Any:
    """Return a browser of its own, without cookies. Every test's browser comes from here: none may move."""
    return chromium.new_context(
        viewport=WIDE, locale="en-GB", timezone_id="UTC", reduced_motion="reduce", color_scheme="light"
    )


@pytest.fixture(scope="module")
def session(chromium: Any, running: Running) -> Iterator[Any]:
    """A browser that has entered by the printed address."""
    context = visitor(chromium)
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=running.address)
    page = context.new_page()
    page.goto(running.new_link())
    assert page.title() == "Overview · Penstock"
    page.close()
    yield context
    context.close()


@pytest.fixture
def page(session: Any, running: Running) -> Iterator[Any]:
    """A page that must not have errors, nor break the content security policy, nor scroll sideways."""
    problems: list[str] = []
    made = session.new_page()
    made.on("console", lambda each: each.type == "error" and problems.append(each.text))
    made.on("pageerror", lambda each: problems.append(str(each)))
    yield made
    made.close()
    assert not [each for each in problems if "status of 4" not in each], problems


def pictures(page: Any, name: str) -> None:
    """Take the page in light, dark and phone width, and check that nothing is wider than the window."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    for kind, size, scheme in (("light", WIDE, "light"), ("dark", WIDE, "dark"), ("phone", PHONE, "light")):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # no colour half-way
        page.screenshot(path=PICTURES / f"{name}-{kind}.png")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{name} scrolls sideways"
        check_accessible(page, f"{name}, {kind}")
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light", reduced_motion="reduce")


def check_accessible(page: Any, where: str) -> None:
    """Have axe-core look at the page: it finds nothing serious or critical."""
    axe = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    if not page.evaluate("typeof axe !== 'undefined'"):
        page.evaluate((Path(axe.__file__).parent / "axe.min.js").read_text("utf-8"))  # the CSP stays in force
    found = page.evaluate(RULES)
    serious = [each for each in found if each["impact"] in ("serious", "critical")]
    told = [
        f"{each['id']}: {each['help']}: {[node['html'][:200] for node in each['nodes'][:3]]}"
        for each in serious
    ]
    assert not serious, f"{where}: {told}"
