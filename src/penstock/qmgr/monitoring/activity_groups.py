"""The Message group of activities: a message's length and descriptor, as PCF."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.descriptor_format import format_put_time
from penstock.model.message import NEVER
from penstock.model.pcf_parameters import ByteString, Group, Integer, String

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.model.pcf_parameters import Parameter

VERSION = 2  # of MQMD


def message_group(message: Message, now: float) -> Group:
    """Return what an operation says about its message."""
    length = Integer(mq.MQIACF_MSG_LENGTH, message.length)
    return Group(mq.MQGACF_MESSAGE, (length, Group(mq.MQGACF_MQMD, _descriptor(message, now))))


def _descriptor(message: Message, now: float) -> tuple[Parameter, ...]:
    own = message.descriptor
    date, moment = format_put_time(message.put_time)
    expiry = -1 if message.expires_at == NEVER else max(0, int((message.expires_at - now) * 10))
    return (
        Integer(mq.MQIACF_VERSION, VERSION),
        Integer(mq.MQIACF_REPORT, own.report),
        Integer(mq.MQIACF_MSG_TYPE, own.msg_type),
        Integer(mq.MQIACF_EXPIRY, expiry),
        Integer(mq.MQIACF_FEEDBACK, own.feedback),
        Integer(mq.MQIACF_ENCODING, own.encoding),
        Integer(mq.MQIA_CODED_CHAR_SET_ID, own.ccsid),
        String(mq.MQCACH_FORMAT_NAME, own.format.ljust(8)),
        Integer(mq.MQIACF_PRIORITY, message.priority),
        Integer(mq.MQIACF_PERSISTENCE, int(message.persistent)),
        ByteString(mq.MQBACF_MSG_ID, message.msg_id),
        ByteString(mq.MQBACF_CORREL_ID, message.correl_id),
        Integer(mq.MQIACF_BACKOUT_COUNT, message.backout_count),
        String(mq.MQCACF_REPLY_TO_Q, own.reply_to.ljust(mq.MQ_OBJECT_NAME_LENGTH)),
        String(mq.MQCACF_REPLY_TO_Q_MGR, own.reply_to_qmgr.ljust(mq.MQ_OBJECT_NAME_LENGTH)),
        String(mq.MQCACF_USER_IDENTIFIER, own.user_id.ljust(12)),
        ByteString(mq.MQBACF_ACCOUNTING_TOKEN, own.accounting_token),
        String(mq.MQCACF_APPL_IDENTITY_DATA, own.appl_identity_data.ljust(32)),
        Integer(mq.MQIA_APPL_TYPE, own.put_appl_type),
        String(mq.MQCACF_APPL_NAME, own.put_appl_name.ljust(28)),
        String(mq.MQCACF_PUT_DATE, date),
        String(mq.MQCACF_PUT_TIME, moment),
        String(mq.MQCACF_APPL_ORIGIN_DATA, own.appl_origin_data.ljust(4)),
        ByteString(mq.MQBACF_GROUP_ID, own.group_id),
        Integer(mq.MQIACH_MSG_SEQUENCE_NUMBER, own.seq_number),
        Integer(mq.MQIACF_OFFSET, own.offset),
        Integer(mq.MQIACF_MSG_FLAGS, own.flags),
        Integer(mq.MQIACF_ORIGINAL_LENGTH, own.original_length),
    )
