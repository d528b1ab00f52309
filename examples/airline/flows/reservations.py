"""Reservations: routed by what they ask for; a trip asks three suppliers at once (fan-out)."""

from penstock.flow import Flow, nodes

flow = Flow("reservations")

arrive = flow.add(nodes.MQInput("AIRLINE.IN", domain="XMLNSC"), name="Reservations")
seen = flow.add(nodes.Trace("${Body.Reservation.Action} for ${Body.Reservation.Passenger}"), name="Seen")
choose = flow.add(nodes.Compute(module="Choose", mode="destination"))
route = flow.add(nodes.RouteToLabel())
arrive.out >> seen.in_
seen.out >> choose.in_
choose.out >> route.in_

# book: a reservation without a seat is an error
book = flow.add(nodes.Label("book"))
seats = flow.add(nodes.Filter("CAST(Body.Reservation.Seats AS INTEGER) > 0", name="Seats"))
enter = flow.add(nodes.Database(module="Enter", data_source="AIRLINE"))
nobody = flow.add(nodes.Throw("a reservation is for one seat or more", number=3001), name="No seats")
confirm = flow.add(nodes.Compute(module="Confirm"))
answer = flow.add(nodes.MQOutput("AIRLINE.OUT", name="Answer"))
book.out >> seats.in_
seats.true >> enter.in_
seats.false >> nobody.in_
seats.unknown >> nobody.in_
enter.out >> confirm.in_
confirm.out >> answer.in_

# cancel
cancel = flow.add(nodes.Label("cancel"))
strike = flow.add(nodes.Database(module="Strike", data_source="AIRLINE"))
cancel.out >> strike.in_
strike.out >> confirm.in_

# trip: three requests that belong together
trip = flow.add(nodes.Label("trip"))
begin = flow.add(nodes.AggregateControl("TRIP", timeout=10), name="Begin trip")
trip.out >> begin.in_
for folder, queue in (("FLIGHT", "FLIGHTS"), ("HOTEL", "HOTELS"), ("TAXI", "TAXIS")):
    ask = flow.add(nodes.Compute(module=f"Ask{folder.title()}"))
    send = flow.add(
        nodes.MQOutput(
            f"AIRLINE.{queue}", request=True, reply_to="AIRLINE.REPLIES", new_msg_id=True, name=f"To {folder}"
        )
    )
    note = flow.add(nodes.AggregateRequest(folder), name=f"Expect {folder}")
    begin.out >> ask.in_
    ask.out >> send.in_
    send.out >> note.in_

# whatever fails
wrong = flow.add(nodes.Trace("failed: ${ExceptionList}", destination="localError"), name="Wrong")
failed = flow.add(nodes.MQOutput("AIRLINE.FAILED", name="Failed"))
arrive.catch >> wrong.in_
wrong.out >> failed.in_
