"""Which messages of deployed flows are followed, and what was seen: files of the broker's folder.

`follow.json` has the watches: a flow, which messages, how many, until when. Workers read it and append what
each wire of a followed message carried to files of their own in `followed`, as lines of JSON. A watch ends by
itself. What is recorded is data of messages: the folder is private.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.home import PATIENCE_SECONDS, read_json, write_json
from penstock.host.folders.folder_lock import lock_folder
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.home import make_private

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.broker.home import BrokerHome

MESSAGES_MAX = 100
SECONDS_MAX = 600.0
WATCHES_MAX = 10
KEPT_SECONDS = 86_400.0  # that records are kept after the watch
FILE, FOLDER = "follow.json", "followed"


@dataclass(frozen=True)
class Watch:
    """Which messages of a flow are followed."""

    id: str
    group: str
    flow: str
    messages: int = 10
    until: float = 0.0
    msg_id: str = ""  # begin of a message or correlation id, in hex
    every: int = 1
    failing: bool = False
    by: str = ""


@dataclass
class Followed:
    """What was seen of one message: its wires in order, each with what its node had changed, and failures."""

    id: str
    time: float
    msg_id: str
    wires: list[dict[str, Any]] = field(default_factory=list)
    failures: list[dict[str, Any]] = field(default_factory=list)


def watches_of(path: Path) -> list[Watch]:
    """Return the watches of a broker's folder that are not over."""
    found = read_json(path / FILE) or {"watches": []}
    return [each for facts in found["watches"] if (each := Watch(**facts)).until > time.time()]


def watch_of(path: Path, group: str, flow: str) -> Watch | None:
    """Return the watch of a flow; None if nobody follows it."""
    mine = [each for each in watches_of(path) if (each.group, each.flow) == (group, flow)]
    return mine[-1] if mine else None


def begin(home: BrokerHome, group: str, flow: str, seconds: float, **wanted: Any) -> Watch:
    """Follow messages of a flow from now on; a watch of the same flow ends. 2046 for too much."""
    made = Watch(f"{time.time_ns():x}", group, flow, until=time.time() + seconds, **wanted)
    if not (0 < seconds <= SECONDS_MAX and 0 < made.messages <= MESSAGES_MAX and made.every > 0):
        what = f"at most {MESSAGES_MAX} messages in {SECONDS_MAX:.0f} s are followed"
        raise error(mq.MQRC_OPTIONS_ERROR, what)
    make_private(home.path / FOLDER)
    _forget_old(home.path / FOLDER)
    with lock_folder(home.path / "follow", PATIENCE_SECONDS):
        others = [each for each in watches_of(home.path) if (each.group, each.flow) != (group, flow)]
        _write(home, [*others[1 - WATCHES_MAX :], made])
    return made


def end(home: BrokerHome, group: str, flow: str) -> None:
    """Follow no further messages of a flow."""
    with lock_folder(home.path / "follow", PATIENCE_SECONDS):
        _write(home, [each for each in watches_of(home.path) if (each.group, each.flow) != (group, flow)])


def record_path(path: Path, watch: Watch) -> Path:
    """Return the file that this process writes about a watch."""
    return path / FOLDER / f"{watch.id}-{os.getpid()}.jsonl"


def followed(home: BrokerHome, watch_id: str) -> list[Followed]:
    """Return what was seen for a watch, in the order of time."""
    found: dict[str, Followed] = {}
    for path in sorted((home.path / FOLDER).glob(f"{watch_id}-*.jsonl")):
        for line in path.read_text("utf-8", "replace").splitlines():
            _add(found, line)
    return sorted(found.values(), key=lambda each: each.time)


def _add(found: dict[str, Followed], line: str) -> None:
    try:
        facts = json.loads(line)
    except ValueError:
        return  # is being written
    if "msg_id" in facts:
        found[facts["id"]] = Followed(facts["id"], facts["time"], facts["msg_id"])
    elif (record := found.get(facts["id"])) is not None:
        (record.wires if "wire" in facts else record.failures).append(facts)


def _write(home: BrokerHome, watches: list[Watch]) -> None:
    write_json(home.path / FILE, {"watches": [asdict(each) for each in watches]}, durable=False)


def _forget_old(folder: Path) -> None:
    for path in folder.glob("*.jsonl"):
        if time.time() - path.stat().st_mtime > KEPT_SECONDS:
            path.unlink(missing_ok=True)
