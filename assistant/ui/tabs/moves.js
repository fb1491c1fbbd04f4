/**
 * Which of the tabs of a session carries its text.
 *
 *     away ──stood──▶ asking ──granted──▶ leading ──robbed──▶ asking
 *      │                │                    ▲
 *      │                └──heard──▶ mirroring ┘ granted
 *      └──stood_alone──▶ alone                             any ──left──▶ away
 *
 * `stood`: the page is restored and hears the server. `granted`: the browser gave it the lock of the session.
 * `heard`: another tab leads. `robbed`: another tab took the lock. `left`: the session, the link or the tab went.
 */

/** The table of moves: state -> event -> state. An event that is not here changes nothing. */
export const MOVES = {
  /** Nothing to lead: no session, no link, or a tab that is frozen or in the back/forward cache. */
  away: { stood: "asking", stood_alone: "alone" },
  /** Takes text from the server until another tab is heard: too much is harmless, silence is not. */
  asking: { granted: "leading", heard: "mirroring", left: "away" },
  /** Takes text from the server, and passes it on. */
  leading: { robbed: "asking", left: "away" },
  /** Takes text from the leader, and rows from the server. */
  mirroring: { granted: "leading", left: "away" },
  /** The browser cannot tell its tabs of each other: each takes text from the server. */
  alone: { left: "away" },
};
