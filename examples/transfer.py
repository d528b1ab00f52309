"""Units of work: a message that cannot be processed is put back, and after three times put aside."""

import tempfile

import penstock

BACKOUTS_MAX = 3


def process(qm: penstock.QueueManager) -> bool:
    """Handle one order; False when there is none."""
    try:
        with qm.unit_of_work():
            order = qm.get("ORDERS")
            if order is None:
                return False
            if order.backout_count >= BACKOUTS_MAX:
                qm.put("ORDERS.BACKOUT", order.body, correl_id=order.msg_id)
            else:
                qm.put("BILLING", bill(order.body), correl_id=order.msg_id)
    except ValueError as problem:
        print("backed out:", problem)
    return True


def bill(order: bytes) -> bytes:
    count, _, thing = order.decode().partition(" ")
    return f"{int(count) * 2} EUR for {thing}".encode()


def main() -> None:
    with tempfile.TemporaryDirectory() as home, penstock.embed("QM1", create=True, home=home) as qm:
        for name in ("ORDERS", "ORDERS.BACKOUT", "BILLING"):
            qm.mqsc(f"DEFINE QLOCAL({name}) DEFPSIST(YES)")
        qm.put_many("ORDERS", [b"3 apples", b"many pears", b"5 plums"])
        while process(qm):
            pass
        print("bills:", [message.body.decode() for message in qm.browse("BILLING")])
        print("put aside:", [message.body.decode() for message in qm.browse("ORDERS.BACKOUT")])


if __name__ == "__main__":
    main()
