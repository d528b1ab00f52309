"""`penstock channel link`: everything that two queue managers need so that one can send to the other."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli import completion
from penstock.cli.connecting import JsonOption
from penstock.model import constants as mq

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager

FAILED = 1
FINE = (mq.MQRC_OBJECT_ALREADY_EXISTS, mq.MQRCCF_CHANNEL_IN_USE)
NAME_CHARACTERS_MAX = 20
Name = Annotated[
    str, typer.Argument(help="queue manager or mq:// address", autocompletion=completion.queue_managers)
]


def link(
    source: Name,
    target: Name,
    name: Annotated[str, typer.Option("--name", help="of the channel; SOURCE.TO.TARGET without it")] = "",
    address: Annotated[
        str, typer.Option("--address", help="where SOURCE finds TARGET, as host(port); from its listeners")
    ] = "",
    user: Annotated[
        str, typer.Option("--as", help="the user that messages are put as at TARGET (MCAUSER)")
    ] = "",
    cipher: Annotated[
        str, typer.Option("--tls", help="SSLCIPH at both ends, such as ANY_TLS12_OR_HIGHER")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="print the commands and run none")] = False,
    as_json: JsonOption = False,
) -> None:
    """Define both ends of a channel, its queue, trigger and rule, and ping it. Exit 1 on failure."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json
    from penstock.tools.channel_facts import mqsc_name

    with connected(source) as sender, connected(target) as receiver:
        if sender.name == receiver.name:
            raise typer.BadParameter(f"SOURCE and TARGET are both {sender.name}: a channel needs two")
        channel = name or f"{sender.name}.TO.{receiver.name}"
        if len(channel) > NAME_CHARACTERS_MAX:
            raise typer.BadParameter(f"{channel} has more than {NAME_CHARACTERS_MAX} characters: use --name")
        where = address or listening_at(receiver)
        scripts = {
            receiver.name: receiving(channel, sender.name, user, cipher),
            sender.name: sending(channel, receiver.name, where, cipher),
        }
        done = dry_run or all(_run(qm, scripts[qm.name], as_json) for qm in (receiver, sender))
        pinged = (
            False if dry_run or not done else _run(sender, f"PING CHANNEL({mqsc_name(channel)})", as_json)
        )
    if as_json:
        show_json(
            {"channel": channel, "address": where, "commands": scripts, "pinged": pinged, "run": not dry_run}
        )
    else:
        _print(scripts)
        if not dry_run:
            print(f"\n{_outcome(channel, sender.name, done, pinged, user)}")
    if not dry_run and not pinged:
        raise typer.Exit(FAILED)


def listening_at(qm: BlockingQueueManager) -> str:
    """Return the address of a queue manager's listener; a usage error without one."""
    from penstock.tools.channel_facts import displayed

    for row in displayed(qm, "DISPLAY LSSTATUS(*) ALL"):
        host = row["IPADDR"] if row["IPADDR"] not in ("", "*", "0.0.0.0", "::") else "127.0.0.1"
        return f"{host}({row['PORT']})"
    raise typer.BadParameter(f"{qm.name} has no listener that runs: start one, or say --address")


def sending(channel: str, target: str, address: str, cipher: str) -> str:
    """Return the commands for the sending end."""
    from penstock.tools.channel_facts import mqsc_name

    channel, target = mqsc_name(channel), mqsc_name(target)
    tls = f" SSLCIPH({mqsc_name(cipher)})" if cipher else ""
    return (
        f"DEFINE QLOCAL({target}) USAGE(XMITQ) TRIGGER TRIGTYPE(FIRST) INITQ(SYSTEM.CHANNEL.INITQ)"
        f" TRIGDATA({channel}) NOREPLACE\n"
        f"DEFINE CHANNEL({channel}) CHLTYPE(SDR) XMITQ({target}) CONNAME({mqsc_name(address)}){tls} REPLACE"
    )


def receiving(channel: str, source: str, user: str, cipher: str) -> str:
    """Return the commands for the receiving end: only this queue manager may use the channel."""
    from penstock.tools.channel_facts import mqsc_name

    channel, source = mqsc_name(channel), mqsc_name(source)
    tls = f" SSLCIPH({mqsc_name(cipher)})" if cipher else ""
    mapped = f"USERSRC(MAP) MCAUSER({mqsc_name(user)})" if user else "USERSRC(CHANNEL)"
    return (
        f"DEFINE CHANNEL({channel}) CHLTYPE(RCVR){tls} REPLACE\n"
        f"SET CHLAUTH({channel}) TYPE(ADDRESSMAP) ADDRESS('*') USERSRC(NOACCESS) ACTION(REPLACE)\n"
        f"SET CHLAUTH({channel}) TYPE(QMGRMAP) QMNAME({source}) {mapped} ACTION(REPLACE)"
    )


def _run(qm: BlockingQueueManager, script: str, quiet: bool) -> bool:
    """Run commands; print failures. An existing object or a running channel is not a failure."""
    done = True
    for reply in qm.mqsc(script):
        if reply.failed and reply.reason not in FINE:
            done = False
            if not quiet:
                print(f"{qm.name}: {reply.id}: {reply.text}", file=sys.stderr)
    return done


def _print(scripts: dict[str, str]) -> None:
    for owner, script in scripts.items():
        print(f"* at {owner}\n{script}")


def _outcome(channel: str, sender: str, done: bool, pinged: bool, user: str) -> str:
    if not done:
        return f"{channel} is not defined completely: a command failed. Correct it and link again."
    lines = [f"{channel} is defined at both ends" + (" and answers." if pinged else ", but does not answer.")]
    if user:
        lines.append(
            f"{user} needs CONNECT and SETALL for the queue manager there, PUT and SETALL for each queue."
        )
    else:
        lines.append("Its messages are put with all rights there: --as USER puts them with a user's.")
    if not pinged:
        lines.append(f"See `penstock channel explain {channel} -m {sender}`.")
    return "\n".join(lines)
