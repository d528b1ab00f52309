"""Settlements: an MT543 becomes XML; other messages, and what cannot be read, have queues of their own."""

from penstock.flow import Flow, nodes

flow = Flow("settlements")

fin = flow.add(nodes.MQInput("SWIFT.IN", domain="SWIFT"), name="FIN")
is_delivery = flow.add(nodes.Filter("Root.SWIFT.Block2.MessageType = '543'"), name="Delivery?")
to_xml = flow.add(nodes.Compute("esql/settlement.esql", module="Settlement"))
done = flow.add(nodes.MQOutput("SWIFT.XML", name="XML"))
other = flow.add(nodes.MQOutput("SWIFT.OTHER", name="Other"))
wrong = flow.add(nodes.MQOutput("SWIFT.WRONG", name="Wrong"))

fin.out >> is_delivery.in_
fin.catch >> wrong.in_
fin.failure >> wrong.in_
is_delivery.true >> to_xml.in_
is_delivery.false >> other.in_
is_delivery.unknown >> other.in_
to_xml.out >> done.in_
