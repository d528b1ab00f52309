"""`penstock qmgr stop`: stops a running queue manager and waits until it has ended.

A stop in progress can be made harder at any time. Exit 0 means that the queue manager has ended after its
last checkpoint, or, with `--wait 0`, that it was asked to stop.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer

from penstock.cli.connecting import JsonOption, QmgrArgument, QmgrOption, named
from penstock.model import constants as mq

if TYPE_CHECKING:
    from penstock.host.folders.folder import Folder
    from penstock.host.folders.folder_lock import Holder

STEP_SECONDS = 0.05
LOST = (
    mq.MQRC_CONNECTION_BROKEN,
    mq.MQRC_Q_MGR_QUIESCING,
    mq.MQRC_Q_MGR_STOPPING,
    mq.MQRC_Q_MGR_NOT_AVAILABLE,
)  # it may be starting, or gone a moment later


def stop(
    name: QmgrArgument = "",
    qmgr: QmgrOption = "",
    immediate: Annotated[
        bool, typer.Option("--immediate", "-i", help="end clients after their current calls")
    ] = False,
    preemptive: Annotated[bool, typer.Option("--preemptive", "-p", help="end clients at once")] = False,
    wait: Annotated[
        float, typer.Option("--wait", "-w", help="seconds to wait for its end; 0 returns at once")
    ] = 60.0,
    as_json: JsonOption = False,
) -> None:
    """Stop a queue manager; by default it waits until its clients have disconnected (quiesce).

    Run it again with --immediate or --preemptive to make a stop harder.
    """
    from penstock.cli.printing import show_json
    from penstock.client.address import is_address
    from penstock.host.folders.folder import existing_folder
    from penstock.host.folders.folder_lock import ENDED, ENDING

    mode = "preemptive" if preemptive else "immediate" if immediate else "quiesce"
    name = named(name, qmgr)
    if is_address(name):
        state, gone, told = stopped_there(name, mode, wait)
    else:
        state, gone, told = stopped(existing_folder(name), mode, wait)
    if as_json:
        show_json({"name": name, "mode": mode, "state": state, "stopped": gone})
    elif state == ENDED:
        print(f"Queue manager {name} has stopped.")
    elif gone:
        print(f"Queue manager {name} ended without its last checkpoint; the next start reads its log.")
    elif told or state == ENDING:
        print(f"Queue manager {name} is stopping ({mode}); its state is {state}.")
    else:
        print(f"Queue manager {name} did not take the request to stop; its state is {state}.")
    raise typer.Exit(0 if state == ENDED or (told and not wait) else 1)


def stopped(folder: Folder, mode: str, wait: float) -> tuple[str, bool, bool]:
    """Stop a queue manager and wait for its end: state, whether it has ended, whether the request was sent.

    Raises 2059 if it does not run, 8001 if a program has it embedded.
    """
    from penstock.host.folders.folder_lock import state_of
    from penstock.model.errors import error

    state, holder = state_of(folder.lock)
    if holder is None:
        raise error(
            mq.MQRC_Q_MGR_NOT_AVAILABLE, f"queue manager {folder.name} does not run: its state is {state}"
        )
    deadline = time.monotonic() + wait
    told = False
    while holder is not None:
        told = told or _tell(folder, mode, holder)
        if time.monotonic() >= deadline:
            break
        time.sleep(STEP_SECONDS)
        state, holder = state_of(folder.lock)
    else:
        return state, True, told
    state, holder = state_of(folder.lock)
    return state, holder is None, told


def stopped_there(address: str, mode: str, wait: float) -> tuple[str, bool, bool]:
    """Stop a queue manager on another machine: it has ended when its address no longer answers."""
    from penstock import MQError
    from penstock.cli.connecting import connected
    from penstock.host.folders.folder_lock import ENDED, QUIESCING

    with connected(address, commands_only=True) as qm:
        qm.stop(mode)  # type: ignore[attr-defined]  # a client's connection
    deadline = time.monotonic() + wait
    while time.monotonic() < deadline:
        time.sleep(STEP_SECONDS)
        try:
            connected(address, commands_only=True).close()
        except MQError as failure:
            if failure.reason == mq.MQRC_HOST_NOT_AVAILABLE:
                return ENDED, True, True
            if failure.reason not in LOST:
                raise
    return QUIESCING, False, True


def _tell(folder: Folder, mode: str, holder: Holder) -> bool:
    """Send the request by the local socket; False if nothing answers there."""
    from penstock import MQError, connect
    from penstock.host.folders.folder_lock import QUIESCING, RUNNING, holder_of
    from penstock.model.errors import error

    try:
        with connect(folder.name, home=folder.path.parent, share=False, commands_only=True) as qm:
            qm.stop(mode)
    except MQError as failure:
        if failure.reason not in LOST:
            raise
        now = holder_of(folder.lock)
        if (
            failure.reason == mq.MQRC_Q_MGR_NOT_AVAILABLE
            and now == holder
            and holder.state in (RUNNING, QUIESCING)
        ):
            text = f"queue manager {folder.name} cannot be stopped: {holder} has it embedded"
            raise error(mq.PSRC_FOLDER_LOCKED, text) from failure
        return False
    return True
