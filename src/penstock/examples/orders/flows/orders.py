"""Order routing: large orders are billed, small ones go straight to the warehouse, bad ones are kept.

The flow of the demo, of the tutorial and of many tests. It runs inline and on Spark.
"""

from penstock.flow import Flow, nodes

flow = Flow("orders", properties={"DISCOUNT": 5})

order = flow.add(nodes.MQInput("ORDERS.IN", domain="XMLNSC", transaction="yes"))
known = flow.add(nodes.Filter("Body.Order.Customer.Id IS NOT NULL", name="Known"))
large = flow.add(nodes.Filter("CAST(Body.Order.Total AS DECIMAL) > 1000", name="Large"))
bill = flow.add(nodes.Compute("esql/orders.esql", module="Bill"))
pick = flow.add(nodes.Compute("esql/orders.esql", module="Pick"))
billing = flow.add(nodes.MQOutput("BILLING", name="Billing"))
warehouse = flow.add(nodes.MQOutput("WAREHOUSE", name="Warehouse"))
rejected = flow.add(nodes.MQOutput("REJECTED", name="Rejected"))

order.out >> known.in_
known.true >> large.in_
known.false >> rejected.in_
large.true >> bill.in_
large.false >> pick.in_
bill.out >> billing.in_
pick.out >> warehouse.in_
order.catch >> rejected.in_
