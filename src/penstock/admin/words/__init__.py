"""Commands as MQSC writes them: each module reads words, with carets, into a command of `commands`."""
