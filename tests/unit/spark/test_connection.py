"""Which queue manager options name, and how long its absence is borne."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.spark.remote_queue_manager import PATIENCE_SECONDS, queue_manager_of


def test_patience_is_a_number_of_seconds() -> None:
    assert queue_manager_of({"url": "QM1"}).patience_seconds == PATIENCE_SECONDS
    assert queue_manager_of({"url": "QM1", "patience": "0.5"}).patience_seconds == 0.5


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "long", ""])
def test_patience_without_an_end_is_refused(text: str) -> None:
    with pytest.raises(MQError, match="patience is a number of seconds") as caught:
        queue_manager_of({"url": "QM1", "patience": text})

    assert caught.value.reason == 8405


def test_without_a_queue_manager_nothing_goes() -> None:
    with pytest.raises(MQError, match="the option url is missing") as caught:
        queue_manager_of({})

    assert caught.value.reason == 8405


def test_a_password_file_that_is_not_there_is_an_option_to_correct(tmp_path: Path) -> None:
    options = {"url": "mq://127.0.0.1:1/QM1", "user": "app", "passwordFile": str(tmp_path / "none")}
    with pytest.raises(MQError, match=r"passwordFile .*none cannot be read: No such file") as caught:
        queue_manager_of(options).do(lambda qm: qm.name)

    assert caught.value.reason == 8405
