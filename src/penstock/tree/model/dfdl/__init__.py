"""DFDL schemas as models: `import_dfdl`; docs/reference/message-models.md lists what is supported."""

from penstock.tree.model.dfdl.importer import import_dfdl

__all__ = ["import_dfdl"]
