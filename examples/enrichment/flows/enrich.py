"""Enrich: an order gets the name and city of its customer, and is noted in a table."""

from penstock.flow import Flow, nodes

flow = Flow("enrich")

orders = flow.add(nodes.MQInput("SHOP.IN", domain="XMLNSC"), name="Orders")
customer = flow.add(
    nodes.DatabaseRetrieve(
        "SHOP",
        query=[("customer.id", "=", "Body.Order.Customer")],
        data={
            "customer.name": "OutputRoot.XMLNSC.Order.Name",
            "customer.city": "OutputRoot.XMLNSC.Order.City",
        },
    ),
    name="Customer",
)
seen = flow.add(nodes.Database("esql/seen.esql", module="Seen", data_source="SHOP"))
done = flow.add(nodes.MQOutput("SHOP.OUT", name="Done"))
unknown = flow.add(nodes.MQOutput("SHOP.UNKNOWN", name="Unknown"))

orders.out >> customer.in_
customer.out >> seen.in_
customer.keyNotFound >> unknown.in_
seen.out >> done.in_
