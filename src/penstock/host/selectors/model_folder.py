"""The message models of a queue manager: files in `models` of its folder, for filters on modelled bodies.

A message names its model by the set in its mcd folder (`mcd.Set`); the file is one of that name, with any
ending that `tree.model.files` knows. Read when first needed, and again when the file or the folder
has changed. Invariant: a name is looked up among the files that are there and never becomes a path.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger(__name__)


class ModelFolder:
    """Finds models by name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._changed = 0
        self._files: dict[str, Path] = {}
        self._models: dict[str, tuple[tuple[int, int], Any]] = {}  # what its file was like, model

    def find(self, name: str) -> Any:
        """Return the model of a message set, None when there is none that can be read."""
        try:
            self._look()
            if name not in self._files:
                return None
            facts = self._files[name].stat()
        except OSError:
            return None
        version = (facts.st_mtime_ns, facts.st_size)
        known = self._models.get(name)
        if known is None or known[0] != version:
            known = self._models[name] = (version, _load(self._files[name]))
        return known[1]

    def _look(self) -> None:
        """See what files there are, if any came or went."""
        changed = self.path.stat().st_mtime_ns
        if changed != self._changed:
            self._files = {path.stem: path for path in sorted(self.path.iterdir())}
            self._models = {}
            self._changed = changed


def _load(path: Path) -> Any:
    from penstock.tree.model.files import load_model

    try:
        return load_model(path)
    except (MQError, OSError, ValueError) as failure:
        log.warning("model_unreadable path=%s cause=%s", path, failure)
        return None
