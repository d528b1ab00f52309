"""Dead letters, topics, channels, flows and the map in a real browser."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

import penstock
from penstock.flow.running.run_files import SUMS, RunFile
from penstock.model.headers import DeadLetterHeader
from tests.browser.conftest import ORDERS, Running, pictures
from tests.patience import until

pytestmark = [pytest.mark.installed, pytest.mark.xdist_group("browser")]


def letter(qm: penstock.ClientQueueManager, reason: int, queue: str, body: str) -> None:
    header = DeadLetterHeader(reason, queue, "QM1", 546, 1208, "MQSTR", 6, "shop", "20261118", "04050600")
    qm.put("DEAD", header.pack() + body.encode(), format="MQDEAD", persistent=True)


def test_given_dead_letters_when_redriven_then_the_dry_run_counts_what_is_done(
    page: Any, running: Running
) -> None:
    with running.qm() as qm:
        for number in range(4):
            letter(qm, 2053, "INVOICES", f"<Invoice><Id>{number}</Id><Currency>EURO</Currency></Invoice>")
        letter(qm, 2085, "ORDRES", "{}")
        qm.mqsc("CLEAR QLOCAL(INVOICES)")
        page.goto(running.address + "/dlq?qm=QM1")
        assert page.locator(".letter").count() == 2
        pictures(page, "dead-letters")
        page.click(".letter:first-of-type >> text=Look and redrive")
        page.fill("input[name=find]", "EURO")
        page.fill("input[name=put]", "EUR")
        page.fill("input[name=text]", "<Id>")
        page.click("text=Preview")
        assert "4 letters" in page.text_content("h2:has-text('Dry run')")
        assert page.locator("td .tag", has_text="edited").count() == 4
        assert [row.depth for row in qm.queues("DEAD")] == [5]
        pictures(page, "letters")
        page.fill("form[action='/redrive'] input[name=rate]", "50")
        page.click("button[value=retry]")
        page.wait_for_url("**/job**")
        page.wait_for_function("() => document.querySelector('[data-live=state]').textContent === 'ended'")
        pictures(page, "job")
        assert [row.depth for row in qm.queues("DEAD")] == [1]
        bodies = [bytes(row.message.body or b"") for row in qm.peek("INVOICES")]
        assert len(bodies) == 4
        assert all(b"<Currency>EUR</Currency>" in body for body in bodies)
        page.goto(running.address + "/audit")
        assert "dead letters: retry" in page.text_content("tbody")
        page.goto(running.address + "/letters?qm=QM1&reason=2085")
        page.click("button[value=delete]")
        until(lambda: [row.depth for row in qm.queues("DEAD")] == [0])
        qm.mqsc("CLEAR QLOCAL(INVOICES)")


def test_given_topics_when_published_to_then_the_subscriber_has_it(page: Any, running: Running) -> None:
    page.goto(running.address + "/topics?qm=QM1&topic=prices/fruit")
    assert page.text_content("tr:has-text('FRUIT') a") == "BILLING"  # who gets what
    page.goto(running.address + "/topics?qm=QM1")
    page.click("text=prices")
    page.fill("form[action='/publish'] input[name=topic]", "prices/fruit")
    page.fill("textarea[name=body]", "3.20")
    page.click("button.main:has-text('Publish')")
    page.wait_for_url("**topic=prices%2Ffruit**")
    assert "FRUIT" in page.text_content("main")
    pictures(page, "topics")
    with running.qm() as qm:
        found = qm.get("BILLING")
        assert found is not None
        assert found.body == b"3.20"


def test_given_a_topic_when_listened_to_then_the_retained_and_new_messages_come(
    page: Any, running: Running
) -> None:
    with running.qm() as qm:
        qm.publish("news/today", "retained", retain=True, format="MQSTR")
        page.goto(running.address + "/topics?qm=QM1&topic=news/today")
        page.click("form[action='/listen'] button")
        page.wait_for_selector("td:has-text('retained')")
        page.mouse.move(0, 0)  # rows under the pointer do not change
        qm.publish("news/today", "brand new", format="MQSTR")
        page.wait_for_selector("td:has-text('brand new')")
        pictures(page, "listen")


def test_given_a_channel_when_started_and_stopped_then_its_state_follows(page: Any, running: Running) -> None:
    with running.qm() as qm:
        page.goto(running.address + "/channels?qm=QM1")
        assert "inactive" in page.text_content("tr:has-text('WEST.EAST')")
        page.click("button[value=START]")
        until(
            lambda: any(
                (each.attributes or {}).get("STATUS") for each in qm.mqsc("DISPLAY CHSTATUS(WEST.EAST)")
            )
        )
        page.goto(running.address + "/channels?qm=QM1")
        pictures(page, "channels")
        page.click("button[value=STOP]")
        page.goto(running.address + "/channels?qm=QM1")
        page.wait_for_function("() => document.querySelector('main').textContent.includes('stopped')")
    page.goto(running.address + "/access?qm=QM1&user=viewer&object=SECRETS&verb=browse")
    assert "refused" in page.text_content(".state.bad")
    assert "lacks BROWSE" in page.text_content("main")
    pictures(page, "access")
    page.goto(running.address + "/map")
    assert "WEST.EAST" in page.text_content(".graph svg")
    pictures(page, "map")


@pytest.fixture(scope="module")
def broker(running: Running) -> Iterator[None]:
    environment = {**os.environ, "PENSTOCK_HOME": str(running.served.home)}
    command = [sys.executable, "-m", "penstock.cli.main"]
    with running.qm() as qm:
        qm.mqsc("DEFINE QLOCAL(ORDERS.IN)\nDEFINE QLOCAL(WAREHOUSE)\nDEFINE QLOCAL(REJECTED)")
    process = subprocess.Popen(
        [*command, "broker", "start", "-m", "QM1", "--metrics-port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "runs in process" in process.stdout.readline()
    subprocess.run(
        [*command, "deploy", str(ORDERS)], env=environment, check=True, capture_output=True, timeout=120
    )
    yield
    process.send_signal(signal.SIGTERM)
    process.wait(60)
    process.stdout.close()


@pytest.mark.usefixtures("broker")
def test_given_a_deployed_flow_when_stepped_through_then_its_own_workers_and_queues_are_untouched(
    page: Any, running: Running
) -> None:
    page.goto(running.address + "/flow?broker=default&flow=orders")
    before = page.text_content("[data-live=messages]")
    page.click("text=Step through it")
    page.fill(
        "textarea[name=body]", "<Order><Id>7</Id><Customer><Id>9</Id></Customer><Total>1400</Total></Order>"
    )
    page.check("input[value='Large.true']")
    page.fill("input[name='when Large.true']", "CAST(Body.Order.Total AS DECIMAL) > 1000")
    pictures(page, "step-begin")
    page.click("text=Begin")
    page.wait_for_selector(".state:has-text('paused')")
    assert "XMLNSC.Order.Total = '1400'" in page.text_content("main")
    assert page.locator(".graph path.here").count() == 1
    page.keyboard.press("s")
    page.wait_for_selector("b:has-text('Known.true -> Large')")
    page.fill("input[name=path]", "XMLNSC.Order.Total")
    page.fill("input[name=value]", "2000")
    page.click("button[value=set]")
    page.wait_for_function("() => document.querySelector('main').textContent.includes(\"Total = '2000'\")")
    page.click("button[value=run]")
    page.wait_for_selector("b:has-text('Large.true -> Bill')")
    assert page.locator(".graph .stop").count() == 1
    pictures(page, "step")
    page.click("button[value=run]")
    page.wait_for_selector(".state:has-text('ended')")
    assert "queue BILLING" in page.text_content("main")
    assert "cannot be a test" in page.text_content("main")
    pictures(page, "step-end")
    link = page.url
    page.click("button[value=end]")
    page.wait_for_url("**/flow?**")
    assert page.text_content("[data-live=messages]") == before
    page.goto(link)
    assert "this run is over" in page.text_content("main")


@pytest.mark.usefixtures("broker")
def test_given_a_deployed_flow_when_looked_at_then_graph_counts_and_a_test_of_a_message(
    page: Any, running: Running
) -> None:
    with running.qm() as qm:
        page.goto(running.address + "/flows")
        assert "running" in page.text_content("tr:has-text('orders')")
        pictures(page, "flows")
        page.click("tbody a")
        assert page.locator(".graph svg g").count() >= 5
        qm.put("ORDERS.IN", "<Order><Id>1</Id></Order>")
        page.wait_for_function("() => document.querySelector('[data-live=messages]').textContent === '1'")
        page.wait_for_function(
            "() => [...document.querySelectorAll('[data-live^=\"messages \"]')]"
            ".some(each => each.textContent === '1')"
        )
        page.wait_for_function(
            "() => [...document.querySelectorAll('.graph [data-live^=\"wire \"]')]"
            ".some(each => each.textContent === '1')"
        )
        assert page.text_content(".graph g:has-text('Known') .type") == "Filter"
        assert page.text_content(".graph g:has-text('Known') .note").startswith("1 · ")
        assert "false 1" in page.text_content(".graph")  # of the wires that end at one node, which one it was
        pictures(page, "flow")
        page.goto(running.address + "/map")
        assert "flow · running" in page.text_content(".graph g:has-text('orders at QM1')")
        lines = page.locator("tbody tr").all_text_contents()
        assert any("orders at QM1" in line and "WAREHOUSE @ QM1" in line for line in lines), lines
        qm.put("SCRATCH", "<Order><Id>7</Id><Total>5</Total></Order>", format="MQSTR")
        page.goto(running.address + "/messages?qm=QM1&name=SCRATCH")
        page.click("tbody tr a")
        page.click("text=Run through a flow")
        page.click("text=Run >> nth=-1")
        page.wait_for_selector("#yaml")
        assert "flow: orders" in page.text_content("#yaml")
        assert "MQInput.out -> " in page.text_content("main")
        pictures(page, "trial")
        page.click("text=Run and save as a test")
        page.wait_for_selector(".note:has-text('is a test of')")
        assert "flow: orders" in (running.projects / "orders" / "tests" / "orders.yaml").read_text()
        assert [row.depth for row in qm.queues("SCRATCH")] == [1]
        qm.mqsc("CLEAR QLOCAL(SCRATCH)")
    change_instances_stop_and_start(page, running)
    page.goto(running.address + "/flow?broker=default&flow=orders")
    page.fill("input[name=typed]", "wrong")
    page.click("button:has-text('Undeploy')")
    assert "type orders to confirm" in page.text_content("main")
    page.goto(running.address + "/flow?broker=default&flow=orders")
    page.fill("input[name=typed]", "orders")
    page.click("button:has-text('Undeploy')")
    page.wait_for_url("**/flows")
    assert "Nothing is deployed" in page.text_content("main")
    page.fill("input[name=instances]", "2")
    page.click("button:has-text('Deploy')")
    page.wait_for_selector(".note:has-text('orders version')")
    page.wait_for_function("() => document.querySelector('main').textContent.includes('running')")


def change_instances_stop_and_start(page: Any, running: Running) -> None:
    page.goto(running.address + "/flow?broker=default&flow=orders")
    page.fill("input[name=count]", "2")
    page.click("button[value=instances]")
    page.wait_for_selector(".note:has-text('2 instances')")
    page.click("button[value=stop]")
    page.wait_for_selector(".state:has-text('stopped')")
    with running.qm() as qm:
        qm.put("ORDERS.IN", "<Order><Id>2</Id></Order>")
        assert [row.depth for row in qm.queues("ORDERS.IN")] == [1]
        page.click("button[value=start]")
        until(lambda: [row.depth for row in qm.queues("ORDERS.IN")] == [0])
    page.goto(running.address + "/audit")
    assert all(word in page.text_content("tbody") for word in ("stop", "start", "instances", "write a test"))


@pytest.mark.usefixtures("broker")
def test_given_a_running_flow_when_messages_are_followed_then_every_wire_and_change_is_shown(
    page: Any, running: Running
) -> None:
    page.goto(running.address + "/flow?broker=default&flow=orders")
    page.click("text=Follow messages")
    page.click("button.main:has-text('Follow')")
    page.wait_for_selector(".state:has-text('following')")
    with running.qm() as qm:
        until(lambda: follows_one(page, qm))
    assert "MQInput.out -> Known" in page.text_content("main")
    assert "XMLNSC.Order.Id = '31'" in page.text_content("main")
    pictures(page, "follow")
    page.click("text=Stop following")
    page.wait_for_selector("button.main:has-text('Follow')")


def follows_one(page: Any, qm: penstock.ClientQueueManager) -> bool:
    """Put an order, until a worker has seen that it is to be followed."""
    qm.put("ORDERS.IN", "<Order><Id>31</Id></Order>")
    page.reload()
    return bool(page.locator("section h2 .mono").count())


def test_given_runs_on_spark_when_looked_at_then_their_batches_are_bars(
    page: Any, running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PENSTOCK_HOME", str(running.served.home))
    run = RunFile("orders", "local[2]", "QM1")
    for batch, rows in enumerate((100, 400, 250), 1):
        done = sum((100, 400, 250)[:batch])
        sums = {**dict.fromkeys(SUMS, 0), "messages": done, "outputs": done}
        run.note({**sums, "batches": batch, "seconds": 0.25, "depth": 1000 - rows})
    run.close("2053: the queue is full")
    page.goto(running.address + "/flows")
    page.click("tr:has-text('local') a, tr:has-text('failed') a")
    assert "2053: the queue is full" in page.text_content("main")
    assert page.locator("tbody tr").count() == 3
    widths = [float(each.get_attribute("width")) for each in page.locator("tbody rect.fill").all()]
    assert widths == [62.5, 100.0, 25.0]
    pictures(page, "run-on-spark")
