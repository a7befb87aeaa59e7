"""Contracts of the messages that leave this system: JSON Schemas, and the checks made from them."""
