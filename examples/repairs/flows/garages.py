"""The two garages: each answers a damage with a quote."""

from penstock.flow import Flow, nodes

flow = Flow("garages")
reply = flow.add(nodes.MQReply(), "Reply")
for garage in ("BODYWORK", "GLASS"):
    damages = flow.add(nodes.MQInput(f"REPAIRS.{garage}", domain="JSON"), garage.title())
    quote = flow.add(
        nodes.Compute("esql/repairs.esql", module=f"{garage.title()}Quote"), f"{garage.title()} quote"
    )
    damages.out >> quote.in_
    quote.out >> reply.in_
