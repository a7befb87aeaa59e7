"""How fast the outbox reaches a real Kafka, and the topic the inbox, beside the dispatch cycle."""
