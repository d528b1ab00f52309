"""DFDL schemas as models: `import_dfdl`; docs/reference/message-models.md says what it takes."""

from penstock.tree.model.dfdl.importer import import_dfdl

__all__ = ["import_dfdl"]
