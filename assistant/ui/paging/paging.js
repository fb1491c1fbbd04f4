/**
 * Loads what comes next while the user scrolls towards an end of the stretch, and holds the place when rows change.
 *
 *     near the first row ──▶ older        near the last row, with more below ──▶ newer
 *     following, sending or far too long, and not the newest page ──▶ newest
 *
 * Each is asked for once, and again when a hand scrolls on or after a while (`asked.js`).
 */

import { Component } from "react";

import * as outbox from "../composer/outbox.js";
import {
  anchor, followNewest, hold, isFollowing, listen, listenToHand, setNewer,
} from "../scroll_keeper/scroll_keeper.js";
import { forget } from "../stream_text/store.js";
import { focusArrow, stepOf } from "../wish/stepping.js";
import { Asked } from "./asked.js";

const NEAR_PX = 1600;

export class PagingKeeper extends Component {
  asked = new Asked();
  frame = 0;
  /** This tab has sent something since it was looked at last; what is accepted at once is not seen to be sending. */
  sent = false;

  componentDidMount() {
    this.ends = [listen(this.lookSoon), listenToHand(this.pressed), outbox.listen(this.heardOutbox)];
    window.addEventListener("scroll", this.lookSoon, { passive: true });
    setNewer(this.props.hasNewer);
    this.lookSoon();
  }

  componentWillUnmount() {
    for (const end of this.ends) end();
    window.removeEventListener("scroll", this.lookSoon);
    cancelAnimationFrame(this.frame);
  }

  /** Just before the rows change: what the user sees stays there. */
  getSnapshotBeforeUpdate(before) {
    const { rows, stands } = this.props;
    if (before.rows === rows || before.stands !== stands) return null;
    return stepOf(before.rows, rows) ?? anchor();
  }

  componentDidUpdate(before, _, place) {
    const { rows, hasNewer } = this.props;
    setNewer(hasNewer);
    if (before.rows !== rows) {
      const ids = new Set(rows.map(({ id }) => id));
      forget(before.rows.map(({ id }) => id).filter((id) => !ids.has(id)));
      this.asked.answered();
      if (place) hold(place);
      if (place?.arrow) focusArrow(place);
    }
    this.lookSoon();
  }

  render() {
    return null;
  }

  heardOutbox = () => {
    this.sent ||= outbox.current().sendingHere;
    this.lookSoon();
  };

  /** At the very end no scroll comes of it. */
  pressed = () => {
    this.asked.pressed();
    this.lookSoon();
  };

  lookSoon = () => {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.look();
    });
  };

  look() {
    const { stands, rows, hasOlder, hasNewer, most, mostFollowed, carries, onOlder, onNewer, onNewest } = this.props;
    const thread = document.querySelector(".thread")?.getBoundingClientRect();
    if (!carries || !stands || rows.length === 0 || !thread) return;
    // In a window that is as high as the stretch each end would bring the other one: there the buttons are pressed.
    const near = rows.length < most ? NEAR_PX : Math.min(NEAR_PX, (thread.height - window.innerHeight) / 4);
    const first = rows[0].id;
    const last = rows.at(-1).id;
    // What other tabs send is in the outbox too, and moves nobody here.
    if (hasNewer && this.sent) followNewest();
    this.sent = false;
    const follows = isFollowing(stands);
    if (follows && (hasNewer || rows.length > mostFollowed)) {
      this.ask(`newest ${first} ${last}`, onNewest);
    } else if (follows || near <= 0) {
      return;
    } else if (hasOlder && thread.top > -near) {
      this.ask(`older ${first}`, onOlder, first);
    } else if (hasNewer && thread.bottom < window.innerHeight + near) {
      this.ask(`newer ${last}`, onNewer, last);
    }
  }

  ask(what, tell, ...place) {
    if (this.asked.begin(what, performance.now())) tell(...place);
  }
}
