// What a page of somebody else may try with the cookie of whoever looks at it. Each attempt ends by itself
// and says how: "let in: ..." when it got anything, else how it was kept out.
window.attempts = ({ app, sid, task, call, hash }) => {
  const wishes = [
    [`/api/tasks/${task}/stop`, ""],
    [`/api/tasks/${task}/retry`, ""],
    [`/api/messages`, JSON.stringify({ session_id: sid, text: "forged" })],
    [`/api/sessions/${sid}/queue/send`, ""],
    [`/api/tool-calls/${call}/decision`, JSON.stringify({ decision: "approve", arguments_hash: hash })],
    [`/api/sessions/${sid}/undo-delete`, ""],
  ];
  const reads = [`/api/sessions`, `/api/sessions/${sid}`, `/api/tasks/${task}`, `/api/owner`];
  const name = (what, path) => `${what} ${path.split("/").slice(2).join("/")}`;

  const settled = async (promise) => {
    try {
      return await promise;
    } catch {
      return "kept out";
    }
  };
  // No preflight is asked for these: they arrive, and only the server can refuse them.
  const posted = (path, body) =>
    fetch(app + path, {
      method: "POST", mode: "no-cors", credentials: "include", headers: { "content-type": "text/plain" }, body,
    }).then((answer) => (answer.type === "opaque" ? "kept out" : `let in: ${answer.status}`));
  const beaconed = async (path, body) => {
    navigator.sendBeacon(app + path, new Blob([body], { type: "text/plain" }));
    return "kept out";
  };
  const asked = (path, options) =>
    fetch(app + path, { credentials: "include", ...options }).then(
      async (answer) => `let in: ${answer.status} ${await answer.text()}`,
    );
  const submitted = (path, body) =>
    new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.name = `frame-${Math.random()}`;
      document.body.append(frame);
      const form = document.createElement("form");
      Object.assign(form, { method: "post", enctype: "text/plain", action: app + path, target: frame.name });
      const field = document.createElement("input");
      // A text/plain form writes name=value: JSON that swallows the "=".
      [field.name, field.value] = [body.slice(0, -1) + ',"padding":"', '"}'];
      if (body) form.append(field);
      document.body.append(form);
      frame.addEventListener("load", () => resolve(readable(frame.contentWindow)), { once: true });
      form.submit();
    });
  const readable = (other) => {
    try {
      return `let in: ${other.document.body.innerText}`;
    } catch {
      return "kept out";
    }
  };
  const drawn = (tag, path) =>
    new Promise((resolve) => {
      const element = document.createElement(tag);
      element.onload = () => resolve("let in: loaded");
      element.onerror = () => resolve("kept out");
      element.src = app + path;
      document.body.append(element);
    });
  const framed = () =>
    new Promise((resolve) => {
      const frame = document.createElement("iframe");
      frame.addEventListener("load", () => resolve(readable(frame.contentWindow)), { once: true });
      frame.src = `${app}/?sid=${sid}`;
      document.body.append(frame);
    });
  const connected = () =>
    new Promise((resolve) => {
      const token = crypto.randomUUID?.() ?? "a-token";
      const address = `${app.replace("http", "ws")}/_event/?EIO=4&transport=websocket&token=${token}`;
      const socket = new WebSocket(address);
      socket.onopen = () => resolve("let in: the socket is open");
      socket.onclose = socket.onerror = () => resolve("kept out");
    });
  const followed = () =>
    new Promise((resolve) => {
      const events = new EventSource(`${app}/api/tasks/${task}/stream`, { withCredentials: true });
      for (const kind of ["open", "text", "state", "replace"]) {
        events.addEventListener(kind, () => resolve(`let in: ${kind}`));
      }
      events.onerror = () => {
        events.close();
        resolve("kept out");
      };
    });

  const tried = {
    socket: connected(),
    events: followed(),
    frame: framed(),
    "json delete": asked(`/api/sessions/${sid}`, { method: "DELETE" }),
    "json patch": asked(`/api/sessions/${sid}`, { method: "PATCH", body: '{"title": "forged"}' }),
  };
  for (const [path, body] of wishes) {
    tried[name("post", path)] = posted(path, body);
    tried[name("beacon", path)] = beaconed(path, body);
    tried[name("form", path)] = submitted(path, body);
    tried[name("keyed post", path)] = asked(path, {
      method: "POST", headers: { "content-type": "application/json", "idempotency-key": "forged" }, body,
    });
  }
  for (const path of reads) {
    tried[name("read", path)] = asked(path);
    tried[name("script", path)] = drawn("script", path);
    tried[name("image", path)] = drawn("img", path);
  }
  return Promise.all(
    Object.entries(tried).map(async ([attempt, promise]) => [attempt, await settled(promise)]),
  ).then(Object.fromEntries);
};
