"""The public names: listed once, in the stub of a package, and each can be had.

A name that is listed and cannot be had breaks `from penstock import *` for everybody.
"""

from __future__ import annotations

import builtins
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import penstock
from penstock.model import errors
from tests.uncompiled import ROOT, SOURCE

pytestmark = pytest.mark.installed
PACKAGES = ("penstock", "penstock.esql", "penstock.flow", "penstock.testing")
ONE_NAME = re.compile(r"from (penstock[\w.]*) import (\w+) as \2")


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_of_a_package_can_be_had(package: str) -> None:
    module = import_module(package)
    missing = [name for name in module.__all__ if getattr(module, name, None) is None]
    assert missing == []
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("package", PACKAGES)
def test_a_star_brings_every_name_and_hides_no_builtin(package: str) -> None:
    names: dict[str, object] = {}
    exec(f"from {package} import *", names)
    assert set(import_module(package).__all__) <= names.keys()
    assert set(import_module(package).__all__) & set(dir(builtins)) == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_a_stub_has_one_name_per_line(package: str) -> None:
    lines = (SOURCE.joinpath(*package.split(".")) / "__init__.pyi").read_text().splitlines()
    assert [line for line in lines if "import" in line and not ONE_NAME.fullmatch(line)] == []


def test_every_error_that_a_program_can_catch_is_public() -> None:
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]
    families = {kind.__name__ for kind in kinds if issubclass(kind, penstock.MQError)}
    assert families <= set(penstock.__all__)


def test_every_name_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "reference" / "python.md").read_text()
    for package in PACKAGES:
        missing = [name for name in import_module(package).__all__ if not re.search(rf"\b{name}\b", page)]
        assert missing == [], package


def test_a_name_that_is_none_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="ConnectionError"):
        penstock.ConnectionError  # noqa: B018


def test_importing_penstock_loads_no_room_but_the_names(tmp_path: Path) -> None:
    program = "import sys, penstock; print(*(name for name in sys.modules if name.startswith('penstock.')))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert shown.stdout.split() == ["penstock.lazy_names"]


def test_one_plugin_gives_the_fixtures_of_flows_and_esql(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["penstock.testing.pytest_plugin"]\n')
    (tmp_path / "test_both.py").write_text("def test_both(flow_rig, esql):\n    assert flow_rig and esql\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
