"""Evaluates selectors for a server: `python -m penstock.host.selectors.selector_evaluator MODELS`, a process.

Reads requests (lengths, head, body) and answers one byte per selector, each as soon as it is known. Ends with
its input. `selector_process` is the other side; it uses `Evaluator` itself where no process can be started.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.host.selectors.content_filters import ContentFilters
from penstock.host.selectors.model_folder import ModelFolder
from penstock.model.errors import MQError
from penstock.qmgr.selectors.content_selection import names_body
from penstock.qmgr.selectors.selector import compile_selector
from penstock.store.message_format import decode_head, encode_head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message

LENGTHS = Struct("<QQ")  # of head and body
YES, NO = b"1", b"0"
SELECTORS_KEPT = 1000


def packed(message: Message, texts: list[str]) -> tuple[bytes, bytes]:
    """Return a request: what comes before the body, and the body."""
    body = message.body or b""
    head = msgspec.msgpack.encode((encode_head(message, 0, 0), texts))
    return LENGTHS.pack(len(head), len(body)) + head, body


class Evaluator:
    """Compiles selectors and asks them."""

    def __init__(self, models: Path) -> None:
        self._filters = ContentFilters(ModelFolder(models))
        self._compiled: dict[str, Any] = {}

    def results(self, message: Message, texts: list[str]) -> Iterator[bool]:
        """Yield for each selector whether it matches; one that cannot be compiled does not."""
        for text in texts:
            try:
                matches: bool = self._compile(text).matches(message)
            except MQError:
                matches = False
            yield matches

    def _compile(self, text: str) -> Any:
        if text not in self._compiled:
            if len(self._compiled) >= SELECTORS_KEPT:
                self._compiled.clear()
            compile_text = self._filters.compile if names_body(text) else compile_selector
            self._compiled[text] = compile_text(text)
        return self._compiled[text]


def main() -> None:
    """Serve requests until the input ends."""
    for number in (signal.SIGINT, signal.SIGTERM):  # they are for the server, which ends this process
        signal.signal(number, signal.SIG_IGN)
    evaluator = Evaluator(Path(sys.argv[1]))
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while len(lengths := requests.read(LENGTHS.size)) == LENGTHS.size:
        head_length, body_length = LENGTHS.unpack(lengths)
        head, texts = msgspec.msgpack.decode(requests.read(head_length))
        message = decode_head(head, requests.read(body_length), body_length)
        for matches in evaluator.results(message, texts):
            answers.write(YES if matches else NO)
            answers.flush()


if __name__ == "__main__":
    main()
