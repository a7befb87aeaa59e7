"""What may be talked to: addresses of the open Internet alone.

The list is our own. What `ipaddress` calls global changes from one Python to the next, and follows a column
of the registries that says whether packets get there, not whether a person's server could stand there.
"""

from ipaddress import IPv4Address, IPv4Network, IPv6Network, ip_address

# IANA IPv4 Special-Purpose Address Registry, whole, as of 2025-10-09; and multicast, which is in another one.
CLOSED_IPV4 = tuple(
    IPv4Network(block)
    for block in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # a carrier's own
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, and a cloud's metadata
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments, DS-Lite, and a cloud's metadata
        "192.0.2.0/24",  # documentation
        "192.31.196.0/24",  # AS112
        "192.52.193.0/24",  # AMT
        "192.88.99.0/24",  # relays of 6to4 and 6a44
        "192.168.0.0/16",  # private
        "192.175.48.0/24",  # AS112
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
        # In no registry: Azure answers its own machines there, and nobody else.
        "168.63.129.16/32",
    )
)
# Of IPv6 only this is given out (IANA, Internet Protocol Version 6 Address Space). Outside of it are, among
# others, loopback, all that embeds an IPv4 address but 6to4 and Teredo, and site-local, unique local,
# link-local and multicast addresses.
GIVEN_OUT_IPV6 = IPv6Network("2000::/3")
# The entries of IANA's IPv6 Special-Purpose Address Registry that lie inside of it, as of 2025-10-09.
CLOSED_IPV6 = tuple(
    IPv6Network(block)
    for block in (
        "2001::/23",  # protocol assignments: Teredo, ORCHID, benchmarks, AMT, anycasts
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4
        "2620:4f:8000::/48",  # AS112
        "3fff::/20",  # documentation
    )
)
# RFC 6052: how names of IPv4 hosts are answered where there is IPv6 alone. 64:ff9b:1::/48 is a site's own.
NAT64 = IPv6Network("64:ff9b::/96")


def may_be_talked_to(address: str, *, allow_private: bool = False) -> bool:
    """Whether a resolved address is one of the open Internet, and hides none that is not.

    ValueError for what is no address. Sources: OWASP, Server-Side Request Forgery Prevention; RFC 6890.
    """
    if allow_private:
        return True
    ip = ip_address(address)
    if isinstance(ip, IPv4Address):
        return _is_open(ip)
    if ip.scope_id:
        return False
    if ip in NAT64:
        return _is_open(IPv4Address(int(ip) & 0xFFFF_FFFF))
    return ip in GIVEN_OUT_IPV6 and not any(ip in block for block in CLOSED_IPV6)


def _is_open(ip: IPv4Address) -> bool:
    return not any(ip in block for block in CLOSED_IPV4)
