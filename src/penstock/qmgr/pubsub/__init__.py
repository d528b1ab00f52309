"""Publish/subscribe: the topic tree, subscriptions, retained publications and their command messages."""
