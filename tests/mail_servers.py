"""Mailboxes that tests read: a POP3 and an IMAP server with the commands that clients of Python send.

Both keep their mails as a mail server does: POP3 removes what was deleted when the client quits, IMAP at
EXPUNGE. They are sockets of their own threads, so a client that vanishes leaves everything as it was.
"""

from __future__ import annotations

import re
import socketserver
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

USER, PASSWORD = "orders", "secret"


class Mailbox:
    """The mails of a server by their identifiers."""

    def __init__(self, *mails: bytes) -> None:
        self.mails = {str(number): mail for number, mail in enumerate(mails, 101)}
        self.sessions = 0


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, handler: type[socketserver.BaseRequestHandler], box: Mailbox) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.box = box


class _Lines(socketserver.StreamRequestHandler):
    server: _Server

    def say(self, *lines: bytes) -> None:
        self.wfile.write(b"".join(each + b"\r\n" for each in lines))

    def handle(self) -> None:
        self.server.box.sessions += 1
        self.begin()
        while line := self.rfile.readline():
            if self.told(line.rstrip(b"\r\n").decode()):
                return

    def begin(self) -> None:
        raise NotImplementedError

    def told(self, line: str) -> bool:
        """Answer a command; return whether the session is over."""
        raise NotImplementedError


class _Pop(_Lines):
    def begin(self) -> None:
        self.numbers = dict(enumerate(self.server.box.mails, 1))
        self.deleted: set[str] = set()
        self.say(b"+OK")

    def told(self, line: str) -> bool:
        word, _, rest = line.partition(" ")
        box = self.server.box
        if word == "PASS":
            self.say(b"+OK" if rest == PASSWORD else b"-ERR no")
        elif word == "UIDL":
            self.say(b"+OK", *(f"{n} {uid}".encode() for n, uid in self.numbers.items()), b".")
        elif word == "LIST":
            self.say(f"+OK {rest} {len(box.mails[self.numbers[int(rest)]])}".encode())
        elif word == "RETR":
            lines = box.mails[self.numbers[int(rest)]].removesuffix(b"\r\n").split(b"\r\n")
            self.say(b"+OK", *(b"." + each if each[:1] == b"." else each for each in lines), b".")
        elif word == "DELE":
            self.deleted.add(self.numbers[int(rest)])
            self.say(b"+OK")
        elif word == "QUIT":
            for each in self.deleted:
                box.mails.pop(each, None)
            self.say(b"+OK")
            return True
        else:
            self.say(b"+OK")
        return False


class _Imap(_Lines):
    def begin(self) -> None:
        self.deleted: set[str] = set()
        self.say(b"* OK")

    def told(self, line: str) -> bool:
        tag, word, *rest = line.split(" ")
        box = self.server.box
        answer = b"OK"
        if word == "CAPABILITY":
            self.say(b"* CAPABILITY IMAP4rev1")
        elif word == "LOGIN":
            answer = b"OK" if rest[1].strip('"') == PASSWORD else b"NO"
        elif word == "SELECT":
            self.say(f"* {len(box.mails)} EXISTS".encode())
        elif (word, rest[:1]) == ("UID", ["SEARCH"]):
            self.say(f"* SEARCH {' '.join(box.mails)}".encode())
        elif (word, rest[:1]) == ("UID", ["FETCH"]):
            mail = box.mails[rest[1]]
            self.say(f"* 1 FETCH (UID {rest[1]} BODY[]<0> {{{len(mail)}}}".encode())
            self.wfile.write(mail + b")\r\n")
        elif (word, rest[:1]) == ("UID", ["STORE"]) and re.search("Deleted", line):
            self.deleted.add(rest[1])
        elif word == "EXPUNGE":
            for each in self.deleted:
                box.mails.pop(each, None)
        elif word == "LOGOUT":
            self.say(b"* BYE")
        self.say(tag.encode() + b" " + answer + b" done")
        return word == "LOGOUT"


@contextmanager
def mail_server(kind: str, *mails: bytes) -> Iterator[tuple[str, Mailbox]]:
    """Yield the address of a server, `pop3` or `imap`, and its mailbox."""
    box = Mailbox(*mails)
    with _Server(_Pop if kind == "pop3" else _Imap, box) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"{kind}://127.0.0.1:{server.server_address[1]}", box
        server.shutdown()
        thread.join()
