"""What the use cases need of the world: small protocols, each method with its promise, failures included.

The suites in `adapters.testkit` are these promises, executed; they run over every adapter of a port.
All times are aware instants in UTC; an adapter never reads a clock for a decision.
"""
