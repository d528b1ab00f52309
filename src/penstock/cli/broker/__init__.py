"""`penstock broker`: the broker, which keeps deployed flows running; one file per command."""
