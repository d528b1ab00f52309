"""The message models of a queue manager: files in `models` of its folder, for filters on modelled bodies.

A message names its model by the set in its mcd folder (`mcd.Set`); the file is one of that name, with any
ending that `tree.model.files` knows. Read when first needed, and again when the folder has changed.
Invariant: a name is looked up among the files that are there and never becomes a path.
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
        self._models: dict[str, Any] = {}

    def find(self, name: str) -> Any:
        """Return the model of a message set, None when there is none that can be read."""
        try:
            changed = self.path.stat().st_mtime_ns
        except OSError:
            return None
        if changed != self._changed:
            self._changed = changed
            self._models = {}
            self._files = {path.stem: path for path in sorted(self.path.iterdir())}
        if name not in self._models and name in self._files:
            self._models[name] = _load(self._files[name])
        return self._models.get(name)


def _load(path: Path) -> Any:
    from penstock.tree.model.files import load_model

    try:
        return load_model(path)
    except (MQError, OSError, ValueError) as failure:
        log.warning("model_unreadable path=%s cause=%s", path, failure)
        return None
