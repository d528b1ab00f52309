"""`penstock explain-access`: why a user may, or may not, connect and use an object."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from penstock.cli.connecting import JsonOption, QmgrOption

REFUSED = 1


def explain_access(
    user: Annotated[str, typer.Option("--user", "-u", help="the user that a client claims to be")],
    qmgr: QmgrOption = "",
    channel: Annotated[str, typer.Option("--channel", "-c", help="the channel it connects by")] = "",
    address: Annotated[str, typer.Option("--address", "-a", help="the IP address it comes from")] = "",
    host: Annotated[str, typer.Option("--host", help="the host name of that address")] = "",
    peer: Annotated[str, typer.Option("--peer", help="the name in its certificate: CN=...,O=...")] = "",
    issuer: Annotated[str, typer.Option("--issuer", help="the name of the certificate's issuer")] = "",
    object_: Annotated[str, typer.Option("--object", "-o", help="a queue, topic or other object")] = "",
    object_type: Annotated[str, typer.Option("--type", help="QUEUE, TOPIC, CHANNEL, QMGR ...")] = "",
    verb: Annotated[str, typer.Option("--verb", help="put, get, browse, publish, alter ...")] = "",
    as_json: JsonOption = False,
) -> None:
    """Show each step of the decision: channel rule, password check, authority records. Exit 1 if refused."""
    from penstock.cli.connecting import connected
    from penstock.cli.printing import show_json

    if channel and not address:
        raise typer.BadParameter("--channel needs --address: rules depend on where a client comes from")
    if object_ and not verb:
        raise typer.BadParameter("--object needs --verb: the action")
    with connected(qmgr, commands_only=True) as qm:
        found = qm.explain_access(
            user,
            channel=channel,
            address=address,
            host=host,
            peer=peer,
            issuer=issuer,
            object=object_,
            object_type=object_type,
            verb=verb,
        )
    if as_json:
        show_json(found)
    else:
        _tell(found)
    if not found["allowed"]:
        raise typer.Exit(REFUSED)


def _tell(found: dict[str, Any]) -> None:
    for step in found["steps"]:
        print(f"{'yes' if step['allowed'] else 'NO ':3}  {step['step']}: {step['text']}")
        for by in step["by"]:
            if by not in step["text"]:
                print(f"       {by}")
    who = f"user {found['user']}"
    if found["groups"]:
        who += f", in {', '.join(found['groups'])}"
    print(f"{'Allowed' if found['allowed'] else 'Refused'} for {who}.")
