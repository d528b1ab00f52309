"""Reason codes 3200 to 3393: PCF commands, continued.

Data for `model.reasons`, which describes the layout. The sentences are ours.
"""

TABLE = """
3200 MQRCCF_NONE_FOUND
No item was found that matches.
> Check the name and the filter.

3201 MQRCCF_SECURITY_SWITCH_OFF
A security switch is off.
> Switch it on if it should be checked.

3202 MQRCCF_SECURITY_REFRESH_FAILED
Security could not be refreshed.
> Look into the error log.

3203 MQRCCF_PARM_CONFLICT
Parameters, or their values, do not go together.
> Leave one of them out, or change a value.

3204 MQRCCF_COMMAND_INHIBITED
The command is not allowed in the present state.
> Try it again later.

3205 MQRCCF_OBJECT_BEING_DELETED
The object is being deleted.
> Wait, or use another name.

3207 MQRCCF_STORAGE_CLASS_IN_USE
The storage class is in use (z/OS).
> Move the queues that use it first.

3208 MQRCCF_OBJECT_NAME_RESTRICTED
The name is reserved.
> Choose a name that does not begin with a reserved prefix.

3209 MQRCCF_OBJECT_LIMIT_EXCEEDED
There are as many objects of this kind as allowed.
> Delete objects that are not needed any more.

3210 MQRCCF_OBJECT_OPEN_FORCE
The object is open, and the change would affect those who have it open.
> Use FORCE, or wait until it is closed.

3211 MQRCCF_DISPOSITION_CONFLICT
The disposition conflicts with that of another object (z/OS).
> Use another name or disposition.

3212 MQRCCF_Q_MGR_NOT_IN_QSG
The queue manager is not in a queue-sharing group.
> Leave the group's parameters out.

3213 MQRCCF_ATTR_VALUE_FIXED
The attribute's value is fixed and cannot be changed.
> Leave it as it is.

3215 MQRCCF_NAMELIST_ERROR
The namelist is missing, or not of the right type.
> Define a namelist of the right type.

3217 MQRCCF_NO_CHANNEL_INITIATOR
There is no channel initiator.
> Start the channel initiator.

3218 MQRCCF_CHANNEL_INITIATOR_ERROR
The channel initiator met an error.
> Look into its log.

3222 MQRCCF_COMMAND_LEVEL_CONFLICT
The command needs another level of this queue manager or of the group.
> Use it where the level suffices.

3223 MQRCCF_Q_ATTR_CONFLICT
Attributes of the queue contradict each other.
> Change one of them, such as SHARE with DEFSOPT, or the depth limits.

3224 MQRCCF_EVENTS_DISABLED
Events of this kind are switched off.
> Switch them on with ALTER QMGR.

3225 MQRCCF_COMMAND_SCOPE_ERROR
The command's scope is not valid.
> Leave CMDSCOPE out.

3226 MQRCCF_COMMAND_REPLY_ERROR
The reply to the command could not be sent.
> Check the reply queue.

3227 MQRCCF_FUNCTION_RESTRICTED
The function is not available in this product, or is restricted.
> Do it in another way.

3228 MQRCCF_PARM_MISSING
A parameter that the command requires is missing.
> Add the parameter that the reply or the caret names.

3229 MQRCCF_PARM_VALUE_ERROR
A parameter has a value that it cannot have.
> Use a value within the range that the command's syntax shows.

3230 MQRCCF_COMMAND_LENGTH_ERROR
The command is too long.
> Split the command, or shorten its texts.

3231 MQRCCF_COMMAND_ORIGIN_ERROR
The command may not come from where it came.
> Issue it from the console or another allowed place.

3232 MQRCCF_LISTENER_CONFLICT
The address or port of the listener is used by another one.
> Choose another port.

3233 MQRCCF_LISTENER_STARTED
The listener was started.
> Nothing is to be done.

3234 MQRCCF_LISTENER_STOPPED
The listener was stopped.
> Nothing is to be done.

3235 MQRCCF_CHANNEL_ERROR
The channel met an error.
> Look into the error log.

3236 MQRCCF_CF_STRUC_ERROR
The coupling facility structure is not valid (z/OS).
> Correct its name or definition.

3237 MQRCCF_UNKNOWN_USER_ID
The user id is not known or not valid.
> Correct it; user ids have at most 12 characters.

3238 MQRCCF_UNEXPECTED_ERROR
Something happened that should not.
> Look into the error log, and report the fault.

3239 MQRCCF_NO_XCF_PARTNER
There is no partner in the XCF group (z/OS).
> Start the partner.

3240 MQRCCF_CFGR_PARM_ID_ERROR
A group parameter is not one of this command.
> Leave it out, or correct its id.

3241 MQRCCF_CFIF_LENGTH_ERROR
The length of an integer filter is wrong.
> Set StrucLength to 20.

3242 MQRCCF_CFIF_OPERATOR_ERROR
The operator of an integer filter is not valid.
> Use one of the MQCFOP_ operators that suit the attribute.

3243 MQRCCF_CFIF_PARM_ID_ERROR
The attribute of an integer filter is not valid.
> Filter on an integer attribute that the command returns.

3244 MQRCCF_CFSF_FILTER_VAL_LEN_ERR
The length of a string filter's value is wrong.
> Give the value's real length.

3245 MQRCCF_CFSF_LENGTH_ERROR
The length of a string filter is wrong.
> Make it agree with the value.

3246 MQRCCF_CFSF_OPERATOR_ERROR
The operator of a string filter is not valid.
> Use one of the MQCFOP_ operators that suit the attribute.

3247 MQRCCF_CFSF_PARM_ID_ERROR
The attribute of a string filter is not valid.
> Filter on a string attribute that the command returns.

3248 MQRCCF_TOO_MANY_FILTERS
More than one filter was given.
> Give one filter, and sort out the rest in the program.

3249 MQRCCF_LISTENER_RUNNING
The listener is running.
> Nothing is to be done, or stop it first.

3250 MQRCCF_LSTR_STATUS_NOT_FOUND
There is no status for this listener: it is not running.
> Start it if it should run.

3251 MQRCCF_SERVICE_RUNNING
The service is running.
> Nothing is to be done, or stop it first.

3252 MQRCCF_SERV_STATUS_NOT_FOUND
There is no status for this service: it is not running.
> Start it if it should run.

3253 MQRCCF_SERVICE_STOPPED
The service is stopped.
> Start it if it should run.

3254 MQRCCF_CFBS_DUPLICATE_PARM
A byte string parameter occurs twice.
> Give the parameter once.

3255 MQRCCF_CFBS_LENGTH_ERROR
The length of a byte string structure is wrong.
> Make it agree with the string.

3256 MQRCCF_CFBS_PARM_ID_ERROR
A byte string parameter is not one of this command.
> Leave it out, or correct its id.

3257 MQRCCF_CFBS_STRING_LENGTH_ERR
The string length in a byte string structure is wrong.
> Give the string's real length.

3258 MQRCCF_CFGR_LENGTH_ERROR
The length of a group structure is wrong.
> Set StrucLength to 16.

3259 MQRCCF_CFGR_PARM_COUNT_ERROR
The parameter count of a group is wrong.
> Give the number of structures in it.

3260 MQRCCF_CONN_NOT_STOPPED
The connection could not be stopped.
> Stop its channel or its program.

3261 MQRCCF_SERVICE_REQUEST_PENDING
The service is being started or stopped.
> Wait until that is done.

3262 MQRCCF_NO_START_CMD
The service has no start command.
> Set STARTCMD of the service.

3263 MQRCCF_NO_STOP_CMD
The service has no stop command.
> Set STOPCMD of the service.

3264 MQRCCF_CFBF_LENGTH_ERROR
The length of a byte string filter is wrong.
> Make it agree with the value.

3265 MQRCCF_CFBF_PARM_ID_ERROR
The attribute of a byte string filter is not valid.
> Filter on a byte string attribute that the command returns.

3266 MQRCCF_CFBF_OPERATOR_ERROR
The operator of a byte string filter is not valid.
> Use one of the MQCFOP_ operators that suit the attribute.

3267 MQRCCF_CFBF_FILTER_VAL_LEN_ERR
The length of a byte string filter's value is wrong.
> Give the value's real length.

3268 MQRCCF_LISTENER_STILL_ACTIVE
The listener is still active.
> Stop the listener first.

3269 MQRCCF_DEF_XMIT_Q_CLUS_ERROR
The cluster transmission queue cannot be the default transmission queue.
> Name another queue in DEFXMITQ.

3300 MQRCCF_TOPICSTR_ALREADY_EXISTS
Another topic object has this topic string.
> Use another string; each may have one object.

3301 MQRCCF_SHARING_CONVS_ERROR
The number of conversations that share a socket is not valid.
> Give 0 to 999999999.

3302 MQRCCF_SHARING_CONVS_TYPE
Shared conversations are not for channels of this type.
> Leave SHARECNV out.

3303 MQRCCF_SECURITY_CASE_CONFLICT
The case of security profiles does not fit.
> Correct SCYCASE.

3305 MQRCCF_TOPIC_TYPE_ERROR
The topic type is not valid.
> Use LOCAL, CLUSTER or ALL.

3306 MQRCCF_MAX_INSTANCES_ERROR
The greatest number of instances is not valid.
> Give 0 to 999999999.

3307 MQRCCF_MAX_INSTS_PER_CLNT_ERR
The greatest number of instances for a client is not valid.
> Give 0 to 999999999, not above MAXINST.

3308 MQRCCF_TOPIC_STRING_NOT_FOUND
The topic string is not in use.
> Check the string; DISPLAY TPSTATUS('#') shows those there are.

3309 MQRCCF_SUBSCRIPTION_POINT_ERR
The subscription point is not valid.
> Correct the subscription point.

3311 MQRCCF_SUB_ALREADY_EXISTS
A subscription of this name is there already.
> Use another name, or alter that one.

3312 MQRCCF_UNKNOWN_OBJECT_NAME
No object of this name is defined.
> Check the name, or define the object.

3313 MQRCCF_REMOTE_Q_NAME_ERROR
The name of the remote queue is not valid.
> Correct RNAME of the definition.

3314 MQRCCF_DURABILITY_NOT_ALLOWED
Durable subscriptions are not allowed on this topic.
> ALTER the topic with DURSUB(YES).

3315 MQRCCF_HOBJ_ERROR
The handle is not valid.
> Use an open handle.

3316 MQRCCF_DEST_NAME_ERROR
The name of the destination is not valid.
> Correct DEST of the subscription.

3317 MQRCCF_INVALID_DESTINATION
The destination is not valid.
> Name a local queue that exists.

3318 MQRCCF_PUBSUB_INHIBITED
Publish/subscribe is switched off.
> ALTER QMGR with PSMODE(ENABLED).

3319 MQRCCF_GROUPUR_CHECKS_FAILED
Checks for units of work of the group failed (z/OS).
> See the reply for which.

3320 MQRCCF_COMM_INFO_TYPE_ERROR
The type of communication information is not valid.
> Set the type to MULTICAST.

3321 MQRCCF_USE_CLIENT_ID_ERROR
The use-client-id parameter has a wrong value.
> Set USECLTID to YES or NO.

3322 MQRCCF_CLIENT_ID_NOT_FOUND
The client id is not known.
> Check the client id's spelling.

3323 MQRCCF_CLIENT_ID_ERROR
The client id is not valid.
> Correct the id.

3324 MQRCCF_PORT_IN_USE
The port is in use.
> Choose another port, or stop who uses it.

3325 MQRCCF_SSL_ALT_PROVIDER_REQD
Another TLS provider is needed for this.
> Configure that provider.

3326 MQRCCF_CHLAUTH_TYPE_ERROR
The type of channel authentication record is not valid.
> Use BLOCKUSER, BLOCKADDR, SSLPEERMAP, ADDRESSMAP, USERMAP or QMGRMAP.

3327 MQRCCF_CHLAUTH_ACTION_ERROR
The action for the channel authentication record is not valid.
> Use ADD, REPLACE, REMOVE or REMOVEALL.

3328 MQRCCF_POLICY_NOT_FOUND
There is no protection policy of this name.
> Check the name.

3329 MQRCCF_ENCRYPTION_ALG_ERROR
The encryption algorithm is not valid.
> Use a known one.

3330 MQRCCF_SIGNATURE_ALG_ERROR
The signature algorithm is not valid.
> Use a known one.

3331 MQRCCF_TOLERATION_POL_ERROR
The toleration setting is not valid.
> Use a known one.

3332 MQRCCF_POLICY_VERSION_ERROR
The version of the policy is not valid.
> Use a known one.

3333 MQRCCF_RECIPIENT_DN_MISSING
The recipient's name is missing.
> Give at least one recipient for encryption.

3334 MQRCCF_POLICY_NAME_MISSING
The policy's name is missing.
> Give the policy a name.

3335 MQRCCF_CHLAUTH_USERSRC_ERROR
The user source is not valid.
> Use MAP, NOACCESS or CHANNEL.

3336 MQRCCF_WRONG_CHLAUTH_TYPE
A parameter does not suit this type of channel authentication record.
> Leave it out, or use another type.

3337 MQRCCF_CHLAUTH_ALREADY_EXISTS
The channel authentication record is there already.
> Use ACTION(REPLACE).

3338 MQRCCF_CHLAUTH_NOT_FOUND
There is no such channel authentication record.
> Check profile, type and key; DISPLAY CHLAUTH(*) shows those there are.

3339 MQRCCF_WRONG_CHLAUTH_ACTION
A parameter does not suit the action.
> Leave it out, or use another action.

3340 MQRCCF_WRONG_CHLAUTH_USERSRC
A parameter does not suit the user source.
> Leave it out, or use another source.

3341 MQRCCF_CHLAUTH_WARN_ERROR
The warning setting is not valid.
> Set WARN to YES or NO.

3342 MQRCCF_WRONG_CHLAUTH_MATCH
The match setting is not valid for this.
> Use EXACT, RUNCHECK or GENERIC as it fits.

3343 MQRCCF_IPADDR_RANGE_CONFLICT
The range of addresses overlaps another one.
> Use ranges that contain each other wholly or not at all.

3344 MQRCCF_CHLAUTH_MAX_EXCEEDED
There are as many entries in the record as allowed.
> Use several records.

3345 MQRCCF_ADDRESS_ERROR
The address is not valid.
> Give an IP address, a pattern or a host name.

3346 MQRCCF_IPADDR_RANGE_ERROR
The range of addresses is not valid.
> Give the lower end first.

3347 MQRCCF_PROFILE_NAME_MISSING
The profile's name is missing.
> Give a channel name or pattern.

3348 MQRCCF_CHLAUTH_CLNTUSER_ERROR
The client's user is not valid.
> Correct CLNTUSER.

3349 MQRCCF_CHLAUTH_NAME_ERROR
The channel name is not valid for this.
> Use a name without wildcards for a run check.

3350 MQRCCF_CHLAUTH_RUNCHECK_ERROR
The run check lacks a parameter.
> Give address, user and the rest that it needs.

3351 MQRCCF_CF_STRUC_ALREADY_FAILED
The coupling facility structure has failed already (z/OS).
> Recover the structure.

3352 MQRCCF_CFCONLOS_CHECKS_FAILED
Checks for loss of connection to the coupling facility failed (z/OS).
> See the reply for which.

3353 MQRCCF_SUITE_B_ERROR
The Suite B setting is not valid.
> Use a known combination.

3354 MQRCCF_CHANNEL_NOT_STARTED
The channel was not started.
> Look into the error log.

3355 MQRCCF_CUSTOM_ERROR
The CUSTOM attribute is not valid.
> Write NAME(value) pairs that are known, without repeating any.

3356 MQRCCF_BACKLOG_OUT_OF_RANGE
The listener's backlog is out of its range.
> Give 0 to 999999999.

3357 MQRCCF_CHLAUTH_DISABLED
Channel authentication is switched off.
> ALTER QMGR with CHLAUTH(ENABLED).

3358 MQRCCF_SMDS_REQUIRES_DSGROUP
A shared message data set needs its group name (z/OS).
> Set DSGROUP of the structure.

3359 MQRCCF_PSCLUS_DISABLED_TOPDEF
Clustered topics cannot be defined while PSCLUS is disabled.
> ALTER QMGR with PSCLUS(ENABLED).

3360 MQRCCF_PSCLUS_TOPIC_EXISTS
PSCLUS cannot be disabled while clustered topics exist.
> Delete them first.

3361 MQRCCF_SSL_CIPHER_SUITE_ERROR
The cipher suite is not valid.
> Use a known one.

3362 MQRCCF_SOCKET_ERROR
A socket met an error.
> Look into the error log.

3363 MQRCCF_CLUS_XMIT_Q_USAGE_ERROR
The cluster transmission queue's use cannot be changed so.
> Keep USAGE(XMITQ) while CLCHNAME is set.

3364 MQRCCF_CERT_VAL_POLICY_ERROR
The certificate validation policy is not valid.
> Use ANY or RFC5280.

3365 MQRCCF_INVALID_PROTOCOL
The protocol is not valid.
> Use a known one.

3366 MQRCCF_REVDNS_DISABLED
Names of hosts cannot be looked up, because REVDNS is disabled.
> Use addresses, or ALTER QMGR with REVDNS(ENABLED).

3367 MQRCCF_CLROUTE_NOT_ALTERABLE
The route of a clustered topic cannot be changed now.
> Remove it from the cluster first.

3368 MQRCCF_CLUSTER_TOPIC_CONFLICT
The topic conflicts with another one in the cluster.
> Make both definitions agree.

3369 MQRCCF_DEFCLXQ_MODEL_Q_ERROR
The model queue for cluster transmission queues is missing or wrong.
> Define SYSTEM.CLUSTER.TRANSMIT.MODEL.QUEUE as it should be.

3370 MQRCCF_CHLAUTH_CHKCLI_ERROR
The check-client setting is not valid for this.
> Use ASQMGR, REQUIRED or REQDADM.

3371 MQRCCF_CERT_LABEL_NOT_ALLOWED
A certificate label may not be given here.
> Leave CERTLABL out.

3372 MQRCCF_Q_MGR_ATTR_CONFLICT
Attributes of the queue manager contradict each other.
> Change one of them.

3373 MQRCCF_ENTITY_TYPE_MISSING
The entity type is missing.
> Say whether it is a user or a group.

3374 MQRCCF_CLWL_EXIT_NAME_ERROR
The name of a cluster workload exit is not valid.
> Correct CLWLEXIT.

3375 MQRCCF_SERVICE_NAME_ERROR
The service's name is not valid.
> Correct the name.

3376 MQRCCF_REMOTE_CHL_TYPE_ERROR
The channel at the other end is of a type that does not fit.
> Make the pair of types agree.

3377 MQRCCF_TOPIC_RESTRICTED
The topic is restricted.
> Use another topic.

3378 MQRCCF_CURRENT_LOG_EXTENT
The log extent is the current one, which is still needed.
> Name an older one.

3379 MQRCCF_LOG_EXTENT_NOT_FOUND
There is no such log extent.
> Check its name.

3380 MQRCCF_LOG_NOT_REDUCED
The log could not be reduced.
> Try again after a checkpoint.

3381 MQRCCF_LOG_EXTENT_ERROR
The log extent's name is not valid.
> Correct the extent's name.

3382 MQRCCF_ACCESS_BLOCKED
Access was blocked by a rule.
> Change the rule if access is meant to be.

3383 MQRCCF_PS_REQUIRED_MQUC
Publish/subscribe is needed for a uniform cluster.
> Enable publish/subscribe with PSMODE(ENABLED).

3384 MQRCCF_STREAMQ_DEST_NOT_SUPP
A streaming queue cannot go to a destination of this type.
> Name a local, alias or remote queue.

3385 MQRCCF_STREAMQ_DEST_CONFLICT
The streaming queue's destination conflicts with another attribute.
> Change one of them.

3386 MQRCCF_STREAMQ_NOT_SUPPORTED
Streaming is not supported for this queue.
> Leave STREAMQ out.

3387 MQRCCF_STREAMQ_CONFLICT
The streaming attributes contradict each other.
> Change one of them.

3389 MQRCCF_INCOMPATIBLE_QM_IN_QSG
A queue manager of the group cannot do this (z/OS).
> Upgrade it first.

3390 MQRCCF_ATTR_VALUE_ERROR_QSG_QM
A queue manager of the group refuses the attribute's value (z/OS).
> Upgrade it, or use another value.

3391 MQRCCF_AUTHORIZED
The authority check succeeded (an event).
> Nothing is to be done.

3392 MQRCCF_QUANTUM_ATTR_CONFLICT
Attributes for quantum-safe algorithms contradict each other.
> Change one of them.

3393 MQRCCF_SSL_QS_ALG_DISABLED
The quantum-safe algorithm is switched off.
> Switch it on, or use another.
"""
