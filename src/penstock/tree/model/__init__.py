"""Message models: one logical message, several physical formats.

`Model`, `Type`, `Group` and `Field` say what a message consists of; `CwfFormat` and `Cwf` how it looks
as a fixed structure. `tree.parse(data, domain="MRM", model=model, format=...)` reads it.
"""

from penstock.tree.model.cwf import Cwf, CwfFormat
from penstock.tree.model.logical import Field, Group, Model, Type

__all__ = ["Cwf", "CwfFormat", "Field", "Group", "Model", "Type"]
