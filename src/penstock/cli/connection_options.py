"""The options of every command that talks to a queue manager: --user, --password-file, --ccdt and --running.

They are declared once, here, and added to every command with a parameter `qmgr`, so that users can write them
before or after the command's name. A command that has an option of the same name keeps its own. The values go
into the environment, where `connecting` looks for them.
"""

from __future__ import annotations

import inspect
import os
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from penstock.cli import connecting
from penstock.cli.shared_options import with_options

if TYPE_CHECKING:
    from collections.abc import Callable

UserOption = Annotated[
    str,
    typer.Option(
        "--user",
        envvar=connecting.USER,
        help="your user at an mq:// address, or at a local socket if CONNAUTH checks local users",
    ),
]
PasswordFileOption = Annotated[
    str,
    typer.Option(
        "--password-file",
        envvar=connecting.PASSWORD_FILE,
        help="a file with the user's password; without it the command prompts",
    ),
]
CcdtOption = Annotated[
    str,
    typer.Option(
        "--ccdt",
        envvar=connecting.CCDT,
        help="a client channel definition table (JSON); --qmgr is then QM1, or *GROUP for any of its members",
    ),
]
RunningOption = Annotated[
    bool,
    typer.Option(
        "--running",
        envvar=connecting.RUNNING,
        help="exit with 1 unless the queue manager runs, instead of opening it",
    ),
]
ContextOption = Annotated[
    str,
    typer.Option(
        "--context",
        envvar=connecting.CONTEXT,
        help="a named address of `penstock context`, if no --qmgr is given",
    ),
]
OPTIONS: dict[str, tuple[Any, Any]] = {
    connecting.USER: (UserOption, ""),
    connecting.PASSWORD_FILE: (PasswordFileOption, ""),
    connecting.CCDT: (CcdtOption, ""),
    connecting.RUNNING: (RunningOption, False),
    connecting.CONTEXT: (ContextOption, ""),
}
DONE = "has_connection_options"


def with_connection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of a connection, if it uses one."""
    if "qmgr" not in inspect.signature(command).parameters or hasattr(command, DONE):
        return command
    own = _declared(get_type_hints(command, include_extras=True))
    added = {name: each for name, each in OPTIONS.items() if not own & _declared({name: each[0]})}
    run = with_options(command, added, _keep)
    setattr(run, DONE, True)
    return run


def _keep(values: dict[str, Any]) -> dict[str, Any]:
    """Put the values into the environment, where `connecting` looks for them."""
    os.environ.update({name: "1" if value is True else value for name, value in values.items() if value})
    return {}


def _declared(hints: dict[str, Any]) -> set[str]:
    """Return the names of the options that parameters declare; typer has the first one as the default."""
    about = [each for hint in hints.values() for each in getattr(hint, "__metadata__", ())]
    names = [name for each in about for name in (each.default, *(each.param_decls or ()))]
    return {name for name in names if isinstance(name, str) and name.startswith("--")}
