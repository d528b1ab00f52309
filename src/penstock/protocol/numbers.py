"""The numbers of the protocol: frame kinds, flags, versions, limits.

Numbers only; `docs/internals/protocol.md` describes them. Both ends import them. Nothing here
knows sockets. Invariant: a number that a released version used never changes its meaning.
"""

from __future__ import annotations

MAGIC = b"PNSK"
VERSION_MIN = 1
VERSION_MAX = 1

HEADER_BYTES = 16
FRAME_BYTES_MAX = (100 << 20) + (1 << 20)  # the largest message, and room for what goes with it
HELLO_BYTES_MAX = 64 << 10
TEXT_BYTES_MAX = 16 << 20  # an MQSC script
ARGUMENT_BYTES_MAX = 256 << 10  # the arguments of a call with neither messages nor a script
VALUES_MAX = 10_000  # values in the arguments of a call
BATCH_VALUES_MAX = 250_000  # in those of a call with many messages
GREETING_VALUES_MAX = 200  # in a greeting
FRAME_MESSAGES_MAX = 10_000  # messages that one frame puts
CALL_MESSAGES_MAX = 500  # those of `put_messages`: a step of the server; each may call for reports and copies

# Requests.
HELLO = 1
CONVERSE = 2
END = 3
HEARTBEAT = 4
NAME = 5
PUT = 6
GET = 7
PUT_MANY = 8
GET_MANY = 9
COMMIT = 10
BACKOUT = 11
CALL = 12
CANCEL = 13
MORE = 14
MOVE = 15  # this and the next are for message channels
CONFIRM = 17
PROBE = 19

# Answers.
WELCOME = 32
DONE = 33
RECEIPT = 34
RECEIPTS = 35
MESSAGE = 36
MESSAGES = 37
RESULT = 38
FAILED = 39
NOTHING = 40
PART = 41
GOODBYE = 42
CONFIRMED = 43  # this and the next are of message channels
TROUBLE = 44
TOOK = 45
PROBED = 46

# Flags of a request.
NO_REPLY = 1
COMMITS = 1  # of END: commit the units that are open; else they are backed out
UNCOUNTED = 4  # of BACKOUT: the backout counts of what was got stay as they are
CHAINED = 2  # a put whose get follows with the same number: when the put fails, the get is not made
FAST = 1  # of MOVE: outside any batch

# Flags of an answer: what the queue's definition allows from now on.
ASYNC_PUTS = 1  # of RECEIPT: DEFPRESP(ASYNC)
READS_AHEAD = 4  # of MESSAGE and MESSAGES: DEFREADA(YES)

# Persistence of a put.
NOT_PERSISTENT = 0
PERSISTENT = 1
AS_QUEUE = 2

# Which ids a put or get carries.
HAS_MSG_ID = 1
HAS_CORREL_ID = 2

# What an end can do beyond version 1; unknown bits are ignored.
FEATURE_MANY = 1  # PUT_MANY and GET_MANY
FEATURE_NO_REPLY = 2  # puts without an answer
FEATURE_STREAM = 4  # a call's result may come in parts
FEATURE_HEARTBEATS = 8  # this end answers heartbeats at any time, also while it waits for nothing
FEATURE_CHANNELS = 16  # this end is one of a message channel
FEATURES = FEATURE_MANY | FEATURE_NO_REPLY | FEATURE_STREAM

WAIT_FOR_EVER = -1
CONVERSATIONS_MAX = 999
NAMES_MAX = 1000  # numbers that a conversation may give to queue names
NAME_BYTES_MAX = 256
UNITS_MAX = 256  # units of work that a conversation may have open at once
WAITS_MAX = 1024  # gets that may wait at once in one conversation
PARTS_AHEAD_BYTES = 1 << 20  # of an answer in parts that may be unread before it waits for MORE
BATCH_BYTES_MAX = 4 << 20  # messages in one answer to GET_MANY
