"""A queue served by a program: typed requests in, typed replies out, a bad request put aside."""

import logging
import tempfile
from dataclasses import dataclass

import penstock
from penstock.bridge import Bridge, program
from penstock.bridge.program import Program

PRICES = {"apple": 0.5, "pear": 0.75}


@dataclass
class Order:
    item: str
    count: int = 1


@program(retries=1, commit_mode=0)
def price(order: Order) -> dict[str, float]:
    return {"total": PRICES[order.item] * order.count}


def main() -> None:
    logging.disable()  # the bridge logs what it puts aside
    with tempfile.TemporaryDirectory() as home, penstock.embed("QM1", create=True, home=home) as qm:
        qm.mqsc(
            "DEFINE QLOCAL(REPLIES)\nDEFINE QLOCAL(ASIDE)\nDEFINE QLOCAL(ORDERS) BOTHRESH(1) BOQNAME(ASIDE)"
        )
        for body in (b'{"item": "apple", "count": 4}', b'{"item": "pear"}', b'{"count": "many"}'):
            qm.put("ORDERS", body, reply_to="REPLIES", persistent=True)
        bridge = Bridge(lambda: penstock.embed("QM1", home=home), "ORDERS", Program(price))
        bridge.start(until_empty=True)  # penstock bridge run bridge_program:price --queue ORDERS
        bridge.join_for()
        for reply in qm.get_many("REPLIES", 10):
            print(reply.body.decode())
        print("aside:", qm.get("ASIDE").body.decode())


if __name__ == "__main__":
    main()
