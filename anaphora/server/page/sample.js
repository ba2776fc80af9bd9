// The next question of the sample dialog that is being played.

import { h, icon } from "./dom.js";

/** Show it in `box`; a thread that plays none shows nothing. */
export function offerNext(box, thread, { onPlay, onLeave }) {
  const { sample } = thread;
  const next = sample?.texts[sample.at];
  box.hidden = !next || thread.turns.length === 0;
  if (box.hidden) return;
  box.replaceChildren(
    h("span", { class: "label" }, "Next in this sample"),
    h("button", { type: "button", class: "text", dir: "auto", on: { click: onPlay } }, next),
    h("button", {
      type: "button",
      class: "icon",
      "aria-label": "Leave the sample",
      title: "Leave the sample",
      on: { click: onLeave },
    }, icon("close")),
  );
}
