"""The web process dies in the middle of a job: no message is lost, none is there twice."""

from __future__ import annotations

import re
from html import unescape

import pytest

from tests.browser.conftest import Running, start_console
from tests.browser.test_safety import Client
from tests.patience import until

pytestmark = [pytest.mark.installed, pytest.mark.xdist_group("browser")]
MESSAGES = 1500
RATE = 300  # a second, so that the job is under way when it ends
FIELD = re.compile(r'<input[^>]*type="hidden"[^>]*>')


def hidden(page: str) -> dict[str, str]:
    """Return the hidden fields of the form that runs a plan."""
    form = page[page.index('action="/run"') :].partition("</form>")[0]
    fields = {}
    for field in FIELD.findall(form):
        name, value = re.search(r'name="([^"]*)"', field), re.search(r'value="([^"]*)"', field)
        if name is not None:
            fields[name[1]] = unescape(value[1]) if value is not None else ""
    return fields


def test_a_move_that_is_cut_off_loses_nothing_and_goes_on(running: Running) -> None:
    with running.qm() as qm:
        qm.mqsc("DEFINE QLOCAL(CUT.FROM) REPLACE\nDEFINE QLOCAL(CUT.TO) REPLACE", check=True)
        bodies = [b"%d" % number for number in range(MESSAGES)]
        with qm.unit_of_work():
            for body in bodies:
                qm.put("CUT.FROM", body, persistent=True)

        def depths() -> list[int]:
            return [row.depth for name in ("CUT.FROM", "CUT.TO") for row in qm.queues(name)]

        for is_cut in (True, False):
            process, line = start_console(running.served.home, "console")
            link = re.search(r"http://\S+", line)
            assert link is not None
            address, _, key = link.group().partition("?")
            client = Client(address.rstrip("/"))
            client.enter(*client.ask("/?" + key)[:2])
            plan = client.ask("/plan?qm=QM1&name=CUT.FROM&act=move&target=CUT.TO")[2]
            fields = {
                **hidden(plan),
                "target": "CUT.TO",
                "rate": str(RATE if is_cut else 0),
                "typed": "CUT.FROM",
            }
            status, _, text = client.ask("/run", fields, Origin=client.address, Sec_Fetch_Site="same-origin")
            assert status == 303, text[-500:]
            if is_cut:
                until(lambda: depths()[1] > 100)
                process.kill()
                process.wait()
                until(lambda: sum(depths()) == MESSAGES)  # the unit that was open is backed out
                assert depths()[0] > 0, "the job had ended before"
            else:
                until(lambda: depths() == [0, MESSAGES])
                process.terminate()
                process.wait()
            for stream in (process.stdin, process.stdout):
                assert stream is not None
                stream.close()
        assert [qm.get("CUT.TO").body for _ in range(MESSAGES)] == bodies  # type: ignore[union-attr]
        qm.mqsc("DELETE QLOCAL(CUT.FROM)\nDELETE QLOCAL(CUT.TO)", check=True)
