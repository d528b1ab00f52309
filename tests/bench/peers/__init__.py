"""Penstock beside other brokers: the same work, each by its own Python client, on one machine in one run.

`python -m tests.bench.peers` runs it (`make bench-peers`). Each system has a module (`rabbitmq`,
`redis_streams`, `nats_jetstream`, `activemq`, `mosquitto`, `penstock_client`), each kind of work another
(`request_reply`, `one_way`, `durable_puts`, `durable_batches`, `fan_out`). How to run and read it:
docs/howto/compare-with-peers.md.
"""
