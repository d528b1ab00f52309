"""Where an error happened: the ESQL lines and routines in its traceback.

Compiled code has the lines of the ESQL, so nothing has to be recorded at run time. `traced` is called once,
when an error leaves a module.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.esql.runtime.errors import esql_error
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from types import TracebackType

    from penstock.esql.runtime.context import Context

TOO_DEEP = "S54001"
_SELECT = "select_"


@dataclass(frozen=True, slots=True)
class EsqlFrame:
    """One routine in an error's traceback: its file, its Python name and the current line."""

    file: str
    routine: str
    line: int


def traced(raised: BaseException, context: Context) -> MQError:
    """Return an error with the fields `file`, `line`, `routine`, `frames` and the labels of its node."""
    frames = esql_frames(raised.__traceback__)
    if isinstance(raised, MQError):
        problem = raised
    else:
        problem = esql_error(TOO_DEEP, "the routines call each other too deeply").with_traceback(
            raised.__traceback__
        )
    if frames and "frames" not in problem.fields:
        last = frames[-1]
        problem.fields.update(file=last.file, line=last.line, routine=last.routine, frames=frames)
    for label in ("NODELABEL", "MESSAGEFLOWLABEL"):
        if label in context.labels:
            problem.fields.setdefault(label.lower(), context.labels[label])
    return problem


def esql_frames(trace: TracebackType | None) -> tuple[EsqlFrame, ...]:
    """Return the frames of compiled ESQL in a traceback, outermost first."""
    found: list[EsqlFrame] = []
    while trace is not None:
        frame = trace.tb_frame
        if "library" in frame.f_globals and frame.f_globals.get("__file__") == frame.f_code.co_filename:
            name = frame.f_code.co_qualname.partition(".<locals>")[0]
            if found and frame.f_code.co_name.startswith(_SELECT):
                found[-1] = EsqlFrame(frame.f_code.co_filename, name, trace.tb_lineno)
            else:
                found.append(EsqlFrame(frame.f_code.co_filename, name, trace.tb_lineno))
        trace = trace.tb_next
    return tuple(found)
