"""Triggering: when programs are requested, and the messages that request them."""
