"""SEMANTICS 7: a selector given at open holds for every get and browse of the handle."""

from __future__ import annotations

from penstock import Get, Open


def test_the_handle_sees_only_what_suits(qm, queue) -> None:
    for number in range(6):
        qm.put(queue, b"%d" % number, properties={"odd": number % 2 == 1})

    with qm.open(queue, Open.INPUT_SHARED | Open.BROWSE, selector="odd = TRUE") as handle:
        browsed = handle.get(options=Get.BROWSE_FIRST).body
        got = [handle.get().body for _ in range(3)]
        nothing = handle.get(quiet=True)

    assert (browsed, got, nothing) == (b"1", [b"1", b"3", b"5"], None)


def test_the_selector_of_a_get_comes_on_top(qm, queue) -> None:
    for size in (1, 2, 3, 4):
        qm.put(queue, b"%d" % size, properties={"size": size})

    with qm.open(queue, selector="size > 1") as handle:
        assert handle.get(selector="size < 4").body == b"2"
        assert handle.get(selector="size < 2", quiet=True) is None


def test_ids_and_the_selector_must_both_suit(qm, queue) -> None:
    qm.put(queue, b"no", correl_id=b"c", properties={"ok": False})
    qm.put(queue, b"yes", correl_id=b"c", properties={"ok": True})

    with qm.open(queue, selector="ok = TRUE") as handle:
        assert handle.get(correl_id=b"c").body == b"yes"


def test_browse_takes_a_selector(qm, queue) -> None:
    for number in range(4):
        qm.put(queue, b"%d" % number, properties={"n": number})

    assert [m.body for m in qm.browse(queue, selector="n >= 2")] == [b"2", b"3"]
