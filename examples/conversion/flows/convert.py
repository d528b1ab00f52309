"""Three flows, each from one format to the next: a record of a host, tagged text, XML, and back."""

from penstock.flow import Flow, nodes

ORDER = {"domain": "MRM", "model": "order", "message_type": "Order"}


def converting(name: str, source: nodes.MQInput, map: str, queue: str) -> Flow:
    flow = Flow(name)
    start = flow.add(source)
    change = flow.add(nodes.Mapping(f"maps/{map}.yaml"))
    out = flow.add(nodes.MQOutput(queue))
    start.out >> change.in_
    change.out >> out.in_
    return flow


host_to_text = converting(
    "host_to_text", nodes.MQInput("CONVERT.HOST", message_format="HOST", **ORDER), "to_text", "CONVERT.TEXT"
)
text_to_xml = converting(
    "text_to_xml", nodes.MQInput("CONVERT.TEXT", message_format="TEXT", **ORDER), "to_xml", "CONVERT.XML"
)
xml_to_host = converting(
    "xml_to_host", nodes.MQInput("CONVERT.XML", domain="XMLNSC"), "to_host", "CONVERT.DONE"
)
