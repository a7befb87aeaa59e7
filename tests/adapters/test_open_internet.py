"""Every entry of the registries of special addresses is refused, whatever Python calls it."""

from ipaddress import ip_address, ip_network

import pytest

from adapters.outbound.channels.open_internet import may_be_talked_to

# IANA IPv4 Special-Purpose Address Registry, as of 2025-10-09, an entry a row.
IPV4_REGISTRY = (
    "0.0.0.0/8",
    "0.0.0.0/32",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.0.0/29",
    "192.0.0.8/32",
    "192.0.0.9/32",
    "192.0.0.10/32",
    "192.0.0.170/32",
    "192.0.0.171/32",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.88.99.2/32",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    "255.255.255.255/32",
)
# IANA IPv6 Special-Purpose Address Registry, as of 2025-10-09, without 64:ff9b::/96, which hides IPv4.
IPV6_REGISTRY = (
    "::1/128",
    "::/128",
    "::ffff:0:0/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001::/32",
    "2001:1::1/128",
    "2001:1::2/128",
    "2001:1::3/128",
    "2001:2::/48",
    "2001:3::/32",
    "2001:4:112::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
)
# What is in other registries (multicast, the IPv6 address space), was in one once, or is in none.
OTHERS = (
    "224.0.0.0/4",
    "168.63.129.16/32",
    "::/96",
    "::ffff:0:0:0/96",
    "200::/7",
    "4000::/3",
    "fec0::/10",
    "ff00::/8",
)
CLOSED_IPV4 = (*IPV4_REGISTRY, *(block for block in OTHERS if "." in block))


def in_it(block: str) -> list[str]:
    """The first address of a block, one within, and the last."""
    network = ip_network(block)
    return [str(network[at]) for at in (0, network.num_addresses // 3, -1)]


@pytest.mark.parametrize("block", [*IPV4_REGISTRY, *IPV6_REGISTRY, *OTHERS])
def test_no_address_of_a_special_block_may_be_talked_to(block: str) -> None:
    assert [address for address in in_it(block) if may_be_talked_to(address)] == []
    assert [address for address in in_it(block) if not may_be_talked_to(address, allow_private=True)] == []


@pytest.mark.parametrize("block", CLOSED_IPV4)
@pytest.mark.parametrize(
    "hidden_in", ["::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::", "64:ff9b:1::", "2002::", "2001::"]
)
def test_no_special_address_may_be_talked_to_where_ipv6_hides_it(block: str, hidden_in: str) -> None:
    shift = {"2002::": 80}.get(hidden_in, 0)
    inverted = 0xFFFF_FFFF if hidden_in == "2001::" else 0
    hidden = [
        str(ip_address(int(ip_address(hidden_in)) | (int(ip_address(address)) ^ inverted) << shift))
        for address in in_it(block)
    ]
    assert [address for address in hidden if may_be_talked_to(address)] == []


@pytest.mark.parametrize("hidden_in", ["::", "::ffff:", "64:ff9b:1::"])
def test_a_public_address_may_not_be_where_ipv6_hides_it(hidden_in: str) -> None:
    assert not may_be_talked_to(f"{hidden_in}8.8.8.8")


def test_an_address_of_one_link_alone_may_not_be_talked_to() -> None:
    assert not may_be_talked_to("fe80::1%eth0")
    assert not may_be_talked_to("2606:4700::1111%eth0")


@pytest.mark.parametrize(
    "address",
    [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "191.255.255.255",
        "192.0.1.0",
        "192.0.3.0",
        "192.88.98.255",
        "192.88.100.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.99.255",
        "198.51.101.0",
        "203.0.112.255",
        "203.0.114.0",
        "223.255.255.255",
        "168.63.129.15",
        "8.8.8.8",
        "2000::",
        "2001:200::",
        "2001:db7:ffff::",
        "2001:db9::",
        "2001:ffff::",
        "2003::",
        "2606:4700::1111",
        "2620:4f:7fff::",
        "2620:4f:8001::",
        "3fff:1000::",
        "64:ff9b::808:808",
    ],
)
def test_an_address_of_the_open_internet_may_be_talked_to(address: str) -> None:
    assert may_be_talked_to(address)


@pytest.mark.parametrize("text", ["", "example.org", "0251.0376.0251.0376", "127.1", "2852039166", "[::1]"])
def test_what_is_no_address_is_told_apart(text: str) -> None:
    with pytest.raises(ValueError, match="address"):
        may_be_talked_to(text)
