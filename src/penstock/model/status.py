"""Status and counters of a queue manager: every figure that is shown is declared here, once.

The engine, the host and the server fill these; DISPLAY, `qm.status()`, `--json` and the metrics read them.
A `Row` is a line of an MQSC display: its fields have MQSC's names in small letters, in the order of the
display, and their defaults are shown when nothing is known. `Figures` are for programs. To show a new
figure, add a field and fill it. Nothing here counts anything.
"""

from __future__ import annotations

from typing import Any

import msgspec


class Row(msgspec.Struct, rename="upper", kw_only=True):
    """A line of a status display."""


class Figures(msgspec.Struct, kw_only=True):
    """Figures for programs, by plain names."""


def values(figures: Row | Figures) -> dict[str, Any]:
    """Return the names and values of a row (names as in MQSC) or of figures, ready for JSON."""
    found: dict[str, Any] = msgspec.to_builtins(figures)
    return found


def blank(row: type[Row]) -> dict[str, Any]:
    """Return the names of a row's fields with their defaults."""
    return values(row())


# -- DISPLAY QSTATUS and CONN --------------------------------------------------------------


class QueueStatus(Row):
    """DISPLAY QSTATUS TYPE(QUEUE)."""

    queue: str = ""
    type: str = "QUEUE"
    curdepth: int = 0
    ipprocs: int = 0
    lgetdate: str = ""
    lgettime: str = ""
    lputdate: str = ""
    lputtime: str = ""
    medialog: str = ""
    monq: str = "OFF"
    msgage: int | str = ""
    opprocs: int = 0
    qtime: str = " , "
    reserved: int = 0  # for batches of flows
    uncom: str = "NO"
    # ours: counts since the queue manager started
    browses: int = 0
    expired: int = 0
    getback: int = 0
    getbytes: int = 0
    getempty: int = 0
    getfail: int = 0
    gets: int = 0
    hiqdepth: int = 0
    purged: int = 0
    putback: int = 0
    putbytes: int = 0
    putfail: int = 0
    puts: int = 0


class HandleStatus(Row):
    """DISPLAY QSTATUS TYPE(HANDLE)."""

    queue: str = ""
    type: str = "HANDLE"
    appldesc: str = ""
    appltag: str = ""
    appltype: str = "USER"
    astate: str = "NONE"
    browse: str = "NO"
    channel: str = ""
    conname: str = ""
    hstate: str = "INACTIVE"
    input: str = "NO"
    inquire: str = "NO"
    output: str = "NO"
    pid: int = 0
    qmurid: str = "0.0"
    set: str = "NO"
    tid: int = 0
    urid: str = ""
    urtype: str = "QMGR"
    userid: str = ""


class ConnectionStatus(Row):
    """DISPLAY CONN TYPE(CONN)."""

    conn: str = ""
    extconn: str = ""
    type: str = "CONN"
    pid: int = 0
    tid: int = 0
    appldesc: str = ""
    appltag: str = ""
    appltype: str = "USER"
    astate: str = "NONE"
    channel: str = ""
    clientid: str = ""
    conname: str = ""
    connopts: str = ""
    userid: str = ""
    uowlog: str = ""
    uowstda: str = ""
    uowstti: str = ""
    uowlogda: str = ""
    uowlogti: str = ""
    urtype: str = "QMGR"
    exturid: str = ""
    qmurid: str = "0.0"
    uowstate: str = "NONE"
    # ours: counts since it connected
    getbytes: int = 0
    gets: int = 0
    putbytes: int = 0
    puts: int = 0


class OpenObjectStatus(Row):
    """DISPLAY CONN TYPE(HANDLE)."""

    conn: str = ""
    extconn: str = ""
    type: str = "HANDLE"
    objname: str = ""
    objtype: str = "QUEUE"
    topicstr: str = ""
    subname: str = ""
    openopts: str = ""
    hstate: str = "INACTIVE"
    astate: str = "NONE"
    reada: str = "NO"


# -- DISPLAY QMSTATUS ----------------------------------------------------------------------


class QmgrStatus(Row):
    """DISPLAY QMSTATUS. There is no command server and no second instance."""

    qmname: str = ""
    type: str = "QMGR"
    status: str = "RUNNING"
    archlog: str = ""
    archsz: int = 0
    chinit: str = "STOPPED"
    cmdserv: str = "STOPPED"
    conns: int = 0
    currlog: str = ""
    datfssz: int = 0
    datfsuse: int = 0
    datpath: str = ""
    hostname: str = ""
    incarnation: str = ""
    instdesc: str = ""
    instname: str = ""
    instpath: str = ""
    ldapconn: str = "INACTIVE"
    logextsz: int = 0
    logfssz: int = 0
    logfsuse: int = 0
    loginuse: int = 0
    logpath: str = ""
    logprim: int = 0
    logsec: int = 0
    logtype: str = ""
    logutil: int = 0
    medialog: str = ""
    mediasz: int = 0
    reclog: str = ""
    recsz: int = 0
    reusesz: int = 0
    standby: str = "NOPERMIT"
    startda: str = ""
    startti: str = ""


# -- DISPLAY CHSTATUS, LSSTATUS, SVSTATUS, CLUSQMGR, APSTATUS ------------------------------


class ChannelStatus(Row):
    """DISPLAY CHSTATUS: what channels of all types show."""

    channel: str = ""
    chltype: str = ""
    conname: str = ""
    status: str = ""
    substate: str = ""
    locladdr: str = ""
    mcastat: str = "STOPPED"
    mcauser: str = ""
    rappltag: str = ""
    msgs: int = 0
    bytsrcvd: int = 0
    bytssent: int = 0
    hbint: int = 0
    chstada: str = ""
    chstati: str = ""
    lstmsgda: str = ""
    lstmsgti: str = ""
    secprot: str = "NONE"
    sslciph: str = ""
    sslpeer: str = ""
    sslrkeys: int = 0
    stopreq: str = "NO"


class ServerConnectionStatus(ChannelStatus):
    """DISPLAY CHSTATUS of a server-connection channel."""

    chltype: str = "SVRCONN"
    curshcnv: int = 0
    maxshcnv: int = 0


class MessageChannelStatus(ChannelStatus):
    """DISPLAY CHSTATUS of a channel between queue managers; `current` is CURRENT or SAVED."""

    batches: int = 0
    batchsz: int = 0
    bufsrcvd: int = 0
    bufssent: int = 0
    chldisp: str = "PRIVATE"  # SHARED where the transmission queue is
    comphdr: str = ""
    compmsg: str = ""
    comprate: str = ""
    comptime: str = ""
    curluwid: str = ""
    curmsgs: int = 0
    current: str = "CURRENT"
    curseqno: int = 0
    exittime: str = ""
    indoubt: str = ""
    jobname: str = ""
    kaint: int = 0
    longrts: int = 0
    lsterr: str = ""  # what ended its last link, or keeps a message back
    lstluwid: str = ""
    lstseqno: int = 0
    maxmsgl: int = 0
    monchl: str = ""
    nettime: str = ""
    nextrtry: int = 0  # ours: seconds until the next try
    npmspeed: str = ""
    port: int = 0
    qmname: str = ""
    rproduct: str = ""
    rqmname: str = ""
    rversion: str = ""
    shortrts: int = 0
    sslcerti: str = ""
    sslcertu: str = ""
    sslkeyda: str = ""
    sslkeyti: str = ""
    statchl: str = ""
    xbatchsz: str = ""
    xmitq: str = ""
    xqmsgsa: int = 0
    xqtime: str = ""


class ListenerStatus(Row):
    """DISPLAY LSSTATUS."""

    listener: str = ""
    status: str = "RUNNING"
    pid: int = 0
    port: int = 0
    ipaddr: str = ""
    trptype: str = "TCP"


class ServiceStatus(Row):
    """DISPLAY SVSTATUS."""

    service: str = ""
    status: str = ""
    pid: int = 0
    control: str = ""
    descr: str = ""
    servtype: str = ""
    startarg: str = ""
    startcmd: str = ""
    stderr: str = ""
    stdout: str = ""
    stoparg: str = ""
    stopcmd: str = ""
    startda: str = ""
    startti: str = ""


class ApplicationStatus(Row):
    """DISPLAY APSTATUS."""

    applname: str = ""
    type: str = ""  # APPL, QMGR or LOCAL
    cluster: str = ""
    count: int = 0
    movcount: int = 0
    balanced: str = ""  # of an application
    qmname: str = ""  # of a member, from here on
    qmid: str = ""
    active: str = ""
    balstate: str = ""
    lmgsdate: str = ""  # when it has reported last
    lmgstime: str = ""
    channel: str = ""  # of an instance here, from here on
    conns: int = 0
    conntag: str = ""
    baltype: str = ""
    baltmout: int | str = ""
    balopts: str = ""
    movable: str = ""
    immreasn: str = ""
    immcount: int = 0
    immdate: str = ""  # until when it stays
    immtime: str = ""


# -- DISPLAY TPSTATUS, SBSTATUS and PUBSUB -------------------------------------------------


class TopicStatus(Row):
    """DISPLAY TPSTATUS TYPE(TOPIC): a topic, with what it inherits."""

    topicstr: str = ""
    admin: str = ""
    mdurmdl: str = ""
    mndurmdl: str = ""
    defpsist: str = ""
    defprty: int | str = 0
    defpresp: str = ""
    dursub: str = ""
    pub: str = ""
    sub: str = ""
    pmsgdlv: str = ""
    npmsgdlv: str = ""
    mcast: str = ""
    comminfo: str = ""
    pubscope: str = ""
    subscope: str = ""
    usedlq: str = ""
    capexpry: int | str = ""
    cluster: str = ""
    clroute: str = ""
    retained: str = ""
    pubcount: int = 0
    subcount: int = 0
    # ours: since the queue manager started, or since somebody used the topic
    lpubdate: str = ""
    lpubtime: str = ""
    nummsgs: int = 0  # copies for subscribers
    numpubs: int = 0


class SubscriptionStatus(Row):
    """DISPLAY SBSTATUS."""

    sub: str = ""
    subid: str = ""
    subuser: str = ""
    resmdate: str = ""
    resmtime: str = ""
    lmsgdate: str = ""
    lmsgtime: str = ""
    actconn: str = ""
    durable: str = ""
    subtype: str = ""
    nummsgs: int = 0


class TopicSubscriberStatus(SubscriptionStatus):
    """DISPLAY TPSTATUS TYPE(SUB): a subscription that matches a topic."""

    topicstr: str = ""
    subtopic: str = ""


class TopicPublisherStatus(Row):
    """DISPLAY TPSTATUS TYPE(PUB): who has a topic open to publish."""

    topicstr: str = ""
    actconn: str = ""
    lpubdate: str = ""
    lpubtime: str = ""
    numpubs: int = 0


class PubsubStatus(Row):
    """DISPLAY PUBSUB."""

    qmname: str = ""
    type: str = "LOCAL"
    status: str = ""
    subcount: int = 0
    tpcount: int = 0


# -- for programs --------------------------------------------------------------------------


class QueueFigures(Figures):
    """Who uses a local queue and what is on it: a line of `penstock queue list`."""

    queue: str
    depth: int = 0
    oldest: float | None = None  # when the oldest message was put
    readers: int = 0
    writers: int = 0
    waiting: int = 0  # gets that wait for a message
    uncommitted: bool = False
    depth_max: int = 0
    arrived: int = (
        0  # messages that came here since the start, also out of the log; what left is `arrived` - `depth`
    )
    last_put: float = 0.0
    last_get: float = 0.0
    put_enabled: bool = True
    get_enabled: bool = True
    depth_high: int = 0  # since the start, or the last RESET QSTATS
    # counts since the queue manager started
    puts: int = 0
    put_bytes: int = 0
    persistent_puts: int = 0
    gets: int = 0
    get_bytes: int = 0
    persistent_gets: int = 0
    browses: int = 0
    puts_failed: int = 0
    gets_failed: int = 0
    gets_empty: int = 0
    puts_undone: int = 0
    gets_undone: int = 0
    expired: int = 0
    purged: int = 0
    wait_seconds: float = 0.0  # that got messages were here, in all


class Histogram(Figures):
    """How often something took how long: counts between the bounds, and one more for what took longer."""

    bounds: list[float] = []  # seconds, rising
    counts: list[int] = []
    total: float = 0.0  # seconds, in all


class TopicFigures(Figures):
    """What was published to a topic, since the queue manager started."""

    topic: str
    published: int = 0
    delivered: int = 0  # copies for subscribers


class SubscriptionFigures(Figures):
    """What a durable subscription got, since the queue manager started."""

    subscription: str
    topic: str
    delivered: int = 0


class ReservationFigures(Figures):
    """What a flow on an outside engine has reserved: a line of `penstock flow reservations list`."""

    flow: str
    epoch: int
    recorded: int
    n: int | None = None  # of the batch that is open
    queue: str | None = None
    rows: int = 0
    bytes: int = 0
    since: float | None = None
    oldest: float | None = None
    prepared: int = 0


class LogFigures(Figures):
    """The journal."""

    type: str = ""
    used_bytes: int = 0  # that a restart needs
    capacity_bytes: int = 0
    end: int = 0
    durable: int = 0
    syncs: int = 0
    records: int = 0
    bytes_written: int = 0
    batch_records_mean: float = 0.0
    batch_records_max: int = 0
    sync_seconds_last: float = 0.0
    sync_seconds_mean: float = 0.0
    sync_seconds_max: float = 0.0
    sync_times: Histogram = msgspec.field(default_factory=Histogram)
    checkpoints: int = 0
    checkpoint_seconds: float = 0.0  # that they took, in all
    checkpoint_last: float = 0.0  # when the last one was finished


class RecoveryFigures(Figures):
    """What the last restart found."""

    loaded: int = 0
    replayed: int = 0
    backed_out: int = 0
    torn: str | None = None


class ChannelFigures(Figures):
    """Clients on the network."""

    instances: dict[str, int] = {}  # by channel
    links: int = 0
    conversations: int = 0
    channels_max: int = 0
    active_max: int = 0


UNDELIVERED_SECONDS = 3600.0  # that a message that was not delivered is a warning


class UndeliveredFigures(Figures):
    """Messages of a channel that were not put or sent, since the server started."""

    number: int = 0
    first_seconds: float = 0.0  # how long ago the first was given up
    last_seconds: float = 0.0
    text: str = ""  # which message the last one was, why, and what became of it

    @property
    def is_recent(self) -> bool:
        """Whether somebody must look: a message was not delivered within the last hour."""
        return self.number > 0 and self.last_seconds < UNDELIVERED_SECONDS


class MessageChannelFigures(Figures):
    """A channel to or from another queue manager; of a receiving one nothing waits here."""

    channel: str
    type: str
    partner: str = ""
    state: str = ""
    waiting_messages: int = 0  # on its transmission queue
    waiting_bytes: int = 0  # of their bodies
    oldest_seconds: float = 0.0  # age of the oldest of them
    messages: int = 0  # sent or put since the channel started
    confirmed: int = (
        0  # messages that have arrived for certain, since the server started; of a receiving one: by its link
    )
    confirmed_per_second: float = 0.0  # lately
    batch_size: float = 0.0  # that was reached lately
    in_doubt: int = 0  # batches
    in_doubt_seconds: float = 0.0  # age of the oldest of them
    undelivered: UndeliveredFigures = msgspec.field(default_factory=UndeliveredFigures)  # by this end
    reported: UndeliveredFigures = msgspec.field(default_factory=UndeliveredFigures)  # batches, by the other
    health: int = 0  # 0 well, 1 look at it, 2 messages wait and do not move

    @property
    def trouble(self) -> str:
        """Which message was not delivered last, by either end, if that was within the last hour."""
        recent = [each for each in (self.undelivered, self.reported) if each.is_recent]
        return min(recent, key=lambda each: each.last_seconds).text if recent else ""


class Status(Figures):
    """A queue manager: what `qm.status()` returns, `penstock qmgr status` and the metrics show."""

    name: str = ""
    folder: str = ""
    started: float = 0.0
    status: str = ""
    conns: int = 0
    startda: str = ""
    startti: str = ""
    incarnation: str = ""
    logged_units: int = 0
    oldest_unit_seconds: float = 0.0
    prepared_units: int = 0
    queues: int = 0
    reservations: list[ReservationFigures] = []
    waiters: int = 0
    messages: int = 0
    memory_bytes: int = 0
    spilled_messages: int = 0
    wait_times: Histogram = msgspec.field(default_factory=Histogram)  # of got messages, on their queues
    topics: int = 0
    subscriptions: int = 0
    published: int = 0  # publications since the queue manager started
    delivered: int = 0  # copies for subscribers
    log: LogFigures = msgspec.field(default_factory=LogFigures)
    disk_low: bool = False
    recovery: RecoveryFigures = msgspec.field(default_factory=RecoveryFigures)
    listeners: list[ListenerStatus] = []  # of a queue manager that serves clients
    channels: ChannelFigures | None = None
    message_channels: list[MessageChannelFigures] = []


# -- queue-sharing groups ------------------------------------------------------------------


class GroupMemberStatus(Row):
    """DISPLAY GROUP: one member."""

    group: str = ""
    qmname: str = ""
    status: str = ""
    qmnum: int = 0
    sysname: str = ""
    incarn: int = 0
    since: str = ""


class StructureStatus(Row):
    """DISPLAY CFSTATUS TYPE(SUMMARY); SIZEMAX is in KB, SIZEUSED in percent."""

    cfstatus: str = ""
    type: str = "SUMMARY"
    cftype: str = "APPL"
    status: str = "ACTIVE"
    offlduse: str = "NONE"
    sizemax: int = 0
    sizeused: int = 0
    entsmax: int = 0
    entsused: int = 0
    failtime: str = ""
    faildate: str = ""


class StructureConnectionStatus(Row):
    """DISPLAY CFSTATUS TYPE(CONNECT)."""

    cfstatus: str = ""
    type: str = "CONNECT"
    qmname: str = ""
    sysname: str = ""
    status: str = "ACTIVE"
    failtime: str = ""
    faildate: str = ""


class StructureBackupStatus(Row):
    """DISPLAY CFSTATUS TYPE(BACKUP); BKUPSIZE is in MB."""

    cfstatus: str = ""
    type: str = "BACKUP"
    qmname: str = ""
    status: str = ""
    bkuptime: str = ""
    bkupdate: str = ""
    bkupsize: int = 0
    bkupsrba: str = ""
    bkuperba: str = ""
    logs: str = ""
    failtime: str = ""
    faildate: str = ""


class StructureDataSetStatus(Row):
    """DISPLAY CFSTATUS TYPE(SMDS)."""

    cfstatus: str = ""
    type: str = "SMDS"
    smds: str = ""
    status: str = "NEW"
    access: str = "ENABLED"
    rcvtime: str = ""
    rcvdate: str = ""
    failtime: str = ""
    faildate: str = ""


class DataSetSettings(Row):
    """DISPLAY SMDS."""

    smds: str = ""
    cfstruct: str = ""
    dsbufs: str = "DEFAULT"
    dsexpand: str = "DEFAULT"


class DataSetConnectionStatus(Row):
    """DISPLAY SMDSCONN."""

    smdsconn: str = ""
    cfstruct: str = ""
    openmode: str = "NONE"
    status: str = "CLOSED"
    avail: str = "NORMAL"
    expandst: str = "NORMAL"


class DataSetUsage(Row):
    """DISPLAY USAGE TYPE(SMDS): the figures of CSQE280I and CSQE285I; sizes are blocks and buffers."""

    cfstruct: str = ""
    type: str = "SMDS"
    offloaded: int = 0
    blocks: int = 0
    datablocks: int = 0
    usedblocks: int = 0
    usedpart: int = 0
    blocksize: str = ""
    buffers: int = 0
    inuse: int = 0
    saved: int = 0
    empty: int = 0
    readssaved: int = 0
    lowestfree: int = 0
    waitrate: int = 0
