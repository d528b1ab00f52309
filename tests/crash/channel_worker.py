"""One end of a message channel in a process of its own, to be killed.

`channel_worker.py sender HOME PORT LEDGER FIRST` puts messages numbered from FIRST, writes down each one that
was confirmed to it, and sends them by its `Sender`; with LEDGER "-" it puts nothing, and ends when its
transmission queue is empty and nothing is in doubt. `channel_worker.py receiver HOME PORT` accepts links and
gives their frames to a `Receiver`. Engines, journals and message files are real; only the loop around the
ends is the test's, because no server runs channels yet.
"""

from __future__ import annotations

import select
import socket
import sys
import time
from pathlib import Path
from typing import Any

import penstock
from penstock.channel.line import Frame
from penstock.channel.receiver import Receiver, Receiving, Running
from penstock.channel.sender import Memory, Sender, Sending
from penstock.channel.terms import Terms
from penstock.model.message import Message
from penstock.protocol._frames import Outgoing, Splitter
from penstock.protocol.numbers import FRAME_BYTES_MAX
from penstock.qmgr.channels import batches

CHANNEL = "QMA.QMB"
TERMS = Terms(batch_size=5)


class SocketLine:
    """Frames over a socket: collected while the engine is locked, written afterwards."""

    def __init__(self, qm: Any, sock: socket.socket) -> None:
        self.qm, self.sock = qm, sock
        self.out = Outgoing()
        self.splitter = Splitter(FRAME_BYTES_MAX)
        self.unread: list[Message] = []
        self.ended = False
        self.end_of_channel: Any = None

    def send(self, frame: Frame) -> None:
        self.out.frame(frame.kind, frame.flags, 0, frame.request, frame.unit, frame.payload)

    def full(self) -> bool:
        return False

    def load(self, messages: list[Message]) -> None:
        self.unread = messages

    def end(self, failure: Any) -> None:
        self.ended = True
        if failure is not None:
            print(f"ended: {failure}", file=sys.stderr, flush=True)

    def call(self, action: Any, *arguments: Any) -> None:
        """Make a step of the engine, then write what it has sent; OSError when the link is gone."""
        with self.qm.step():
            action(*arguments, time.time())
        unread, self.unread = self.unread, []
        if unread:
            self.qm.host.load(unread)
            self.call(self.end_of_channel.pump)
        self.flush()

    def flush(self) -> None:
        if self.out:
            self.sock.sendall(b"".join(self.out.take()))

    def receive(self) -> None:
        """Take the frames that have arrived."""
        data = self.sock.recv(1 << 16)
        if not data:
            raise ConnectionResetError("the other end is gone")
        for kind, flags, _, request, unit, payload in self.splitter.feed(data):
            self.call(self.end_of_channel.on_frame, Frame(kind, payload, flags, request, unit))

    def close(self) -> None:
        with self.qm.step():
            self.end_of_channel.lost(time.time())
        self.sock.close()


def receive(home: Path, port: int) -> None:
    with penstock.embed("QMB", home=home) as qm, socket.create_server(("127.0.0.1", port)) as listener:
        running = Running(qm.engine.seed)
        lines: dict[int, SocketLine] = {}
        while True:
            ready, _, _ = select.select([listener, *lines], [], [], 60)
            for each in ready:
                if each is listener:
                    line = SocketLine(qm, listener.accept()[0])
                    line.end_of_channel = Receiver(qm.engine, Receiving(CHANNEL, TERMS), line, running)
                    lines[line.sock.fileno()] = line
                    continue
                try:
                    lines[each].receive()
                except OSError:
                    lines.pop(each).close()


def dial(qm: Any, port: int, memory: Memory) -> SocketLine | None:
    try:
        line = SocketLine(qm, socket.create_connection(("127.0.0.1", port), 60))
    except OSError:
        time.sleep(0.01)
        return None
    line.end_of_channel = Sender(qm.engine, Sending(CHANNEL, "QMB", TERMS), line, memory)
    line.end_of_channel.start()
    return line


def send(home: Path, port: int, ledger: str, number: int) -> None:
    memory, line = Memory(), None
    with penstock.embed("QMA", home=home) as qm:
        while True:
            if ledger != "-":
                number += 1
                qm.put("R", b"%020d" % number, persistent=True)
                with Path(ledger).open("a") as file:
                    file.write(f"{number:020d}\n")
            elif not qm.engine.queues["QMB"].depth and not batches.in_doubt(qm.engine, CHANNEL):
                return
            line = line or dial(qm, port, memory)
            if line is None:
                continue
            try:
                line.flush()
                line.call(line.end_of_channel.pump)
                while select.select([line.sock], [], [], 0.001 if ledger == "-" else 0)[0]:
                    line.receive()
            except OSError:
                line.close()
                line = None


if __name__ == "__main__":
    role, folder, port_number, *rest = sys.argv[1:]
    if role == "sender":
        send(Path(folder), int(port_number), rest[0], int(rest[1]))
    else:
        receive(Path(folder), int(port_number))
