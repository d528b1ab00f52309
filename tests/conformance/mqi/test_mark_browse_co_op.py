"""SEMANTICS 6: cooperating browsers share a queue by marks that last MARKINT."""

from __future__ import annotations

from penstock import Get, Open

OPENED = Open.BROWSE | Open.CO_OPERATIVE | Open.INPUT_SHARED
TAKE = Get.BROWSE_FIRST | Get.UNMARKED_BROWSE | Get.MARK_BROWSE_CO_OPERATIVE


def test_two_browsers_share_the_messages(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b", b"c"])
    with qm.open(queue, OPENED) as one, qm.open(queue, OPENED) as two:
        seen = [one.get(options=TAKE).body, two.get(options=TAKE).body, one.get(options=TAKE).body]
        end = two.get(options=TAKE, quiet=True)

    assert (seen, end) == ([b"a", b"b", b"c"], None)


def test_a_browser_outside_the_set_sees_all(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, OPENED) as one, qm.open(queue, Open.BROWSE) as outside:
        one.get(options=TAKE)
        assert outside.get(options=Get.BROWSE_FIRST | Get.UNMARKED_BROWSE).body == b"a"


def test_the_mark_ends_after_the_mark_interval(qm, queue, run, later) -> None:
    run("ALTER QMGR MARKINT(30)")
    qm.put(queue, b"a")
    with qm.open(queue, OPENED) as one, qm.open(queue, OPENED) as two:
        one.get(options=TAKE)
        assert two.get(options=TAKE, quiet=True) is None
        later(0.04)
        assert two.get(options=TAKE).body == b"a"


def test_the_mark_ends_with_the_handle_that_made_it(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, OPENED) as two:
        with qm.open(queue, OPENED) as one:
            one.get(options=TAKE)
        assert two.get(options=TAKE).body == b"a"


def test_it_can_be_removed(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, OPENED) as one, qm.open(queue, OPENED) as two:
        one.get(options=TAKE)
        one.get(options=Get.BROWSE_UNDER_CURSOR | Get.UNMARK_BROWSE_CO_OPERATIVE)
        assert two.get(options=TAKE).body == b"a"


def test_a_marked_message_can_still_be_got(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, OPENED) as one:
        one.get(options=TAKE)
        assert qm.get(queue).body == b"a"


def test_a_handle_mark_and_a_set_mark_do_not_disturb_each_other(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, OPENED) as one, qm.open(queue, Open.BROWSE) as own:
        one.get(options=TAKE)
        own.get(options=Get.BROWSE_FIRST | Get.MARK_BROWSE_HANDLE)
        with qm.open(queue, OPENED) as two:
            assert two.get(options=TAKE, quiet=True) is None
        assert own.get(options=Get.BROWSE_FIRST | Get.UNMARKED_BROWSE, quiet=True) is None


def test_without_a_limit_a_mark_lasts_until_its_handle_closes(qm, queue) -> None:
    """Before, NOLIMIT made every marking browse fail."""
    qm.mqsc("ALTER QMGR MARKINT(NOLIMIT)", check=True)
    qm.put(queue, b"one")
    with qm.open(queue, OPENED) as other:
        with qm.open(queue, OPENED) as handle:
            assert handle.get(options=TAKE).body == b"one"
            assert other.get(options=TAKE, quiet=True) is None
        assert other.get(options=TAKE).body == b"one"
