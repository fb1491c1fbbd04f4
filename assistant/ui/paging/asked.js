/**
 * What was asked for: once, until it may be asked for again.
 *
 *     asked ──the rows changed──▶ answered ──a hand scrolls on──▶ (forgotten)
 *       └──a while: it may be lost with the link──▶ (forgotten)        ▲
 *                               answered ──the same while──────────────┘
 *
 * What was answered is not asked for again by itself: two ends that are near could bring each other for ever. But a key
 * pressed at the very end moves nothing, so that nothing else would tell that more is wanted.
 */

const AGAIN_MS = 4000;

export class Asked {
  /** What was asked for -> `{at, isAnswered}`. */
  all = new Map();

  /** Whether to ask for it now; then it counts as asked. */
  begin(what, now) {
    for (const [other, { at }] of this.all) if (now - at >= AGAIN_MS) this.all.delete(other);
    if (this.all.has(what)) return false;
    this.all.set(what, { at: now, isAnswered: false });
    return true;
  }

  /** The rows changed. */
  answered() {
    for (const asked of this.all.values()) asked.isAnswered = true;
  }

  /** A hand scrolls on. */
  pressed() {
    for (const [what, { isAnswered }] of this.all) if (isAnswered) this.all.delete(what);
  }
}
