"""Limits with a name: how long, how large, how many; MQ's own where MQ has one.

Numbers only. Rooms that enforce a limit take it from here, so that documentation, MQSC's checks
and the engine cannot disagree. What an administrator may change (MAXDEPTH ...) is an attribute;
here stand its default and the bounds within which it may be changed.
"""

# Names and texts, in characters
OBJECT_NAME_LENGTH = 48  # queues, processes, namelists, topics, queue managers
CHANNEL_NAME_LENGTH = 20  # channels, which flow in fixed fields of the wire
USER_ID_LENGTH = 12  # MQMD's UserIdentifier
DYNAMIC_PREFIX_LENGTH = 33  # what may stand before the * of a dynamic queue's name
DESCRIPTION_LENGTH = 64  # DESCR of any object
FORMAT_LENGTH = 8  # MQMD's Format
APPLICATION_NAME_LENGTH = 28  # MQMD's PutApplName
IDENTITY_DATA_LENGTH = 32  # MQMD's ApplIdentityData
ORIGIN_DATA_LENGTH = 4  # MQMD's ApplOriginData
ACCOUNTING_TOKEN_LENGTH = 32  # MQMD's AccountingToken, in bytes
TOPIC_STRING_LENGTH = 10240  # a topic string, wildcards included
SUBSCRIPTION_NAME_LENGTH = 10240  # a subscription's name
SELECTOR_LENGTH = 10240  # the text of a message selector

# Ids, in bytes
ID_LENGTH = 24  # message, correlation and group ids
TOKEN_LENGTH = 16  # message tokens

# Messages
MESSAGE_BYTES_MAX = 104_857_600  # MAXMSGL can be set no higher (100 MB)
MESSAGE_BYTES_DEFAULT = 4_194_304  # MAXMSGL of new queues and queue managers (4 MB)
PRIORITY_MAX = 9  # MAXPRTY; fixed
SEQUENCE_NUMBER_MAX = 999_999_999  # MQMD's MsgSeqNumber within a group
EXPIRY_TENTHS_MAX = 999_999_999  # MQMD's Expiry, in tenths of a second
WAIT_MS_MAX = 2_147_483_647  # WaitInterval, in milliseconds

# Message properties
PROPERTY_NAME_LENGTH = 4095  # one property's name with its folders
PROPERTIES_BYTES_MAX = 104_857_600  # all properties of a message; MAXPROPL may set less
PROPERTY_COUNT_MAX = 10_000  # of one message; ours, so that a stranger's header stays finite
PROPERTY_NESTING_MAX = 32  # folders within folders of an MQRFH2; ours
SELECTOR_NESTING_MAX = 100  # parentheses and NOTs within each other in a selector; ours

# Queues
DEPTH_DEFAULT = 5_000  # MAXDEPTH of a new queue
DEPTH_MAX = 999_999_999  # MAXDEPTH can be set no higher
BACKOUT_THRESHOLD_MAX = 999_999_999  # BOTHRESH

# Queue managers
HANDLES_DEFAULT = 256  # MAXHANDS: open handles of one connection
HANDLES_MAX = 999_999_999  # MAXHANDS can be set no higher
UNCOMMITTED_DEFAULT = 10_000  # MAXUMSGS: messages in one unit of work
UNCOMMITTED_MAX = 999_999_999  # MAXUMSGS can be set no higher
MARK_INTERVAL_MS_DEFAULT = 5_000  # MARKINT: how long a co-operative browse mark lasts
TRIGGER_INTERVAL_MS_DEFAULT = 999_999_999  # TRIGINT
NAMELIST_NAMES_MAX = 256  # names in one namelist
ALIAS_STEPS_MAX = 8  # objects on one resolution path; MQ needs fewer, ours ends a loop
GENERIC_STARS_MAX = 8  # wildcards in one profile; ours, so that matching stays quick

# Commands
COMMAND_LENGTH = 32_762  # one MQSC command, continuations joined
PCF_PARAMETERS_MAX = 10_000  # parameters of one PCF message; ours
PCF_NESTING_MAX = 16  # groups within groups of a PCF message; ours
