"""The members of a cluster as the queue managers of one job.

`members` asks a queue manager which members it knows: a full repository knows all. Their addresses are those
of their CLUSRCVR channels; channel and TLS options are those of the asked queue manager's own address.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from penstock.client.address import is_address, split_address
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.serve.message_channels.conname import targets
from penstock.spark.nearest_host import written_host
from penstock.spark.remote_queue_manager import BROKEN, depth_of, queue_manager_of
from penstock.tools.cluster_facts import members_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


def members(
    url: str, cluster: str, queues: Iterable[str], options: Mapping[str, str], tell: Callable[[str], None]
) -> list[str]:
    """Return the addresses of the other members that have the queues, or do not answer now; 8405 for none."""
    known = queue_manager_of({**options, "url": url}).do(lambda qm: members_of(qm, cluster))
    if not known:
        raise error(mq.PSRC_SPARK_OPTION, f"{url} knows no member of cluster {cluster}")
    found = []
    for member in known:
        if member.here or not member.is_known:
            continue
        address = address_of(url, member.name, member.address)
        missing = _missing(address, queues, options)
        if missing:
            tell(f"{member.name} has no queue {missing}: it is left out.")
        else:
            found.append(address)
    return found


def address_of(url: str, name: str, conname: str) -> str:
    """Return the address of a member, with the channel and options of another one's address.

    >>> address_of("mqs://a:1414/QM1?channel=APP", "QM2", "b(1415),c")
    'mqs://b:1415,c:1414/QM2?channel=APP'
    """
    scheme, _, rest = split_address(url if is_address(url) else "mq://")
    hosts = ",".join(f"{written_host(each.host)}:{each.first}" for each in targets(conname))
    options = rest.partition("?")[1:]
    return f"{scheme}://{hosts}/{quote(name)}{''.join(options)}"


def _missing(address: str, queues: Iterable[str], options: Mapping[str, str]) -> str:
    """Return the first queue that a member does not have; "" if it has all, or does not answer."""
    remote = queue_manager_of({**options, "url": address, "patience": "0"})
    for queue in queues:
        try:
            remote.do(partial(depth_of, queue=queue))
        except MQError as failure:
            if failure.reason == mq.MQRC_UNKNOWN_OBJECT_NAME:
                return queue
            if failure.reason not in BROKEN:
                raise
    return ""
