"""The OpenAPI page needs nothing but our own origin."""

import re

from tests.integration.api.in_process import ApiInProcess


async def test_the_docs_page_loads_everything_from_here(api: ApiInProcess) -> None:
    client = api.stranger()
    page = await client.get("/api/docs")

    addresses = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert page.status_code == 200
    assert addresses
    assert all(address.startswith("/") for address in addresses)
    for address in addresses:
        if address.startswith("/api/"):
            assert (await client.get(address)).status_code == 200
