"""Only addresses of the public internet are connected to, whatever a name says and however it is written."""

import pytest

from assistant.tools.web_addresses import is_public


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254"),
        *("100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.2.1", "198.18.0.1", "168.63.129.16"),
        *("224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255", "192.88.99.1"),
        *("::1", "::", "fe80::1", "fe80::1%lo", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1"),
        *("::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "::8.8.8.8", "64:ff9b::7f00:1"),
        *("64:ff9b:1::1", "2002:7f00:1::", "2001:0:7f00:1::1", "2001:db8::1", "4000::1"),
        *("localhost", "", "2130706433"),
    ],
)
def test_an_address_that_is_not_of_the_public_internet_is_refused(address: str) -> None:
    assert not is_public(address, 443)


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450::1"])
def test_a_public_address_is_allowed(address: str) -> None:
    assert is_public(address, 80)
    assert is_public(address, 8080)


@pytest.mark.parametrize("port", [0, 22, 25, 110, 587])
def test_ports_of_other_services_are_refused(port: int) -> None:
    assert not is_public("1.1.1.1", port)
