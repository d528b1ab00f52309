"""What is written together: one client that cannot be written to keeps no answer from the others."""

from __future__ import annotations

from penstock.serve.send_buffer import SendBuffer, write_all


class Noting(SendBuffer):
    """Notes what is asked of it; one that is broken cannot write."""

    def __init__(self, dirty: list[SendBuffer], broken: bool = False) -> None:
        super().__init__(dirty)
        self.broken = broken
        self.calls: list[str] = []

    def write(self) -> None:
        self.calls.append("write")
        if self.broken:
            raise OSError("no such socket")

    def not_written(self, failure: Exception) -> None:
        self.calls.append(f"ended: {failure}")


def test_one_that_cannot_write_ends_and_the_others_are_written() -> None:
    dirty: list[SendBuffer] = []
    first, broken, last = Noting(dirty), Noting(dirty, broken=True), Noting(dirty)
    for outlet in (first, broken, last):
        outlet.mark()
    write_all(dirty)
    assert (first.calls, last.calls) == (["write"], ["write"])
    assert broken.calls == ["write", "ended: no such socket"]
    assert dirty == []
    last.mark()  # it is in the list again
    assert dirty == [last]


def test_what_nobody_waits_for_is_written_last_and_never_forgotten() -> None:
    dirty: list[SendBuffer] = []
    order: list[str] = []
    patient, client, channel = Noting(dirty), Noting(dirty), Noting(dirty)

    def changed() -> None:
        order.append("client")
        channel.patient = False  # something urgent has come for it meanwhile

    patient.patient = channel.patient = True
    patient.write, channel.write = lambda: order.append("patient"), lambda: order.append("channel")
    client.write = changed
    for outlet in (patient, channel, client):
        outlet.mark()
    write_all(dirty)

    assert order == ["client", "patient", "channel"]
    assert dirty == []
    channel.mark()
    assert dirty == [channel]
