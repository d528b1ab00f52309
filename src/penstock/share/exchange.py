"""One round trip with many statements: all are sent, and answers are read while the rest is still going out.

Every statement is a function of `schema` with fixed types, prepared once a session, and a transaction of its
own. Values go in PostgreSQL's binary form. Called by `rounds` with the connection of a pipe, which nobody
else uses; `hang_up` ends a session that another thread may be waiting on. It knows no messages and no units.
Invariant: each statement has one answer, in order: rows, or the error that undid this statement alone.
"""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import time
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg import adapt, pq
from psycopg.errors import error_from_result
from psycopg.waiting import READY_R, READY_W, WAIT_R, WAIT_RW

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    Rows = list[tuple[Any, ...]]
    Answer = Rows | psycopg.Error

LOOK_SECONDS = 1.0  # between looks at the clock while nothing comes
_ARRAY = struct.Struct("!iiiii")  # dimensions, has nulls, type, length, first index
_EMPTY = struct.Struct("!iii")
_LENGTH = struct.Struct("!i")
_NULL = _LENGTH.pack(-1)


def _scalar(form: str) -> Callable[[Any], bytes]:
    return struct.Struct(f"!{form}").pack


def _array(oid: int, form: str) -> Callable[[Sequence[Any]], bytes]:
    """Return what packs numbers of one width, none of them null."""
    width = struct.calcsize(f"!{form}")

    def pack(values: Sequence[Any]) -> bytes:
        count = len(values)
        if not count:
            return _EMPTY.pack(0, 0, oid)
        flat = [width] * (2 * count)
        flat[1::2] = values
        return _ARRAY.pack(1, 0, oid, count, 1) + struct.pack("!" + f"i{form}" * count, *flat)

    return pack


def _nullable_array(oid: int, pack_one: Callable[[Any], bytes]) -> Callable[[Sequence[Any]], bytes]:
    def pack(values: Sequence[Any]) -> bytes:
        if not values:
            return _EMPTY.pack(0, 0, oid)
        parts = [_ARRAY.pack(1, int(None in values), oid, len(values), 1)]
        for value in values:
            if value is None:
                parts.append(_NULL)
            else:
                packed = pack_one(value)
                parts.append(_LENGTH.pack(len(packed)))
                parts.append(packed)
        return b"".join(parts)

    return pack


KINDS: dict[str, tuple[int, Callable[[Any], bytes]]] = {
    "smallint": (21, _scalar("h")),
    "int": (23, _scalar("i")),
    "bigint": (20, _scalar("q")),
    "float8": (701, _scalar("d")),
    "boolean": (16, _scalar("?")),
    "text": (25, str.encode),
    "bytea": (17, bytes),
    "smallint[]": (1005, _array(21, "h")),
    "int[]": (1007, _array(23, "i")),
    "bigint[]": (1016, _array(20, "q")),
    "boolean[]": (1000, _array(16, "?")),
    "float8[]": (1022, _nullable_array(701, _scalar("d"))),
    "bytea[]": (1001, _nullable_array(17, bytes)),
}


class Statement:
    """A function of the schema and the types of its arguments."""

    def __init__(self, function: str, *types: str, rows: bool = False) -> None:
        places = ", ".join(f"${number}" for number in range(1, len(types) + 1))
        self.name = function.encode()
        self.text = f"select {'* from ' if rows else ''}{function}({places})".encode()
        self.oids = [KINDS[name][0] for name in types]
        self.packs = [KINDS[name][1] for name in types]
        self.formats = [pq.Format.BINARY] * len(types)

    def packed(self, values: Sequence[Any]) -> list[bytes | None]:
        """Return the arguments as they are sent."""
        packs = self.packs
        return [None if value is None else pack(value) for pack, value in zip(packs, values, strict=True)]


class Exchange:
    """The round trips of one session."""

    def __init__(self, connection: Any, statements: Sequence[Statement], seconds_max: float) -> None:
        self.connection = connection
        self._pgconn = connection.pgconn
        self._reader = adapt.Transformer(connection)
        self._seconds_max = seconds_max
        self._pgconn.enter_pipeline_mode()
        for statement in statements:
            self._pgconn.send_prepare(statement.name, statement.text, param_types=statement.oids)
        self._pgconn.pipeline_sync()
        for results in connection.wait(self._talk(1), LOOK_SECONDS):
            if results[0].status != pq.ExecStatus.COMMAND_OK:
                raise error_from_result(results[0])

    def run(self, calls: Sequence[tuple[Statement, Sequence[Any]]]) -> list[Answer]:
        """Send all calls and return the answer to each; raise if the connection is lost on the way."""
        if not calls:
            return []
        pgconn = self._pgconn
        for statement, values in calls:
            pgconn.send_query_prepared(
                statement.name,
                statement.packed(values),
                param_formats=statement.formats,
                result_format=pq.Format.BINARY,
            )
            pgconn.pipeline_sync()
        answers = self.connection.wait(self._talk(len(calls)), LOOK_SECONDS)
        return [self._answer(results[0]) for results in answers]

    def _talk(self, syncs: int) -> Generator[Any, Any, list[list[Any]]]:
        """Write and read until the server has answered everything."""
        pgconn = self._pgconn
        answers: list[list[Any]] = []
        current: list[Any] = []
        end = time.monotonic() + self._seconds_max
        unsent = pgconn.flush()
        while syncs:
            ready = yield WAIT_RW if unsent else WAIT_R
            if not ready:
                if time.monotonic() > end:
                    raise psycopg.OperationalError(f"no answer in {self._seconds_max:g} seconds")
                continue
            if ready & READY_W:
                unsent = pgconn.flush()
            if ready & READY_R:
                pgconn.consume_input()
                while syncs and not pgconn.is_busy():
                    result = pgconn.get_result()
                    if result is None:
                        answers.append(current)
                        current = []
                    elif result.status == pq.ExecStatus.PIPELINE_SYNC:
                        syncs -= 1
                    else:
                        current.append(result)
        return answers

    def _answer(self, result: Any) -> Answer:
        if result.status == pq.ExecStatus.TUPLES_OK:
            self._reader.set_pgresult(result, format=pq.Format.BINARY)
            rows: Rows = self._reader.load_rows(0, result.ntuples, tuple)
            return rows
        failure = error_from_result(result)
        if failure.diag.severity_nonlocalized in ("FATAL", "PANIC"):
            raise failure  # the server ends the session: what else it did is asked for later
        return failure


def hang_up(connection: Any) -> None:
    """End a session that another thread may be using: it finds its connection ended, and closes it."""
    with contextlib.suppress(OSError, psycopg.Error):
        with socket.socket(fileno=os.dup(connection.pgconn.socket)) as end:
            end.shutdown(socket.SHUT_RDWR)
