"""`qm.ini`: the settings of one queue manager, in IBM's stanza syntax.

A stanza opens with a word and a colon; `Key=Value` lines follow; `#` and `;` begin comments. Names are
taken in any case. What Penstock does not know is kept out of the way and listed as a warning, so that a
file from an MQ installation works; a value that makes no sense is an error with its line. Read by
`host.starting` at start, written once at creation. Not a place for objects: those are in the journal.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.sharing.group import PIPES_MAX, Group
from penstock.qmgr.sharing.structures import GROUP_NAME_LENGTH_MAX, name_refusal
from penstock.store.files import Files
from penstock.store.segments import LogSettings, LogType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

FILE_BYTES_MAX = 1024 * 1024
MIB = 1024 * 1024


@dataclass(frozen=True)
class ChannelSettings:
    """The CHANNELS stanza; 0 channels: as many as the limit of open files allows."""

    max_channels: int = 0
    max_active_channels: int = 0
    pipe_line_length: int = 4
    adopt_new_mca: str = "NO"
    mqi_bind_type: str = "FASTPATH"
    reveal_reasons: str = "LOOPBACK"


@dataclass(frozen=True)
class LocalSocketSettings:
    """The LocalSocket stanza: a socket for the users of one group of this machine; none without a group."""

    group: str = ""
    folder: str = "/run/penstock"


@dataclass(frozen=True)
class TuningSettings:
    """The TuningParameters stanza; buffer sizes are bytes a queue, before messages go to disk."""

    default_q_buffer_size: int = 64 * MIB
    default_pq_buffer_size: int = 64 * MIB
    pub_sub_cache_size: int = 48


@dataclass(frozen=True)
class AutoConfigSettings:
    """The AutoConfig stanza: files, or folders of files, that are applied at each start."""

    mqsc_config: str = ""
    ini_config: str = ""


@dataclass(frozen=True)
class AutoClusterSettings:
    """The AutoCluster stanza: the uniform cluster that this queue manager is a member of."""

    cluster_name: str = ""
    type: str = "UNIFORM"
    repository1_name: str = ""
    repository1_conname: str = ""
    repository2_name: str = ""
    repository2_conname: str = ""

    def repositories(self) -> list[tuple[str, str]]:
        """Return names and connection names of the full repositories."""
        both = (
            (self.repository1_name, self.repository1_conname),
            (self.repository2_name, self.repository2_conname),
        )
        return [(name, conname) for name, conname in both if name]


@dataclass(frozen=True)
class Setting:
    """What one key may hold: a whole number within limits, one of some words, or any text."""

    attribute: str
    minimum: int = 0
    maximum: int = 2**31 - 1
    words: tuple[str, ...] = ()
    text: bool = False


@dataclass(frozen=True)
class Settings:
    """All of a `qm.ini`; `warnings` lists unused keys."""

    log: LogSettings = field(default_factory=LogSettings)
    channels: ChannelSettings = field(default_factory=ChannelSettings)
    tuning: TuningSettings = field(default_factory=TuningSettings)
    warnings: tuple[str, ...] = ()
    local_socket: LocalSocketSettings = field(default_factory=LocalSocketSettings)
    auto_config: AutoConfigSettings = field(default_factory=AutoConfigSettings)
    auto_cluster: AutoClusterSettings = field(default_factory=AutoClusterSettings)
    variables: tuple[tuple[str, str], ...] = ()  # the Variables stanza: inserts of automatic MQSC
    group: Group | None = None  # the queue-sharing group that this queue manager is a member of


@dataclass(frozen=True)
class Line:
    """One `Key=Value` with its stanza."""

    number: int
    stanza: str
    key: str
    value: str


KEYS: dict[str, dict[str, Setting]] = {
    "log": {
        "LogType": Setting("log_type", words=("CIRCULAR", "LINEAR")),
        "LogPrimaryFiles": Setting("primary_files", 2, 510),
        "LogSecondaryFiles": Setting("secondary_files", 1, 509),
        "LogFilePages": Setting("file_pages", 64, 65535),
        "LogBufferPages": Setting("buffer_pages", 0, 4096),
    },
    "channels": {
        "MaxChannels": Setting("max_channels", 1, 65535),
        "MaxActiveChannels": Setting("max_active_channels", 1, 65535),
        "PipeLineLength": Setting("pipe_line_length", 1, 16),
        "AdoptNewMCA": Setting(
            "adopt_new_mca", words=("NO", "SVR", "SDR", "RCVR", "CLUSRCVR", "ALL", "FASTPATH")
        ),
        "MQIBindType": Setting("mqi_bind_type", words=("FASTPATH", "STANDARD")),
        "RevealReasons": Setting("reveal_reasons", words=("LOOPBACK", "ALWAYS", "NEVER")),
    },
    "localsocket": {
        "Group": Setting("group", text=True),
        "Folder": Setting("folder", text=True),
    },
    "group": {
        "Name": Setting("name", text=True),
        "Facility": Setting("facility", text=True),
        "Pipes": Setting("pipes", 1, PIPES_MAX),
        "MemberTimeout": Setting("member_timeout", 5, 3600),
    },
    "tuningparameters": {
        "DefaultQBufferSize": Setting("default_q_buffer_size", 0, 2**40),
        "DefaultPQBufferSize": Setting("default_pq_buffer_size", 0, 2**40),
        "PubSubCacheSize": Setting("pub_sub_cache_size", 0, 65535),
    },
}
AUTOMATIC: dict[str, dict[str, Setting]] = {  # written only when they are set
    "autoconfig": {
        "MQSCConfig": Setting("mqsc_config", text=True),
        "IniConfig": Setting("ini_config", text=True),
    },
    "autocluster": {
        "ClusterName": Setting("cluster_name", text=True),
        "Type": Setting("type", words=("UNIFORM",)),
        "Repository1Name": Setting("repository1_name", text=True),
        "Repository1Conname": Setting("repository1_conname", text=True),
        "Repository2Name": Setting("repository2_name", text=True),
        "Repository2Conname": Setting("repository2_conname", text=True),
    },
}
VARIABLES = "variables"
UNSET = {  # keys that are written as comments unless they are set
    "MaxChannels": ("0", "as many as open files allow"),
    "MaxActiveChannels": ("0", "as MaxChannels"),
    "Group": ("", "the users of this machine whom the local socket is for besides the owner"),
}
SPELLING = {
    "log": "Log",
    "channels": "Channels",
    "localsocket": "LocalSocket",
    "group": "Group",
    "tuningparameters": "TuningParameters",
}
KNOWN_ELSEWHERE = frozenset({"service", "servicecomponent"})  # repeatable, free in their keys, not used yet


def read_settings(path: Path) -> Settings:
    """Read a `qm.ini`; 8012 with file and line when a value makes no sense."""
    text = _read(path)
    settings = parse_settings(text, str(path))
    if not settings.auto_config.ini_config:
        return settings
    files = config_files(settings.auto_config.ini_config, ".ini")
    return parse_settings(text, str(path), [(_read(file), str(file)) for file in files])


def effective(settings: Settings) -> Settings:
    """Return settings as a start would read them: with the files of IniConfig."""
    place = settings.auto_config.ini_config
    later = [(_read(file), str(file)) for file in config_files(place, ".ini")] if place else []
    return parse_settings(format_settings(settings), "qm.ini", later)


def _read(path: Path) -> str:
    with path.open("rb") as file:
        content = file.read(FILE_BYTES_MAX + 1)
    if len(content) > FILE_BYTES_MAX:
        raise error(mq.PSRC_INI_ERROR, f"{path} is larger than {FILE_BYTES_MAX} bytes")
    return content.decode("utf-8", "replace")


def config_files(place: str, suffix: str) -> list[Path]:
    """Return the files of an AutoConfig path: the file, or the files of a folder by name; 8012 if none."""
    path = Path(place)
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise error(mq.PSRC_INI_ERROR, f"AutoConfig: {place} is neither a file nor a folder")
    return sorted(each for each in path.iterdir() if each.suffix.lower() == suffix and each.is_file())


def parse_settings(text: str, origin: str = "qm.ini", later: Iterable[tuple[str, str]] = ()) -> Settings:
    """Read settings from the text of a `qm.ini`; `later` are texts of other files, which override it.

    >>> parse_settings("Log:\\n   LogPrimaryFiles=5\\n").log.primary_files
    5
    """
    found: dict[str, dict[str, Any]] = {stanza: {} for stanza in (*KEYS, *AUTOMATIC, VARIABLES)}
    warnings: list[str] = []
    for content, name in ((text, origin), *later):
        _collect(content, name, found, warnings)
    return Settings(
        _log_settings(found["log"]),
        ChannelSettings(**found["channels"]),
        TuningSettings(**found["tuningparameters"]),
        tuple(warnings),
        LocalSocketSettings(**found["localsocket"]),
        AutoConfigSettings(**found["autoconfig"]),
        AutoClusterSettings(**found["autocluster"]),
        tuple(found[VARIABLES].items()),
        _group(found["group"], origin),
    )


def _collect(text: str, origin: str, found: dict[str, dict[str, Any]], warnings: list[str]) -> None:
    for line in _lines(text, origin):
        stanza = line.stanza.lower()
        known = KEYS.get(stanza) or AUTOMATIC.get(stanza) or {}
        setting = {key.lower(): setting for key, setting in known.items()}.get(line.key.lower())
        if stanza == VARIABLES:
            found[stanza][line.key] = line.value
        elif setting is not None:
            found[stanza][setting.attribute] = _value(line, setting, origin)
        elif stanza not in KNOWN_ELSEWHERE:
            warnings.append(f"{origin} line {line.number}: {line.stanza}: {line.key} is not used")


def _group(values: dict[str, Any], origin: str) -> Group | None:
    """Return the queue-sharing group of a Group stanza; None without one."""
    if not values:
        return None
    if not values.get("name") or not values.get("facility"):
        raise error(mq.PSRC_INI_ERROR, f"{origin}: the Group stanza needs Name and Facility")
    if why := name_refusal(values["name"], GROUP_NAME_LENGTH_MAX, "group"):
        raise error(mq.PSRC_INI_ERROR, f"{origin}: Group: Name={values['name']}: {why}")
    return Group(**values)


def format_settings(settings: Settings) -> str:
    """Return the text of a `qm.ini` that reads back as these settings."""
    parts = ["# qm.ini: settings of this queue manager; a change counts from the next start.\n"]
    groups: tuple[tuple[str, Any], ...] = (
        ("log", settings.log),
        ("channels", settings.channels),
        ("localsocket", settings.local_socket),
        ("group", settings.group),
        ("tuningparameters", settings.tuning),
    )
    for stanza, values in groups:
        if values is None:
            continue  # in no group
        parts.append(f"{SPELLING[stanza]}:\n")
        parts += [_line(key, _text(values, setting)) for key, setting in KEYS[stanza].items()]
    parts += _automatic(settings)
    return "".join(parts)


def _automatic(settings: Settings) -> Iterator[str]:
    """Yield the stanzas of automatic configuration that say something."""
    values: dict[str, Any] = {"AutoConfig": settings.auto_config, "AutoCluster": settings.auto_cluster}
    for stanza, group in values.items():
        if group != type(group)():
            yield f"{stanza}:\n"
            texts = {key: _text(group, setting) for key, setting in AUTOMATIC[stanza.lower()].items()}
            yield from (f"   {key}={text}\n" for key, text in texts.items() if text)
    if settings.variables:
        yield "Variables:\n"
        yield from (f"   {key}={value}\n" for key, value in settings.variables)


def _line(key: str, text: str) -> str:
    unset, why = UNSET.get(key, (None, ""))
    return f"   #{key}= ({why})\n" if text == unset else f"   {key}={text}\n"


def _text(values: Any, setting: Setting) -> str:
    value = getattr(values, setting.attribute)
    if isinstance(value, float):
        return f"{value:g}"
    return value.name if isinstance(value, LogType) else str(value)


def write_settings(path: Path, settings: Settings) -> None:
    """Write a `qm.ini` atomically and durably."""
    Files().replace(path, path.with_suffix(".new"), format_settings(settings).encode())


def log_settings(**options: Any) -> LogSettings:
    """Check options of `qmgr create` (primary_files=..., file_pages=...) by the limits of the Log stanza."""
    known = {setting.attribute: (key, setting) for key, setting in KEYS["log"].items()}
    values: dict[str, Any] = {}
    for option, value in options.items():
        if option not in known:
            raise error(
                mq.PSRC_INI_ERROR, f"{option} is not a log setting; there are {', '.join(sorted(known))}"
            )
        key, setting = known[option]
        values[option] = _value(Line(0, "Log", key, str(value)), setting, "options")
    return _log_settings(values)


def _log_settings(values: dict[str, Any]) -> LogSettings:
    if "log_type" in values:
        values = values | {"log_type": LogType[values["log_type"]]}
    return LogSettings(**values)


def _lines(text: str, origin: str) -> Iterator[Line]:
    stanza = ""
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        key, equals, value = line.partition("=")
        if equals and stanza:
            yield Line(number, stanza, key.strip(), value.strip())
        elif line.endswith(":") and not equals:
            stanza = line[:-1].strip()
        else:
            wanted = "a stanza such as 'Log:' first" if equals else "'Key=Value' or a stanza such as 'Log:'"
            raise _wrong(origin, number, f"{line!r} makes no sense here; expected {wanted}")


def _value(line: Line, setting: Setting, origin: str) -> int | str:
    if setting.text:
        return line.value
    if setting.words:
        word = line.value.upper()
        if word in setting.words:
            return word
        raise _wrong(origin, line.number, f"{line.key}={line.value}: expected {' or '.join(setting.words)}")
    try:
        number = int(line.value)
    except ValueError:
        number = setting.minimum - 1
    if setting.minimum <= number <= setting.maximum:
        return number
    limits = f"a whole number from {setting.minimum} to {setting.maximum}"
    raise _wrong(origin, line.number, f"{line.key}={line.value}: expected {limits}")


def _wrong(origin: str, number: int, what: str) -> MQError:
    place = f"{origin} line {number}" if number else origin
    return error(mq.PSRC_INI_ERROR, f"{place}: {what}", line=number)
