"""COBOL copybooks as models: `import_copybook` makes a model with a CWF format of a record description."""

from penstock.tree.model.copybook.importer import import_copybook

__all__ = ["import_copybook"]
