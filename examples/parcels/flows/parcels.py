"""A parcel is an order and its bill, whichever comes first: collected, numbered, logged, put as JMS."""

from penstock.flow import Flow, nodes

flow = Flow("parcels")
orders = flow.add(nodes.MQInput("PARCELS.ORDERS", domain="XMLNSC"), "Orders")
bills = flow.add(nodes.MQInput("PARCELS.BILLS", domain="XMLNSC"), "Bills")
collect = flow.add(
    nodes.Collector(
        [("order", 1, 0, "$Body/Order/Id"), ("bill", 1, 0, "$Body/Bill/Order")],
        collection="parcel",
        expiry=3600.0,
    ),
    "Collect",
)
pack = flow.add(nodes.Compute("esql/pack.esql", module="Pack"), "Pack")
late = flow.add(nodes.Compute("esql/pack.esql", module="Late"), "Late")
number = flow.add(nodes.Sequence(store="OutputRoot.XMLNSC.Parcel.Number"), "Number")
log = flow.add(nodes.Log("parcel packed", values={"order": "InputRoot.XMLNSC.Parcel.Order"}), "Log")
header = flow.add(nodes.JMSHeader("add", fields={"JMSType": "parcel", "JMSPriority": 5}), "Header")
out = flow.add(nodes.JMSOutput("PARCELS.OUT"), "Out")

orders.out >> collect.order
bills.out >> collect.bill
collect.out >> pack.in_
collect.expire >> late.in_
late.out >> flow.add(nodes.MQOutput("PARCELS.LATE"), "Late queue").in_
pack.out >> number.in_
number.out >> log.in_
log.out >> header.in_
header.out >> out.in_
