"""The numbers of MQ: spot checks of each family, and rules that hold for the whole table."""

import pytest

from penstock.model import constants as c


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MQCC_FAILED", 2),
        ("MQOO_INPUT_SHARED", 2),
        ("MQOO_INPUT_EXCLUSIVE", 4),
        ("MQOO_BROWSE", 8),
        ("MQOO_OUTPUT", 16),
        ("MQOO_BIND_ON_GROUP", 4194304),
        ("MQCO_DELETE_PURGE", 2),
        ("MQPMO_SYNCPOINT", 2),
        ("MQPMO_LOGICAL_ORDER", 32768),
        ("MQPMO_RETAIN", 2097152),
        ("MQGMO_WAIT", 1),
        ("MQGMO_CONVERT", 16384),
        ("MQGMO_SYNCPOINT_IF_PERSISTENT", 4096),
        ("MQGMO_UNMARKED_BROWSE_MSG", 16777216),
        ("MQMO_MATCH_MSG_TOKEN", 32),
        ("MQWI_UNLIMITED", -1),
        ("MQRO_COA", 256),
        ("MQRO_COD", 2048),
        ("MQRO_EXCEPTION_WITH_FULL_DATA", 117440512),
        ("MQRO_DISCARD_MSG", 134217728),
        ("MQMF_LAST_MSG_IN_GROUP", 16),
        ("MQFB_COA", 259),
        ("MQFB_COD", 260),
        ("MQFB_EXPIRATION", 258),
        ("MQMT_REPORT", 4),
        ("MQMT_DATAGRAM", 8),
        ("MQPER_PERSISTENCE_AS_Q_DEF", 2),
        ("MQPRI_PRIORITY_AS_Q_DEF", -1),
        ("MQEI_UNLIMITED", -1),
        ("MQENC_NATIVE", 546),
        ("MQENC_S390", 785),
        ("MQCCSI_INHERIT", -2),
        ("MQFMT_STRING", "MQSTR"),
        ("MQFMT_NONE", ""),
        ("MQFMT_DEAD_LETTER_HEADER", "MQDEAD"),
        ("MQFMT_RF_HEADER_2", "MQHRF2"),
        ("MQOT_TOPIC", 8),
        ("MQAT_UNIX", 6),
        ("MQIA_CURRENT_Q_DEPTH", 3),
        ("MQIA_MAX_Q_DEPTH", 15),
        ("MQIA_Q_TYPE", 20),
        ("MQCA_Q_NAME", 2016),
        ("MQCA_Q_MGR_NAME", 2015),
        ("MQQT_MODEL", 2),
        ("MQQDT_TEMPORARY_DYNAMIC", 3),
        ("MQUS_TRANSMISSION", 1),
        ("MQTC_ON", 1),
        ("MQTT_DEPTH", 3),
        ("MQEVR_ENABLED", 1),
        ("MQQSIE_HIGH", 1),
        ("MQCMD_PERFM_EVENT", 45),
        ("MQCMD_Q_MGR_EVENT", 44),
        ("MQIA_MSG_ENQ_COUNT", 37),
        ("MQIACF_EVENT_ORIGIN", 1011),
        ("MQBACF_EVENT_ACCOUNTING_TOKEN", 7001),
        ("MQCACF_EVENT_USER_ID", 3045),
        ("MQCFT_EVENT", 7),
        ("MQCFH_STRUC_LENGTH", 36),
        ("MQTYPE_STRING", 1024),
        ("MQIMPO_INQ_NEXT", 8),
        ("MQSMPO_SET_PROP_AFTER_CURSOR", 2),
        ("MQDMPO_DEL_PROP_UNDER_CURSOR", 1),
        ("MQPROP_FORCE_MQRFH2", 3),
        ("MQEVO_MQSET", 4),
        ("MQ_TOPIC_STR_LENGTH", 10240),
        ("MQRC_Q_FULL", 2053),
        ("PSRC_FOLDER_LOCKED", 8001),
    ],
)
def test_constant_has_the_number_of_mq(name, value):
    assert getattr(c, name) == value


def test_table_holds_only_ints_strings_and_identifiers():
    values = [value for name, value in vars(c).items() if name.startswith(("MQ", "PSRC"))]

    assert len(values) > 1000
    assert all(type(value) in (int, str, bytes) for value in values)


def test_format_names_have_no_trailing_blanks():
    formats = [value for name, value in vars(c).items() if name.startswith("MQFMT_")]

    assert all(value == value.rstrip() and len(value) <= 8 for value in formats)


@pytest.mark.parametrize("prefix", ["MQOO_", "MQCO_", "MQPMO_", "MQGMO_", "MQMO_", "MQMF_"])
def test_options_are_single_bits_or_named_combinations(prefix):
    combinations = {"MQGMO_BROWSE_HANDLE", "MQGMO_BROWSE_CO_OP"}
    options = {
        name: value
        for name, value in vars(c).items()
        if name.startswith(prefix) and not name.endswith("MASK") and name not in combinations
    }

    assert all(value & (value - 1) == 0 for value in options.values())


def test_attribute_ids_are_in_the_ranges_of_their_types():
    for name, value in vars(c).items():
        if name.startswith("MQIA_"):
            assert 1 <= value <= 2000, name
        if name.startswith("MQCA_"):
            assert 2001 <= value <= 4000, name
