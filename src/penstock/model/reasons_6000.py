"""Reason codes 6100 to 6130 of the object interfaces, and one far beyond.

Data for `model.reasons`, which describes the layout. The sentences are ours.
"""

TABLE = """
6100 MQRC_REOPEN_EXCL_INPUT_ERROR
The object cannot be opened again by itself, because it is open for exclusive input.
> Set the open options before the first use.

6101 MQRC_REOPEN_INQUIRE_ERROR
The object cannot be opened again by itself, because an inquiry option is needed.
> Set the open options before the first use.

6102 MQRC_REOPEN_SAVED_CONTEXT_ERR
The object cannot be opened again by itself, because its saved context would be lost.
> Set the open options before the first use.

6103 MQRC_REOPEN_TEMPORARY_Q_ERROR
The object cannot be opened again by itself, because its temporary queue would be lost.
> Set the open options before the first use.

6104 MQRC_ATTRIBUTE_LOCKED
The attribute cannot be changed while the object is open or connected.
> Close it first.

6105 MQRC_CURSOR_NOT_VALID
The browse cursor is not valid, because the object was opened again.
> Browse from the first message.

6106 MQRC_ENCODING_ERROR
The encoding is not valid or not supported.
> Use a known encoding.

6107 MQRC_STRUC_ID_ERROR
The identifier of a structure is wrong.
> Start from a default structure.

6108 MQRC_NULL_POINTER
A pointer is null where it may not be.
> Pass a valid pointer.

6109 MQRC_NO_CONNECTION_REFERENCE
The object refers to no connection.
> Connect it to a queue manager first.

6110 MQRC_NO_BUFFER
There is no buffer.
> Give the message a buffer first.

6111 MQRC_BINARY_DATA_LENGTH_ERROR
The length of binary data is not valid.
> Give the length that the attribute has.

6112 MQRC_BUFFER_NOT_AUTOMATIC
The buffer belongs to the program and cannot grow by itself.
> Pass a larger one, or let the object manage it.

6113 MQRC_INSUFFICIENT_BUFFER
The buffer is too small.
> Pass a larger one.

6114 MQRC_INSUFFICIENT_DATA
There is less data than asked for.
> Read what is there, or check the format.

6115 MQRC_DATA_TRUNCATED
The data was cut off.
> Pass a larger buffer.

6116 MQRC_ZERO_LENGTH
The length is zero where it may not be.
> Give a positive length.

6117 MQRC_NEGATIVE_LENGTH
The length is negative.
> Give zero or more.

6118 MQRC_NEGATIVE_OFFSET
The offset is negative.
> Give zero or more.

6119 MQRC_INCONSISTENT_FORMAT
The format of the message does not suit the call.
> Check the format before reading.

6120 MQRC_INCONSISTENT_OBJECT_STATE
The states of objects that belong together do not fit.
> Connect or open both in the same way.

6121 MQRC_CONTEXT_OBJECT_NOT_VALID
The object that context comes from is not valid.
> Use an open queue that saved context.

6122 MQRC_CONTEXT_OPEN_ERROR
The object that context comes from could not be opened.
> Check its name and authority.

6123 MQRC_STRUC_LENGTH_ERROR
The length of a structure is wrong.
> Start from a default structure.

6124 MQRC_NOT_CONNECTED
The program is not connected.
> Connect to a queue manager first.

6125 MQRC_NOT_OPEN
The object is not open.
> Open the object before using it.

6126 MQRC_DISTRIBUTION_LIST_EMPTY
The distribution list holds no objects.
> Add at least one.

6127 MQRC_INCONSISTENT_OPEN_OPTIONS
The open options of objects that belong together do not fit.
> Use the same options.

6128 MQRC_WRONG_VERSION
A structure's version does not suit.
> Use the version that the call needs.

6129 MQRC_REFERENCE_ERROR
A reference to an object is not valid.
> Pass an object that still exists.

6130 MQRC_XR_NOT_AVAILABLE
Telemetry (MQTT) is not available on this queue manager.
> Install and start the telemetry service.

29440 MQRC_SUB_JOIN_NOT_ALTERABLE
A subscription's joining cannot be changed.
> Delete it and create it anew.
"""
