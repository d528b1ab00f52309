"""Log settings have MQ's ranges, and their errors name the key."""

from __future__ import annotations

from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.store.segments import LogSettings, LogType, find_identity, segment_name, segment_numbers


def test_defaults_are_mqs() -> None:
    settings = LogSettings()
    assert (settings.log_type, settings.primary_files, settings.secondary_files) == (LogType.CIRCULAR, 3, 10)
    assert settings.segment_bytes == 4096 * 4096
    assert settings.buffer_bytes == 512 * 4096
    assert LogSettings(buffer_pages=0).buffer_bytes == 512 * 4096


@pytest.mark.parametrize(
    ("field", "values", "key"),
    [
        ("primary_files", (1, 511, "3"), "LogPrimaryFiles"),
        ("secondary_files", (0, 510), "LogSecondaryFiles"),
        ("file_pages", (63, 65536, 64.0), "LogFilePages"),
        ("buffer_pages", (-1, 4097, True), "LogBufferPages"),
        ("log_type", ("CIRCULAR",), "LogType"),
    ],
)
def test_values_out_of_range_are_refused_by_name(field: str, values: tuple[object, ...], key: str) -> None:
    for value in values:
        with pytest.raises(MQError, match=key) as caught:
            LogSettings(**{field: value})  # type: ignore[arg-type]
        assert caught.value.reason == 8012
        assert caught.value.fields["key"] == key


def test_primary_and_secondary_files_have_a_common_limit() -> None:
    LogSettings(primary_files=500, secondary_files=11)
    with pytest.raises(MQError, match="511"):
        LogSettings(primary_files=500, secondary_files=12)


def test_only_journal_files_are_counted(tmp_path: Path) -> None:
    for name in ("S0000003.LOG", "S0000012.LOG", "S0000004.NEW", "notes.txt", "S12.LOG"):
        (tmp_path / name).touch()
    assert segment_numbers(tmp_path) == [3, 12]
    assert segment_name(12345678) == "S12345678.LOG"
    with pytest.raises(MQError, match="8015"):
        find_identity(tmp_path)
