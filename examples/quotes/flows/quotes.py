"""Quotes: what a quote is about says its topic; who gets it, subscriptions say, by topic and by content."""

from penstock.flow import Flow, nodes

flow = Flow("quotes")

quotes = flow.add(nodes.MQInput("QUOTES.IN", domain="XMLNSC"), name="Quotes")
topic = flow.add(nodes.Compute("esql/topic.esql", module="Topic", mode="destinationAndMessage"))
publish = flow.add(nodes.Publication(), name="Publish")
nobody = flow.add(nodes.MQOutput("QUOTES.NOBODY"), name="Nobody")

quotes.out >> topic.in_
topic.out >> publish.in_
publish.noMatch >> nobody.in_
