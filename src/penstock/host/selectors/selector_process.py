"""The process that evaluates selectors for a server: started when it is first needed, and again if it fails.

A process has an interpreter of its own, so whatever a selector costs, the server's loop goes on. A selector
that twice takes longer than `SELECTOR_SECONDS`, or ends the process, matches nothing. One request at a time;
the caller is a worker or housekeeping, never the loop. Where no process can be started the calling thread
evaluates.
"""

from __future__ import annotations

import logging
import os
import select
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

from penstock.host.selectors.selector_evaluator import YES, Evaluator, packed

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.model.message import Message

logger = logging.getLogger(__name__)
SELECTOR_SECONDS = 60.0  # for one selector; those of the first include reading the body
FAILURES_MAX = 4  # of one request; then the selectors that are left match nothing


class SelectorProcess:
    """One process, and the lock of its callers."""

    def __init__(self, models: Path) -> None:
        self._models = models
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def evaluate(self, message: Message, texts: list[str]) -> dict[str, bool]:
        """Return which selectors match a message."""
        with self._lock:
            results: list[bool] = []
            suspect = ""  # that was being evaluated when the process failed
            for _ in range(FAILURES_MAX):
                if not self._closed:
                    self._ask(message, texts[len(results) :], results)
                if self._closed or len(results) == len(texts):
                    break
                failed = texts[len(results)]
                logger.warning("selector_failed selector=%s", failed)
                if failed == suspect:
                    results.append(False)
                suspect = failed
            if self._closed:
                results += Evaluator(self._models).results(message, texts[len(results) :])
            return dict(zip(texts, results, strict=False))

    def _ask(self, message: Message, texts: list[str], results: list[bool]) -> None:
        """Append what the process answers; less than asked for if it fails."""
        if not texts:
            return
        try:
            process = self._running()
        except OSError as failure:
            logger.warning("selector_process_not_started cause=%s", failure)
            results += Evaluator(self._models).results(message, texts)
            return
        try:
            assert process.stdin is not None
            for part in packed(message, texts):
                process.stdin.write(part)
            process.stdin.flush()
            self._read(process, len(texts), results)
        except (OSError, ValueError):  # it has ended
            self._end()

    def _read(self, process: subprocess.Popen[bytes], count: int, results: list[bool]) -> None:
        assert process.stdout is not None
        answers = process.stdout.fileno()
        poll = select.poll()
        poll.register(answers, select.POLLIN)
        while count:
            answer = os.read(answers, count) if poll.poll(SELECTOR_SECONDS * 1000) else b""
            if not answer:
                self._end()
                return
            count -= len(answer)
            results += [byte == YES[0] for byte in answer]

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            words = [
                sys.executable,
                "-P",
                "-m",
                "penstock.host.selectors.selector_evaluator",
                str(self._models),
            ]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe)
            if self._closed:  # meanwhile
                self._process.kill()
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def close(self) -> None:
        """End the process; who waits for it evaluates the rest itself."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        with self._lock:
            self._end()
