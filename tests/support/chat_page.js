/** What a test wants to know of every frame of a document; runs before anything of the page. */
(() => {
  const ANSWER = '[data-testid="answer"]';
  const SQUARE = 8;
  const SHOWN = '[data-testid="message"], [data-testid="empty-state"]';
  const BUSY = '[data-testid="stop"], .st-waiting, .st-caret';
  const FAILURES = '[data-testid="error"], [role="dialog"], [role="alertdialog"], dialog[open]';
  if (!location.protocol.startsWith("http")) return;
  const watched = {
    offsets: [],
    places: [],
    failures: [],
    busy: [],
    endings: [],
    shifts: [],
    sockets: [],
    most: 0,
    ready: false,
    shownAt: Infinity,
    shiftsSinceShown,
    place,
    difference,
  };
  window.watched = watched;
  window.WebSocket = class extends WebSocket {
    constructor(...where) {
      super(...where);
      watched.sockets.push(this);
      watched.most = Math.max(watched.most, watched.sockets.filter(({ readyState }) => readyState < 2).length);
    }
  };
  sessionStorage.setItem("documents", Number(sessionStorage.getItem("documents")) + 1);

  new PerformanceObserver((list) => watched.shifts.push(...list.getEntries().map(told))).observe({
    type: "layout-shift",
    buffered: true,
  });
  const draw = () => {
    watched.ready ||= Boolean(document.documentElement?.hasAttribute("data-ready"));
    if (watched.shownAt === Infinity && document.querySelector(SHOWN)) watched.shownAt = performance.now();
    const offset = Number([...document.querySelectorAll(ANSWER)].at(-1)?.dataset.offset ?? -1);
    if (watched.ready && offset >= 0 && offset !== watched.offsets.at(-1)) watched.offsets.push(offset);
    const text = sessionStorage.getItem("watched-text");
    const places = text && watched.ready ? countPlaces(text) : undefined;
    if (places !== undefined && places !== watched.places.at(-1)) watched.places.push(places);
    const answer = [...document.querySelectorAll(ANSWER)].at(-1)?.dataset;
    if (/done|failed/.test(answer?.state)) note(watched.endings, `${answer.state} ${answer.offset}`);
    const isDrawn = document.querySelector('[data-testid="composer"]');
    if (isDrawn) note(watched.busy, Boolean(document.querySelector(BUSY)));
    for (const failure of document.querySelectorAll(FAILURES)) {
      if (watched.failures.length < 9) watched.failures.push(failure.textContent);
    }
    requestAnimationFrame(draw);
  };
  requestAnimationFrame(draw);

  function note(list, value) {
    if (list.at(-1) !== value) list.push(value);
  }

  function countPlaces(text) {
    const shown = [...document.querySelectorAll('[data-role="user"], [data-testid="outbox-item"]')];
    const composer = document.querySelector('[data-testid="composer"]');
    const holding = shown.filter((place) => place.textContent.includes(text));
    return holding.length + (composer?.value.includes(text) ? 1 : 0);
  }

  function told({ value, startTime, hadRecentInput, sources }) {
    const moved = (sources ?? []).map(({ node, previousRect: from, currentRect: to }) => ({
      debug: Boolean((node?.closest ? node : node?.parentElement)?.closest('[data-testid="debug-panel"]')),
      words: `${node?.nodeName}.${node?.className} ${from.x},${from.y} -> ${to.x},${to.y}`,
    }));
    const ofDebug = moved.length > 0 && moved.every(({ debug }) => debug);
    const words = `${value.toFixed(5)}: ${moved.map((each) => each.words).join("; ")}`;
    return { startTime, ignored: hadRecentInput || ofDebug, words };
  }

  function shiftsSinceShown() {
    const own = watched.shifts.filter((shift) => !shift.ignored && shift.startTime > watched.shownAt);
    return own.map(({ words }) => words);
  }

  async function difference(pictures) {
    const [one, other] = await Promise.all(pictures.map(squares));
    if (one.length !== other.length) return 255;
    return one.reduce((worst, light, index) => Math.max(worst, Math.abs(light - other[index])), 0);
  }

  /** The mean of each colour in each square. */
  async function squares(picture) {
    // Not by an address: the page's own policy lets no picture of ours in.
    const bytes = Uint8Array.from(atob(picture), (character) => character.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const { width, height } = image;
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    const paper = canvas.getContext("2d");
    paper.drawImage(image, 0, 0);
    const { data } = paper.getImageData(0, 0, width, height);
    const columns = Math.ceil(width / SQUARE);
    const means = new Float32Array(columns * Math.ceil(height / SQUARE) * 3);
    for (let pixel = 0; pixel < width * height; pixel += 1) {
      const square = Math.floor(pixel / width / SQUARE) * columns + Math.floor((pixel % width) / SQUARE);
      for (let colour = 0; colour < 3; colour += 1) {
        means[square * 3 + colour] += data[pixel * 4 + colour] / SQUARE ** 2;
      }
    }
    return means;
  }

  /** Settled: the same in five frames in a row. */
  async function place() {
    let now = stand();
    for (let same = 0; same < 5; ) {
      await new Promise(requestAnimationFrame);
      const next = stand();
      same = String(next) === String(now) ? same + 1 : 0;
      now = next;
    }
    return now;
  }

  function stand() {
    const page = document.documentElement;
    const messages = [...document.querySelectorAll('[data-testid="message"]')];
    const first = messages.find((message) => message.getBoundingClientRect().bottom > 0);
    return [
      window.scrollY,
      page.scrollHeight - page.clientHeight - window.scrollY,
      first?.dataset.messageId ?? "",
      first?.getBoundingClientRect().top ?? 0,
    ];
  }
})();
