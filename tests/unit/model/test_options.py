"""Flag classes carry MQ's numbers and read well."""

import pytest

from penstock.model import constants as c
from penstock.model.options import Close, Get, Match, MsgFlag, Open, Put, Report


def test_flags_are_ints_with_the_numbers_of_mq():
    assert Open.INPUT_SHARED | Open.BROWSE == c.MQOO_INPUT_SHARED | c.MQOO_BROWSE
    assert Close.DELETE_PURGE == 2
    assert Put.SYNCPOINT == 2
    assert Get.WAIT | Get.CONVERT == 16385
    assert Match.CORREL_ID == 2
    assert MsgFlag.IN_GROUP | MsgFlag.LAST_IN_GROUP == 24
    assert Report.DISCARD == 134217728


def test_data_options_of_a_report_contain_the_report_itself():
    for kind in ("COA", "COD", "EXPIRATION", "EXCEPTION"):
        plain, data, full = (Report[kind + suffix] for suffix in ("", "_WITH_DATA", "_WITH_FULL_DATA"))
        assert plain in data
        assert data in full


@pytest.mark.parametrize(
    ("flags", "prefix"),
    [
        (Open, "MQOO_"),
        (Close, "MQCO_"),
        (Put, "MQPMO_"),
        (Get, "MQGMO_"),
        (Match, "MQMO_"),
        (Report, "MQRO_"),
        (MsgFlag, "MQMF_"),
    ],
)
def test_every_option_of_mq_has_a_flag(flags, prefix):
    known = {int(flag) for flag in flags.__members__.values()}
    combined = {c.MQGMO_BROWSE_HANDLE, c.MQGMO_BROWSE_CO_OP}
    numbers = {
        value for name, value in vars(c).items() if name.startswith(prefix) and not name.endswith("MASK")
    }

    assert numbers - combined <= known


def test_unknown_bits_are_kept_for_the_engine_to_refuse():
    assert int(Open(1 << 30)) == 1 << 30


def test_no_flag_is_zero():
    for flags in (Open, Close, Put, Get, Match, Report, MsgFlag):
        assert flags.NONE == 0
