"""A certificate for localhost, made by hand: the standard library uses certificates and cannot make any."""

import base64
import hashlib
import secrets
import ssl
from pathlib import Path

# The curve P-256 (FIPS 186-4, D.1.2.3).
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
Point = tuple[int, int] | None

ECDSA_SHA256 = "2a8648ce3d040302"
EC_KEY, P256 = "2a8648ce3d0201", "2a8648ce3d030107"


def tls_contexts(folder: Path, host: str = "localhost") -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """A server's context with a new certificate for `host`, and a client's that trusts it alone."""
    key = secrets.randbelow(N - 1) + 1
    public = b"\4" + b"".join(part.to_bytes(32, "big") for part in _times(key, G) or ())
    certificate = _certificate(key, public, host)
    private = _tag(
        0x30,
        _integer(1)
        + _tag(0x04, key.to_bytes(32, "big"))
        + _tag(0xA0, _oid(P256))
        + _tag(0xA1, _bits(public)),
    )
    pem = folder / "both.pem"
    pem.write_text(_pem("EC PRIVATE KEY", private) + _pem("CERTIFICATE", certificate))
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(pem)
    return server, ssl.create_default_context(cadata=_pem("CERTIFICATE", certificate))


def _certificate(key: int, public: bytes, host: str) -> bytes:
    name = _tag(0x30, _tag(0x31, _tag(0x30, _oid("550403") + _tag(0x0C, host.encode()))))
    extensions = [
        _extension("551d13", _tag(0x30, b"\x01\x01\xff"), critical=True),  # an authority
        _extension("551d0f", b"\x03\x02\x02\x84", critical=True),  # that signs certificates, and more
        _extension("551d0e", _tag(0x04, hashlib.sha256(public).digest()[:20])),
        _extension("551d11", _tag(0x30, _tag(0x82, host.encode()))),
    ]
    to_sign = _tag(
        0x30,
        _tag(0xA0, _integer(2))
        + _integer(secrets.randbits(63) + 1)
        + _tag(0x30, _oid(ECDSA_SHA256))
        + name
        + _tag(0x30, _tag(0x18, b"20000101000000Z") + _tag(0x18, b"22000101000000Z"))
        + name
        + _tag(0x30, _tag(0x30, _oid(EC_KEY) + _oid(P256)) + _bits(public))
        + _tag(0xA3, _tag(0x30, b"".join(extensions))),
    )
    return _tag(0x30, to_sign + _tag(0x30, _oid(ECDSA_SHA256)) + _bits(_sign(key, to_sign)))


def _extension(oid: str, value: bytes, critical: bool = False) -> bytes:
    return _tag(0x30, _oid(oid) + (b"\x01\x01\xff" if critical else b"") + _tag(0x04, value))


def _sign(key: int, content: bytes) -> bytes:
    digest = int.from_bytes(hashlib.sha256(content).digest(), "big")
    once = secrets.randbelow(N - 1) + 1
    point = _times(once, G)
    assert point is not None
    r = point[0] % N
    return _tag(0x30, _integer(r) + _integer(pow(once, -1, N) * (digest + r * key) % N))


def _times(count: int, point: Point) -> Point:
    total: Point = None
    while count:
        if count & 1:
            total = _plus(total, point)
        point = _plus(point, point)
        count >>= 1
    return total


def _plus(one: Point, other: Point) -> Point:
    if one is None or other is None:
        return one or other
    (x1, y1), (x2, y2) = one, other
    if x1 == x2 and (y1 + y2) % P == 0:
        return None
    slope = (3 * x1 * x1 - 3) * pow(2 * y1, -1, P) if one == other else (y2 - y1) * pow(x2 - x1, -1, P)
    x = (slope * slope - x1 - x2) % P
    return x, (slope * (x1 - x) - y1) % P


def _tag(tag: int, content: bytes) -> bytes:
    length = len(content)
    if length < 128:
        return bytes([tag, length]) + content
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes([tag, 128 + len(size)]) + size + content


def _integer(value: int) -> bytes:
    return _tag(0x02, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def _bits(content: bytes) -> bytes:
    return _tag(0x03, b"\0" + content)


def _oid(encoded: str) -> bytes:
    return _tag(0x06, bytes.fromhex(encoded))


def _pem(label: str, content: bytes) -> str:
    return f"-----BEGIN {label}-----\n{base64.encodebytes(content).decode()}-----END {label}-----\n"
