"""Errors of the data source as one line: number, name, what is wrong, what to do, and where the traceback is.

Spark shows its users the whole traceback of a Python process, with the frames of Spark itself. `plain` is for
the methods that Spark calls: it writes the traceback to a file, and lets Spark pass on one line. Errors that
are not ours keep their traceback, because their meaning is unknown. `failures` reads such a line again.
"""

from __future__ import annotations

import functools
import inspect
import os
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from penstock.model.errors import MQError, error
from penstock.store.home import penstock_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
HIDE = "SPARK_HIDE_TRACEBACK"  # called by PySpark when it reports the error of a worker, which then ends
KEPT = 20  # newest files
ADVICE, PLACE = " Advice: ", " Traceback: "


def plain(method: Callable[Given, Answer]) -> Callable[Given, Answer]:
    """Let an error of ours leave a method of the data source as one line."""
    if inspect.isgeneratorfunction(method):
        generator: Any = method

        @functools.wraps(method)
        def rows(*given: Given.args, **named: Given.kwargs) -> Iterator[Any]:
            try:
                yield from generator(*given, **named)
            except MQError as failure:
                raise in_one_line(failure) from None

        return rows  # type: ignore[return-value]

    @functools.wraps(method)
    def call(*given: Given.args, **named: Given.kwargs) -> Answer:
        try:
            return method(*given, **named)
        except MQError as failure:
            raise in_one_line(failure) from None

    return call


def in_one_line(failure: MQError) -> MQError:
    """Return an error with advice and the place of its traceback, which Spark shows without one."""
    if PLACE in failure.detail:
        return failure  # an outer method has it from an inner one
    os.environ[HIDE] = "1"
    text = (failure.detail or failure.meaning).replace("\n", "; ").rstrip(".") + "."
    action = " ".join(failure.action.split())
    return error(failure.reason, f"{text}{ADVICE}{action}{PLACE}{keep(failure)}", **failure.fields)


def keep(failure: BaseException) -> str:
    """Write the traceback of an error to a file and return its path, with the host if it is a cluster's."""
    folder = failures_folder()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in sorted(folder.glob("failure-*.txt"))[: 1 - KEPT]:
            old.unlink(missing_ok=True)
        file = folder / f"failure-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.txt"
        file.write_text("".join(traceback.format_exception(failure)))
    except OSError as cause:
        return f"not kept ({cause.strerror})"
    return str(file)


def failures_folder() -> Path:
    """Return where tracebacks are kept: in the home if there is one here, else among temporary files."""
    home = penstock_home()
    if (home / ".spark").is_dir():
        return home / ".spark" / "logs"
    return Path(tempfile.gettempdir()) / f"penstock-failures-{os.getuid()}"
