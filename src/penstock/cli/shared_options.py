"""Options that several commands share: declared once, and added to a command's signature.

`connection_options` adds those of a connection, `dlq/letters.py` those that choose dead letters. typer reads
the signature that a command has then, so the options look like its own.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, get_type_hints

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Command = Callable[..., Any]
    Options = Mapping[str, tuple[Any, Any]]  # parameter -> annotation, default


def with_options(
    command: Command, options: Options, convert: Callable[[dict[str, Any]], dict[str, Any]]
) -> Command:
    """Return a command that also takes `options`.

    `convert` gets their values and returns the arguments that the command receives instead. A parameter of
    the command without annotation is for these arguments and is no option. An option that the command
    declares itself is left alone.
    """
    signature = inspect.signature(command)
    options = {name: each for name, each in options.items() if name not in signature.parameters}
    hints = get_type_hints(command, include_extras=True)

    @functools.wraps(command)
    def run(**arguments: Any) -> Any:
        values = {name: arguments.pop(name) for name in options}
        return command(**arguments, **convert(values))

    own = [
        each.replace(annotation=hints[name]) for name, each in signature.parameters.items() if name in hints
    ]
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
        for name, (annotation, default) in options.items()
    ]
    run.__signature__ = signature.replace(parameters=[*own, *added])  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in (*own, *added)}
    return run
