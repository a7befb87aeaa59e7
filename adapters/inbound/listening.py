"""Sockets that servers of a process listen at."""

import socket

BACKLOG = 128


class PortTaken(Exception):
    """The address cannot be listened at; one line."""


def listen(setting: str, host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is any free one. PortTaken names the setting."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except (OSError, OverflowError) as problem:
        reason = getattr(problem, "strerror", None) or str(problem)
        raise PortTaken(f"{setting}: cannot listen at {host}, port {port}: {reason}") from None


def url_of(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
