"""Mails become orders: each line of a mail is an article and a number."""

from penstock.flow import Flow, nodes

flow = Flow("mail_orders")
mails = flow.add(
    nodes.EmailInput(
        "pop3://localhost:110", user="env:MAILBOX_USER", password_from="env:MAILBOX_PASSWORD", polling=5.0
    ),
    "Mails",
)
order = flow.add(nodes.Compute("esql/mail.esql", module="Order"), "Order")
mails.out >> order.in_
mails.failure >> flow.add(nodes.MQOutput("MAIL.WRONG"), "Wrong").in_
order.out >> flow.add(nodes.MQOutput("MAIL.ORDERS"), "Orders").in_
