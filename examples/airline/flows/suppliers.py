"""The suppliers: each gives a price for what it is asked, as another company's system would."""

from penstock.flow import Flow, nodes

flow = Flow("suppliers")

for queue, module in (("FLIGHTS", "PriceFlight"), ("HOTELS", "PriceHotel"), ("TAXIS", "PriceTaxi")):
    asked = flow.add(nodes.MQInput(f"AIRLINE.{queue}", domain="XMLNSC"), name=queue.title())
    price = flow.add(nodes.Compute(module=module))
    reply = flow.add(nodes.MQReply(), name=f"{queue.title()} reply")
    asked.out >> price.in_
    price.out >> reply.in_
