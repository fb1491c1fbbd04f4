"""The script that tells the page where its server is."""

from assistant.ui.served_urls import with_urls_of_the_page


def test_every_url_of_the_build_is_taken_from_the_page() -> None:
    built = (
        'var e={PING:`http://localhost:8000/ping`,EVENT:"ws://localhost:8000/_event",'
        "SAFE:'https://build.example/x',TRANSPORT:`websocket`,TEST_MODE:!1};export{e as t};"
    )

    assert with_urls_of_the_page(built) == (
        'var e={PING:location.origin+"/ping",'
        'EVENT:location.origin.replace(/^http/,"ws")+"/_event",'
        'SAFE:location.origin+"/x",TRANSPORT:`websocket`,TEST_MODE:!1};export{e as t};'
    )
