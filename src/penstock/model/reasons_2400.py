"""Reason codes 2400 to 2604: publish/subscribe, properties, callbacks and clients.

Data for `model.reasons`, which describes the layout. The sentences are ours.
"""

TABLE = """
2400 MQRC_UNSUPPORTED_CIPHER_SUITE
The cipher suite is not supported.
> Use one that both ends support.

2401 MQRC_SSL_CERTIFICATE_REVOKED
The certificate was revoked.
> Get a new certificate.

2402 MQRC_SSL_CERT_STORE_ERROR
The store of certificates or revocation lists cannot be used.
> Check its address and contents.

2406 MQRC_CLIENT_EXIT_LOAD_ERROR
A client exit could not be loaded.
> Check its path and permissions.

2407 MQRC_CLIENT_EXIT_ERROR
A client exit answered with an error.
> Look into the exit's own log.

2408 MQRC_UOW_COMMITTED
The unit of work was committed although a backout may have been expected.
> Check the data; the error log names the unit.

2409 MQRC_SSL_KEY_RESET_ERROR
The TLS secret key could not be renewed.
> Check the reset count of the channel.

2410 MQRC_UNKNOWN_COMPONENT_NAME
The component named is not known.
> Correct the name.

2411 MQRC_LOGGER_STATUS
The log changed its state, for example a new extent was begun (an event).
> Archive what the event names, if the log is linear.

2412 MQRC_COMMAND_MQSC
An MQSC command was carried out (a command event).
> Nothing is to be done.

2413 MQRC_COMMAND_PCF
A PCF command was carried out (a command event).
> Nothing is to be done.

2414 MQRC_CFIF_ERROR
A PCF integer filter is not valid.
> Check its length, id, operator and value.

2415 MQRC_CFSF_ERROR
A PCF string filter is not valid.
> Check its length, id, operator and value.

2416 MQRC_CFGR_ERROR
A PCF group is not valid.
> Check its length, id and parameter count.

2417 MQRC_MSG_NOT_ALLOWED_IN_GROUP
A message of this kind may not be in a group.
> Put it outside the group.

2418 MQRC_FILTER_OPERATOR_ERROR
The operator of a filter is not valid for the attribute.
> Use another operator, such as EQ or LK.

2419 MQRC_NESTED_SELECTOR_ERROR
A selector within a group is not valid.
> Correct the nested selector.

2420 MQRC_EPH_ERROR
The embedded PCF header is not valid.
> Build the MQEPH with correct lengths.

2421 MQRC_RFH_FORMAT_ERROR
The properties in an MQRFH2 are not in its format.
> Write well-formed folders; a damaged folder can only be read as data.

2422 MQRC_CFBF_ERROR
A PCF byte string filter is not valid.
> Check its length, id, operator and value.

2423 MQRC_CLIENT_CHANNEL_CONFLICT
A client channel of the same name is defined differently.
> Use one definition.

2424 MQRC_SD_ERROR
The subscription descriptor is not valid: wrong identifier, version or contents.
> Start from a default MQSD, and give a topic.

2425 MQRC_TOPIC_STRING_ERROR
The topic string is missing, longer than 10240 characters, or has a wildcard where none may be.
> Give a topic string, without wildcards for publishing.

2426 MQRC_STS_ERROR
The status structure is not valid.
> Start from a default MQSTS.

2428 MQRC_NO_SUBSCRIPTION
No subscription of that name is there.
> Check the name with DISPLAY SUB(*), or create the subscription.

2429 MQRC_SUBSCRIPTION_IN_USE
The subscription is in use by another program.
> Wait until it is closed there, or use another name.

2430 MQRC_STAT_TYPE_ERROR
The kind of status asked for is not known.
> Ask for asynchronous error, reconnection or reconnection error.

2431 MQRC_SUB_USER_DATA_ERROR
The user data of the subscription is not valid.
> Pass text within its length limit.

2432 MQRC_SUB_ALREADY_EXISTS
A subscription of that name is there already and neither alter nor resume was asked for.
> Resume it, alter it, or use another name.

2434 MQRC_IDENTITY_MISMATCH
The subscription belongs to another user.
> Use the user that made it, or make it for any user.

2435 MQRC_ALTER_SUB_ERROR
Something in the subscription was to be altered that is fixed.
> Delete it and create it anew, or leave that field as it was.

2436 MQRC_DURABILITY_NOT_ALLOWED
Durable subscriptions are not allowed on this topic, or not with this destination.
> Use a non-durable one, or ALTER the topic with DURSUB(YES).

2437 MQRC_NO_RETAINED_MSG
There is no retained message for the topic string.
> Nothing is to be done; one comes with the next retained publication.

2438 MQRC_SRO_ERROR
The options for a request to a subscription are not valid.
> Start from a default MQSRO.

2440 MQRC_SUB_NAME_ERROR
The subscription's name is missing, too long or otherwise not valid.
> Give each durable subscription a name of at most 10240 characters.

2441 MQRC_OBJECT_STRING_ERROR
The object string in the descriptor is not valid.
> Pass valid text with its real length.

2442 MQRC_PROPERTY_NAME_ERROR
The property's name is not valid: empty, a reserved word, or with characters that are not allowed.
> Begin with a letter or _ and use letters, digits, _ and dots; do not use reserved prefixes such as mq.

2443 MQRC_SEGMENTATION_NOT_ALLOWED
Segmentation is not allowed for a message with properties or on this object.
> Send the message whole.

2444 MQRC_CBD_ERROR
The callback descriptor is not valid.
> Start from a default MQCBD.

2445 MQRC_CTLO_ERROR
The options for callback control are not valid.
> Start from a default MQCTLO.

2446 MQRC_NO_CALLBACKS_ACTIVE
No callback is active, so nothing would be consumed.
> Register or resume a callback first.

2448 MQRC_CALLBACK_NOT_REGISTERED
There is no callback to change or remove.
> Register it first.

2457 MQRC_OPTIONS_CHANGED
Options were changed that must stay the same while read-ahead is in use.
> Keep the options, or open without read-ahead.

2458 MQRC_READ_AHEAD_MSGS
The handle cannot be closed yet, because messages read ahead are still to be consumed.
> Get them, or close at once and lose them.

2459 MQRC_SELECTOR_SYNTAX_ERROR
The selector is not valid: its syntax is wrong, or it compares what cannot be compared.
> Correct the text at the place shown; strings stand in single quotes and names are case sensitive.

2460 MQRC_HMSG_ERROR
The message handle is not valid: it was deleted, or belongs to another connection.
> Use a handle that was created here, until it is deleted.

2461 MQRC_CMHO_ERROR
The options for creating a message handle are not valid.
> Start from a default MQCMHO.

2462 MQRC_DMHO_ERROR
The options for deleting a message handle are not valid.
> Start from a default MQDMHO.

2463 MQRC_SMPO_ERROR
The options for setting a property are not valid.
> Start from a default MQSMPO.

2464 MQRC_IMPO_ERROR
The options for inquiring a property are not valid.
> Start from a default MQIMPO.

2465 MQRC_PROPERTY_NAME_TOO_BIG
The property's name did not fit into the place given for it.
> Pass a larger place; the length was returned.

2466 MQRC_PROP_VALUE_NOT_CONVERTED
The property's value was returned without being converted to the character set asked for.
> Decode it with the CCSID that was returned.

2467 MQRC_PROP_TYPE_NOT_SUPPORTED
The property is of a type that is not known here; it was returned as a string.
> Read it as a string.

2469 MQRC_PROPERTY_VALUE_TOO_BIG
The property's value did not fit into the place given for it.
> Pass a larger place; the length was returned.

2470 MQRC_PROP_CONV_NOT_SUPPORTED
The property's value cannot be converted to the type asked for.
> Ask for its own type, or as it was set.

2471 MQRC_PROPERTY_NOT_AVAILABLE
The message has no property that matches the name.
> Check the name; names are case sensitive.

2472 MQRC_PROP_NUMBER_FORMAT_ERROR
The property's text is not a number that fits the type asked for.
> Ask for a string, or a larger type.

2473 MQRC_PROPERTY_TYPE_ERROR
The property's type is not valid, or does not suit the value.
> Use one of the MQTYPE_ values.

2478 MQRC_PROPERTIES_TOO_BIG
The properties of the message are longer than MAXPROPL allows.
> Send fewer or shorter properties, or raise MAXPROPL.

2479 MQRC_PUT_NOT_RETAINED
The publication could not be kept as the retained one.
> Look into the error log; publish again.

2480 MQRC_ALIAS_TARGTYPE_CHANGED
The alias was opened when it named a queue and now names a topic, or the other way round.
> Close the handle and open it again.

2481 MQRC_DMPO_ERROR
The options for deleting a property are not valid.
> Start from a default MQDMPO.

2482 MQRC_PD_ERROR
The property descriptor is not valid.
> Start from a default MQPD.

2483 MQRC_CALLBACK_TYPE_ERROR
The type of the callback is not known.
> Use message consumer or event handler.

2484 MQRC_CBD_OPTIONS_ERROR
The options of the callback descriptor are not valid.
> Use known options that go together.

2485 MQRC_MAX_MSG_LENGTH_ERROR
The greatest message length of a callback is not valid.
> Give zero or more, or the full length.

2486 MQRC_CALLBACK_ROUTINE_ERROR
The callback's function cannot be used.
> Give a function or a name, not both.

2487 MQRC_CALLBACK_LINK_ERROR
The callback's function could not be loaded.
> Check its name and library.

2488 MQRC_OPERATION_ERROR
The operation for callbacks is not known.
> Use register, deregister, suspend, resume, start or stop.

2489 MQRC_BMHO_ERROR
The options for turning a buffer into a message handle are not valid.
> Start from a default MQBMHO.

2490 MQRC_UNSUPPORTED_PROPERTY
The message has a property that must be understood, and it is not.
> Correct the sender, or accept it with a newer release.

2491 MQRC_MSG_LENGTH_ERROR
The length of a message is not valid.
> Pass zero or more.

2492 MQRC_PROP_NAME_NOT_CONVERTED
The property's name was returned without being converted to the character set asked for.
> Decode it with the CCSID that was returned.

2494 MQRC_GET_ENABLED
Getting was switched on again for the queue (told to a callback).
> Nothing is to be done.

2495 MQRC_MODULE_NOT_FOUND
A module of the product could not be found.
> Check the installation and the library path.

2496 MQRC_MODULE_INVALID
A module of the product cannot be loaded here.
> Use one of the same word size and version.

2497 MQRC_MODULE_ENTRY_NOT_FOUND
An entry point of a module was not found.
> Check the module's name and version.

2498 MQRC_MIXED_CONTENT_NOT_ALLOWED
A property cannot have both a value and properties of its own below it.
> Rename one of them.

2499 MQRC_MSG_HANDLE_IN_USE
The message handle is in use by another call.
> Wait for that call, or use a handle for each thread.

2500 MQRC_HCONN_ASYNC_ACTIVE
The connection is being served by callbacks, so the call is not allowed.
> Stop or suspend them first, or use another connection.

2501 MQRC_MHBO_ERROR
The options for turning a message handle into a buffer are not valid.
> Start from a default MQMHBO.

2502 MQRC_PUBLICATION_FAILURE
The publication could not be delivered to some subscriber who must have it, so nobody got it.
> Put the subscriber's queue right, or ALTER the topic with a milder NPMSGDLV or PMSGDLV.

2503 MQRC_SUB_INHIBITED
Subscribing is switched off on this topic: SUB(DISABLED).
> ALTER the topic with SUB(ENABLED), or use another.

2504 MQRC_SELECTOR_ALWAYS_FALSE
The selector can never be true.
> Correct it, or leave the subscription out.

2507 MQRC_XEPO_ERROR
The options for registering an exit's entry point are not valid.
> Start from a default MQXEPO.

2509 MQRC_DURABILITY_NOT_ALTERABLE
A subscription cannot be changed between durable and non-durable.
> Delete it and create it anew.

2510 MQRC_TOPIC_NOT_ALTERABLE
The topic of a subscription cannot be changed.
> Delete it and create it anew.

2512 MQRC_SUBLEVEL_NOT_ALTERABLE
The level of a subscription cannot be changed.
> Delete it and create it anew.

2513 MQRC_PROPERTY_NAME_LENGTH_ERR
The length of the property's name is not valid.
> Pass its real length, at most 4095.

2514 MQRC_DUPLICATE_GROUP_SUB
A subscription of the same group and topic is there already.
> Use another group or topic.

2515 MQRC_GROUPING_NOT_ALTERABLE
A subscription cannot be changed between grouped and not.
> Delete it and create it anew.

2516 MQRC_SELECTOR_INVALID_FOR_TYPE
A selector cannot be used with an object of this type.
> Leave the selector out.

2517 MQRC_HOBJ_QUIESCED
The handle is being closed after its read-ahead messages, and takes no new ones.
> Get what is left and close it.

2518 MQRC_HOBJ_QUIESCED_NO_MSGS
The handle is being closed and holds no more messages.
> Close the handle.

2519 MQRC_SELECTION_STRING_ERROR
The selection string structure is not valid.
> Pass valid text with its real length.

2520 MQRC_RES_OBJECT_STRING_ERROR
The place for the resolved topic string is not valid.
> Pass a valid place.

2521 MQRC_CONNECTION_SUSPENDED
The connection's callbacks are suspended (told to an event handler).
> Resume when ready.

2522 MQRC_INVALID_DESTINATION
The destination of the subscription is not valid.
> Use a local queue opened for output, or a managed destination.

2523 MQRC_INVALID_SUBSCRIPTION
The subscription is not valid for the call.
> Give the handle of a subscription.

2524 MQRC_SELECTOR_NOT_ALTERABLE
The selector of a subscription cannot be changed.
> Delete it and create it anew.

2525 MQRC_RETAINED_MSG_Q_ERROR
The queue that holds retained publications cannot be used.
> Look at SYSTEM.RETAINED.PUB.QUEUE and the error log.

2526 MQRC_RETAINED_NOT_DELIVERED
A retained publication could not be delivered to the new subscriber.
> Put the subscriber's queue right and request it again.

2527 MQRC_RFH_RESTRICTED_FORMAT_ERR
A property folder with a reserved format holds what it may not hold.
> Correct the folder in the MQRFH2.

2528 MQRC_CONNECTION_STOPPED
The connection's callbacks were stopped.
> Start them again.

2529 MQRC_ASYNC_UOW_CONFLICT
An asynchronous call and a unit of work of another thread get in each other's way.
> Use a connection for each.

2530 MQRC_ASYNC_XA_CONFLICT
Asynchronous consumption and XA cannot be used together here.
> Use one of them.

2531 MQRC_PUBSUB_INHIBITED
Publish/subscribe is switched off for this queue manager.
> ALTER QMGR with PSMODE(ENABLED).

2532 MQRC_MSG_HANDLE_COPY_FAILURE
The message handle could not be copied.
> Look into the error log.

2533 MQRC_DEST_CLASS_NOT_ALTERABLE
A subscription's destination cannot be changed between managed and provided.
> Delete it and create it anew.

2534 MQRC_OPERATION_NOT_ALLOWED
The operation is not allowed in this place, for example inside a callback.
> Do it elsewhere.

2535 MQRC_ACTION_ERROR
The action asked for is not known.
> Use one of the known actions.

2537 MQRC_CHANNEL_NOT_AVAILABLE
The channel is not available: stopped, at its limit, or not running at the other end.
> Start it, or try again later; the error log at both ends tells more.

2538 MQRC_HOST_NOT_AVAILABLE
The host could not be reached, or nothing listens there.
> Check address, port and firewall, and that the listener runs.

2539 MQRC_CHANNEL_CONFIG_ERROR
The channel is configured in a way that does not fit the other end.
> Compare both definitions: type, cipher, exits, sizes.

2540 MQRC_UNKNOWN_CHANNEL_NAME
No channel of that name is defined at the other end.
> Check the name and its case, or define the channel.

2541 MQRC_LOOPING_PUBLICATION
The publication came back to where it started.
> Look for a loop in the hierarchy, and remove it.

2542 MQRC_ALREADY_JOINED
The program joined the group or sequence already.
> Nothing is to be done.

2543 MQRC_STANDBY_Q_MGR
The queue manager runs here as a standby only.
> Connect to where it is active.

2544 MQRC_RECONNECTING
The connection broke and is being made anew (told to an event handler).
> Wait; the outcome is told as 2545 or 2548.

2545 MQRC_RECONNECTED
The connection was made anew (told to an event handler).
> Go on; units of work that were open were backed out.

2546 MQRC_RECONNECT_QMID_MISMATCH
The queue manager found at reconnection is not the one wanted.
> Connect to the right one, or allow any of the group.

2547 MQRC_RECONNECT_INCOMPATIBLE
Something in use cannot survive a reconnection.
> Leave out that option, or do not ask for reconnection.

2548 MQRC_RECONNECT_FAILED
The connection could not be made anew.
> Connect again from the start.

2549 MQRC_CALL_INTERRUPTED
A call was cut off by a broken connection, and its outcome is not known.
> Find out whether it took place before doing it again; with units of work it did not.

2550 MQRC_NO_SUBS_MATCHED
The publication was accepted, but no subscription matched it.
> Nothing is to be done if that is expected; otherwise check topic and subscriptions.

2551 MQRC_SELECTION_NOT_AVAILABLE
A selector cannot be evaluated for this message, because something it needs is not available.
> Use a simpler selector, or correct the sender's headers.

2552 MQRC_CHANNEL_SSL_WARNING
TLS gave a warning about a channel (an event).
> See the qualifier.

2553 MQRC_OCSP_URL_ERROR
The address of an OCSP responder is not valid.
> Correct OCSPURL.

2554 MQRC_CONTENT_ERROR
The contents of the message could not be parsed, although a selector needs it.
> Correct the message, or use a selector on properties only.

2555 MQRC_RECONNECT_Q_MGR_REQD
A reconnection must lead to the same queue manager.
> Connect to it by its own name.

2556 MQRC_RECONNECT_TIMED_OUT
The time for reconnecting ran out.
> Connect again from the start; raise the time if needed.

2557 MQRC_PUBLISH_EXIT_ERROR
A publish exit answered with an error.
> Look into the exit's own log.

2558 MQRC_COMMINFO_ERROR
The communication information object cannot be used.
> Correct the COMMINFO object.

2559 MQRC_DEF_SYNCPOINT_INHIBITED
The default of working within a unit of work is switched off, and the call did not say which it wants.
> Say explicitly within or outside.

2560 MQRC_MULTICAST_ONLY
The topic is for multicast only.
> Use a multicast client, or another topic.

2561 MQRC_DATA_SET_NOT_AVAILABLE
A shared message data set is not available (z/OS).
> Recover or open the data set.

2562 MQRC_GROUPING_NOT_ALLOWED
Grouped subscriptions are not allowed here.
> Leave out the group option.

2563 MQRC_GROUP_ADDRESS_ERROR
The multicast group address is not valid.
> Correct GRPADDR.

2564 MQRC_MULTICAST_CONFIG_ERROR
Multicast is not configured rightly.
> Check the COMMINFO object and the client's settings.

2565 MQRC_MULTICAST_INTERFACE_ERROR
The network interface for multicast cannot be used.
> Name another interface.

2566 MQRC_MULTICAST_SEND_ERROR
A multicast message could not be sent.
> Check the network.

2567 MQRC_MULTICAST_INTERNAL_ERROR
Multicast met an internal error.
> Look into the error log.

2568 MQRC_CONNECTION_NOT_AVAILABLE
No connection is available.
> Check that one is configured and free.

2569 MQRC_SYNCPOINT_NOT_ALLOWED
A unit of work is not allowed here.
> Do the work outside a unit.

2570 MQRC_SSL_ALT_PROVIDER_REQUIRED
Another TLS provider is needed for this cipher.
> Configure that provider.

2571 MQRC_MCAST_PUB_STATUS
The status of a multicast publisher (an event).
> Nothing is to be done.

2572 MQRC_MCAST_SUB_STATUS
The status of a multicast subscriber (an event).
> Nothing is to be done.

2573 MQRC_PRECONN_EXIT_LOAD_ERROR
A pre-connect exit could not be loaded.
> Check its path and permissions.

2574 MQRC_PRECONN_EXIT_NOT_FOUND
A pre-connect exit was not found.
> Check its name in the configuration.

2575 MQRC_PRECONN_EXIT_ERROR
A pre-connect exit answered with an error.
> Look into the exit's own log.

2576 MQRC_CD_ARRAY_ERROR
An array of channel definitions is not valid.
> Correct the array.

2577 MQRC_CHANNEL_BLOCKED
A channel authentication record blocked the connection.
> Look into the error log for the rule, and change it with SET CHLAUTH if access is meant to be.

2578 MQRC_CHANNEL_BLOCKED_WARNING
A channel authentication record in warning mode would have blocked the connection (an event).
> Check the rule before it is made strict.

2579 MQRC_SUBSCRIPTION_CREATE
A subscription was created (an event).
> Nothing is to be done.

2580 MQRC_SUBSCRIPTION_DELETE
A subscription was deleted (an event).
> Nothing is to be done.

2581 MQRC_SUBSCRIPTION_CHANGE
A subscription was changed (an event).
> Nothing is to be done.

2582 MQRC_SUBSCRIPTION_REFRESH
A subscription was reported on request (an event).
> Nothing is to be done.

2583 MQRC_INSTALLATION_MISMATCH
The queue manager belongs to another installation.
> Use the libraries of that installation.

2584 MQRC_NOT_PRIVILEGED
The user is not privileged enough for this.
> Use a user of the administrators' group.

2586 MQRC_PROPERTIES_DISABLED
Properties are switched off in this message handle or queue.
> Use a handle with properties.

2587 MQRC_HMSG_NOT_AVAILABLE
No message handle is available.
> Delete handles that are not needed.

2588 MQRC_EXIT_PROPS_NOT_SUPPORTED
The exit does not support message properties.
> Use an exit that does.

2589 MQRC_INSTALLATION_MISSING
The installation was not found.
> Check the installation's path.

2590 MQRC_FASTPATH_NOT_AVAILABLE
A fastpath connection is not possible for this program.
> Connect with the standard binding.

2591 MQRC_CIPHER_SPEC_NOT_SUITE_B
The cipher is not one of Suite B.
> Use one that is, or switch Suite B off.

2592 MQRC_SUITE_B_ERROR
The Suite B setting is not valid.
> Correct the setting.

2593 MQRC_CERT_VAL_POLICY_ERROR
The certificate validation policy is not valid.
> Use ANY or RFC5280.

2594 MQRC_PASSWORD_PROTECTION_ERROR
The password could not be protected on its way as both ends require.
> Use TLS, or settings that both ends support.

2595 MQRC_CSP_ERROR
The security parameters of the connection (user and password) are not valid.
> Correct MQCSP; both user and password have limits of length.

2596 MQRC_CERT_LABEL_NOT_ALLOWED
A certificate label may not be given here.
> Leave the label out, or upgrade the other end.

2598 MQRC_ADMIN_TOPIC_STRING_ERROR
The topic string of an administrative topic is not valid.
> Correct TOPICSTR.

2599 MQRC_AMQP_NOT_AVAILABLE
AMQP is not available on this queue manager.
> Install and start the AMQP service.

2600 MQRC_CCDT_URL_ERROR
The address of a client channel table cannot be read.
> Check the address and the contents.

2601 MQRC_Q_MGR_RECONNECT_REQUESTED
The queue manager asked the program to connect elsewhere (told to an event handler).
> Nothing is to be done; the client reconnects.

2602 MQRC_BNO_ERROR
The balancing options are not valid.
> Start from a default MQBNO.

2603 MQRC_OUTBOUND_SNI_NOT_VALID
The server name sent with TLS is not valid.
> Correct the channel's or host's name.

2604 MQRC_HTTPS_KEYSTORE_ERROR
The key store for HTTPS cannot be used.
> Check its path, password and permissions.
"""
