"""Long queues: messages that lie in message files, as blocks, and the parts that somebody needs in memory."""
