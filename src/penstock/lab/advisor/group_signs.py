"""Signs of publish/subscribe, clusters and queue-sharing groups. No I/O here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.lab.advisor.signs import Said, few, own

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.lab.advisor.facts import Facts

TOPICS_MANY = 200_000
SUBSCRIPTIONS_MANY = 60_000
TREELIFE_SHORT = 60
CACHE_DEFAULT = "48"  # qm.ini has it from the beginning
STRUCTURES_MANY = 10
PROXIES_MANY = 1000
LARGE_MESSAGE = 63 << 10
RULE_SIZES = {"OFFLD1SZ": "32K", "OFFLD2SZ": "4K", "OFFLD3SZ": "0K"}


def _no_topics(facts: Facts) -> Said | None:
    life = int(facts.qmgr.get("TREELIFE", 0) or 0)
    unused = facts.status.get("subscriptions", 0) == 0 and facts.status.get("published", 0) == 0
    if life and unused and facts.status.get("topics", 0) > TOPICS_MANY // 1000:
        return Said(f"TREELIFE({life}), no subscription", "ALTER QMGR TREELIFE(0)")
    return None


def _many_topics(facts: Facts) -> Said | None:
    topics = facts.status.get("topics", 0)
    if topics > TOPICS_MANY:
        return Said(f"{topics:,} topics", "a shorter TREELIFE, and no time stamps in topic strings")
    return None


def _often_swept(facts: Facts) -> Said | None:
    life = int(facts.qmgr.get("TREELIFE", 0) or 0)
    if 0 < life <= TREELIFE_SHORT:
        return Said(f"TREELIFE({life})", "a longer TREELIFE: each sweep looks at every topic")
    return None


def _many_subscriptions(facts: Facts) -> Said | None:
    count = facts.status.get("subscriptions", 0)
    if count > SUBSCRIPTIONS_MANY:
        return Said(f"{count:,} subscriptions", "several queue managers share them: restart takes less time")
    return None


def _cache_size(facts: Facts) -> Said | None:
    given = facts.setting("TuningParameters", "PubSubCacheSize")
    if not given or given == CACHE_DEFAULT:
        return None
    return Said(given, "remove it: the cost of a subscriber has no step here")


def _publish_threads(facts: Facts) -> Said | None:
    given = facts.setting("TuningParameters", "pscNumPubThreads")
    return Said(given, "remove it: one loop republishes here, and keeps the order") if given else None


def _apart(facts: Facts) -> Said | None:
    if not facts.proxies:
        return None
    names = f"{len(facts.proxies)} topics are wanted at other queue managers"
    return Said(names, "publishers and subscribers of a topic at one queue manager, where that is possible")


def _topic_hosts(facts: Facts) -> Said | None:
    names = [
        each["TOPIC"] for each in facts.topics if each.get("CLROUTE") == "TOPICHOST" and each.get("CLUSTER")
    ]
    names = [name for name in names if not own(name)]
    return (
        Said(few(names), f"if speed is the goal: ALTER TOPIC({names[0]}) CLROUTE(DIRECT)") if names else None
    )


def _proxies(facts: Facts) -> Said | None:
    if len(facts.proxies) > PROXIES_MANY:
        return Said(
            f"{len(facts.proxies):,} proxy subscriptions", "CLROUTE(TOPICHOST), or fewer topic strings"
        )
    return None


def _one_receiver(facts: Facts) -> Said | None:
    names = [each["CHANNEL"] for each in facts.channels if each.get("CHLTYPE") == "CLUSRCVR"]
    names = [name for name in names if not own(name)]
    if len(names) == 1 and facts.cores > 2 and facts.proxies:
        return Said(names[0], "where order does not matter: more CLUSRCVR channels, one a core")
    return None


def _queue_for_each(facts: Facts) -> Said | None:
    if facts.qmgr.get("DEFCLXQ") == "CHANNEL":
        return Said("DEFCLXQ(CHANNEL)", "keep it for separation of traffic; it brings no speed on few cores")
    return None


def _large_in_database(facts: Facts) -> Said | None:
    names = [each["CFSTRUCT"] for each in facts.structures if each.get("OFFLOAD") == "DB2"]
    large = [
        each for each in facts.queues
        if each.get("CFSTRUCT") in names and int(each.get("MAXMSGL", 0)) > LARGE_MESSAGE
    ]  # fmt: skip
    if not large:
        return None
    words = f"ALTER CFSTRUCT({large[0]['CFSTRUCT']}) OFFLOAD(SMDS) DSGROUP('folder/*/name')"
    return Said(few(sorted({each["CFSTRUCT"] for each in large})), f"for messages over 63 KB: {words}")


def _offload_rules(facts: Facts) -> Said | None:
    names = [
        each["CFSTRUCT"]
        for each in facts.structures
        if each.get("OFFLOAD") == "SMDS"
        and any(key in each and str(each[key]) != value for key, value in RULE_SIZES.items())
    ]
    change = "the tiered rules: 32K at 70 %, 4K at 80 %, all at 90 %; all of 32 KB and more if it is remote"
    return Said(few(names), change) if names else None


def _expansion(facts: Facts) -> Said | None:
    names = [each["CFSTRUCT"] for each in facts.structures if each.get("DSEXPAND") == "NO"]
    return (
        Said(few(names), f"ALTER CFSTRUCT({names[0]}) DSEXPAND(YES), and room for the peak")
        if names
        else None
    )


def _no_backup(facts: Facts) -> Said | None:
    saved = {each.get("CFSTATUS", "") for each in facts.backups if each.get("BKUPDATE")}
    names = [each["CFSTRUCT"] for each in facts.structures if each.get("RECOVER") == "YES"]
    names = [name for name in names if name not in saved]
    return (
        Said(f"{few(names)}: no backup", f"BACKUP CFSTRUCT({names[0]}), again as it grows") if names else None
    )


def _many_structures(facts: Facts) -> Said | None:
    count = len([each for each in facts.structures if each.get("OFFLOAD") == "SMDS"])
    if count > STRUCTURES_MANY:
        return Said(
            f"{count} structures with data sets", "fewer: a member rebuilds the map of each at its start"
        )
    return None


def _buffer_waits(facts: Facts) -> Said | None:
    names = [
        each["CFSTRUCT"]
        for each in facts.data_sets
        if int(each.get("WAITRATE", 0)) > 0 or int(each.get("LOWESTFREE", 1)) < 0
    ]
    return (
        Said(few(names), f"ALTER CFSTRUCT({names[0]}) DSBUFS with the missing number more") if names else None
    )


def _block_size(facts: Facts) -> Said | None:
    for each in facts.structures:
        text = str(each.get("DSBLOCK", ""))
        block = int(text.rstrip("KM") or 0) << (20 if text.endswith("M") else 10)
        longest = [
            int(queue.get("MAXMSGL", 0))
            for queue in facts.queues
            if queue.get("CFSTRUCT") == each["CFSTRUCT"]
        ]
        if each.get("OFFLOAD") == "SMDS" and longest and block and max(longest) > 10 * block:
            now = f"{each['CFSTRUCT']}: DSBLOCK({text}), messages of up to {max(longest) >> 10} KB"
            return Said(now, "a block as long as the usual message, or a tenth of the longest")
    return None


GROUP_SIGNS: dict[str, Callable[[Facts], Said | None]] = {
    "no_topics": _no_topics,
    "many_topics": _many_topics,
    "often_swept": _often_swept,
    "many_subscriptions": _many_subscriptions,
    "cache_size": _cache_size,
    "publish_threads": _publish_threads,
    "apart": _apart,
    "topic_hosts": _topic_hosts,
    "proxies": _proxies,
    "one_receiver": _one_receiver,
    "queue_for_each": _queue_for_each,
    "large_in_database": _large_in_database,
    "offload_rules": _offload_rules,
    "expansion": _expansion,
    "no_backup": _no_backup,
    "many_structures": _many_structures,
    "buffer_waits": _buffer_waits,
    "block_size": _block_size,
}
