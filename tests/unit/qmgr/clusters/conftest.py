"""Tests on simulated queue managers need the compiled message, as the frames of the simulator do."""

from __future__ import annotations

import os

UNCOMPILED = os.environ.get("PENSTOCK_UNCOMPILED", "0") != "0"
collect_ignore = ["test_applications.py", "test_forged_records.py"] if UNCOMPILED else []
