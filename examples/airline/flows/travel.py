"""Travel: what the suppliers replied becomes one answer (fan-in); who is too slow is left out."""

from penstock.flow import Flow, nodes

flow = Flow("travel")

replies = flow.add(nodes.MQInput("AIRLINE.REPLIES", domain="XMLNSC"), name="Replies")
collect = flow.add(nodes.AggregateReply("TRIP", unknown_timeout=5), name="Collect")
whole = flow.add(nodes.Compute(module="Whole"))
part = flow.add(nodes.Compute(module="Part"))
answer = flow.add(nodes.MQOutput("AIRLINE.OUT", name="Answer"))
unknown = flow.add(nodes.MQOutput("AIRLINE.UNKNOWN", name="Unknown"))
wrong = flow.add(nodes.Trace("failed: ${ExceptionList}", destination="localError"), name="Wrong")
failed = flow.add(nodes.Compute(module="Part", name="What there is"))
kept = flow.add(nodes.MQOutput("AIRLINE.FAILED", name="Failed"))

replies.out >> collect.in_
collect.out >> whole.in_
collect.timeout >> part.in_
collect.unknown >> unknown.in_
collect.catch >> wrong.in_
wrong.out >> failed.in_
failed.out >> kept.in_
whole.out >> answer.in_
part.out >> answer.in_
