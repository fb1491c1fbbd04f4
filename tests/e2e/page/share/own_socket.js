/** A socket of the tab's own, as anybody may open one: `ownSocket.call(name, payload, sid)` asks for any handler. */
(() => {
  const heard = [];
  let opened;
  window.ownSocket = { open, call, hears: (word) => heard.some((frame) => frame.includes(word)), heard };

  function open() {
    opened = new WebSocket(`ws://${location.host}/_event/?EIO=4&transport=websocket&token=${crypto.randomUUID()}`, "0.10.1");
    return new Promise((done) => {
      opened.onmessage = ({ data }) => {
        heard.push(data);
        if (data.startsWith("0{")) opened.send("40/_event,");
        else if (data.startsWith("40/_event")) done();
        else if (data === "2") opened.send("3");
      };
    });
  }

  function call(name, payload, sid) {
    const path = location.pathname;
    const query = { shared_token: path.split("/").at(-1), sid };
    const event = { name, payload, router_data: { pathname: path, asPath: `${path}?sid=${sid}`, query } };
    opened.send(`42/_event,["event",${JSON.stringify(event)}]`);
  }
})();
