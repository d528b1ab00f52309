"""What MQSC looks like: verbs and their objects, short forms, faults and the syntax that is shown for them.

The parser looks up here which words begin a command, the runner the text of AMQ8427I. Attributes
come from the catalogue, so that the shown syntax is never older than what is accepted.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from penstock.qmgr.catalogue.attributes import QUEUE_KINDS, SUBTYPE_ATTRIBUTE, Attribute, catalogue
from penstock.qmgr.forcing import NEEDING_FORCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NEAR_ENOUGH = 0.6
WIDTH = 72


class SyntaxFault(Exception):
    """A command that is not MQSC: what is wrong, and from where to where in the command's text.

    It never leaves room admin: the runner turns it into the reply AMQ8405I.
    """

    def __init__(self, text: str, start: int, end: int, hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.start = start
        self.end = end
        self.hint = hint


VERBS = {
    "ALTER": "ALTER ALT",
    "BACKUP": "BACKUP",
    "CLEAR": "CLEAR",
    "DEFINE": "DEFINE DEF",
    "DELETE": "DELETE DEL",
    "DISPLAY": "DISPLAY DIS",
    "PING": "PING",
    "PURGE": "PURGE",
    "RECOVER": "RECOVER REC",
    "REFRESH": "REFRESH REF",
    "RESET": "RESET",
    "RESOLVE": "RESOLVE RES",
    "RESUME": "RESUME",
    "SET": "SET",
    "START": "START STA",
    "STOP": "STOP STO",
    "SUSPEND": "SUSPEND",
}
NOUNS = {
    "APSTATUS": "APSTATUS",
    "AUTHINFO": "AUTHINFO",
    "AUTHREC": "AUTHREC",
    "AUTHSERV": "AUTHSERV",
    "CFSTATUS": "CFSTATUS CFS",
    "CFSTRUCT": "CFSTRUCT CFST",
    "CHANNEL": "CHANNEL CHL",
    "CHINIT": "CHINIT CHI",
    "CHLAUTH": "CHLAUTH",
    "CHSTATUS": "CHSTATUS CHS",
    "CLUSQMGR": "CLUSQMGR",
    "CLUSTER": "CLUSTER",
    "COMMINFO": "COMMINFO",
    "CONN": "CONN",
    "ENTAUTH": "ENTAUTH",
    "GROUP": "GROUP",
    "LISTENER": "LISTENER LSTR",
    "LSSTATUS": "LSSTATUS",
    "NAMELIST": "NAMELIST NL",
    "POLICY": "POLICY",
    "PROCESS": "PROCESS PRO",
    "PUBSUB": "PUBSUB",
    "QALIAS": "QALIAS QA",
    "QCLUSTER": "QCLUSTER QC",
    "QLOCAL": "QLOCAL QL",
    "QMGR": "QMGR",
    "QMODEL": "QMODEL QM",
    "QMSTATUS": "QMSTATUS",
    "QREMOTE": "QREMOTE QR",
    "QSTATS": "QSTATS",
    "QSTATUS": "QSTATUS QS",
    "QUEUE": "QUEUE Q",
    "SBSTATUS": "SBSTATUS",
    "SECURITY": "SECURITY SEC",
    "SERVICE": "SERVICE",
    "SMDS": "SMDS",
    "SMDSCONN": "SMDSCONN",
    "SUB": "SUB",
    "SVSTATUS": "SVSTATUS",
    "TCLUSTER": "TCLUSTER TCLUS",
    "TOPIC": "TOPIC",
    "TOPICSTR": "TOPICSTR",
    "TPSTATUS": "TPSTATUS",
    "USAGE": "USAGE",
}
OBJECTS = "QLOCAL QALIAS QREMOTE QMODEL CHANNEL PROCESS NAMELIST LISTENER TOPIC SUB AUTHINFO SERVICE COMMINFO"
GROUP_OBJECTS = "CFSTRUCT"  # objects of queue-sharing groups
COMMANDS = {
    "ALTER": f"QMGR {OBJECTS} {GROUP_OBJECTS} SMDS",
    "BACKUP": "CFSTRUCT",
    "CLEAR": "QLOCAL TOPICSTR",
    "DEFINE": f"{OBJECTS} {GROUP_OBJECTS}",
    "DELETE": f"{OBJECTS} {GROUP_OBJECTS} AUTHREC",
    "DISPLAY": f"QMGR QUEUE {OBJECTS} AUTHREC CHLAUTH QSTATUS CHSTATUS LSSTATUS SVSTATUS SBSTATUS TPSTATUS"
    " PUBSUB CONN QMSTATUS CLUSQMGR QCLUSTER TCLUSTER ENTAUTH APSTATUS AUTHSERV POLICY"
    f" {GROUP_OBJECTS} GROUP CFSTATUS SMDS SMDSCONN USAGE",
    "PING": "QMGR CHANNEL",
    "PURGE": "CHANNEL",
    "RECOVER": "CFSTRUCT",
    "REFRESH": "SECURITY QMGR CLUSTER",
    "RESET": "QSTATS CHANNEL QMGR CLUSTER CFSTRUCT SMDS",
    "RESOLVE": "CHANNEL",
    "RESUME": "QMGR",
    "SET": "AUTHREC CHLAUTH POLICY",
    "START": "CHANNEL LISTENER SERVICE CHINIT SMDSCONN",
    "STOP": "CHANNEL LISTENER SERVICE CONN SMDSCONN",
    "SUSPEND": "QMGR",
}
NAMELESS = frozenset(
    {"QMGR", "QMSTATUS", "PUBSUB", "AUTHREC", "ENTAUTH", "SECURITY", "CHINIT", "AUTHSERV", "GROUP", "USAGE"}
)
ONE_ROW = frozenset({"QMGR", "QMSTATUS", "PUBSUB", "ENTAUTH"})  # a DISPLAY of these takes no WHERE, as in MQ
LANGUAGE_ENDS = frozenset({"END", "QUIT", "EXIT"})

_VERB_OF = {word: verb for verb, words in VERBS.items() for word in words.split()}
_NOUN_OF = {word: noun for noun, words in NOUNS.items() for word in words.split()}


def verb_of(word: str) -> str | None:
    """Return the verb that a word or its short form means."""
    return _VERB_OF.get(word)


def noun_of(word: str) -> str | None:
    """Return the kind of object that a word or its short form means."""
    return _NOUN_OF.get(word)


def nouns_of(verb: str) -> list[str]:
    """Return the kinds of object that a verb takes."""
    return COMMANDS[verb].split()


def near(word: str, known: Iterable[str]) -> str:
    """Return "did you mean ...?" for a word that looks like a known one, else an empty text.

    >>> near("MAXDEPHT", ["MAXDEPTH", "MAXMSGL"])
    'did you mean MAXDEPTH?'
    """
    found = get_close_matches(word, list(known), 1, NEAR_ENOUGH)
    return f"did you mean {found[0]}?" if found else ""


def unknown_verb(word: str) -> str:
    """Report that a word begins no command."""
    return f"{word} is not an MQSC command; commands begin with {', '.join(VERBS)}"


def subtype_attribute(noun: str) -> str:
    """Return the attribute with the type of an object of this kind; empty if there is none."""
    return SUBTYPE_ATTRIBUTE.get(noun, "")


def valid_syntax(verb: str, noun: str, subtype: str = "") -> str:
    """Return the syntax that AMQ8427I shows for a command, wrapped, without a line end at its end."""
    name = "" if noun in NAMELESS else f"( {_NAMES.get(noun, 'name')} )"
    words = [f"{verb} {noun}{name}", *_options(verb, noun, subtype)]
    return "\n".join(_wrap(words))


_NAMES = {
    "CHANNEL": "channel_name",
    "CHLAUTH": "channel_profile",
    "SUB": "subscription_name",
} | dict.fromkeys((*QUEUE_KINDS, "QUEUE", "QSTATUS", "QSTATS"), "q_name")

_PLAIN_OPTIONS = {
    ("CLEAR", "TOPICSTR"): ["CLRTYPE( RETAINED )"],
    ("DELETE", "AUTHREC"): ["PROFILE( name )", "OBJTYPE( type )", "PRINCIPAL( user )|GROUP( name )"],
    ("SET", "AUTHREC"): [
        "PROFILE( name )",
        "OBJTYPE( type )",
        "PRINCIPAL( user )|GROUP( name )",
        "AUTHADD( list )",
        "AUTHRMV( list )",
    ],
    ("START", "LISTENER"): ["IGNSTATE( NO|YES )"],
    ("STOP", "LISTENER"): ["IGNSTATE( NO|YES )"],
    ("START", "SERVICE"): ["IGNSTATE( NO|YES )"],
    ("STOP", "SERVICE"): ["IGNSTATE( NO|YES )"],
    ("START", "CHANNEL"): ["IGNSTATE( NO|YES )"],
    ("STOP", "CHANNEL"): [
        "MODE( QUIESCE|FORCE|TERMINATE )",
        "STATUS( STOPPED|INACTIVE )",
        "IGNSTATE( NO|YES )",
    ],
    ("REFRESH", "SECURITY"): ["TYPE( AUTHSERV|CONNAUTH|SSL )"],
    ("RESET", "CHANNEL"): ["SEQNUM( integer )", "IGNSTATE( NO|YES )"],
    ("RESOLVE", "CHANNEL"): ["ACTION( COMMIT|BACKOUT )", "IGNSTATE( NO|YES )"],
    ("DELETE", "QLOCAL"): ["PURGE|NOPURGE", "IGNSTATE( NO|YES )"],
    ("BACKUP", "CFSTRUCT"): ["EXCLINT( integer )"],
    ("RECOVER", "CFSTRUCT"): ["TYPE( NORMAL|PURGE )"],
    ("RESET", "CFSTRUCT"): ["ACTION( FAIL )"],
    ("RESET", "SMDS"): ["CFSTRUCT( name )", "ACCESS( ENABLED|DISABLED )", "STATUS( FAILED|RECOVERED )"],
    ("ALTER", "SMDS"): ["CFSTRUCT( name )", "DSBUFS( integer|DEFAULT )", "DSEXPAND( DEFAULT|YES|NO )"],
    ("START", "SMDSCONN"): ["CFSTRUCT( name )"],
    ("STOP", "SMDSCONN"): ["CFSTRUCT( name )"],
    ("DISPLAY", "CFSTATUS"): ["TYPE( SUMMARY|CONNECT|BACKUP|SMDS )", "ALL"],
}


def _options(verb: str, noun: str, subtype: str) -> Iterator[str]:
    plain = _PLAIN_OPTIONS.get((verb, noun))
    if plain is not None:
        yield from plain
        return
    if verb == "DISPLAY":
        yield from ("ALL",) if noun in ONE_ROW else ("ALL", "WHERE( attribute operator value )")
        yield from (each.name for each in _attributes(noun, subtype))
        return
    if verb == "DEFINE":
        yield from ("LIKE( name )", "REPLACE|NOREPLACE")
    if verb == "ALTER" and noun in NEEDING_FORCE:
        yield "FORCE"
    if verb == "SET":
        yield "ACTION( ADD|REPLACE|REMOVE|REMOVEALL )"
    if verb in ("DEFINE", "ALTER", "SET"):
        yield from (_described(each) for each in _attributes(noun, subtype) if not each.read_only)
    elif verb == "DELETE":
        yield "IGNSTATE( NO|YES )"


def _attributes(noun: str, subtype: str) -> Iterator[Attribute]:
    kinds = QUEUE_KINDS if noun == "QUEUE" else (noun,)
    seen: set[str] = set()
    for kind in kinds:
        try:
            table = catalogue(kind, subtype)
        except KeyError:
            return
        for each in table.values():
            if each.name not in seen:
                seen.add(each.name)
                yield each


def _described(attribute: Attribute) -> str:
    name = attribute.name
    if attribute.kind == "flag":
        return f"{name}|NO{name}"
    words = "|".join(attribute.values)
    if attribute.kind == "integer":
        words = f"{words}|integer" if words else "integer"
    elif attribute.kind == "names" and not words:
        words = "list"
    return f"{name}( {words or 'string'} )"


def _wrap(words: list[str]) -> Iterator[str]:
    line = words[0]
    for word in words[1:]:
        option = f"[ {word} ]"
        if len(line) + 1 + len(option) > WIDTH:
            yield line
            line = "   " + option
        else:
            line = f"{line} {option}"
    yield line
