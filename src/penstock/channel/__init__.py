"""Message channels between queue managers: both ends as state machines, without sockets and clocks."""
