"""A damage is sent to two garages at once; their quotes, or those that came in time, become one offer."""

from penstock.flow import Flow, nodes

flow = Flow("repairs")
damages = flow.add(nodes.MQInput("REPAIRS.IN", domain="JSON"), "Damages")
ask = flow.add(nodes.Compute("esql/repairs.esql", module="Ask", mode="destinationAndMessage"), "Ask")
scatter = flow.add(nodes.GroupScatter("REPAIRS", timeout=60.0), "Scatter")
quotes = flow.add(nodes.MQInput("REPAIRS.QUOTED", domain="JSON"), "Quotes")
gather = flow.add(nodes.GroupGather("REPAIRS", unknown_timeout=10.0), "Gather")
complete = flow.add(nodes.GroupComplete("REPAIRS"), "Complete")
offer = flow.add(nodes.Compute("esql/repairs.esql", module="Offer"), "Offer")
late = flow.add(nodes.MQOutput("REPAIRS.LATE"), "Late")

damages.out >> ask.in_
ask.out >> scatter.in_
for garage in ("BODYWORK", "GLASS"):
    request = nodes.MQOutput(
        f"REPAIRS.{garage}",
        new_msg_id=True,
        request=True,
        reply_to="REPAIRS.QUOTED",
        add_to_group=True,
        group_folder=garage.title(),
    )
    scatter.out >> flow.add(request, garage.title()).in_
quotes.out >> gather.in_
complete.out >> offer.in_
complete.timeout >> offer.in_
complete.unknown >> late.in_
offer.out >> flow.add(nodes.MQOutput("REPAIRS.OUT"), "Offers").in_
