"""The rules of the drawer: events, their reminders, and the messages that leave for them.

Nothing here reads a clock, makes an id or touches the world. Time and ids come in with the command:
the same input gives the same output.
"""
