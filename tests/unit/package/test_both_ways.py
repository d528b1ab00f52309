"""The tests run twice: compiled as installed, and uncompiled from `src`. This proves which run is which."""

import importlib.machinery
from pathlib import Path
from types import FunctionType

import penstock.model.message
from tests.conftest import UNCOMPILED
from tests.uncompiled import SOURCE

EXTENSIONS = tuple(importlib.machinery.EXTENSION_SUFFIXES)


def test_the_message_module_is_compiled_exactly_in_the_compiled_run():
    origin = penstock.model.message.__file__
    assert origin is not None

    assert origin.endswith(EXTENSIONS) is not UNCOMPILED


def test_modules_come_from_src_only_in_the_uncompiled_run():
    place = Path(penstock.__file__).resolve()

    assert place.is_relative_to(SOURCE) is UNCOMPILED


def test_the_class_itself_is_of_the_kind_that_the_run_claims():
    # A compiled class has no Python function behind its methods.
    method = penstock.model.message.Message.snapshot

    assert isinstance(method, FunctionType) is UNCOMPILED


def test_modules_that_exist_only_compiled_are_found_in_both_runs():
    from penstock.store import _writer

    assert _writer.__file__.endswith(EXTENSIONS)


def test_no_build_product_lies_in_src():
    born = [path for pattern in ("*.c", "*.so", "*.egg-info") for path in SOURCE.rglob(pattern)]

    assert born == []
