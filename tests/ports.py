"""Ports for servers of the tests: the laboratory's."""

from __future__ import annotations

from penstock.lab.load.ports import FIRST, LAST, LOOPBACK, free_port

__all__ = ["FIRST", "LAST", "LOOPBACK", "free_port"]
