"""Opens a queue manager in this process: `penstock.embed`.

Creates its folder if asked to, enters it in the registry and connects. What the connection does is
`host.queue_manager`. Invariant: whoever cannot connect leaves the registry as it was.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.face.arguments import check_names
from penstock.host import registry
from penstock.host.automatic_configuration import configure
from penstock.host.folders.folder import existing_folder, folder_of
from penstock.host.queue_manager import QueueManager
from penstock.host.starting import CREATE_OPTIONS
from penstock.host.starting import create as create_qmgr
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    import os

    from penstock.host.host import Host
    from penstock.store.faults import Faults


def embed(
    name: str,
    create: bool = False,
    *,
    home: str | os.PathLike[str] | None = None,
    application: str | None = None,
    user: str | None = None,
    faults: Faults | None = None,
    **options: Any,
) -> QueueManager:
    """Open a queue manager in this process and connect to it.

    Whoever embeds a queue manager may do everything; with `user` only what that user may do.

    `create=True` creates it if it does not exist; options are those of its log and buffers
    (`primary_files=3, file_pages=4096, log_type="LINEAR"` ...) and automatic configuration (`mqsc_config`,
    `ini_config`: files that are applied at each start; `variables`: their inserts).
    Raises 2058 when there is none, 8001 when another process holds the folder.
    """
    if create and not folder_of(name, home).exists():
        create_qmgr(name, home, **options)
    elif options and not create:
        check_names(embed, options, CREATE_OPTIONS)
        raise error(mq.MQRC_OPTIONS_ERROR, f"options {', '.join(options)} are for creating a queue manager")
    host = registry.enter(existing_folder(name, home), faults)
    try:
        configure(host)
    except BaseException:
        registry.leave(host)
        raise
    return _connect(host, application, user)


def _connect(host: Host, application: str | None, user: str | None) -> QueueManager:
    try:
        return QueueManager(host, application, user)
    except MQError:
        registry.leave(host)
        raise
