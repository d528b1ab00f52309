"""The options of every command that talks to a queue manager: --user, --password-file and --running.

They are declared once, here, and added to each command with a parameter `qmgr`, so that they may stand before
or behind the command's name and all commands have the same. A command whose own option has one of the names
keeps it. What they say goes where `choosing` looks for it: into the environment.
"""

from __future__ import annotations

import functools
import inspect
import os
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from penstock.cli import choosing

if TYPE_CHECKING:
    from collections.abc import Callable

UserOption = Annotated[
    str,
    typer.Option("--user", envvar=choosing.USER, help="who you are at an mq:// address"),
]
PasswordFileOption = Annotated[
    str,
    typer.Option(
        "--password-file",
        envvar=choosing.PASSWORD_FILE,
        help="a file with the user's password; without it you are asked",
    ),
]
RunningOption = Annotated[
    bool,
    typer.Option(
        "--running",
        envvar=choosing.RUNNING,
        help="exit with 1 unless the queue manager runs, instead of opening it",
    ),
]
OPTIONS: dict[str, tuple[Any, str, Any]] = {
    "connection_user": (UserOption, choosing.USER, ""),
    "connection_password_file": (PasswordFileOption, choosing.PASSWORD_FILE, ""),
    "connection_running": (RunningOption, choosing.RUNNING, False),
}
DONE = "has_connection_options"


def with_connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of a connection, if it has one."""
    signature = inspect.signature(command)
    if "qmgr" not in signature.parameters or hasattr(command, DONE):
        return command
    hints = get_type_hints(command, include_extras=True)
    own = _declared(hints)
    added = {name: each for name, each in OPTIONS.items() if not own & _declared({name: each[0]})}

    @functools.wraps(command)
    def run(**arguments: Any) -> Any:
        for name, (_, variable, _) in added.items():
            value = arguments.pop(name)
            if value:
                os.environ[variable] = "1" if value is True else value
        return command(**arguments)

    known = [each.replace(annotation=hints[name]) for name, each in signature.parameters.items()]
    more = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, _, default) in added.items()
    ]
    run.__signature__ = signature.replace(parameters=[*known, *more])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*known, *more)}
    setattr(run, DONE, True)
    return run


def _declared(hints: dict[str, Any]) -> set[str]:
    """Return the names of the options that parameters declare; typer has the first one as the default."""
    about = [each for hint in hints.values() for each in getattr(hint, "__metadata__", ())]
    names = [name for each in about for name in (each.default, *(each.param_decls or ()))]
    return {name for name in names if isinstance(name, str) and name.startswith("--")}
