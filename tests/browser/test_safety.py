"""What the console refuses: strangers, forged requests, foreign names, people without authority."""

from __future__ import annotations

import http.client
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import pytest

import penstock
from penstock.console.routes import PAGES
from penstock.host.users.passwords import hash_password
from penstock.host.users.users_file import NAME, User, changing_users
from penstock.model import constants as mq
from tests.browser.conftest import Running, pictures, start_console, visitor
from tests.browser.test_steering import letter
from tests.patience import until

pytestmark = [pytest.mark.installed, pytest.mark.xdist_group("browser")]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Client:
    """A bare HTTP client that sends what it is told."""

    def __init__(self, address: str, cookie: str = "") -> None:
        self.address = address
        self.place = urlsplit(address)
        self.cookie = cookie

    def ask(
        self, path: str, form: dict[str, str] | None = None, **headers: str
    ) -> tuple[int, dict[str, str], str]:
        line = http.client.HTTPConnection(self.place.netloc, timeout=60)
        given = {"Cookie": self.cookie} | ({} if form is None else FORM)
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = None if form is None else urlencode(form)
        line.request("GET" if form is None else "POST", path, body, given)
        answer = line.getresponse()
        text = answer.read().decode()
        line.close()
        return answer.status, dict(answer.getheaders()), text

    def enter(self, status: int, headers: dict[str, str]) -> Client:
        """Keep the cookie of an answer."""
        assert status == 303
        self.cookie = headers["set-cookie"].partition(";")[0]
        return self

    def csrf(self, path: str = "/") -> str:
        found = re.search(r'name="csrf" value="([^"]+)"', self.ask(path)[2])
        assert found is not None
        return found.group(1)


@pytest.fixture(scope="module")
def client(running: Running) -> Client:
    made = Client(running.address)
    status, headers, _ = made.ask("/?" + running.new_link().partition("?")[2])
    assert "httponly" in headers["set-cookie"].lower()
    assert "samesite=lax" in headers["set-cookie"].lower()
    return made.enter(status, headers)


def test_given_a_used_key_when_used_again_then_no_session(running: Running) -> None:
    link = running.new_link().partition("?")[2]
    assert Client(running.address).ask("/?" + link)[0] == 303
    assert Client(running.address).ask("/?" + link)[0] == 403


def test_given_requests_when_metrics_are_read_then_counts_and_times_without_names(
    running: Running, client: Client
) -> None:
    assert client.ask("/queue?qm=QM1&name=ORDERS")[0] == 200
    status, headers, text = Client(running.address).ask("/metrics")
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/plain")
    assert 'penstock_web_requests_total{page="/queue",method="GET",status="200"}' in text
    assert 'penstock_web_request_seconds_bucket{page="/queue",le="+Inf"}' in text
    assert "ORDERS" not in text


def test_given_no_session_when_any_page_is_asked_then_401(running: Running) -> None:
    for path in ("/", "/queues", "/queue?qm=QM1&name=ORDERS", "/messages?qm=QM1&name=ORDERS", "/audit"):
        status, _, text = Client(running.address).ask(path)
        assert status == 401
        assert "ORDERS" not in text


def test_given_a_foreign_host_name_when_asked_then_nothing_is_told(client: Client) -> None:
    assert client.ask("/", Host="evil.example")[0] == 421
    assert client.ask("/static/console.js", Host="evil.example:80")[0] == 421
    assert client.ask("/", Host=f"localhost:{client.place.port}")[0] == 200


def test_given_a_page_when_it_answers_then_the_browser_is_told_what_is_forbidden(client: Client) -> None:
    status, headers, text = client.ask("/queues")
    assert status == 200
    policy = headers["content-security-policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    assert not re.search(r"<script(?![^>]* src=)|\son\w+=|\sstyle=|javascript:", text)


@pytest.mark.parametrize(
    ("headers", "with_token", "status"),
    [
        ({"Sec_Fetch_Site": "same-origin"}, True, 303),
        ({"Sec_Fetch_Site": "same-origin"}, False, 403),
        ({"Sec_Fetch_Site": "cross-site"}, True, 403),
        ({"Sec_Fetch_Site": "same-site"}, True, 403),
        ({"Origin": "http://evil.example"}, True, 403),
        ({"Sec_Fetch_Site": "same-origin", "Origin": "null"}, True, 403),
        ({"Sec_Fetch_Site": "same-origin", "Origin": "https://evil.example"}, True, 403),
        ({}, True, 403),
    ],
)
def test_given_a_post_when_it_is_not_from_our_own_form_then_403(
    client: Client, headers: dict[str, str], with_token: bool, status: int
) -> None:
    token = client.csrf("/queue?qm=QM1&name=BULK") if with_token else "wrong"
    form = {"csrf": token, "qm": "QM1", "name": "BULK", "verb": "GET", "to": "ENABLED"}
    assert client.ask("/pause", form, **headers)[0] == status


def test_given_paths_and_places_that_are_none_when_asked_then_clear_errors(client: Client) -> None:
    assert client.ask("/static/..%2Fapp.py")[0] == 404
    assert client.ask("/static/.")[0] == 404
    assert client.ask("/nothing")[0] == 404
    assert client.ask("/queue?qm=QM1&name=NO.SUCH.QUEUE")[0] == 404
    assert client.ask("/queue?qm=..%2F..&name=X")[0] == 404
    assert client.ask("/messages?qm=QM1&name=ORDERS&after=x")[0] == 400
    assert client.ask("/queues?page=x")[0] == 400
    assert client.ask("/message?qm=QM1&name=BULK&at=0.99999")[0] == 409


def test_given_a_script_with_a_password_when_run_then_the_audit_log_has_the_command_without_it(
    running: Running, client: Client
) -> None:
    script = "DEFINE AUTHINFO(DIRECTORY) AUTHTYPE(IDPWLDAP) LDAPPWD('two '' words +\n and a line') REPLACE"
    form = {"csrf": client.csrf(), "qm": "QM1", "script": script, "run": "1"}
    assert client.ask("/mqsc", form, Sec_Fetch_Site="same-origin")[0] == 200
    last = json.loads((running.served.home / "web" / "audit.log").read_text().splitlines()[-1])
    assert last["first_line"] == "DEFINE AUTHINFO(DIRECTORY) AUTHTYPE(IDPWLDAP) LDAPPWD(*****) REPLACE"


def test_given_a_body_with_markup_when_shown_then_it_is_text(running: Running, client: Client) -> None:
    evil = "<script>alert(1)</script>"
    with running.qm() as qm:
        qm.put("SECRETS", evil, properties={"note": '"><img src=x>'})
        row = qm.peek("SECRETS")[0]
        for path in ("/messages?", f"/message?view=text&at={row.lane}.{row.place}&"):
            text = client.ask(f"{path}qm=QM1&name=SECRETS")[2]
            assert "&lt;script&gt;" in text
            assert evil not in text
            assert "<img" not in text
        qm.mqsc("CLEAR QLOCAL(SECRETS)")


def test_given_markup_in_names_of_all_kinds_when_any_page_is_shown_then_it_is_text(
    running: Running, client: Client
) -> None:
    evil = "<img src=x onerror=alert(1)>"
    script = f"""
    ALTER QLOCAL(SECRETS) DESCR('{evil}')
    DEFINE TOPIC(EVIL) TOPICSTR('{evil}') REPLACE
    DEFINE SUB('{evil}') TOPICSTR('{evil}') DEST(SECRETS) REPLACE
    ALTER CHANNEL(WEST.EAST) CHLTYPE(SDR) DESCR('{evil}')
    """
    about = {"home": running.served.home, "application": evil[:28]}
    with running.qm() as qm, penstock.connect("QM1", **about) as guest:
        qm.mqsc(script, check=True)
        guest.open("SECRETS", mq.MQOO_INPUT_SHARED)
        guest.publish(evil, b"x", properties={"note": evil}, retain=True)
        letter(qm, 2085, evil[:48], evil)
        shown = 0
        for path in sorted(PAGES):
            for words in (f"name=SECRETS&topic={quote(evil)}", f"name={quote(evil)}&group={quote(evil)}"):
                status, headers, text = client.ask(f"{path}?qm=QM1&{words}&user={quote(evil)}")
                is_page = headers["content-type"].startswith("text/html")
                assert not is_page or "<img" not in text, path
                shown += "&lt;img" in text
                assert status < 500, (path, text)
        assert shown > 10
        qm.mqsc(f"DELETE SUB('{evil}')\nDELETE TOPIC(EVIL)\nALTER QLOCAL(SECRETS) DESCR('')", check=True)
        qm.mqsc("CLEAR QLOCAL(SECRETS)\nCLEAR QLOCAL(DEAD)")


# -- the team's server -----------------------------------------------------------------------


@contextmanager
def team(running: Running, *options: str) -> Iterator[Client]:
    with changing_users(running.served.home / NAME) as users:
        users["viewer"] = User("viewer", frozenset(), hash_password("correct horse"))
    process, line = start_console(running.served.home, "web", "start", "--port", "0", *options)
    address = re.search(r"https?://\S+", line)
    assert address is not None, line
    try:
        yield Client(re.sub(r"https?://[^:]+", "http://127.0.0.1", address.group().rstrip("/")))
    finally:
        command = [sys.executable, "-m", "penstock.cli.main", "web", "stop"]
        environment = {**os.environ, "PENSTOCK_HOME": str(running.served.home)}
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
        assert ended.stdout == "The web console has ended.\n", ended
        assert process.wait(60) == 0
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def test_given_a_viewer_when_logged_in_then_the_queue_manager_decides_with_his_authority(
    running: Running, chromium: Any
) -> None:
    with running.qm() as qm:
        qm.mqsc("CLEAR QLOCAL(ORDERS)")
        qm.put("ORDERS", b"theirs")
    with team(running) as client:
        status, headers, _ = client.ask("/queues")
        assert (status, headers["location"]) == (303, "/login?to=%2Fqueues")
        own = {"Sec_Fetch_Site": "same-origin"}
        wrong = {"user": "viewer", "password": "wrong", "to": "/"}
        assert client.ask("/login", wrong, **own)[0] == 401
        assert client.ask("/login", wrong | {"password": "correct horse"})[0] == 403  # not from our page
        context = visitor(chromium)
        page = context.new_page()
        page.goto(client.address + "/queues")
        pictures(page, "login")
        page.fill("input[name=user]", "viewer")
        page.fill("input[name=password]", "correct horse")
        page.click("button.main")
        page.wait_for_url("**/queues")
        assert page.locator("tbody tr th a").all_text_contents() == ["ORDERS"]
        client.cookie = "; ".join(f"{each['name']}={each['value']}" for each in context.cookies())
        context.close()
        assert client.ask("/messages?qm=QM1&name=ORDERS")[0] == 200
        assert client.ask("/messages?qm=QM1&name=SECRETS")[0] == 404
        form = {"csrf": client.csrf(), "qm": "QM1", "name": "ORDERS", "body": "mine"}
        status, _, text = client.ask("/put", form, **own)
        assert status == 403
        assert "2035" in text
        log = (running.served.home / "web" / "audit.log").read_text().splitlines()
        last = json.loads(log[-1])
        assert (last["user"], last["act"], last["queue"]) == ("viewer", "put", "ORDERS")
        assert (last["reason"], last["result"]) == (2035, "refused")
        status, headers, _ = client.ask("/run", form | {"act": "delete", "upper": "999999"}, **own)
        assert status == 303
        until(lambda: "2035" in client.ask(headers["location"])[2])
        assert client.ask("/logout", {"csrf": form["csrf"]}, **own)[0] == 303
        assert client.ask("/queues")[0] == 303
    with running.qm() as qm:
        assert [bytes(row.message.body or b"") for row in qm.peek("ORDERS")] == [b"theirs"]
        qm.mqsc("CLEAR QLOCAL(ORDERS)")


def test_given_a_proxy_for_tls_when_the_port_is_used_on_the_machine_itself_then_people_log_in(
    running: Running, chromium: Any
) -> None:
    with team(running, "--address", "0.0.0.0", "--behind-proxy", "--name", "web") as client:
        context = visitor(chromium)
        page = context.new_page()
        page.goto(client.address + "/queues")
        page.fill("input[name=user]", "viewer")
        page.fill("input[name=password]", "correct horse")
        page.click("button.main")
        page.wait_for_url("**/queues")
        context.close()
        assert client.ask("/metrics", Host="web:8470")[0] == 200  # as Prometheus in deploy/ asks
        assert client.ask("/metrics", Host="evil.example")[0] == 421


def test_given_another_address_when_there_is_no_tls_then_it_does_not_listen(running: Running) -> None:
    for more in (["--address", "0.0.0.0"], ["--address", "192.0.2.1"]):
        ended = subprocess.run(
            [sys.executable, "-m", "penstock.cli.main", "web", "start", "--port", "0", *more],
            env={**os.environ, "PENSTOCK_HOME": str(running.served.home)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert ended.returncode == 1
        assert "only with TLS" in ended.stderr
