"""What the embedded server says to somebody who has to do something about it."""


class EmbeddedPostgresError(Exception):
    """The embedded PostgreSQL cannot serve; the text is one line that says why and what to do."""
