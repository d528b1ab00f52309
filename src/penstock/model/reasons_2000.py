"""Reason codes 2001 to 2199: the calls of the MQI, options, descriptors and objects.

Data for `model.reasons`, which describes the layout. The sentences are ours.
"""

TABLE = """
0 MQRC_NONE
The call did what it was asked to do.
> Nothing is to be done.

900 MQRC_APPL_FIRST
The first of the numbers (900 to 999) that exits and applications may use for reasons of their own.
> Ask whoever wrote the exit or program what the number means there.

999 MQRC_APPL_LAST
The last of the numbers (900 to 999) that exits and applications may use for reasons of their own.
> Ask whoever wrote the exit or program what the number means there.

2001 MQRC_ALIAS_BASE_Q_TYPE_ERROR
The queue that an alias points to is of a type that an alias cannot point to, such as another alias or a
model queue.
> Let TARGET of the alias name a local queue, a remote queue definition, a cluster queue or a topic.

2002 MQRC_ALREADY_CONNECTED
The program is connected to this queue manager already; the connection that it has was given back.
> Go on with that connection, and disconnect once only.

2003 MQRC_BACKED_OUT
The unit of work could not be committed or go on, and everything it had put and got was undone.
> Do the whole unit again; if it comes back, look for long units that fill the log, and for participants
that fail.

2004 MQRC_BUFFER_ERROR
The buffer given for message data cannot be used.
> Pass a buffer that is valid for the stated length.

2005 MQRC_BUFFER_LENGTH_ERROR
The stated length of the buffer is negative or otherwise not valid.
> Pass the buffer's real length.

2006 MQRC_CHAR_ATTR_LENGTH_ERROR
The stated length of the area for character attributes is not valid.
> Pass zero or a positive length that is within the limit.

2007 MQRC_CHAR_ATTRS_ERROR
The area given for character attributes cannot be used.
> Pass an area that is valid for the stated length.

2008 MQRC_CHAR_ATTRS_TOO_SHORT
The area for character attributes was too short for all attributes asked for, so some are missing.
> Sum up the lengths of the attributes asked for and pass an area of that size.

2009 MQRC_CONNECTION_BROKEN
The connection to the queue manager is gone: it was ended by the other side, the network, a stop, or a fork
of this process.
> Connect again; whatever was not committed was backed out. The error log on the queue manager's side tells
the cause.

2010 MQRC_DATA_LENGTH_ERROR
The length given for the data is negative, too large or cannot be stored.
> Pass a length within the limits of the call.

2011 MQRC_DYNAMIC_Q_NAME_ERROR
The name wanted for a dynamic queue is not a valid name, or the part before its * is longer than 33
characters.
> Use letters, digits and . _ / % and at most one * at the end.

2012 MQRC_ENVIRONMENT_ERROR
The call or option is not allowed in the environment where the program runs.
> Run it in another environment, or leave the call or option out.

2013 MQRC_EXPIRY_ERROR
The expiry in the message descriptor is zero, below -1 or beyond the greatest number allowed.
> Give a positive time (tenths of a second in a descriptor, seconds in Python), or -1 for never.

2014 MQRC_FEEDBACK_ERROR
The feedback code in the message descriptor is not allowed for a message of this type.
> Use 0 unless the message is a report; use the ranges for system and application feedback.

2016 MQRC_GET_INHIBITED
Getting is switched off for the queue, or for an alias on the way to it: GET(DISABLED).
> Wait until it is switched on again, or ALTER the queue with GET(ENABLED).

2017 MQRC_HANDLE_NOT_AVAILABLE
The connection has as many open handles as MAXHANDS of the queue manager allows.
> Close handles that are not needed any more, or raise MAXHANDS.

2018 MQRC_HCONN_ERROR
The connection handle is not one of a live connection of this program.
> Use the object that connect gave, only until it is closed, and only where it may be used.

2019 MQRC_HOBJ_ERROR
The object handle is not open: it was closed, never opened, or belongs to another connection.
> Open the object and use that handle until it is closed.

2020 MQRC_INHIBIT_VALUE_ERROR
A value other than "allowed" or "inhibited" was given for an attribute that switches getting or putting.
> Use 0 for allowed or 1 for inhibited.

2021 MQRC_INT_ATTR_COUNT_ERROR
The stated number of integer attributes is not valid.
> Pass zero or a positive number within the limit.

2022 MQRC_INT_ATTR_COUNT_TOO_SMALL
There was no room for all integer attributes asked for, so some are missing.
> Pass an array with one place for each integer attribute asked for.

2023 MQRC_INT_ATTRS_ARRAY_ERROR
The array given for integer attributes cannot be used.
> Pass an array that is valid for the stated count.

2024 MQRC_SYNCPOINT_LIMIT_REACHED
The unit of work holds as many messages as MAXUMSGS of the queue manager allows.
> Commit more often, or raise MAXUMSGS.

2025 MQRC_MAX_CONNS_LIMIT_REACHED
The queue manager has as many connections as it allows.
> End connections that are not needed, or raise the limit.

2026 MQRC_MD_ERROR
The message descriptor is not valid: wrong identifier, version or length.
> Start from a default descriptor and change only what is needed.

2027 MQRC_MISSING_REPLY_TO_Q
A request, or a message that asks for a report, names no queue for the answer.
> Give the name of a reply-to queue, or do not ask for an answer.

2029 MQRC_MSG_TYPE_ERROR
The message type is neither one of MQ's nor in the range that applications may use.
> Use datagram 8, request 1, reply 2, report 4, or a number from 65536 to 999999999.

2030 MQRC_MSG_TOO_BIG_FOR_Q
The message is longer than MAXMSGL of the queue allows.
> Send less, split the message, allow segmentation, or raise MAXMSGL of the queue.

2031 MQRC_MSG_TOO_BIG_FOR_Q_MGR
The message is longer than MAXMSGL of the queue manager allows.
> Send less, split the message, allow segmentation, or raise MAXMSGL of the queue manager.

2033 MQRC_NO_MSG_AVAILABLE
No message that matches the request came within the time it was willing to wait.
> Wait longer, or check the ids and the selector; messages of units not yet committed cannot be seen.

2034 MQRC_NO_MSG_UNDER_CURSOR
The browse cursor does not stand on a message: none was browsed yet, or the message has gone.
> Browse a message first, then get the one under the cursor.

2035 MQRC_NOT_AUTHORIZED
The user is not allowed to do this to the object, or its name and password were not accepted.
> Check the user, then grant the authority with SET AUTHREC, or the access of the channel with SET CHLAUTH.

2036 MQRC_NOT_OPEN_FOR_BROWSE
The queue was not opened for browsing.
> Open it with the browse option.

2037 MQRC_NOT_OPEN_FOR_INPUT
The queue was not opened for input.
> Open it with one of the input options.

2038 MQRC_NOT_OPEN_FOR_INQUIRE
The object was not opened for inquiring.
> Open it with the inquire option.

2039 MQRC_NOT_OPEN_FOR_OUTPUT
The object was not opened for output.
> Open it with the output option.

2040 MQRC_NOT_OPEN_FOR_SET
The queue was not opened for setting attributes.
> Open it with the set option.

2041 MQRC_OBJECT_CHANGED
The definition of the object, or of one on the way to it, was changed after it was opened.
> Close the handle and open it again.

2042 MQRC_OBJECT_IN_USE
Somebody has the object open in a way that leaves no room for this request.
> Wait until the others close it, or open it shared; DISPLAY QSTATUS TYPE(HANDLE) shows who holds it.

2043 MQRC_OBJECT_TYPE_ERROR
The object type in the request is not known or does not suit the call.
> Use the type of the object that is meant (queue, process, namelist, queue manager, topic).

2044 MQRC_OD_ERROR
The object descriptor is not valid: wrong identifier, version or contents.
> Start from a default object descriptor and set the name and the type.

2045 MQRC_OPTION_NOT_VALID_FOR_TYPE
An option does not suit an object of this type, such as input from a remote queue.
> Leave the option out, or open an object of a type that it suits.

2046 MQRC_OPTIONS_ERROR
The options contain an unknown one, or some that contradict each other.
> Use known options only, and at most one of each group that excludes the others.

2047 MQRC_PERSISTENCE_ERROR
The persistence in the message descriptor has a value that it cannot have.
> Use 0 not persistent, 1 persistent, or 2 as the queue defines.

2048 MQRC_PERSISTENT_NOT_ALLOWED
A persistent message cannot be kept there: the queue is temporary, or its store keeps no persistent
messages.
> Put the message as not persistent, or use a permanent queue.

2049 MQRC_PRIORITY_EXCEEDS_MAXIMUM
The priority is higher than the queue manager allows; the message was put and is treated as of the highest.
> Use a priority of 0 to 9.

2050 MQRC_PRIORITY_ERROR
The priority in the message descriptor is below what it can be.
> Use a priority of 0 to 9, or -1 as the queue defines.

2051 MQRC_PUT_INHIBITED
Putting is switched off for the queue or topic, or for one on the way to it: PUT(DISABLED).
> Wait until it is switched on again, or ALTER the object with PUT(ENABLED).

2052 MQRC_Q_DELETED
The queue was deleted after it had been opened.
> Close the handle; the queue must be defined again before it can be opened.

2053 MQRC_Q_FULL
The queue holds as many messages as MAXDEPTH allows; those of units not yet committed count too.
> Let a program take messages off, or raise MAXDEPTH; then put again.

2055 MQRC_Q_NOT_EMPTY
The queue still holds messages, or work on it is not committed, so it was not deleted.
> Take the messages off, clear the queue, or delete it with purge.

2056 MQRC_Q_SPACE_NOT_AVAILABLE
There is no room on disk for a further message of this queue.
> Take messages off, free disk space, or raise the limit of the queue's file.

2057 MQRC_Q_TYPE_ERROR
The type of queue is not one that this call can work with, such as a model queue for MQPUT1 without a
dynamic name.
> Name a queue of a type that suits.

2058 MQRC_Q_MGR_NAME_ERROR
No queue manager of that name is known here, or the name is not a valid one.
> Check the spelling and PENSTOCK_HOME; `penstock qmgr list` shows those there are.

2059 MQRC_Q_MGR_NOT_AVAILABLE
The queue manager is not running, or cannot be reached.
> Start it with `penstock qmgr start`; for a remote one check host, port and listener.

2061 MQRC_REPORT_OPTIONS_ERROR
The report options in the message descriptor contain an unknown one, or some that contradict each other.
> Use known report options only, and one data option for each kind of report.

2062 MQRC_SECOND_MARK_NOT_ALLOWED
A get marked to be skipped at backout was asked for twice in one unit of work.
> Mark at most one message in each unit of work.

2063 MQRC_SECURITY_ERROR
Security could not be checked because its service answered with an error.
> Look into the error log of the queue manager for the cause.

2064 MQRC_TOKEN_TIMESTAMP_NOT_VALID
The time stamp of an authentication token is not within the time in which it is valid.
> Get a new token, and check the clocks of both machines.

2065 MQRC_SELECTOR_COUNT_ERROR
The stated number of attribute selectors is not valid.
> Pass zero or a positive number within the limit.

2066 MQRC_SELECTOR_LIMIT_EXCEEDED
More attribute selectors were given than a call takes.
> Ask for fewer attributes in one call.

2067 MQRC_SELECTOR_ERROR
An attribute selector is not known, or is not one that this call can inquire or set.
> Use an MQIA_ or MQCA_ number that the object has, and that can be set if it is to be set.

2068 MQRC_SELECTOR_NOT_FOR_TYPE
An attribute was asked for that objects of this type do not have; the others were answered.
> Leave the attribute out for objects of this type.

2069 MQRC_SIGNAL_OUTSTANDING
A signal is outstanding for this handle, so it can do nothing else.
> Wait for the signal, or close the handle.

2070 MQRC_SIGNAL_REQUEST_ACCEPTED
No message is there now; a signal will tell when one arrives.
> Wait for the signal and get again.

2071 MQRC_STORAGE_NOT_AVAILABLE
There is not enough memory to carry out the call.
> Free memory or give the process more; use smaller messages or smaller units of work.

2072 MQRC_SYNCPOINT_NOT_AVAILABLE
Units of work are not available for this object or in this environment.
> Do the work outside a unit, or use a queue manager that supports units here.

2075 MQRC_TRIGGER_CONTROL_ERROR
A value other than on or off was given for trigger control.
> Use 0 for off or 1 for on.

2076 MQRC_TRIGGER_DEPTH_ERROR
The trigger depth is not greater than zero.
> Set a depth of 1 or more.

2077 MQRC_TRIGGER_MSG_PRIORITY_ERR
The trigger message priority is negative or higher than the greatest priority.
> Set a priority of 0 to 9.

2078 MQRC_TRIGGER_TYPE_ERROR
The trigger type is not one of none, first, every or depth.
> Use one of the four trigger types.

2079 MQRC_TRUNCATED_MSG_ACCEPTED
The message was longer than the buffer; it was cut off, and taken off the queue as the caller had agreed.
> Pass a larger buffer if the rest matters; the message's length was returned.

2080 MQRC_TRUNCATED_MSG_FAILED
The message is longer than the buffer and stays on the queue; what fitted was returned.
> Get again with a buffer of the returned length, or accept truncated messages.

2082 MQRC_UNKNOWN_ALIAS_BASE_Q
The alias names a base queue or topic that is not defined here or in its cluster.
> Define the object, or correct TARGET of the alias.

2085 MQRC_UNKNOWN_OBJECT_NAME
No object of that name and type is defined here, or the name is not a valid one.
> Check spelling and case (names are case sensitive), or define the object; DISPLAY QUEUE(*) shows the
queues.

2086 MQRC_UNKNOWN_OBJECT_Q_MGR
The queue manager named in the request is not this one, and no way to it is defined.
> Leave the queue manager's name out for local objects, or define a transmission queue or an alias of that
name.

2087 MQRC_UNKNOWN_REMOTE_Q_MGR
The queue is on another queue manager to which no transmission queue leads.
> Define a transmission queue of the remote queue manager's name, an XMITQ in the definition, or DEFXMITQ.

2090 MQRC_WAIT_INTERVAL_ERROR
The wait interval is negative and not -1.
> Give a time to wait of zero or more, or unlimited (None in Python, -1 in MQ).

2091 MQRC_XMIT_Q_TYPE_ERROR
The transmission queue of the remote definition is not a local queue.
> Let XMITQ name a local queue with USAGE(XMITQ).

2092 MQRC_XMIT_Q_USAGE_ERROR
The queue that should carry the message to another queue manager is not a transmission queue.
> ALTER it with USAGE(XMITQ), or name another one.

2093 MQRC_NOT_OPEN_FOR_PASS_ALL
The queue was not opened for passing all context.
> Open it with the pass-all-context option.

2094 MQRC_NOT_OPEN_FOR_PASS_IDENT
The queue was not opened for passing identity context.
> Open it with the pass-identity-context option.

2095 MQRC_NOT_OPEN_FOR_SET_ALL
The queue was not opened for setting all context.
> Open it with the set-all-context option.

2096 MQRC_NOT_OPEN_FOR_SET_IDENT
The queue was not opened for setting identity context.
> Open it with the set-identity-context option.

2097 MQRC_CONTEXT_HANDLE_ERROR
The handle that context should be taken from is not an open queue that saves context.
> Give the handle of a queue opened for input with save-all-context.

2098 MQRC_CONTEXT_NOT_AVAILABLE
The handle has no context to pass: no message was got with it yet, or the last get failed.
> Get a message with that handle first.

2099 MQRC_SIGNAL1_ERROR
A signal cannot be set because its control block is not valid.
> Correct the first signal field.

2100 MQRC_OBJECT_ALREADY_EXISTS
The dynamic queue was not made because an object of that name exists already.
> Use a name that ends in *, so that a unique one is made.

2101 MQRC_OBJECT_DAMAGED
The stored data of the object is damaged and it cannot be used.
> Look into the error log, and restore the object or the queue manager from a backup.

2102 MQRC_RESOURCE_PROBLEM
A resource of the system that the call needs is used up.
> Look into the error log for which; free it and try again.

2103 MQRC_ANOTHER_Q_MGR_CONNECTED
The thread is connected to another queue manager, and only one connection is allowed there.
> Disconnect first, or connect with shared handles.

2104 MQRC_UNKNOWN_REPORT_OPTION
The report options hold bits that this queue manager does not know; the message was accepted and will pass
them on.
> Check that the bits are meant; the last queue manager on the way decides about them.

2105 MQRC_STORAGE_CLASS_ERROR
The storage class of the queue is not defined (z/OS).
> Define the storage class or alter the queue.

2106 MQRC_COD_NOT_VALID_FOR_XCF_Q
Confirmation of delivery cannot be asked for on a queue that leads to a bridge by XCF (z/OS).
> Leave out the COD report option.

2107 MQRC_XWAIT_CANCELED
The wait was canceled by the system (z/OS).
> Find out why; do not simply wait again.

2108 MQRC_XWAIT_ERROR
The extended wait could not be carried out (z/OS).
> Check the parameters of the wait.

2109 MQRC_SUPPRESSED_BY_EXIT
An exit did not let the call happen.
> Ask whoever wrote the exit why it refuses.

2110 MQRC_FORMAT_ERROR
The data is not what its format name says, or the format is unknown, so it was not converted.
> Let the sender give the right format name, or get without conversion.

2111 MQRC_SOURCE_CCSID_ERROR
The character set of the data is not known, so it was not converted.
> Let the sender put a supported CCSID into the descriptor, or get without conversion.

2112 MQRC_SOURCE_INTEGER_ENC_ERROR
The sender's integer encoding is not known, so the data was not converted.
> Let the sender put a valid encoding into the descriptor.

2113 MQRC_SOURCE_DECIMAL_ENC_ERROR
The sender's packed decimal encoding is not known, so the data was not converted.
> Let the sender put a valid encoding into the descriptor.

2114 MQRC_SOURCE_FLOAT_ENC_ERROR
The sender's floating point encoding is not known, so the data was not converted.
> Let the sender put a valid encoding into the descriptor.

2115 MQRC_TARGET_CCSID_ERROR
The character set asked for is not supported, so the data was not converted.
> Ask for a CCSID that is supported, such as 1208 for UTF-8.

2116 MQRC_TARGET_INTEGER_ENC_ERROR
The integer encoding asked for is not known, so the data was not converted.
> Ask for the native encoding.

2117 MQRC_TARGET_DECIMAL_ENC_ERROR
The packed decimal encoding asked for is not known, so the data was not converted.
> Ask for the native encoding.

2118 MQRC_TARGET_FLOAT_ENC_ERROR
The floating point encoding asked for is not known, so the data was not converted.
> Ask for the native encoding.

2119 MQRC_NOT_CONVERTED
The message was not converted, because there is no conversion for it or it failed; it was returned as it was
sent.
> Read the CCSID and encoding in the descriptor and decode it yourself, or correct what the sender says
about it.

2120 MQRC_CONVERTED_MSG_TOO_BIG
The converted data would be longer than the buffer; it was returned unconverted.
> Pass a larger buffer, or convert in the program.

2121 MQRC_NO_EXTERNAL_PARTICIPANTS
A unit of work was begun, but no outside participant (database) is registered, so only messages take part.
> Nothing is to be done if that is meant; otherwise configure the participant.

2122 MQRC_PARTICIPANT_NOT_AVAILABLE
A participant of the unit of work, such as a database, is not available.
> Start the participant if it should take part in the unit.

2123 MQRC_OUTCOME_MIXED
Some participants committed the unit of work and others backed it out.
> Bring the resources in line by hand; the error log names the unit.

2124 MQRC_OUTCOME_PENDING
The outcome is decided, but a participant has not yet confirmed that it did it.
> Nothing is to be done; the queue manager finishes it when the participant returns.

2125 MQRC_BRIDGE_STARTED
A bridge to another system was started (an event).
> Nothing is to be done.

2126 MQRC_BRIDGE_STOPPED
A bridge to another system was stopped (an event).
> Start it again if it was not meant to stop.

2127 MQRC_ADAPTER_STORAGE_SHORTAGE
The adapter could not get the memory it needs (z/OS).
> Give the job more storage.

2128 MQRC_UOW_IN_PROGRESS
A unit of work is in progress on this connection already.
> Commit it or back it out before beginning another.

2129 MQRC_ADAPTER_CONN_LOAD_ERROR
The adapter's connection module could not be loaded (z/OS).
> Check the library concatenation of the job.

2130 MQRC_ADAPTER_SERV_LOAD_ERROR
The adapter's service module could not be loaded (z/OS).
> Check the library concatenation of the job.

2131 MQRC_ADAPTER_DEFS_ERROR
The adapter's definition module is not valid (z/OS).
> Check the library concatenation of the job.

2132 MQRC_ADAPTER_DEFS_LOAD_ERROR
The adapter's definition module could not be loaded (z/OS).
> Check the library concatenation of the job.

2133 MQRC_ADAPTER_CONV_LOAD_ERROR
The adapter's conversion services could not be loaded (z/OS).
> Check the library concatenation of the job.

2134 MQRC_BO_ERROR
The begin-options structure is not valid.
> Start from a default MQBO.

2135 MQRC_DH_ERROR
The distribution header in the data is not valid.
> Build the MQDH with correct lengths and offsets.

2136 MQRC_MULTIPLE_REASONS
A request for several destinations had different results for them.
> Look at the result of each destination.

2137 MQRC_OPEN_FAILED
An object in a distribution list could not be opened before this put.
> Look at the reason of each destination.

2138 MQRC_ADAPTER_DISC_LOAD_ERROR
The adapter's disconnection module could not be loaded (z/OS).
> Check the library concatenation of the job.

2139 MQRC_CNO_ERROR
The connect-options structure is not valid.
> Start from a default MQCNO.

2140 MQRC_CICS_WAIT_FAILED
A wait under CICS failed.
> Look for CICS messages about it.

2141 MQRC_DLH_ERROR
The dead-letter header in the data is not valid.
> Build the MQDLH with identifier, version, reason and the original format, CCSID and encoding.

2142 MQRC_HEADER_ERROR
A header in the message data is not valid.
> Check the chain of headers: identifiers, lengths and format names.

2143 MQRC_SOURCE_LENGTH_ERROR
The stated length of the text to convert is not valid.
> Pass a length of zero or more, in whole characters.

2144 MQRC_TARGET_LENGTH_ERROR
The stated length of the area for converted text is not valid.
> Pass a length of zero or more, in whole characters.

2145 MQRC_SOURCE_BUFFER_ERROR
The text to convert cannot be read.
> Pass a buffer that is valid for the stated length.

2146 MQRC_TARGET_BUFFER_ERROR
The area for converted text cannot be used.
> Pass a buffer that is valid for the stated length.

2147 MQRC_INCOMPLETE_TRANSACTION
A transaction of the program is incomplete (IMS bridge).
> End it before this call.

2148 MQRC_IIH_ERROR
The IMS header in the data is not valid.
> Build the MQIIH with correct length and contents.

2149 MQRC_PCF_ERROR
The PCF data in the message is not valid.
> Check types, lengths and counts of its structures.

2150 MQRC_DBCS_ERROR
A double-byte character string is not valid, so it was not converted.
> Correct the shift characters or the CCSID in the sender.

2152 MQRC_OBJECT_NAME_ERROR
The name field of the request must be blank, or may not be, for this kind of object.
> Give the name of the object where one is needed, and none where a list of names is used.

2153 MQRC_OBJECT_Q_MGR_NAME_ERROR
The queue manager name in the request must be blank for this kind of object.
> Leave it blank.

2154 MQRC_RECS_PRESENT_ERROR
The stated number of object records is not valid.
> Give the number of destinations, zero or more.

2155 MQRC_OBJECT_RECORDS_ERROR
The object records of a distribution list cannot be used.
> Pass valid records for each destination.

2156 MQRC_RESPONSE_RECORDS_ERROR
The response records of a distribution list cannot be used.
> Pass one response record for each destination, or none.

2157 MQRC_ASID_MISMATCH
The call came from another address space than the connection (z/OS).
> Use the connection where it was made.

2158 MQRC_PMO_RECORD_FLAGS_ERROR
The flags that say which fields put-message records have are not valid.
> Use the MQPMRF_ flags.

2159 MQRC_PUT_MSG_RECORDS_ERROR
The put-message records of a distribution list cannot be used.
> Pass one record for each destination, or none.

2160 MQRC_CONN_ID_IN_USE
The connection identifier is in use (z/OS).
> Use another one.

2161 MQRC_Q_MGR_QUIESCING
The queue manager is about to stop and takes on no new work of programs that asked to be told.
> End the work under way, disconnect, and connect again later.

2162 MQRC_Q_MGR_STOPPING
The queue manager is stopping and every call fails.
> Disconnect; what was not committed is backed out. Connect again after it is restarted.

2163 MQRC_DUPLICATE_RECOV_COORD
A recovery coordinator of that name is there already (z/OS).
> Use another name.

2173 MQRC_PMO_ERROR
The put-message options are not valid: wrong identifier, version or contents.
> Start from default options.

2182 MQRC_API_EXIT_NOT_FOUND
An API exit could not be found.
> Check the exit's module and entry point in the configuration.

2183 MQRC_API_EXIT_LOAD_ERROR
An API exit's module could not be loaded.
> Check its path, its permissions and what it links to.

2184 MQRC_REMOTE_Q_NAME_ERROR
A name of a remote queue is missing or not allowed where it stands.
> Correct RNAME in the definition, or leave it blank for an alias of a queue manager.

2185 MQRC_INCONSISTENT_PERSISTENCE
Messages of one group, or segments of one message, must all be persistent or all not, and this one differs.
> Give each message of the group the same persistence.

2186 MQRC_GMO_ERROR
The get-message options are not valid: wrong identifier, version or contents.
> Start from default options.

2187 MQRC_CICS_BRIDGE_RESTRICTION
The call is not allowed under the CICS bridge.
> Leave the call out of programs that run there.

2188 MQRC_STOPPED_BY_CLUSTER_EXIT
A cluster workload exit refused the message.
> Ask whoever wrote the exit why.

2189 MQRC_CLUSTER_RESOLUTION_ERROR
The name could not be resolved, because the cluster's full repositories did not answer.
> Check the channels to the full repositories and try again.

2190 MQRC_CONVERTED_STRING_TOO_BIG
A string in a fixed-length field would be too long after conversion, so it was left as it was.
> Use shorter strings in the sender, or decode them in the program.

2191 MQRC_TMC_ERROR
The character trigger message is not valid.
> Build the MQTMC2 with its identifier and version.

2192 MQRC_STORAGE_MEDIUM_FULL
The medium that holds the queue, such as a page set or file system, is full.
> Make room or extend it, then put again.

2193 MQRC_PAGESET_ERROR
The page set could not be used (z/OS).
> Look for messages of the queue manager about the page set.

2194 MQRC_NAME_NOT_VALID_FOR_TYPE
The name given is not allowed for an object of this type.
> Leave the name blank for the queue manager object; use a valid name for others.

2195 MQRC_UNEXPECTED_ERROR
Something happened inside the queue manager that should not.
> Look into the error log, and report the fault with what it says.

2196 MQRC_UNKNOWN_XMIT_Q
The transmission queue that a remote definition or alias names is not defined.
> Define it as a local queue with USAGE(XMITQ), or correct XMITQ.

2197 MQRC_UNKNOWN_DEF_XMIT_Q
The queue manager's default transmission queue (DEFXMITQ) is not defined.
> Define the queue, or ALTER QMGR with another DEFXMITQ.

2198 MQRC_DEF_XMIT_Q_TYPE_ERROR
The queue manager's default transmission queue is not a local queue.
> Let DEFXMITQ name a local queue with USAGE(XMITQ).

2199 MQRC_DEF_XMIT_Q_USAGE_ERROR
The queue manager's default transmission queue is not for transmission.
> ALTER the queue with USAGE(XMITQ), or name another one in DEFXMITQ.
"""
