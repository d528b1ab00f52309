"""Tests on simulated queue managers need the compiled message, as the frames of the simulator do."""

from __future__ import annotations

import os

UNCOMPILED = os.environ.get("PENSTOCK_UNCOMPILED", "0") != "0"
SIMULATED = [
    "test_applications.py",
    "test_clock_set_back.py",
    "test_contradictions.py",
    "test_forged_records.py",
    "test_switching.py",
]
collect_ignore = SIMULATED if UNCOMPILED else []
