"""qm.ini in IBM's stanza syntax."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.host.folders.ini import (
    ChannelSettings,
    Settings,
    TuningSettings,
    format_settings,
    log_settings,
    parse_settings,
    read_settings,
    write_settings,
)
from penstock.model.errors import MQError
from penstock.store.segments import LogSettings, LogType

FROM_MQ = """
#*******************************************************************#
#* Module Name: qm.ini                                             *#
#*******************************************************************#
ExitPath:
   ExitsDefaultPath=/var/mqm/exits
Log:
   LogPrimaryFiles=5
   LogSecondaryFiles=7
   LogFilePages=8192
   LogType=LINEAR
   LogBufferPages=64
   LogPath=/var/mqm/log/QM1/
   LogWriteIntegrity=TripleWrite
Service:
   Name=AuthorizationService
   EntryPoints=14
ServiceComponent:
   Service=AuthorizationService
; a comment of the other kind
CHANNELS:
   MaxChannels = 500
TuningParameters:
   DefaultQBufferSize=1048576
"""


def test_a_file_from_an_mq_installation_is_read():
    settings = parse_settings(FROM_MQ)

    assert settings.log == LogSettings(LogType.LINEAR, 5, 7, 8192, 64)
    assert settings.channels.max_channels == 500
    assert settings.tuning.default_q_buffer_size == 1048576


def test_unknown_keys_warn_with_their_line_and_services_do_not():
    warnings = parse_settings(FROM_MQ).warnings

    assert len(warnings) == 3
    assert "line 6" in warnings[0]
    assert "ExitsDefaultPath" in warnings[0]


def test_an_empty_file_means_the_defaults():
    settings = parse_settings("")

    assert settings == Settings()
    assert settings.tuning == TuningSettings(64 * 2**20, 64 * 2**20, 48)


def test_names_are_taken_in_any_case():
    assert parse_settings("LOG:\n logprimaryfiles=9").log.primary_files == 9


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Log:\n LogPrimaryFiles=many", "line 2"),
        ("Log:\n LogPrimaryFiles=1", "from 2 to 510"),
        ("Log:\n\n LogType=SQUARE", "CIRCULAR or LINEAR"),
        ("LogPrimaryFiles=3", "stanza"),
        ("Log:\nLogPrimaryFiles", "Key=Value"),
        ("Log:\n LogPrimaryFiles=500\n LogSecondaryFiles=500", "at most 511"),
    ],
)
def test_a_value_that_makes_no_sense_is_8012_and_says_what_was_expected(text, words):
    with pytest.raises(MQError, match=words) as failure:
        parse_settings(text)

    assert failure.value.reason == 8012


def test_what_is_written_is_read_again(tmp_path):
    settings = Settings(LogSettings(LogType.LINEAR, 4, 5, 64, 0), ChannelSettings(7), TuningSettings(1, 2, 3))
    path = tmp_path / "qm.ini"

    write_settings(path, settings)

    assert read_settings(path) == settings
    assert [each.name for each in tmp_path.iterdir()] == ["qm.ini"]


def test_the_default_file_names_every_key():
    assert format_settings(Settings()).count("=") == 16


def test_create_options_are_checked_by_the_same_limits():
    assert log_settings(primary_files=4, log_type="LINEAR") == LogSettings(LogType.LINEAR, primary_files=4)
    with pytest.raises(MQError, match="LogFilePages"):
        log_settings(file_pages=1)
    with pytest.raises(MQError, match="pages is not a log setting"):
        log_settings(pages=1)


@given(st.text(max_size=200))
def test_any_text_gives_settings_or_8012(text):
    try:
        parse_settings(text)
    except MQError as failure:
        assert failure.reason == 8012


def test_a_huge_file_is_refused(tmp_path):
    path = tmp_path / "qm.ini"
    path.write_bytes(b"#" * (1024 * 1024 + 1))

    with pytest.raises(MQError, match="larger"):
        read_settings(path)
