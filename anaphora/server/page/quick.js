// A yes and a no as buttons, while the bot waits for one of them.

import { h } from "./dom.js";

/** Show them in `box`. Without a look into the conversation, the last reply tells of them. */
export function offerQuickReplies(box, thread, onSay) {
  const last = thread.turns.findLast((turn) => turn.state === "done")?.reply;
  const now = thread.conversation;
  const waits = now && !thread.unreadable ? now.pending?.confirms : last?.confirms;
  box.hidden = !waits || thread.isBusy || thread.selected !== null;
  if (box.hidden) return;
  const texts = (now && !thread.unreadable ? now : last).quick_replies ?? [];
  box.replaceChildren(...texts.map((text) =>
    h("button", { type: "button", class: "quiet", dir: "auto", on: { click: () => onSay(text) } },
      text)));
}
