// A yes and a no as buttons, while the bot waits for one of them.

import { h } from "./dom.js";

/** Show them in `box`. Without a look into the conversation, the last reply tells of them. */
export function offerQuickReplies(box, thread, onSay) {
  const last = thread.turns.findLast((turn) => turn.state === "done")?.reply;
  const now = thread.unreadable ? null : thread.conversation;
  const waits = now ? now.pending?.missing.length === 0 : last?.confirms;
  const texts = (now ?? last)?.quick_replies ?? [];
  box.hidden = !waits || texts.length === 0 || thread.isBusy || thread.selected !== null;
  if (box.hidden) return;
  box.replaceChildren(...texts.map((text) =>
    h("button", { type: "button", class: "quiet", dir: "auto", on: { click: () => onSay(text) } },
      text)));
}
