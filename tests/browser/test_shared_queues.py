"""Messages of a queue-sharing group in the console: they are seen at any member, and taken by nobody."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import check_accessible, start_console, visitor
from tests.group_servers import GroupServers, group_servers
from tests.patience import until

pytestmark = [pytest.mark.installed, pytest.mark.xdist_group("browser")]
SCRIPT = """DEFINE CFSTRUCT(APPL1) RECOVER(YES) OFFLOAD(DB2)
DEFINE QLOCAL(SHARED.ORDERS) QSGDISP(SHARED) CFSTRUCT(APPL1)
DEFINE QLOCAL(SHARED.DONE) QSGDISP(SHARED) CFSTRUCT(APPL1)"""


@pytest.fixture
def group(postgresql: str, tmp_path: Path) -> Iterator[GroupServers]:
    pytest.importorskip("starlette", reason="the packages of the extra console are not installed")
    with group_servers(postgresql, tmp_path) as servers:
        yield servers


def test_given_a_shared_queue_when_browsed_at_another_member_then_all_is_seen_and_chosen_messages_move(
    group: GroupServers, chromium: Any
) -> None:
    group.admins["QM1"].mqsc(SCRIPT, check=True)
    for number in range(60):
        group.admins["QM1"].put("SHARED.ORDERS", f'{{"order": {number}}}', format="MQSTR", persistent=True)
    process, line = start_console(group.served["QM1"].home, "console")
    link = re.search(r"http://\S+", line)
    assert link is not None
    address = link.group().partition("?")[0].rstrip("/")
    context = visitor(chromium)
    page = context.new_page()
    page.goto(link.group())
    with group.admins["QM1"].unit_of_work() as unit:
        group.admins["QM1"].get("SHARED.ORDERS")
        page.goto(address + "/messages?qm=QM2&name=SHARED.ORDERS")
        assert page.locator("tbody tr").count() == 50
        assert "member QM1" in page.text_content("tbody tr:first-child")
        check_accessible(page, "messages of a shared queue")
        page.click("a[rel=next]")
        assert page.locator("tbody tr").count() == 10
        page.fill("input[name=text]", '"order": 41}')
        page.click("text=Search")
        page.click("tbody tr a")
        assert "order = 41" in page.text_content(".tree")
        unit.backout()
    found = group.admins["QM2"].peek("SHARED.ORDERS", count=100)
    assert [row.message.backout_count for row in found] == [1] + [0] * 59
    page.goto(address + "/plan?qm=QM2&name=SHARED.ORDERS&act=move&target=SHARED.DONE&text=order%22%3A%2041")
    page.click("button:has-text('Move 1 message')")
    until(lambda: len(group.admins["QM1"].peek("SHARED.DONE")) == 1)
    assert group.admins["QM2"].get("SHARED.DONE").body == b'{"order": 41}'
    assert len(group.admins["QM2"].peek("SHARED.ORDERS", count=100)) == 59
    context.close()
    process.terminate()
    assert process.wait(60) == 0
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
