"""MQBNO: what a program gives, and what `mqclient.ini` specifies for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock import Balancing, MQError
from penstock.client.balancing import balancing_of
from penstock.model import constants as mq

INI = """\
# of all programs here
CHANNELS:
   Type=not of balancing
Application:
   Name=orders
   Type=ReqRep
   BalanceTimeout=30
   BalanceOptions=IgnTrans
Application:
   BalanceTimeout=Never
   Name=reports
   Type=Simple
Application:
   Name=adapter
   Type=Managed
   BalanceTimeout=5
ApplicationDefaults:
   Type=Simple
   BalanceTimeout=Immediate
"""


@pytest.mark.parametrize(
    ("application", "wanted"),
    [
        ("orders", Balancing("REQREP", 30.0, True)),
        ("reports", Balancing("SIMPLE", None)),
        ("adapter", Balancing("SIMPLE", None)),
        ("other", Balancing("SIMPLE", 0.0)),
    ],
)
def test_an_application_has_its_stanza_or_the_defaults(
    tmp_path: Path, application: str, wanted: Balancing
) -> None:
    file = tmp_path / "client.ini"
    file.write_text(INI)

    assert balancing_of(application, {"MQCLNTCF": str(file)}) == wanted


def test_the_current_folder_comes_before_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    for folder, timeout in ((home, 1), (here, 2)):
        folder.mkdir()
        text = f"ApplicationDefaults:\n   Type=Simple\n   BalanceTimeout={timeout}\n"
        (folder / "mqclient.ini").write_text(text)
    monkeypatch.chdir(here)

    assert balancing_of("any", {"HOME": str(home)}).timeout == 2
    (here / "mqclient.ini").unlink()
    assert balancing_of("any", {"HOME": str(home)}).timeout == 1
    (home / "mqclient.ini").unlink()
    assert balancing_of("any", {"HOME": str(home)}) == Balancing("SIMPLE", 10.0, False)


@pytest.mark.parametrize(
    ("stanza", "named"),
    [
        ("Type=Simple", "balancetimeout"),
        ("BalanceTimeout=5", "type"),
        ("Type=Other\nBalanceTimeout=5", "OTHER"),
        ("Type=Simple\nBalanceTimeout=soon", "soon"),
        ("Type=Simple\nBalanceTimeout=9999999999", "999999999"),
        ("Type=Simple\nBalanceTimeout=5\nBalanceOptions=All", "all"),
    ],
)
def test_a_stanza_that_makes_no_sense_is_refused_by_name(tmp_path: Path, stanza: str, named: str) -> None:
    file = tmp_path / "client.ini"
    file.write_text(f"ApplicationDefaults:\n{stanza}\n")

    with pytest.raises(MQError, match=named) as refused:
        balancing_of("any", {"MQCLNTCF": str(file)})

    assert refused.value.reason == mq.MQRC_BNO_ERROR


@pytest.mark.parametrize(
    "given", [{"type": "OTHER"}, {"timeout": -1}, {"timeout": "soon"}, {"timeout": True}]
)
def test_values_of_a_program_are_checked(given: dict[str, Any]) -> None:
    with pytest.raises(MQError) as refused:
        Balancing(**given)

    assert refused.value.reason == mq.MQRC_BNO_ERROR
