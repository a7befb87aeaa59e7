"""Ports for servers that are stopped and started again."""

import os
import secrets
import socket

HOST = "127.0.0.1"
# Below what any system gives to outgoing connections: there a client that knocks at a stopped server's port
# is now and then given that very port to knock from, meets itself, and keeps the server from coming back.
LOWEST, HIGHEST = 12_000, 32_000


def free_port() -> int:
    while not is_free(port := LOWEST + secrets.randbelow(HIGHEST - LOWEST)):
        pass
    return port


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As a server does: connections of the one before that are winding up are no obstacle.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, os.name == "posix")
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((HOST, port)) == 0
