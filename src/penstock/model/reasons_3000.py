"""Reason codes 3001 to 3177: PCF commands, their structures and parameters.

Data for `model.reasons`, which describes the layout. The sentences are ours.
"""

TABLE = """
3001 MQRCCF_CFH_TYPE_ERROR
The PCF header's type is not one that a command message may have.
> Set Type to MQCFT_COMMAND.

3002 MQRCCF_CFH_LENGTH_ERROR
The PCF header's length is not that of a header.
> Set StrucLength to 36.

3003 MQRCCF_CFH_VERSION_ERROR
The PCF header's version is not supported.
> Use version 1, or 3 for commands that need it.

3004 MQRCCF_CFH_MSG_SEQ_NUMBER_ERR
The sequence number in the PCF header is not 1.
> Send the command as one message, with MsgSeqNumber 1.

3005 MQRCCF_CFH_CONTROL_ERROR
The control field of the PCF header is not "last".
> Set Control to MQCFC_LAST.

3006 MQRCCF_CFH_PARM_COUNT_ERROR
The parameter count in the PCF header is not valid.
> Give the number of structures that follow.

3007 MQRCCF_CFH_COMMAND_ERROR
The command number in the PCF header is not known.
> Use an MQCMD_ number that this release supports.

3008 MQRCCF_COMMAND_FAILED
The command failed; the replies before this one say why.
> Look at the reason of the other replies to the same command.

3009 MQRCCF_CFIN_LENGTH_ERROR
The length of a PCF integer structure is wrong.
> Set StrucLength to 16.

3010 MQRCCF_CFST_LENGTH_ERROR
The length of a PCF string structure is wrong.
> Set StrucLength to 20 and the string, rounded up to 4.

3011 MQRCCF_CFST_STRING_LENGTH_ERR
The string length in a PCF string structure is wrong.
> Give the string's real length, within what the parameter allows.

3012 MQRCCF_FORCE_VALUE_ERROR
The force parameter has a value that it cannot have.
> Set Force to MQFC_YES or MQFC_NO.

3013 MQRCCF_STRUCTURE_TYPE_ERROR
A PCF structure is of a type that commands do not use.
> Use integer, string, list, filter, byte string or group structures.

3014 MQRCCF_CFIN_PARM_ID_ERROR
An integer parameter is not one of this command.
> Leave it out, or correct its id.

3015 MQRCCF_CFST_PARM_ID_ERROR
A string parameter is not one of this command.
> Leave it out, or correct its id.

3016 MQRCCF_MSG_LENGTH_ERROR
The message is shorter or longer than its PCF structures say.
> Make the lengths agree with the data.

3017 MQRCCF_CFIN_DUPLICATE_PARM
An integer parameter occurs twice.
> Give the parameter once.

3018 MQRCCF_CFST_DUPLICATE_PARM
A string parameter occurs twice.
> Give the parameter once.

3019 MQRCCF_PARM_COUNT_TOO_SMALL
The command has too few parameters.
> Add the parameters that it requires.

3020 MQRCCF_PARM_COUNT_TOO_BIG
The command has too many parameters.
> Leave out those that it does not know.

3021 MQRCCF_Q_ALREADY_IN_CELL
The queue is in the cell already.
> Choose another name or scope.

3022 MQRCCF_Q_TYPE_ERROR
The queue type does not suit the command or the parameters.
> Name a queue of the right type, or leave out what it does not have.

3023 MQRCCF_MD_FORMAT_ERROR
The message's format is not the one of commands.
> Put it with format MQADMIN or MQPCF.

3024 MQRCCF_CFSL_LENGTH_ERROR
The length of a PCF string list is wrong.
> Make it agree with count and string length.

3025 MQRCCF_REPLACE_VALUE_ERROR
The replace parameter has a value that it cannot have.
> Set Replace to MQRP_YES or MQRP_NO.

3026 MQRCCF_CFIL_DUPLICATE_VALUE
A value occurs twice in a list of integers.
> Give each value once.

3027 MQRCCF_CFIL_COUNT_ERROR
The count of a list of integers is wrong.
> Give the number of values, within what the parameter allows.

3028 MQRCCF_CFIL_LENGTH_ERROR
The length of a PCF integer list is wrong.
> Make it agree with the count.

3029 MQRCCF_QUIESCE_VALUE_ERROR
The mode (quiesce, force ...) has a value that it cannot have.
> Use one of the modes of the command.

3030 MQRCCF_MSG_SEQ_NUMBER_ERROR
The message sequence number is not valid.
> Give 1 to 999999999.

3031 MQRCCF_PING_DATA_COUNT_ERROR
The amount of data for a ping is not valid.
> Give 16 to 32768 bytes.

3032 MQRCCF_PING_DATA_COMPARE_ERROR
The data of a ping came back changed.
> Check the connection, and conversion along the way.

3033 MQRCCF_CFSL_PARM_ID_ERROR
A string list parameter is not one of this command.
> Leave it out, or correct its id.

3034 MQRCCF_CHANNEL_TYPE_ERROR
The channel type is not known, or does not suit the command.
> Use SDR, SVR, RCVR, RQSTR, CLUSSDR, CLUSRCVR, SVRCONN or CLNTCONN as it fits.

3035 MQRCCF_PARM_SEQUENCE_ERROR
The parameters are not in the order that the command needs.
> Give the name first, then the type, then the rest.

3036 MQRCCF_XMIT_PROTOCOL_TYPE_ERR
The transport type is not valid.
> Set TRPTYPE to TCP.

3037 MQRCCF_BATCH_SIZE_ERROR
The batch size is not valid.
> Give 1 to 9999 messages.

3038 MQRCCF_DISC_INT_ERROR
The disconnect interval is not valid.
> Give 0 to 999999 seconds.

3039 MQRCCF_SHORT_RETRY_ERROR
The short retry count is not valid.
> Give 0 to 999999999.

3040 MQRCCF_SHORT_TIMER_ERROR
The short retry interval is not valid.
> Give 0 to 999999999 seconds.

3041 MQRCCF_LONG_RETRY_ERROR
The long retry count is not valid.
> Give 0 to 999999999.

3042 MQRCCF_LONG_TIMER_ERROR
The long retry interval is not valid.
> Give 0 to 999999999 seconds.

3043 MQRCCF_SEQ_NUMBER_WRAP_ERROR
The number at which sequence numbers begin again is not valid.
> Give 100 to 999999999.

3044 MQRCCF_MAX_MSG_LENGTH_ERROR
The greatest message length is not valid.
> Give 0 to 104857600 bytes, not more than the queue manager's own.

3045 MQRCCF_PUT_AUTH_ERROR
The put authority is not valid.
> Use DEF or CTX.

3046 MQRCCF_PURGE_VALUE_ERROR
The purge parameter has a value that it cannot have.
> Set Purge to MQPO_YES or MQPO_NO.

3047 MQRCCF_CFIL_PARM_ID_ERROR
An integer list parameter is not one of this command.
> Leave it out, or correct its id.

3048 MQRCCF_MSG_TRUNCATED
The command message was cut off.
> Send the whole message; check the limits of lengths.

3049 MQRCCF_CCSID_ERROR
The character set of the command is not supported.
> Use a supported CCSID.

3050 MQRCCF_ENCODING_ERROR
The encoding of the command is not supported.
> Use the native encoding.

3051 MQRCCF_QUEUES_VALUE_ERROR
The parameter that says whether queues are removed has a wrong value.
> Use yes or no for the removal of queues.

3052 MQRCCF_DATA_CONV_VALUE_ERROR
The data conversion parameter has a wrong value.
> Set CONVERT to YES or NO.

3053 MQRCCF_INDOUBT_VALUE_ERROR
The in-doubt action is not valid.
> Use commit or backout.

3054 MQRCCF_ESCAPE_TYPE_ERROR
The type of an escape command is not valid.
> Set EscapeType to MQET_MQSC.

3055 MQRCCF_REPOS_VALUE_ERROR
The repositories parameter has a wrong value.
> Use yes or no for the repositories.

3062 MQRCCF_CHANNEL_TABLE_ERROR
The channel table is not valid.
> Use queue-manager table or client table.

3063 MQRCCF_MCA_TYPE_ERROR
The type of message channel agent is not valid.
> Use PROCESS or THREAD.

3064 MQRCCF_CHL_INST_TYPE_ERROR
The channel instance type is not valid.
> Use current, saved or short status.

3065 MQRCCF_CHL_STATUS_NOT_FOUND
There is no status for this channel: it has not run, or its status was not saved.
> Nothing is to be done if the channel is not in use; otherwise start it.

3066 MQRCCF_CFSL_DUPLICATE_PARM
A string list parameter occurs twice.
> Give the parameter once.

3067 MQRCCF_CFSL_TOTAL_LENGTH_ERROR
The strings of a list are too long together.
> Shorten the list.

3068 MQRCCF_CFSL_COUNT_ERROR
The count of a string list is wrong.
> Give the number of strings, within what the parameter allows.

3069 MQRCCF_CFSL_STRING_LENGTH_ERR
The string length in a string list is wrong.
> Give the length that all strings have.

3070 MQRCCF_BROKER_DELETED
A broker was deleted while it was in use.
> Connect to another broker.

3071 MQRCCF_STREAM_ERROR
The stream is not valid.
> Use a stream that the broker supports.

3072 MQRCCF_TOPIC_ERROR
The topic is not valid.
> Correct the topic string.

3073 MQRCCF_NOT_REGISTERED
The publisher or subscriber is not registered.
> Register first.

3074 MQRCCF_Q_MGR_NAME_ERROR
The queue manager's name is not valid or not known.
> Correct the name.

3075 MQRCCF_INCORRECT_STREAM
The stream is not the one of the queue.
> Send it to the queue of its stream.

3076 MQRCCF_Q_NAME_ERROR
The queue's name is not valid.
> Correct the name: at most 48 letters, digits and . _ / %.

3077 MQRCCF_NO_RETAINED_MSG
There is no retained message for the topic.
> Nothing is to be done.

3078 MQRCCF_DUPLICATE_IDENTITY
Another publisher or subscriber has this identity.
> Use another one.

3079 MQRCCF_INCORRECT_Q
The command came to the wrong queue.
> Send it to the broker's control queue.

3080 MQRCCF_CORREL_ID_ERROR
The correlation id is missing or not valid.
> Give one of 24 bytes that is not all zeros.

3081 MQRCCF_NOT_AUTHORIZED
The user may not do this.
> Grant the authority.

3082 MQRCCF_UNKNOWN_STREAM
The stream is not known.
> Define it, or use another.

3083 MQRCCF_REG_OPTIONS_ERROR
The registration options are not valid.
> Use known options that go together.

3084 MQRCCF_PUB_OPTIONS_ERROR
The publication options are not valid.
> Use known options that go together.

3085 MQRCCF_UNKNOWN_BROKER
The broker is not known.
> Check its name.

3086 MQRCCF_Q_MGR_CCSID_ERROR
The queue manager's character set is not supported.
> Change CCSID of the queue manager.

3087 MQRCCF_DEL_OPTIONS_ERROR
The deletion options are not valid.
> Use known options that go together.

3088 MQRCCF_CLUSTER_NAME_CONFLICT
Cluster name and cluster namelist were both given.
> Give one of them.

3089 MQRCCF_REPOS_NAME_CONFLICT
Repository name and repository namelist were both given.
> Give one of them.

3090 MQRCCF_CLUSTER_Q_USAGE_ERROR
A transmission queue cannot be a cluster queue.
> Use USAGE(NORMAL), or leave the cluster out.

3091 MQRCCF_ACTION_VALUE_ERROR
The action is not valid.
> Use one of the command's actions.

3092 MQRCCF_COMMS_LIBRARY_ERROR
A communications library could not be loaded.
> Install it, or use TCP.

3093 MQRCCF_NETBIOS_NAME_ERROR
The NetBIOS name is not defined.
> Define the name, or use TCP.

3094 MQRCCF_BROKER_COMMAND_FAILED
A publish/subscribe command failed.
> Look at the reasons in its reply.

3095 MQRCCF_CFST_CONFLICTING_PARM
Two parameters contradict each other.
> Leave one of them out.

3096 MQRCCF_PATH_NOT_VALID
The path is not valid.
> Correct the path.

3097 MQRCCF_PARM_SYNTAX_ERROR
A parameter's syntax is wrong.
> Correct the parameter.

3098 MQRCCF_PWD_LENGTH_ERROR
The length of the password is not valid.
> Use a password within the limit.

3150 MQRCCF_FILTER_ERROR
The filter is not valid.
> Correct its syntax.

3151 MQRCCF_WRONG_USER
The subscription belongs to another user.
> Send the command as the user that made the subscription.

3152 MQRCCF_DUPLICATE_SUBSCRIPTION
The subscription is there already.
> Use another name, or change that one.

3153 MQRCCF_SUB_NAME_ERROR
The subscription's name is not valid.
> Correct the name.

3154 MQRCCF_SUB_IDENTITY_ERROR
The subscription's identity is not valid.
> Correct the identity.

3155 MQRCCF_SUBSCRIPTION_IN_USE
The subscription is in use.
> Wait until it is free.

3156 MQRCCF_SUBSCRIPTION_LOCKED
The subscription is locked by another identity.
> Wait, or use that identity.

3157 MQRCCF_ALREADY_JOINED
The identity joined the subscription already.
> Nothing is to be done.

3160 MQRCCF_OBJECT_IN_USE
The object is in use.
> Wait until nobody has it open, or use force where the command allows it.

3161 MQRCCF_UNKNOWN_FILE_NAME
The file is not known.
> Check its name.

3162 MQRCCF_FILE_NOT_AVAILABLE
The file cannot be used now.
> Close it elsewhere, and try again.

3163 MQRCCF_DISC_RETRY_ERROR
The disconnect retry count is not valid.
> Give a number within its range.

3164 MQRCCF_ALLOC_RETRY_ERROR
The allocation retry count is not valid.
> Give a number within its range.

3165 MQRCCF_ALLOC_SLOW_TIMER_ERROR
The slow allocation interval is not valid.
> Give a number within its range.

3166 MQRCCF_ALLOC_FAST_TIMER_ERROR
The fast allocation interval is not valid.
> Give a number within its range.

3167 MQRCCF_PORT_NUMBER_ERROR
The port number is not valid.
> Give 0 to 65535.

3168 MQRCCF_CHL_SYSTEM_NOT_ACTIVE
The channel system is not active.
> Start the channel system first.

3169 MQRCCF_ENTITY_NAME_MISSING
A user or group name is missing.
> Give PRINCIPAL or GROUP.

3170 MQRCCF_PROFILE_NAME_ERROR
The profile name is not valid.
> Use a name with ?, * and ** only where they may be.

3171 MQRCCF_AUTH_VALUE_ERROR
An authority in the list is not known, or does not suit the object type.
> Use authorities such as GET, PUT, BROWSE, INQ, DSP.

3172 MQRCCF_AUTH_VALUE_MISSING
No authority was given to add or remove.
> Give AUTHADD or AUTHRMV.

3173 MQRCCF_OBJECT_TYPE_MISSING
The object type is missing.
> Give OBJTYPE, such as QUEUE or QMGR.

3174 MQRCCF_CONNECTION_ID_ERROR
The connection id is not valid.
> Take it from DISPLAY CONN.

3175 MQRCCF_LOG_TYPE_ERROR
The log is of a type that the command does not suit.
> Use it with linear logging only.

3176 MQRCCF_PROGRAM_NOT_AVAILABLE
A program needed for the command is not available.
> Check the installation.

3177 MQRCCF_PROGRAM_AUTH_FAILED
A program needed for the command may not be run by this user.
> Grant the permission.
"""
