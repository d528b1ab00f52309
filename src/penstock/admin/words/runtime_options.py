"""Options of the commands that go to the runtime, read into plain words.

Called by `start`, `stop`, `ping`, `refresh` and `reset`. It checks the words; the runtime implements the
options.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.words.values import drop_tolerated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.admin.mqsc_parser import Parameters


def read_options(parameters: Parameters, allowed: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the given options; an option without a list of words accepts any text."""
    drop_tolerated(parameters)
    found: dict[str, str] = {}
    for name, words in allowed.items():
        words = tuple(words)
        if words:
            value = parameters.take_keyword(name, words)
        else:
            parameter = parameters.take(name)
            value = parameter.text if parameter is not None and parameter.values is not None else ""
        if value:
            found[name] = value
    parameters.end(allowed)
    return found
