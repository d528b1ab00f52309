"""A wheel installs into an empty environment without a compiler, with the core's packages alone, and works.

With the packages of the extra `console` beside them it serves the console, too.

It is built from this tree by the command of `make wheel`. The dependencies are linked from the environment of
the tests, so that the test needs no network. The build takes what `make setup` has compiled.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import urllib.request
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import pytest

from tests.flow_station import COPY
from tests.uncompiled import ROOT

pytestmark = pytest.mark.installed

PROGRAM = """
import sys
import penstock

with penstock.embed("QM1", create=True) as qm:
    qm.mqsc("DEFINE QLOCAL(IN)\\nDEFINE QLOCAL(OUT)", check=True)
    qm.put("IN", b"hello", persistent=True)
assert not {"pyspark", "starlette", "psycopg", "opentelemetry"} & set(sys.modules)
from penstock.model import message
assert message.__file__.endswith(".so"), message.__file__
"""


def packages(extra: str = "") -> set[str]:
    """Return the distributions that the core install needs, or an extra, with all that they need."""
    if not extra:
        return needed("penstock")
    listed = [text for text in distribution("penstock").requires or () if f'extra == "{extra}"' in text]
    names = {re.split(r"[^\w.-]", text, maxsplit=1)[0] for text in listed}
    return names.union(*map(needed, names))


def needed(name: str) -> set[str]:
    """Return what a distribution needs without extras."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for text in distribution(waiting.pop()).requires or ():
            name = re.split(r"[^\w.-]", text, maxsplit=1)[0]
            if "extra ==" not in text and name not in found and is_installed(name):
                found.add(name)
                waiting.append(name)
    return found


def is_installed(name: str) -> bool:
    """Return whether this platform needs a package; pip has installed all that it needs."""
    try:
        return bool(distribution(name))
    except PackageNotFoundError:
        return False


def link_packages(site: Path, names: set[str]) -> None:
    for name in names:
        known = distribution(name)
        tops = {Path(str(file)).parts[0] for file in known.files or () if ".." not in Path(str(file)).parts}
        for top in tops - {"__pycache__"}:
            if not (site / top).exists():
                (site / top).symlink_to(Path(str(known.locate_file(top))))


def test_a_wheel_runs_queue_manager_and_flow_without_a_compiler(tmp_path: Path) -> None:
    wheels, place = tmp_path / "wheels", tmp_path / "venv"
    pip = [sys.executable, "-m", "pip"]
    build = [*pip, "wheel", "-qq", "--no-build-isolation", "--no-deps", "-w", str(wheels), str(ROOT)]
    subprocess.run(build, check=True, timeout=1800, cwd=ROOT)
    (wheel,) = wheels.glob("penstock-*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True, timeout=60)
    (site,) = place.glob("lib/python*/site-packages")
    link_packages(site, packages())
    install = [*pip, "--python", str(place), "install", "-qq", "--no-deps", "--no-index", str(wheel)]
    environment = {"PATH": f"{place}/bin", "HOME": str(tmp_path), "PENSTOCK_HOME": str(tmp_path / "home")}
    subprocess.run(install, check=True, timeout=600, env={**os.environ, "CC": "/bin/false"})

    def run(*words: str) -> str:
        done = subprocess.run(
            words, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr or done.stdout
        return done.stdout

    project = tmp_path / "project" / "flows"
    project.mkdir(parents=True)
    (project / "copy.py").write_text(COPY.format(queue="OUT"))
    run(f"{place}/bin/python", "-c", PROGRAM)
    command = f"{place}/bin/penstock"
    run(command, "flow", "run", "copy", "-p", "project", "-m", "QM1", "--engine", "inline", "--until-empty")
    assert "hello" in run(command, "browse", "OUT", "-m", "QM1")
    assert "penstock[console]" in run_failing(f"{place}/bin/penstock", "console", env=environment)
    link_packages(site, packages("console"))
    process = subprocess.Popen(
        [command, "console", "--json"], env=environment, cwd=tmp_path, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        address = json.loads(process.stdout.readline())["address"]
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(address, timeout=60) as page:
            assert "QM1" in page.read().decode()
    finally:
        process.terminate()
        process.communicate(timeout=60)


def run_failing(*words: str, env: dict[str, str]) -> str:
    done = subprocess.run(words, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode != 0
    return done.stderr + done.stdout
