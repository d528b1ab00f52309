"""Named limits that this room enforces, or that several rooms share: lengths and numbers.

Numbers only; MQ's own if MQ has one. What an administrator may change (MAXDEPTH ...) is an attribute: its
default and bounds are in `qmgr.catalogue`. A limit that only one module of another room enforces is at the
top of that module.
"""

# Names and texts, in characters
OBJECT_NAME_LENGTH = 48  # queues, processes, namelists, topics, queue managers
CHANNEL_NAME_LENGTH = 20  # channels, which flow in fixed fields of the wire
USER_ID_LENGTH = 12  # MQMD's UserIdentifier
APPLICATION_NAME_LENGTH = 28  # MQMD's PutApplName
DYNAMIC_PREFIX_LENGTH = 33  # length of the prefix before the * of a dynamic queue's name
TOPIC_STRING_LENGTH = 10240  # a topic string, wildcards included

# Ids, in bytes
ID_LENGTH = 24  # message, correlation and group ids

# Message properties
PROPERTY_NAME_LENGTH = 4095  # one property's name with its folders
PROPERTIES_BYTES_MAX = 104_857_600  # all properties of a message; MAXPROPL may set less
PROPERTY_COUNT_MAX = 10_000  # of one message; ours, so that a header from the network stays finite
PROPERTY_NESTING_MAX = 32  # folders within folders of an MQRFH2; ours

# Profiles

# Commands
PCF_PARAMETERS_MAX = 10_000  # parameters of one PCF message; ours
PCF_NESTING_MAX = 16  # groups within groups of a PCF message; ours
