"""Which message comes next: by priority, by selector, by id."""

import tempfile

import penstock


def main() -> None:
    with tempfile.TemporaryDirectory() as home, penstock.embed("QM1", create=True, home=home) as qm:
        qm.mqsc("DEFINE QLOCAL(PARCELS) MSGDLVSQ(PRIORITY)")
        qm.put("PARCELS", b"a letter", priority=1, properties={"weight": 0.1, "to": "Bern"})
        qm.put("PARCELS", b"a piano", priority=1, properties={"weight": 300.0, "to": "Basel"})
        wanted = qm.put("PARCELS", b"an organ", priority=9, properties={"weight": 5.0, "to": "Bern"})

        heavy = qm.get("PARCELS", selector="weight > 100 AND \"to\" LIKE 'B%'")
        print("heavy:", heavy.body.decode() if heavy else None)
        first = qm.get("PARCELS")
        print("first:", first.body.decode() if first else None)
        print("the same:", first is not None and first.msg_id == wanted.msg_id)


if __name__ == "__main__":
    main()
