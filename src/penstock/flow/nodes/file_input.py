"""FileInput: a flow that starts with the records of files. `running.file_listener` drives it.

Each record is a message in its own unit of work; `EOD` gets an empty message after the last. No record is
lost; after a crash the current one may be processed again (`files.claims` explains why).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.files.claims import ACTIONS, DELETE
from penstock.flow.kinds import Kind
from penstock.flow.node import CATCH, FAILURE, KW_ONLY, OUT, InputNode
from penstock.flow.nodes.record_properties import FileRecords

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.running.listener import Listener

EOD = "EOD"


class FileInput(FileRecords, InputNode):
    """Reads files: `FileInput("in", "*.csv", records="delimited")`.

    `delimiter` is "line" or bytes in hexadecimal; `processed` says what happens to a file that was read:
    delete, archive, timestampAndArchive. If a record fails `retries` + 1 times, its file is moved to
    `mqsibackout`. Files younger than `least_age` seconds are ignored: they may still be written.
    """

    outputs = (OUT, EOD, FAILURE, CATCH)
    kind = Kind.EFFECT

    directory: str
    pattern: str = "*"
    _: KW_ONLY
    processed: str = DELETE
    polling: float = 5.0
    least_age: float = 0.0
    retries: int = 0

    def check(self) -> Iterable[str]:
        yield from super().check()
        if not self.directory:
            yield "a FileInput needs its directory"
        if "/" in self.pattern:
            yield f"pattern {self.pattern!r} is for names, not for paths"
        yield from self.wrong_choices(processed=ACTIONS)
        if self.polling <= 0:
            yield "polling has to be more than 0 seconds"
        if self.least_age < 0 or self.retries < 0:
            yield "least_age and retries cannot be negative"

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.file_listener import FileListener

        return FileListener(self, flow, label, connect(), **options)
