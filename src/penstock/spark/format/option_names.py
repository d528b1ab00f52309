"""The options of the data source "penstock": which there are, and the nearest one for a wrong name."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

CONNECTION = ("url", "user", "passwordFile", "password", "home", "patience")
SOURCE = ("queue", "topic", "subscription", "selector", "flow", "maxRows", "maxBytes", "partitions", "epoch")
KINDS = ("browse", "deadLetters", "journal")
BODIES = ("domain", "model", "message", "format", "extraFields")
SINK = ("batch",)
NAMES = (*CONNECTION, *SOURCE, *KINDS, *BODIES, *SINK)
# Spark's own for readers, writers and views
SPARKS = frozenset(
    ("checkpointlocation", "queryname", "outputmode", "mode", "serialization.format", "provider", "comment")
)


def check_options(given: Iterable[str]) -> None:
    """Refuse an option that does not exist, with the nearest name: 8405. Case does not matter to Spark."""
    known = {name.lower() for name in NAMES}
    for name in given:
        if name.lower() in known or name.lower() in SPARKS or name.lower().startswith("spark."):
            continue
        raise error(mq.PSRC_SPARK_OPTION, f"there is no option {name}; {instead_of(name, NAMES)}")


def instead_of(name: str, names: Iterable[str]) -> str:
    """Return which name was probably meant, or all that there are.

    >>> instead_of("prio", ["body", "priority"]), instead_of("x", ["body", "priority"])
    ('did you mean priority', 'there are body, priority')
    """
    known = {each.lower(): each for each in names}
    near = get_close_matches(name.lower(), known, n=1, cutoff=0.6)
    return f"did you mean {known[near[0]]}" if near else f"there are {', '.join(known.values())}"


def is_set(options: Mapping[str, str], name: str) -> bool:
    """Return an option that is true or false: 8405 for anything else."""
    text = options.get(name, "false").lower()
    if text not in ("true", "false"):
        raise error(mq.PSRC_SPARK_OPTION, f"{name} is true or false, not {text[:40]!r}")
    return text == "true"
