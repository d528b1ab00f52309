"""The page of the wire protocol has the numbers of `protocol/numbers.py`, and every verb."""

import re

import pytest

from penstock.protocol import numbers as protocol
from penstock.serve.conversations import verbs, worker_verbs
from tests.uncompiled import ROOT

PAGE = (ROOT / "docs" / "internals" / "protocol.md").read_text()
ROWS = dict(re.findall(r"^\| ([A-Z_]+) \| (\d+) \|", PAGE, re.MULTILINE))
pytestmark = pytest.mark.installed


def kinds_and_flags() -> set[str]:
    """Return the names in the source between the first request and the persistence of a put."""
    source = (ROOT / "src" / "penstock" / "protocol" / "numbers.py").read_text()
    part = source.partition("# Requests.")[2].partition("# Persistence")[0]
    return set(re.findall(r"^([A-Z_]+) = ", part, re.MULTILINE))


def test_every_number_on_the_page_is_the_code_s() -> None:
    wrong = {name: value for name, value in ROWS.items() if getattr(protocol, name, None) != int(value)}

    assert ROWS
    assert wrong == {}


def test_every_frame_kind_flag_feature_and_limit_is_on_the_page() -> None:
    features = {name for name in vars(protocol) if name.startswith("FEATURE_")}
    limits = {name for name in vars(protocol) if name.endswith("_MAX") and name != "VERSION_MAX"}

    assert kinds_and_flags() | features | limits <= set(ROWS)


def test_versions_and_magic_are_on_the_page() -> None:
    assert f"`{protocol.MAGIC.decode()}`" in PAGE
    assert f"Version {protocol.VERSION_MAX}." in PAGE
    assert f"the oldest version this end speaks: {protocol.VERSION_MIN}" in PAGE


def test_every_verb_is_on_the_page() -> None:
    rows = re.findall(r"^\| ((?:`[a-z_]+`(?:, )?)+) \|", PAGE, re.MULTILINE)
    named = {verb for row in rows for verb in re.findall(r"`([a-z_]+)`", row)}

    assert {*verbs.VERBS, *worker_verbs.VERBS} <= named
