"""How a client lets a uniform cluster move it: MQ's MQBNO, from the program or from `mqclient.ini`.

`Balancing` goes to the queue manager with the greeting. Without one, `balancing_of` takes the Application
stanza with the program's name, then the ApplicationDefaults stanza. The file is the one that MQCLNTCF names,
else `mqclient.ini` in the current or the home folder. Its other stanzas are ignored.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TIMEOUT_SECONDS = 10.0
TIMEOUT_SECONDS_MAX = 999_999_999
FILE = "mqclient.ini"
FILE_BYTES_MAX = 1 << 20
TYPES = ("SIMPLE", "REQREP")
TIMEOUTS = {"default": TIMEOUT_SECONDS, "immediate": 0.0, "never": None}
OPTIONS = {"none": False, "igntrans": True}


@dataclass(frozen=True)
class Balancing:
    """When a client may be interrupted to be moved to another member of a uniform cluster (MQBNO).

    A client goes at its next call outside a unit of work, with `type="REQREP"` not before it has as many
    replies as it has put requests. After `timeout` seconds (None: never) it is disconnected; an open unit of
    work is backed out. With `ignore_units` a unit of work does not delay that.
    """

    type: str = "SIMPLE"
    timeout: float | None = TIMEOUT_SECONDS
    ignore_units: bool = False

    def __post_init__(self) -> None:
        """Raise 2602 for values that make no sense."""
        if self.type not in TYPES:
            raise _refused(f"type is {' or '.join(TYPES)}, not {self.type!r}")
        number = isinstance(self.timeout, (int, float)) and not isinstance(self.timeout, bool)
        if self.timeout is not None and not (number and 0 <= self.timeout <= TIMEOUT_SECONDS_MAX):
            raise _refused(
                f"timeout is from 0 to {TIMEOUT_SECONDS_MAX} seconds or None, not {self.timeout!r}"
            )

    def facts(self) -> list[object]:
        """Return what the queue manager has to know."""
        return [self.type, self.timeout, bool(self.ignore_units)]


def balancing_of(application: str, where: Mapping[str, str] = os.environ) -> Balancing:
    """Return what `mqclient.ini` specifies for an application; the defaults without a stanza for it."""
    path = _file(where)
    if path is None:
        return Balancing()
    default = None
    for stanza, values in _stanzas(path):
        if stanza == "application" and values.get("name") == application:
            return _read(values, path)
        if stanza == "applicationdefaults":
            default = values
    return Balancing() if default is None else _read(default, path)


def _file(where: Mapping[str, str]) -> Path | None:
    if where.get("MQCLNTCF"):
        return Path(where["MQCLNTCF"].removeprefix("file://")).expanduser()
    candidates = (Path(FILE), Path(where.get("HOME") or "/") / FILE)
    return next((each for each in candidates if each.is_file()), None)


def _stanzas(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield each stanza with its keys, in lower case."""
    try:
        with path.open("rb") as file:
            text = file.read(FILE_BYTES_MAX).decode("utf-8", "replace")
    except OSError as failure:
        raise _refused(f"{path}: {failure.strerror}") from failure
    stanza, values = "", dict[str, str]()
    for line in map(str.strip, text.splitlines()):
        key, equals, value = line.partition("=")
        if not line or line[0] in "#;":
            continue
        if equals:
            values[key.strip().lower()] = value.strip()
        elif line.endswith(":"):
            yield stanza, values
            stanza, values = line[:-1].strip().lower(), {}
    yield stanza, values


def _read(values: dict[str, str], path: Path) -> Balancing:
    try:
        kind, timeout = values["type"].upper(), values["balancetimeout"].lower()
    except KeyError as missing:
        raise _refused(f"{path}: a stanza about balancing needs {missing}") from missing
    options = values.get("balanceoptions", "none").lower()
    if options not in OPTIONS:
        raise _refused(f"{path}: BalanceOptions is None or IgnTrans, not {options}")
    if timeout not in TIMEOUTS and not timeout.isdecimal():
        raise _refused(f"{path}: BalanceTimeout is Never, Immediate, Default or seconds, not {timeout}")
    seconds = TIMEOUTS[timeout] if timeout in TIMEOUTS else float(timeout)
    if kind == "MANAGED":  # of resource adapters, which choose the moment themselves
        return Balancing(timeout=None)
    return Balancing(kind, seconds, OPTIONS[options])


def _refused(why: str) -> MQError:
    return error(mq.MQRC_BNO_ERROR, f"balancing: {why}")
