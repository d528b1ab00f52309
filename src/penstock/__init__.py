"""Penstock: an MQ-style queue manager for Python people, and what grows on it.

The public names are listed in `__init__.pyi`; each is loaded from its room when it is first used, so that
`import penstock` and `penstock --help` stay quick. Nothing else belongs here.
"""

from penstock.lazy_names import lazy_names

__version__ = "0.1.0"

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
