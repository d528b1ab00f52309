"""Reason codes 4001 to 4099: commands for objects and channels.

Data for `model.reasons`, which describes the layout. The sentences are ours.
"""

TABLE = """
4001 MQRCCF_OBJECT_ALREADY_EXISTS
An object of this name exists already.
> Use REPLACE to define it anew, ALTER to change it, or another name.

4002 MQRCCF_OBJECT_WRONG_TYPE
The object is of another type than the command says.
> Use the command for its type.

4003 MQRCCF_LIKE_OBJECT_WRONG_TYPE
The object named by LIKE is of another type.
> Name one of the same type.

4004 MQRCCF_OBJECT_OPEN
The object is open.
> Wait until it is closed, or use FORCE where the command allows it.

4005 MQRCCF_ATTR_VALUE_ERROR
An attribute has a value that it cannot have.
> Use a value that the syntax shows.

4006 MQRCCF_UNKNOWN_Q_MGR
The queue manager is not known.
> Check its name, and how it can be reached.

4007 MQRCCF_Q_WRONG_TYPE
The queue is of a type that the command does not suit.
> Name a queue of the right type.

4008 MQRCCF_OBJECT_NAME_ERROR
The object's name is not valid.
> Use letters, digits and . _ / %, at most 48 of them (20 for channels).

4009 MQRCCF_ALLOCATE_FAILED
The conversation with the other end could not be set up.
> Check that the other end is up, and try again.

4010 MQRCCF_HOST_NOT_AVAILABLE
The host could not be reached.
> Check address, port and network.

4011 MQRCCF_CONFIGURATION_ERROR
The configuration of the channel or network is wrong.
> Compare both ends.

4012 MQRCCF_CONNECTION_REFUSED
The other end refused the connection.
> Check that its listener runs, and its limits.

4013 MQRCCF_ENTRY_ERROR
The connection could not be set up, because of a wrong entry.
> Check the address.

4014 MQRCCF_SEND_FAILED
Data could not be sent.
> Check the network; the channel will retry.

4015 MQRCCF_RECEIVED_DATA_ERROR
The data received makes no sense.
> Check that both ends speak MQ.

4016 MQRCCF_RECEIVE_FAILED
Data could not be received.
> Check the network; the channel will retry.

4017 MQRCCF_CONNECTION_CLOSED
The other end closed the connection.
> Look into its error log.

4018 MQRCCF_NO_STORAGE
There is not enough memory.
> Free memory, or give the process more.

4019 MQRCCF_NO_COMMS_MANAGER
There is no communications manager.
> Start the communications manager, or use TCP.

4020 MQRCCF_LISTENER_NOT_STARTED
The listener was not started.
> Look into the error log.

4024 MQRCCF_BIND_FAILED
The connection could not be bound.
> Check the addresses of both ends.

4025 MQRCCF_CHANNEL_INDOUBT
The channel is in doubt about its last batch.
> Let it run to resolve, or RESOLVE CHANNEL.

4026 MQRCCF_MQCONN_FAILED
The connection to the queue manager failed.
> See that it runs.

4027 MQRCCF_MQOPEN_FAILED
A queue could not be opened.
> Check its name and authority.

4028 MQRCCF_MQGET_FAILED
A message could not be got.
> Look into the error log.

4029 MQRCCF_MQPUT_FAILED
A message could not be put.
> Look into the error log.

4030 MQRCCF_PING_ERROR
The ping met an error.
> Look into the error log.

4031 MQRCCF_CHANNEL_IN_USE
The channel is in use.
> Stop the channel first: STOP CHANNEL.

4032 MQRCCF_CHANNEL_NOT_FOUND
No channel of this name is defined.
> Check the name and its case, or define the channel.

4033 MQRCCF_UNKNOWN_REMOTE_CHANNEL
The other end does not know the channel.
> Define it there with the same name.

4034 MQRCCF_REMOTE_QM_UNAVAILABLE
The queue manager at the other end is not available.
> Start the queue manager at the other end.

4035 MQRCCF_REMOTE_QM_TERMINATING
The queue manager at the other end is ending.
> Wait until it is back.

4036 MQRCCF_MQINQ_FAILED
An inquiry failed.
> Look into the error log.

4037 MQRCCF_NOT_XMIT_Q
The queue is not a transmission queue.
> ALTER it with USAGE(XMITQ).

4038 MQRCCF_CHANNEL_DISABLED
The channel is stopped.
> START CHANNEL when it should run.

4039 MQRCCF_USER_EXIT_NOT_AVAILABLE
An exit is not available.
> Check its name and path.

4040 MQRCCF_COMMIT_FAILED
The commit failed.
> Look into the error log.

4041 MQRCCF_WRONG_CHANNEL_TYPE
The channel is of a type that the parameter or command does not suit.
> Leave the parameter out, or name another channel.

4042 MQRCCF_CHANNEL_ALREADY_EXISTS
A channel of this name exists already.
> Use REPLACE, ALTER or another name.

4043 MQRCCF_DATA_TOO_LARGE
The data is longer than the channel takes.
> Raise MAXMSGL at both ends, or send less.

4044 MQRCCF_CHANNEL_NAME_ERROR
The channel's name is not valid.
> Use letters, digits and . _ / %, at most 20 of them.

4045 MQRCCF_XMIT_Q_NAME_ERROR
The transmission queue's name is missing or not valid.
> Set XMITQ to a valid queue name.

4047 MQRCCF_MCA_NAME_ERROR
The name of the message channel agent is not valid.
> Correct MCANAME.

4048 MQRCCF_SEND_EXIT_NAME_ERROR
The name of the send exit is not valid.
> Correct SENDEXIT.

4049 MQRCCF_SEC_EXIT_NAME_ERROR
The name of the security exit is not valid.
> Correct SCYEXIT.

4050 MQRCCF_MSG_EXIT_NAME_ERROR
The name of the message exit is not valid.
> Correct MSGEXIT.

4051 MQRCCF_RCV_EXIT_NAME_ERROR
The name of the receive exit is not valid.
> Correct RCVEXIT.

4052 MQRCCF_XMIT_Q_NAME_WRONG_TYPE
A transmission queue is not for channels of this type.
> Leave XMITQ out.

4053 MQRCCF_MCA_NAME_WRONG_TYPE
A message channel agent's name is not for channels of this type.
> Leave MCANAME out.

4054 MQRCCF_DISC_INT_WRONG_TYPE
A disconnect interval is not for channels of this type.
> Leave DISCINT out.

4055 MQRCCF_SHORT_RETRY_WRONG_TYPE
A short retry count is not for channels of this type.
> Leave SHORTRTY out.

4056 MQRCCF_SHORT_TIMER_WRONG_TYPE
A short retry interval is not for channels of this type.
> Leave SHORTTMR out.

4057 MQRCCF_LONG_RETRY_WRONG_TYPE
A long retry count is not for channels of this type.
> Leave LONGRTY out.

4058 MQRCCF_LONG_TIMER_WRONG_TYPE
A long retry interval is not for channels of this type.
> Leave LONGTMR out.

4059 MQRCCF_PUT_AUTH_WRONG_TYPE
A put authority is not for channels of this type.
> Leave PUTAUT out.

4060 MQRCCF_KEEP_ALIVE_INT_ERROR
The keep-alive interval is not valid.
> Give 0 to 99999 seconds, or AUTO.

4061 MQRCCF_MISSING_CONN_NAME
The connection name is missing.
> Set CONNAME to host(port).

4062 MQRCCF_CONN_NAME_ERROR
The connection name is not valid.
> Write host(port), several separated by commas.

4063 MQRCCF_MQSET_FAILED
Attributes could not be set.
> Look into the error log.

4064 MQRCCF_CHANNEL_NOT_ACTIVE
The channel is not active.
> Nothing is to be done, or start it first.

4065 MQRCCF_TERMINATED_BY_SEC_EXIT
A security exit ended the channel.
> Look into the exit's own log.

4067 MQRCCF_DYNAMIC_Q_SCOPE_ERROR
A dynamic queue cannot have this scope.
> Use SCOPE(QMGR).

4068 MQRCCF_CELL_DIR_NOT_AVAILABLE
The cell directory is not available.
> Use SCOPE(QMGR).

4069 MQRCCF_MR_COUNT_ERROR
The message retry count is not valid.
> Give 0 to 999999999.

4070 MQRCCF_MR_COUNT_WRONG_TYPE
A message retry count is not for channels of this type.
> Leave MRRTY out.

4071 MQRCCF_MR_EXIT_NAME_ERROR
The name of the message retry exit is not valid.
> Correct MREXIT.

4072 MQRCCF_MR_EXIT_NAME_WRONG_TYPE
A message retry exit is not for channels of this type.
> Leave MREXIT out.

4073 MQRCCF_MR_INTERVAL_ERROR
The message retry interval is not valid.
> Give 0 to 999999999 milliseconds.

4074 MQRCCF_MR_INTERVAL_WRONG_TYPE
A message retry interval is not for channels of this type.
> Leave MRTMR out.

4075 MQRCCF_NPM_SPEED_ERROR
The speed for non-persistent messages is not valid.
> Use FAST or NORMAL.

4076 MQRCCF_NPM_SPEED_WRONG_TYPE
A speed for non-persistent messages is not for channels of this type.
> Leave NPMSPEED out.

4077 MQRCCF_HB_INTERVAL_ERROR
The heartbeat interval is not valid.
> Give 0 to 999999 seconds.

4078 MQRCCF_HB_INTERVAL_WRONG_TYPE
A heartbeat interval is not for channels of this type.
> Leave HBINT out.

4079 MQRCCF_CHAD_ERROR
The setting for automatic channel definition is not valid.
> Use ENABLED or DISABLED.

4080 MQRCCF_CHAD_WRONG_TYPE
Automatic definition is not for channels of this type.
> Leave the parameter out.

4081 MQRCCF_CHAD_EVENT_ERROR
The setting for events of automatic channel definition is not valid.
> Use ENABLED or DISABLED.

4082 MQRCCF_CHAD_EVENT_WRONG_TYPE
Events of automatic definition are not for channels of this type.
> Leave them out.

4083 MQRCCF_CHAD_EXIT_ERROR
The name of the automatic definition exit is not valid.
> Correct CHADEXIT.

4084 MQRCCF_CHAD_EXIT_WRONG_TYPE
An automatic definition exit is not for channels of this type.
> Leave the parameter out.

4085 MQRCCF_SUPPRESSED_BY_EXIT
An exit refused the automatic definition.
> Ask whoever wrote the exit.

4086 MQRCCF_BATCH_INT_ERROR
The batch interval is not valid.
> Give 0 to 999999999 milliseconds.

4087 MQRCCF_BATCH_INT_WRONG_TYPE
A batch interval is not for channels of this type.
> Leave BATCHINT out.

4088 MQRCCF_NET_PRIORITY_ERROR
The network priority is not valid.
> Set NETPRTY to 0 to 9.

4089 MQRCCF_NET_PRIORITY_WRONG_TYPE
A network priority is not for channels of this type.
> Leave NETPRTY out.

4090 MQRCCF_CHANNEL_CLOSED
The channel was closed.
> Look into the error log for why.

4091 MQRCCF_Q_STATUS_NOT_FOUND
There is no status for this queue, or none that matches.
> Check the name; status exists for local queues.

4092 MQRCCF_SSL_CIPHER_SPEC_ERROR
The cipher is not valid or not known.
> Use a CipherSpec that both ends support.

4093 MQRCCF_SSL_PEER_NAME_ERROR
The pattern for the peer's certificate name is not valid.
> Correct SSLPEER.

4094 MQRCCF_SSL_CLIENT_AUTH_ERROR
The client authentication setting is not valid.
> Use REQUIRED or OPTIONAL.

4095 MQRCCF_RETAINED_NOT_SUPPORTED
Retained messages are not supported here.
> Publish without retain.

4096 MQRCCF_KWD_VALUE_WRONG_TYPE
A keyword's value is for objects of another type.
> Leave it out, or change the type.

4097 MQRCCF_APPL_STATUS_NOT_FOUND
There is no status for this application.
> Check its name.

4098 MQRCCF_NHA_NOT_AVAILABLE
Native high availability is not available here.
> Leave the request out.

4099 MQRCCF_Q_MGR_STATUS_NOT_FOUND
There is no status for this queue manager.
> Check its name.
"""
