"""Overview, queues and messages in a real browser, over a real queue manager."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.browser.conftest import PHONE, WIDE, Running, pictures, visitor
from tests.patience import until

pytestmark = [pytest.mark.installed, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module", autouse=True)
def orders(running: Running) -> None:
    with running.qm() as qm:
        for number in range(120):
            body = json.dumps({"id": number, "customer": {"name": f"Customer {number}"}})
            colour = "red" if number % 10 == 0 else "blue"
            qm.put("ORDERS", body, properties={"colour": colour}, format="MQSTR", persistent=True)
        qm.put("INVOICES", "<Invoice><Id>7</Id><Total>3.50</Total></Invoice>", format="MQSTR")
        qm.put("INVOICES", bytes(range(64)))


def test_given_a_queue_manager_when_looked_at_then_the_overview_shows_it_live(
    page: Any, running: Running
) -> None:
    page.goto(running.address + "/")
    assert "QM1" in page.text_content(".manager h2")
    assert "running" in page.text_content(".manager .state")
    pictures(page, "overview")
    with running.qm() as qm:
        qm.put("SCRATCH", b"one more")
        before = page.text_content('[data-live="messages/QM1"]')
        page.wait_for_function(
            "before => document.querySelector('[data-live=\"messages/QM1\"]').textContent !== before",
            arg=before,
        )
        qm.mqsc("CLEAR QLOCAL(SCRATCH)")
    assert page.text_content("#command") == "penstock qmgr list"


def test_given_queues_when_filtered_and_sorted_then_the_address_says_so(page: Any, running: Running) -> None:
    page.goto(running.address + "/queues")
    page.keyboard.press("/")
    page.keyboard.type("ord")
    page.keyboard.press("Enter")
    page.wait_for_url("**like=ord**")
    assert page.locator("tbody tr").count() == 1
    assert page.text_content('[data-live="d/QM1/ORDERS"]') == "120"
    page.goto(running.address + "/queues?qm=QM1&sort=-depth")
    assert page.text_content("tbody tr:first-child th a") == "ORDERS"
    pictures(page, "queues")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue?**name=ORDERS**")
    assert "DEFINE QLOCAL(ORDERS)" in page.text_content("#script")
    pictures(page, "queue")


def test_given_messages_when_browsed_and_searched_then_the_queue_stays_as_it_is(
    page: Any, running: Running
) -> None:
    with running.qm() as qm:
        before = [(row.place, row.holder, row.message.backout_count) for row in qm.peek("ORDERS", count=500)]
        page.goto(running.address + "/messages?qm=QM1&name=ORDERS")
        assert page.locator("tbody tr").count() == 50
        pictures(page, "messages")
        page.click("a[rel=next]")
        assert page.locator("tbody tr").count() == 50
        page.fill("input[name=text]", "customer 110")
        page.fill("input[name=property]", "colour=red")
        page.click("text=Search")
        assert page.locator("tbody tr").count() == 1
        page.click("tbody tr a")
        assert "Customer 110" in page.text_content(".tree")
        pictures(page, "message")
        page.click("text=Hex")
        assert page.text_content("#body").startswith("00000000  7b 22")
        after = [(row.place, row.holder, row.message.backout_count) for row in qm.peek("ORDERS", count=500)]
    assert before == after


def test_given_bodies_of_other_kinds_when_opened_then_xml_is_a_tree_and_bytes_are_hex(
    page: Any, running: Running
) -> None:
    page.goto(running.address + "/messages?qm=QM1&name=INVOICES")
    page.click("tbody tr:nth-child(1) a")
    assert "Total = 3.50" in page.text_content(".tree")
    page.goto(running.address + "/messages?qm=QM1&name=INVOICES")
    page.click("tbody tr:nth-child(2) a")
    assert "00 01 02 03" in page.text_content("#body")


def test_given_long_bodies_when_shown_edited_or_exported_then_nothing_is_missing_without_a_word(
    page: Any, running: Running
) -> None:
    with running.qm() as qm:
        qm.mqsc("ALTER QMGR MAXMSGL(8388608)\nALTER QLOCAL(BULK) MAXMSGL(8388608)\nCLEAR QLOCAL(BULK)")
        qm.put("BULK", "a" * 300_000, format="MQSTR")
        qm.put("BULK", "b" * 5_000_000, format="MQSTR")
        page.goto(running.address + "/messages?qm=QM1&name=BULK")
        page.click("tbody tr:nth-child(1) a")
        assert "Only the first 256.0 KB are shown" in page.text_content("main")
        page.goto(running.address + "/messages?qm=QM1&name=BULK")
        page.click("tbody tr:nth-child(2) a")
        with page.expect_download() as download:
            page.click("text=Export")
        assert len(json.loads(download.value.path().read_text())["body"]) == 5_000_000
        page.click("text=Edit and resend")
        assert "2010" in page.text_content(
            "main"
        )  # a copy without its end would take the place of the original
        qm.mqsc("CLEAR QLOCAL(BULK)")


def test_given_a_page_below_another_when_looked_at_then_its_place_is_marked_and_every_place_is_in_reach(
    page: Any, running: Running
) -> None:
    page.goto(running.address + "/messages?qm=QM1&name=ORDERS")
    assert page.text_content(".side a[aria-current]").strip() == "Queues"
    page.set_viewport_size(PHONE)
    page.goto(running.address + "/charts")
    places = page.locator(".side li a")
    assert places.count() == 10
    current = page.locator(".side a[aria-current]").bounding_box()
    assert 0 <= current["x"] <= PHONE["width"] - current["width"]
    page.goto(running.address + "/")
    boxes = [each.bounding_box() for each in places.all()]
    assert [
        box for box in boxes if box["x"] < PHONE["width"] - 10 < box["x"] + box["width"] - 20
    ]  # cut: more follow
    page.set_viewport_size(WIDE)


def test_given_a_message_when_edited_and_resent_then_the_original_goes_in_the_same_unit(
    page: Any, running: Running
) -> None:
    with running.qm() as qm:
        qm.put("SCRATCH", "old text", format="MQSTR", properties={"colour": "red"})
        original = qm.peek("SCRATCH")[0].message.msg_id
        page.goto(running.address + "/messages?qm=QM1&name=SCRATCH")
        page.click("tbody tr a")
        page.click("text=Edit and resend")
        page.fill("textarea[name=body]", "new text")
        page.check("input[name=replace]")
        pictures(page, "resend")
        page.click("text=Put the edited copy")
        page.wait_for_url("**/messages**")
        assert "is on SCRATCH" in page.text_content(".note.ok")
        found = qm.get("SCRATCH")
        assert found is not None
        assert found.body == b"new text"
        assert found.properties == {"colour": "red", "penstock_original_id": original.hex()}
        assert qm.get("SCRATCH") is None


def test_given_chosen_messages_when_moved_then_a_plan_counts_first_and_a_job_does_it(
    page: Any, running: Running
) -> None:
    with running.qm() as qm:
        for number in range(3):
            qm.put("SCRATCH", f"message {number}", persistent=True)
        ids = [row.message.msg_id for row in qm.peek("SCRATCH")]
        page.goto(running.address + "/messages?qm=QM1&name=SCRATCH")
        page.check("tbody tr:nth-child(1) input")
        page.check("tbody tr:nth-child(3) input")
        page.click("button[value=move]")
        assert "would move 2 messages" in page.text_content(".lead")
        assert [row.depth for row in qm.queues("SCRATCH")] == [3]
        pictures(page, "plan")
        page.fill("input[name=target]", "BULK")
        page.click("form[action='/run'] button")
        page.wait_for_url("**/job**")
        until(lambda: [row.depth for row in qm.queues("BULK")] == [2])
        assert [row.message.msg_id for row in qm.peek("BULK")] == [ids[0], ids[2]]
        page.goto(running.address + "/plan?qm=QM1&name=SCRATCH&act=delete")
        qm.put("SCRATCH", b"came later")
        page.click("form[action='/run'] button")
        page.wait_for_url("**/job**")
        until(lambda: [row.depth for row in qm.queues("SCRATCH")] == [1])
        page.wait_for_selector("[data-live=state]:has-text('ended')")
        assert page.locator(".bar.full").count() == 0  # a bar that is full of successes is no alarm
        assert qm.get("SCRATCH").body == b"came later"  # type: ignore[union-attr]
    page.goto(running.address + "/audit")
    assert "move" in page.text_content("tbody")
    pictures(page, "audit")


def test_given_a_link_when_a_colleague_opens_it_then_without_a_session_nothing_is_shown(
    chromium: Any, running: Running
) -> None:
    context = visitor(chromium)
    other = context.new_page()
    answer = other.goto(running.address + "/queue?qm=QM1&name=ORDERS")
    assert answer.status == 401
    assert "ORDERS" not in other.content()
    other.goto(running.new_link())
    other.goto(running.address + "/queue?qm=QM1&name=ORDERS")
    assert other.text_content("h1") == "ORDERS"
    context.close()


def test_given_mqsc_when_checked_and_run_then_only_running_changes_something(
    page: Any, running: Running
) -> None:
    page.goto(running.address + "/mqsc?qm=QM1")
    page.fill("textarea[name=script]", "ALTER QLOCAL(BULK) DESCR('by the console')")
    page.click("text=Check")
    with running.qm() as qm:
        assert "by the console" not in qm.mqsc("DISPLAY QLOCAL(BULK) DESCR")[0].attributes.values()  # type: ignore[union-attr]
        page.click("button[name=run]")
        assert "AMQ8008I" in page.text_content("tbody")
        assert "by the console" in qm.mqsc("DISPLAY QLOCAL(BULK) DESCR")[0].attributes.values()  # type: ignore[union-attr]
    pictures(page, "mqsc")


def test_given_keys_and_themes_when_used_then_the_page_follows(page: Any, running: Running) -> None:
    page.goto(running.address + "/")
    page.keyboard.press("?")
    assert page.is_visible("dialog")
    page.keyboard.press("Escape")
    page.click("#theme")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.reload()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.click("#theme")
    page.keyboard.press("g")
    page.keyboard.press("q")
    page.wait_for_url("**/queues")


def test_given_masking_rules_when_bodies_are_shown_then_nothing_of_them_is_in_any_page(
    page: Any, running: Running
) -> None:
    rules = running.served.home / "web" / "masking.yaml"
    rules.write_text("- queues: CARDS\n  fields: [Number]\n")
    try:
        with running.qm() as qm:
            qm.put("CARDS", "<Card><Number>4111222233334444</Number><Name>Ann</Name></Card>", format="MQSTR")
        page.goto(running.address + "/messages?qm=QM1&name=CARDS")
        assert "Ann" in page.text_content("tbody")
        assert "4111" not in page.content()
        page.goto(running.address + "/messages?qm=QM1&name=CARDS&text=4111222233334444")
        assert page.locator("tbody tr a").count() == 0
        page.goto(running.address + "/messages?qm=QM1&name=CARDS")
        page.click("tbody tr a")
        for view in ("Text", "Hex", "Tree"):
            page.click(f".tabs >> text={view}")
            assert "4111" not in page.content()
            assert "34 31 31 31" not in page.content()
        assert "hidden by the rules" in page.text_content("main")
        assert page.locator("text=Edit and resend").count() == 0
        pictures(page, "masked")
        answer = page.request.get(running.address + "/export?qm=QM1&name=CARDS")
        assert answer.ok
        assert "4111" not in answer.text()
        page.goto(page.url.replace("/message?", "/put?"))
        assert "not edited" in page.text_content("main")
    finally:
        rules.unlink()
