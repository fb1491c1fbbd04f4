/** What others will see, the link, and the way to take it back. */

import { createElement as h, useState } from "react";

import { ExportLinks } from "../files/files.js";
import { CopyButton } from "../stream_text/copy_button.js";
import { WishButton } from "../wish/wish.js";
import * as wishes from "../wish/wishes.js";
import { useLanguage, wordsOf } from "../words/words.js";

const words = wordsOf("share");

const SHARE = "share";
const UNSHARE = "unshare";

/** `share` is null until it is known how it stands. */
export function ShareSheet({ sid, share, onShare, onUnshare }) {
  useLanguage();
  const [wanted, want] = useState(false);
  const isShared = Boolean(share?.token);
  const allows = isShared ? share.with_arguments : wanted;
  const choose = ({ target }) => {
    if (isShared) wishes.send(SHARE, sid, "share.withArguments", (key) => onShare(sid, target.checked, key));
    else want(target.checked);
  };
  return h("section", {
    className: "share-sheet", role: "dialog", "aria-label": words().title, "data-testid": "share-sheet",
  },
    h("h2", { className: "share-title" }, words().title),
    h("p", { className: "share-words" }, words().seen),
    h("label", { className: "share-choice" },
      h("input", {
        type: "checkbox", "data-testid": "share-arguments", checked: allows, disabled: !share, onChange: choose,
      }),
      h("span", null, words().withArguments)),
    isShared ? h(Link, { token: share.token }) : null,
    h("div", { className: "share-actions" },
      isShared
        ? h(WishButton, { kind: UNSHARE, about: sid, name: "stop-sharing", label: "share.stop",
                          onPress: (key) => onUnshare(sid, key) })
        : h(WishButton, { kind: SHARE, about: sid, name: "make-link", label: "share.make", disabled: !share,
                          className: "quiet share-make", onPress: (key) => onShare(sid, wanted, key) })),
    h(ExportLinks, { sid }));
}

function Link({ token }) {
  useLanguage();
  const address = `${window.location.origin}/shared/${token}`;
  return h("div", { className: "share-link" },
    h("input", {
      className: "share-address", "data-testid": "share-link", readOnly: true, value: address,
      "aria-label": words().link, onFocus: ({ target }) => target.select(),
    }),
    h(CopyButton, { text: () => address, className: "icon-button", name: "copy-link", says: "share.copy" }));
}
