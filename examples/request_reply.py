"""Request and reply: the server copies the request's id into the reply's correlation id."""

import tempfile
import threading

import penstock


def serve(qm: penstock.QueueManager, requests: int) -> None:
    for _ in range(requests):
        request = qm.get("REQUESTS", wait=5.0)
        if request is None:
            return
        qm.put(request.reply_to, request.body[::-1], correl_id=request.msg_id)


def main() -> None:
    words = [b"penstock", b"mill", b"water"]
    with tempfile.TemporaryDirectory() as home, penstock.embed("QM1", create=True, home=home) as qm:
        qm.mqsc("DEFINE QLOCAL(REQUESTS)\nDEFINE QLOCAL(REPLIES)")
        server = threading.Thread(target=serve, args=(qm, len(words)))
        server.start()
        receipts = [qm.put("REQUESTS", word, reply_to="REPLIES") for word in words]
        for word, receipt in reversed(list(zip(words, receipts, strict=True))):
            reply = qm.get("REPLIES", wait=5.0, correl_id=receipt.msg_id)
            print(word.decode(), "->", reply.body.decode() if reply else "no reply")
        server.join()


if __name__ == "__main__":
    main()
