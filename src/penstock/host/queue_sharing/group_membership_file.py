"""Where a machine keeps the addresses of its groups, and how a queue manager joins one in its qm.ini.

`groups.json` below PENSTOCK_HOME has the address of each group that was created or joined here. Joining
writes the Group stanza of qm.ini, leaving removes it; both count from the next start. Called by `penstock
qsg`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.host.folders.ini import read_settings
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.files import Files
from penstock.store.home import penstock_home

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.qmgr.sharing.group import Group

NAME = "groups.json"
STANZA = "Group:"


def facility_of(name: str, given: str = "", home: Path | None = None) -> str:
    """Return the address of a group: the given one, or the one that is known here."""
    known = _read(penstock_home(home) / NAME)
    if not given and name not in known:
        text = (
            f"the address of group {name} is not known here: give --facility postgresql://user@host/database"
        )
        raise error(mq.PSRC_INI_ERROR, text, group=name)
    return given or known[name]


def known_groups(home: Path | None = None) -> dict[str, str]:
    """Return the groups that are known here, with their addresses."""
    return _read(penstock_home(home) / NAME)


def remember(name: str, facility: str, home: Path | None = None) -> None:
    """Keep the address of a group."""
    place = penstock_home(home)
    place.mkdir(parents=True, exist_ok=True)
    _write(place / NAME, {**_read(place / NAME), name: facility})


def forget(name: str, home: Path | None = None) -> None:
    """Drop the address of a group."""
    path = penstock_home(home) / NAME
    known = _read(path)
    if known.pop(name, None) is not None:
        _write(path, known)


def join(ini: Path, group: Group) -> None:
    """Name a group in a queue manager's settings; 8012 if it is in another."""
    before = read_settings(ini).group
    if before is not None and before.name != group.name:
        raise error(mq.PSRC_INI_ERROR, f"{ini} names group {before.name}: leave it first")
    text = _without_stanza(ini.read_text("utf-8"))
    text += f"{STANZA}\n   Name={group.name}\n   Facility={group.facility}\n"
    Files().replace(ini, ini.with_suffix(".new"), text.encode())


def leave(ini: Path) -> None:
    """Remove the group from a queue manager's settings."""
    Files().replace(ini, ini.with_suffix(".new"), _without_stanza(ini.read_text("utf-8")).encode())


def _without_stanza(text: str) -> str:
    kept, inside = [], False
    for line in text.splitlines():
        words = line.strip()
        if words.endswith(":") and "=" not in words and not words.startswith(("#", ";")):
            inside = words.lower() == STANZA.lower()
        if not inside:
            kept.append(line)
    return "\n".join(kept) + "\n"


def _read(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as failure:
        raise error(mq.PSRC_INI_ERROR, f"{path} cannot be read: {failure}") from failure
    return {str(key): str(value) for key, value in found.items()} if isinstance(found, dict) else {}


def _write(path: Path, known: dict[str, str]) -> None:
    Files().replace(path, path.with_suffix(".new"), json.dumps(known, indent=2).encode())
