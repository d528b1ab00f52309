"""Reason codes 2200 to 2399: groups, segments, clusters, events, bags and TLS.

Data for `model.reasons`, which describes the layout. The sentences are ours.
"""

TABLE = """
2200 MQRC_MSG_MARKED_BROWSE_CO_OP
The message is marked by another co-operating browser.
> Browse the next unmarked message, or wait until the mark ends (MARKINT).

2201 MQRC_NAME_IN_USE
The name is used by an object of another type or disposition.
> Choose another name, or delete the other object.

2202 MQRC_CONNECTION_QUIESCING
The connection is about to be ended, and programs that asked to be told are refused.
> End the work under way and disconnect.

2203 MQRC_CONNECTION_STOPPING
The connection is being ended.
> Disconnect; what was not committed is backed out.

2204 MQRC_ADAPTER_NOT_AVAILABLE
The adapter to the queue manager is not available (CICS on z/OS).
> Start the adapter.

2206 MQRC_MSG_ID_ERROR
The message id is not valid for this call.
> Use an id of 24 bytes that suits the call.

2207 MQRC_CORREL_ID_ERROR
The correlation id is not valid for this call.
> Use an id of 24 bytes that suits the call.

2208 MQRC_FILE_SYSTEM_ERROR
A file of the queue manager could not be used.
> Check space, permissions and the file system; the error log names the file.

2209 MQRC_NO_MSG_LOCKED
There was no locked message to unlock.
> Nothing is to be done; the lock may have ended with an earlier get or browse.

2210 MQRC_SOAP_DOTNET_ERROR
The SOAP transport met an error under .NET.
> Look at the inner error.

2211 MQRC_SOAP_AXIS_ERROR
The SOAP transport met an error under Axis.
> Look at the inner error.

2212 MQRC_SOAP_URL_ERROR
The address of a SOAP service is not valid.
> Correct the address.

2216 MQRC_FILE_NOT_AUDITED
The file is not audited.
> Turn on auditing of the file.

2217 MQRC_CONNECTION_NOT_AUTHORIZED
The user may not connect to the queue manager.
> Grant connect authority, or check the channel's user.

2218 MQRC_MSG_TOO_BIG_FOR_CHANNEL
The message is longer than the channel allows.
> Raise MAXMSGL at both ends of the channel, or send less.

2219 MQRC_CALL_IN_PROGRESS
A call is under way on this connection, and a second one cannot begin until it ends.
> Wait for it, or use a connection for each thread.

2220 MQRC_RMH_ERROR
The reference message header is not valid.
> Build the MQRMH with correct lengths and offsets.

2222 MQRC_Q_MGR_ACTIVE
The queue manager was started (an event).
> Nothing is to be done.

2223 MQRC_Q_MGR_NOT_ACTIVE
The queue manager is stopped, or was asked to stop (an event).
> Start it if it should run.

2224 MQRC_Q_DEPTH_HIGH
The depth of the queue has reached its high limit (an event).
> See that the queue is being served.

2225 MQRC_Q_DEPTH_LOW
The depth of the queue has fallen to its low limit (an event).
> Nothing is to be done.

2226 MQRC_Q_SERVICE_INTERVAL_HIGH
No message was taken from the queue for longer than its service interval (an event).
> See that the queue is being served.

2227 MQRC_Q_SERVICE_INTERVAL_OK
Messages are taken from the queue within its service interval again (an event).
> Nothing is to be done.

2228 MQRC_RFH_HEADER_FIELD_ERROR
A field of the rules and formatting header has a wrong value.
> Check lengths, CCSID and encoding of the MQRFH.

2229 MQRC_RAS_PROPERTY_ERROR
A property of the resource adapter is not valid.
> Correct the configuration.

2232 MQRC_UNIT_OF_WORK_NOT_STARTED
A unit of work was ended or used that had not been started.
> Begin a unit first, or leave the step out.

2233 MQRC_CHANNEL_AUTO_DEF_OK
A channel was defined automatically for an incoming request (an event).
> Nothing is to be done.

2234 MQRC_CHANNEL_AUTO_DEF_ERROR
A channel could not be defined automatically for an incoming request (an event).
> Look into the error log for the cause.

2235 MQRC_CFH_ERROR
The PCF header is not valid.
> Check its type, length, version and parameter count.

2236 MQRC_CFIL_ERROR
A PCF integer list is not valid.
> Check its length, id and count.

2237 MQRC_CFIN_ERROR
A PCF integer is not valid.
> Check its length and id.

2238 MQRC_CFSL_ERROR
A PCF string list is not valid.
> Check its length, id, count and string length.

2239 MQRC_CFST_ERROR
A PCF string is not valid.
> Check its length, id and string length.

2241 MQRC_INCOMPLETE_GROUP
A message outside the group was put, or the handle closed, before the last message of its group came.
> Finish the group with the last-in-group flag, or put without logical order.

2242 MQRC_INCOMPLETE_MSG
A message was begun whose last segment did not come before other work or the close.
> Put the last segment with its flag, or put without logical order.

2243 MQRC_INCONSISTENT_CCSIDS
Segments of one message differ in their character set, so the whole cannot be converted.
> Get the segments one by one, or let the sender use one CCSID.

2244 MQRC_INCONSISTENT_ENCODINGS
Segments of one message differ in their encoding, so the whole cannot be converted.
> Get the segments one by one, or let the sender use one encoding.

2245 MQRC_INCONSISTENT_UOW
A group or segmented message was begun inside a unit of work and continued outside, or the other way round.
> Put or get all its messages in one way: all within units, or all outside.

2246 MQRC_INVALID_MSG_UNDER_CURSOR
The message under the cursor cannot be got as asked, for example because it is in the wrong place of its
group.
> Browse to a message that fits logical order, or get without it.

2247 MQRC_MATCH_OPTIONS_ERROR
The match options contain an unknown one, or one that does not go with the other options.
> Use known match options only; a get under the cursor or in logical order restricts them.

2248 MQRC_MDE_ERROR
The message descriptor extension in the data is not valid.
> Build the MQMDE with correct length and version.

2249 MQRC_MSG_FLAGS_ERROR
The message flags contain an unknown one, or some that contradict each other.
> Use known flags; a segment flag and an inhibited segmentation exclude each other.

2250 MQRC_MSG_SEQ_NUMBER_ERROR
The sequence number within the group is below 1 or too large.
> Number the messages of a group from 1.

2251 MQRC_OFFSET_ERROR
The offset of a segment is negative, too large or does not follow the segment before.
> Give the offset of the segment's data in the whole message.

2252 MQRC_ORIGINAL_LENGTH_ERROR
The original length does not suit the message or segment.
> Use -1 unless the message is a report about a segment.

2253 MQRC_SEGMENT_LENGTH_ZERO
A segment holds no data.
> Put at least one byte in each segment but the last.

2255 MQRC_UOW_NOT_AVAILABLE
A unit of work cannot be had: the resource manager's limit is reached or the environment has none.
> Do the work outside a unit, or end other units first.

2256 MQRC_WRONG_GMO_VERSION
The version of the get-message options is too low for an option or field in use.
> Raise the version.

2257 MQRC_WRONG_MD_VERSION
The version of the message descriptor is too low for grouping, segmentation or another field in use.
> Use a descriptor of version 2.

2258 MQRC_GROUP_ID_ERROR
The group id is not valid for the call.
> Use an id of 24 bytes, and let the queue manager make one where it should.

2259 MQRC_INCONSISTENT_BROWSE
A browse in logical order was continued with other options than it began with.
> Start again with browse-first, or keep the options.

2260 MQRC_XQH_ERROR
The transmission queue header in the data is not valid.
> Build the MQXQH with identifier, version, names and descriptor.

2261 MQRC_SRC_ENV_ERROR
The environment of the source in a reference message is not valid.
> Correct the fields of the reference header.

2262 MQRC_SRC_NAME_ERROR
The name of the source in a reference message is not valid.
> Correct the fields of the reference header.

2263 MQRC_DEST_ENV_ERROR
The environment of the destination in a reference message is not valid.
> Correct the fields of the reference header.

2264 MQRC_DEST_NAME_ERROR
The name of the destination in a reference message is not valid.
> Correct the fields of the reference header.

2265 MQRC_TM_ERROR
The trigger message is not valid.
> Build the MQTM with its identifier and version.

2266 MQRC_CLUSTER_EXIT_ERROR
A cluster workload exit ended with an error.
> Look into the error log and correct the exit.

2267 MQRC_CLUSTER_EXIT_LOAD_ERROR
A cluster workload exit could not be loaded.
> Check its path and permissions, or remove it.

2268 MQRC_CLUSTER_PUT_INHIBITED
Every instance of the cluster queue has putting switched off.
> ALTER an instance with PUT(ENABLED).

2269 MQRC_CLUSTER_RESOURCE_ERROR
A resource that the cluster needs is not available.
> Look into the error log of the queue manager.

2270 MQRC_NO_DESTINATIONS_AVAILABLE
No instance of the cluster queue can be reached now.
> Check that the queue is still shared in the cluster, and that its channels can run.

2271 MQRC_CONN_TAG_IN_USE
The connection tag is in use by another connection.
> End the other connection, or use another tag.

2272 MQRC_PARTIALLY_CONVERTED
Part of the message was converted and part was not, because headers differ or one is damaged.
> Look at the format, CCSID and encoding of each header.

2273 MQRC_CONNECTION_ERROR
The connection could not be made, or failed while it was made.
> Check name, address and security, and look into the error log at both ends.

2274 MQRC_OPTION_ENVIRONMENT_ERROR
The option is not valid in the environment where the program runs.
> Leave the option out there.

2277 MQRC_CD_ERROR
The channel definition given is not valid.
> Check its version, type and fields.

2278 MQRC_CLIENT_CONN_ERROR
The fields of the client connection do not fit together.
> Give either a channel definition or a table of them, with correct offsets.

2279 MQRC_CHANNEL_STOPPED_BY_USER
The channel was stopped by its user or by an exit.
> Ask who stopped it; start it again when it should run.

2280 MQRC_HCONFIG_ERROR
The configuration handle of an installable service is not valid.
> Use the handle that was passed to the service.

2281 MQRC_FUNCTION_ERROR
The function id of an installable service is not valid.
> Use an id of the service being started.

2282 MQRC_CHANNEL_STARTED
A channel was started (an event).
> Nothing is to be done.

2283 MQRC_CHANNEL_STOPPED
A channel stopped (an event).
> See the qualifier and the error log for why.

2284 MQRC_CHANNEL_CONV_ERROR
A message could not be converted by the channel (an event).
> Do the conversion at the receiver, or correct the sender's CCSID.

2285 MQRC_SERVICE_NOT_AVAILABLE
The service that the call needs is not available.
> Check that the service is configured and running.

2286 MQRC_INITIALIZATION_FAILED
A service could not be started.
> Look into the error log for the cause.

2287 MQRC_TERMINATION_FAILED
A service could not be ended.
> Look into the error log for the cause.

2288 MQRC_UNKNOWN_Q_NAME
No queue of that name is known to the name service.
> Check the name, or enter it there.

2289 MQRC_SERVICE_ERROR
A service ended with an error.
> Look into the error log for the cause.

2290 MQRC_Q_ALREADY_EXISTS
A queue of that name is known to the name service already.
> Choose another name.

2291 MQRC_USER_ID_NOT_AVAILABLE
The user id of the program could not be found out.
> Check the user that runs the program.

2292 MQRC_UNKNOWN_ENTITY
No user or group of that name is known.
> Check the spelling, or create the user or group.

2293 MQRC_UNKNOWN_AUTH_ENTITY
No user or group of that name is known to the authority service.
> Check the spelling, or create the user or group.

2294 MQRC_UNKNOWN_REF_OBJECT
The object that authorities should be copied from is not known.
> Name an object that exists.

2295 MQRC_CHANNEL_ACTIVATED
A channel that waited for a free place became active (an event).
> Nothing is to be done.

2296 MQRC_CHANNEL_NOT_ACTIVATED
A channel must wait because too many channels are active (an event).
> Stop others, or raise the limit of active channels.

2297 MQRC_UOW_CANCELED
The unit of work was canceled.
> Begin again, after looking for who canceled it.

2298 MQRC_FUNCTION_NOT_SUPPORTED
The function is not supported here.
> Do it in another way, or on a system that supports it.

2299 MQRC_SELECTOR_TYPE_ERROR
The selector is of another type than the call needs.
> Use a selector of the call's type.

2300 MQRC_COMMAND_TYPE_ERROR
The type of the command message is not supported.
> Send it as a command (MQCFT_COMMAND).

2301 MQRC_MULTIPLE_INSTANCE_ERROR
A system value occurs more than once in the bag.
> Give the value once in the bag.

2302 MQRC_SYSTEM_ITEM_NOT_ALTERABLE
The system value cannot be changed.
> Leave it as it is.

2303 MQRC_BAG_CONVERSION_ERROR
Data could not be turned into a bag.
> Check the PCF data.

2304 MQRC_SELECTOR_OUT_OF_RANGE
The selector is outside the range that the call allows.
> Use a number of the right range.

2305 MQRC_SELECTOR_NOT_UNIQUE
The selector occurs more than once in the bag, and the call needs one.
> Give an index, or remove the others.

2306 MQRC_INDEX_NOT_PRESENT
The bag holds no item with this index.
> Use an index that is less than the count.

2307 MQRC_STRING_ERROR
The string parameter is not valid.
> Pass a valid string of the stated length.

2308 MQRC_ENCODING_NOT_SUPPORTED
The encoding of the message is not supported for this.
> Use the native encoding.

2309 MQRC_SELECTOR_NOT_PRESENT
The selector does not occur in the bag.
> Check the number, or ask for the count first.

2310 MQRC_OUT_SELECTOR_ERROR
The place for a selector cannot be used.
> Pass a valid place.

2311 MQRC_STRING_TRUNCATED
The string was too long for the place given and was cut off.
> Pass a larger place.

2312 MQRC_SELECTOR_WRONG_TYPE
The item is of another type than the call expects.
> Use the call for that type.

2313 MQRC_INCONSISTENT_ITEM_TYPE
Items with this selector are of different types.
> Ask for them one by one.

2314 MQRC_INDEX_ERROR
The index is not valid.
> Use zero or more, or the special values.

2315 MQRC_SYSTEM_BAG_NOT_ALTERABLE
A system bag cannot be changed.
> Copy it to a bag of your own.

2316 MQRC_ITEM_COUNT_ERROR
The count of items is not valid.
> Pass a count within the limits.

2317 MQRC_FORMAT_NOT_SUPPORTED
The format of the message is not one that this call can read.
> Use a PCF format.

2318 MQRC_SELECTOR_NOT_SUPPORTED
The selector is not supported here.
> Use another one.

2319 MQRC_ITEM_VALUE_ERROR
The value of an item is not valid.
> Correct the value.

2320 MQRC_HBAG_ERROR
The handle of a bag is not valid.
> Use a handle from the create call, until it is deleted.

2321 MQRC_PARAMETER_MISSING
A parameter that the command needs is missing.
> Add the parameter.

2322 MQRC_CMD_SERVER_NOT_AVAILABLE
The command server is not available.
> Start it, and check its queue.

2323 MQRC_STRING_LENGTH_ERROR
The length of the string is not valid.
> Pass zero or more, or the value for null-terminated.

2324 MQRC_INQUIRY_COMMAND_ERROR
The command is not an inquiry.
> Use an inquiry command with this call.

2325 MQRC_NESTED_BAG_NOT_SUPPORTED
A bag within a bag is not supported here.
> Use flat data, one bag for each part.

2326 MQRC_BAG_WRONG_TYPE
The bag is of the wrong type for the call.
> Create it with the right option.

2327 MQRC_ITEM_TYPE_ERROR
The type of an item is not valid.
> Use one of the known types.

2328 MQRC_SYSTEM_BAG_NOT_DELETABLE
A system bag cannot be deleted.
> Delete the bag that it belongs to.

2329 MQRC_SYSTEM_ITEM_NOT_DELETABLE
A system item cannot be deleted.
> Leave it in place.

2330 MQRC_CODED_CHAR_SET_ID_ERROR
The coded character set id is not valid.
> Use a known CCSID, such as 1208 for UTF-8.

2331 MQRC_MSG_TOKEN_ERROR
The message token is not valid for this call.
> Use the token that a get or browse returned, and no other match with it.

2332 MQRC_MISSING_WIH
A message on this queue must begin with a work information header (z/OS).
> Add the MQWIH in front of the data.

2333 MQRC_WIH_ERROR
The work information header is not valid.
> Build the MQWIH with correct length and contents.

2334 MQRC_RFH_ERROR
The rules and formatting header (MQRFH or MQRFH2) is not valid.
> Check its identifier, version, length and folder lengths.

2335 MQRC_RFH_STRING_ERROR
The name/value string of an MQRFH is not valid.
> Write pairs of names and values, quoted where they hold blanks.

2336 MQRC_RFH_COMMAND_ERROR
The command in the MQRFH is not valid.
> Use a known publish/subscribe command.

2337 MQRC_RFH_PARM_ERROR
A parameter in the MQRFH is not valid.
> Correct its value.

2338 MQRC_RFH_DUPLICATE_PARM
A parameter occurs twice in the MQRFH.
> Give the parameter once.

2339 MQRC_RFH_PARM_MISSING
A parameter is missing in the MQRFH.
> Add the parameter that the command needs.

2340 MQRC_CHAR_CONVERSION_ERROR
A character cannot be converted to the other character set.
> Use a CCSID that has the character, such as 1208.

2341 MQRC_UCS2_CONVERSION_ERROR
Text in UCS-2 cannot be converted.
> Check the text and the CCSIDs on both sides.

2342 MQRC_DB2_NOT_AVAILABLE
Db2 is not available to the queue-sharing group (z/OS).
> Start Db2 and check the connection.

2343 MQRC_OBJECT_NOT_UNIQUE
More than one object of that name is in the queue-sharing group (z/OS).
> Delete all but one.

2344 MQRC_CONN_TAG_NOT_RELEASED
The connection tag was not released when the program disconnected (z/OS).
> Look for units in doubt.

2345 MQRC_CF_NOT_AVAILABLE
The coupling facility is not available (z/OS).
> See that it is started and connected.

2346 MQRC_CF_STRUC_IN_USE
The coupling facility structure is in use (z/OS).
> Try again later.

2347 MQRC_CF_STRUC_LIST_HDR_IN_USE
The list header of the structure is in use (z/OS).
> Try again later.

2348 MQRC_CF_STRUC_AUTH_FAILED
The user may not use the coupling facility structure (z/OS).
> Grant access to the structure.

2349 MQRC_CF_STRUC_ERROR
The name of the coupling facility structure is not valid (z/OS).
> Correct CFSTRUCT of the queue.

2350 MQRC_CONN_TAG_NOT_USABLE
The connection tag cannot be used (z/OS).
> Use another tag, or another queue manager of the group.

2351 MQRC_GLOBAL_UOW_CONFLICT
A global unit of work is in progress here and does not go with this call.
> End it first, or use another connection.

2352 MQRC_LOCAL_UOW_CONFLICT
A local unit of work is in progress here and does not go with this call.
> Commit it or back it out first.

2353 MQRC_HANDLE_IN_USE_FOR_UOW
The handle takes part in another unit of work.
> Use a handle of this unit, or end the other.

2354 MQRC_UOW_ENLISTMENT_ERROR
The queue manager could not join the unit of work.
> Look into the logs of the coordinator and the queue manager.

2355 MQRC_UOW_MIX_NOT_SUPPORTED
This mixture of units of work is not supported.
> Use either local or coordinated units.

2356 MQRC_WXP_ERROR
The parameter structure of a cluster workload exit is not valid.
> Correct the exit.

2357 MQRC_CURRENT_RECORD_ERROR
The current record in a cluster exit is not valid.
> Correct the exit.

2358 MQRC_NEXT_OFFSET_ERROR
The next offset in a cluster exit is not valid.
> Correct the exit.

2359 MQRC_NO_RECORD_AVAILABLE
No further record is available to the cluster exit.
> End the loop in the exit.

2360 MQRC_OBJECT_LEVEL_INCOMPATIBLE
An object of the group has a level that this queue manager does not know.
> Use a queue manager of the newer level.

2361 MQRC_NEXT_RECORD_ERROR
The next record in a cluster exit is not valid.
> Correct the exit.

2362 MQRC_BACKOUT_THRESHOLD_REACHED
The message was backed out as often as the threshold (BOTHRESH) allows.
> Look at the message on the backout queue, and correct it or the program.

2363 MQRC_MSG_NOT_MATCHED
No waiting consumer matched the message.
> Check the selectors of the consumers.

2364 MQRC_JMS_FORMAT_ERROR
The message is not in a format that JMS can read.
> Check its header and format.

2365 MQRC_SEGMENTS_NOT_SUPPORTED
Segments are not supported on this queue.
> Send the message whole, or in a group.

2366 MQRC_WRONG_CF_LEVEL
The structure's level is too low for the request (z/OS).
> Raise CFLEVEL of the structure.

2367 MQRC_CONFIG_CREATE_OBJECT
An object was created (a configuration event).
> Nothing is to be done.

2368 MQRC_CONFIG_CHANGE_OBJECT
An object was changed (a configuration event).
> Nothing is to be done.

2369 MQRC_CONFIG_DELETE_OBJECT
An object was deleted (a configuration event).
> Nothing is to be done.

2370 MQRC_CONFIG_REFRESH_OBJECT
An object's definition was reported on request (a configuration event).
> Nothing is to be done.

2371 MQRC_CHANNEL_SSL_ERROR
A channel did not start because TLS failed (an event).
> See the qualifier: handshake, cipher, certificate or peer name.

2372 MQRC_PARTICIPANT_NOT_DEFINED
A participant named in the unit of work is not defined.
> Define the participant.

2373 MQRC_CF_STRUC_FAILED
The coupling facility structure has failed (z/OS).
> Recover the structure.

2374 MQRC_API_EXIT_ERROR
An API exit answered with an error.
> Look into the exit's own log.

2375 MQRC_API_EXIT_INIT_ERROR
An API exit could not be initialised.
> Look into the exit's own log.

2376 MQRC_API_EXIT_TERM_ERROR
An API exit could not be ended.
> Look into the exit's own log.

2377 MQRC_EXIT_REASON_ERROR
An exit gave a reason that is not allowed.
> Correct the exit.

2378 MQRC_RESERVED_VALUE_ERROR
A reserved field holds something else than its fixed value.
> Set reserved fields to zero or blank.

2379 MQRC_NO_DATA_AVAILABLE
There is no data to return.
> Nothing is to be done; ask again later.

2380 MQRC_SCO_ERROR
The TLS options structure is not valid.
> Start from a default MQSCO.

2381 MQRC_KEY_REPOSITORY_ERROR
The key store cannot be found, opened or read.
> Check its path, its password and its permissions.

2382 MQRC_CRYPTO_HARDWARE_ERROR
The cryptographic hardware is not configured as described.
> Correct the description.

2383 MQRC_AUTH_INFO_REC_COUNT_ERROR
The count of authentication records is not valid.
> Give zero or more.

2384 MQRC_AUTH_INFO_REC_ERROR
The authentication records cannot be used.
> Pass valid records.

2385 MQRC_AIR_ERROR
An authentication record is not valid.
> Start from a default MQAIR.

2386 MQRC_AUTH_INFO_TYPE_ERROR
The type of an authentication record is not known.
> Use CRL over LDAP or OCSP.

2387 MQRC_AUTH_INFO_CONN_NAME_ERROR
The address in an authentication record is not valid.
> Give host and port.

2388 MQRC_LDAP_USER_NAME_ERROR
The LDAP user name cannot be used.
> Correct the user name.

2389 MQRC_LDAP_USER_NAME_LENGTH_ERR
The length of the LDAP user name is not valid.
> Pass its real length.

2390 MQRC_LDAP_PASSWORD_ERROR
The LDAP password may not be given without a user name.
> Give the user name too.

2391 MQRC_SSL_ALREADY_INITIALIZED
TLS was initialised already with other options in this process.
> Use the same options, or another process.

2392 MQRC_SSL_CONFIG_ERROR
The TLS configuration of the channel and the client do not fit.
> Use the same cipher at both ends, and a key store at both where needed.

2393 MQRC_SSL_INITIALIZATION_ERROR
TLS could not be set up for the connection.
> Check the cipher, the certificates, their dates and the key store; the error log tells more.

2394 MQRC_Q_INDEX_TYPE_ERROR
The queue has not the index type that the get needs (z/OS).
> Alter INDXTYPE of the queue, or get in another way.

2395 MQRC_CFBS_ERROR
A PCF byte string is not valid.
> Check its length, id and string length.

2396 MQRC_SSL_NOT_ALLOWED
TLS may not be used for this connection.
> Connect without TLS, or to a channel that has it.

2397 MQRC_JSSE_ERROR
Java's TLS met an error.
> Look at the inner error.

2398 MQRC_SSL_PEER_NAME_MISMATCH
The certificate's name is not the one that the channel expects.
> Correct SSLPEER, or use the right certificate.

2399 MQRC_SSL_PEER_NAME_ERROR
The pattern for the certificate's name is not valid.
> Correct SSLPEER.
"""
