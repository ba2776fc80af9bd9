// What is remembered, as cards by group. A ring runs down to the time when nothing has used the
// card for too long; the dots are the answers that it outlives unused. What the bot said is a card
// without a ground; what it offers lies on the table, above the cards.

import { nameOf as groupsName } from "./colors.js";
import { h, icon, svg } from "./dom.js";
import { nameOf } from "./thread.js";
import { clock, counted, lasting, said } from "./words.js";

const ROUND = 2 * Math.PI * 17;

export class MemoryView {
  #rings = [];
  #offset = 0; // ms that the service's clock is ahead of ours
  #frozen = null;

  constructor({ root, onForget, onOver, onSay }) {
    Object.assign(this, { root, onForget, onOver, onSay });
  }

  /** Show a conversation. `then` stops the clock at its time: the past is looked at. */
  show(conversation, palette, { then = false, prompt = "" } = {}) {
    const at = Date.parse(conversation.now);
    this.#offset = at - Date.now();
    this.#frozen = then ? at : null;
    this.#rings = [];
    const { pending, offer, remembered, offers = [] } = conversation;
    const clusters = Map.groupBy(remembered, (held) => groupsName(held.groups));
    this.root.replaceChildren(
      ...(offer ? [this.#offer(offer, conversation, palette)] : []),
      ...(pending ? [this.#pending(pending, conversation, palette, prompt)] : []),
      ...(offers.length > 0 ? [this.#table(offers, conversation, palette, then)] : []),
      ...[...clusters].map(([name, cards]) =>
        this.#cluster(name, cards, conversation, palette, then)),
      ...(offer || pending || offers.length + remembered.length > 0 ? [] : [empty(conversation, then)]),
    );
    this.tick();
  }

  /** What the service cannot or may not tell. */
  blank(why) {
    this.#rings = [];
    this.root.replaceChildren(h("p", { class: "empty" }, why));
  }

  /** Let the rings run; called every second. */
  tick() {
    const now = this.#frozen ?? Date.now() + this.#offset;
    let over = false;
    for (const ring of this.#rings) {
      const left = Math.max(0, (ring.until - now) / 1000);
      ring.arc.style.strokeDashoffset = String(ROUND * (1 - Math.min(1, left / ring.timeout)));
      ring.label.textContent = clock(left);
      ring.root.classList.toggle("late", left < ring.timeout / 5);
      over ||= left === 0 && this.#frozen === null;
    }
    if (over) this.onOver();
  }

  card(held) {
    return this.root.querySelector(`[data-card="${CSS.escape(nameOf(held))}"]`);
  }

  #cluster(name, cards, conversation, palette, then) {
    const groups = cards[0].groups;
    return h("section", { class: "cluster", vars: palette.vars(groups), data: { groups: name } },
      h("header", {},
        h("h3", {}, h("span", { class: "unseen" }, groups.length > 1 ? "Groups " : "Group "),
          groups.map((group) => h("span", { class: "group" }, group, !then && h("button", {
            type: "button",
            class: "forget",
            title: `Forget the group ${group}`,
            "aria-label": `Forget the group ${group}`,
            on: { click: () => this.onForget(group) },
          }, icon("close"))))),
      ),
      h("ul", {}, cards.map((held) => this.#card(held, conversation))),
    );
  }

  #card(held, conversation) {
    const { main, exact } = said(held);
    const named = groupsName(held.groups) !== held.element; // else the heading says it
    const byBot = held.by === "bot";
    return h("li", { class: `card${byBot ? " by-bot" : ""}`, data: { card: nameOf(held), element: held.element } },
      this.#ring(Date.parse(held.expires_at), conversation.timeout),
      h("div", { class: "body" },
        h("p", { class: "main", dir: "auto" }, main),
        (named || exact) && h("p", { class: "sub" },
          named && h("code", {}, held.element), named && exact && " ", exact),
        h("p", { class: "sub life" }, dots(held, conversation), stored(held)),
      ),
    );
  }

  #pending(pending, conversation, palette, prompt) {
    const until = Date.parse(pending.at) + conversation.timeout * 1000;
    return h("section", { class: "pending", "aria-label": "Pending" },
      this.#ring(until, conversation.timeout),
      h("div", { class: "body" },
        h("p", { class: "sub" }, h("code", {}, pending.intent), " waits for"),
        h("p", { class: "main" }, pending.missing.join(", then ") || "a yes or a no"),
        prompt && h("p", { class: "sub" }, `It asked: ${prompt}`),
        this.#chips(pending.entities, palette),
      ),
    );
  }

  #offer(offer, conversation, palette) {
    const until = Date.parse(offer.at) + conversation.timeout * 1000;
    return h("section", { class: "pending", "aria-label": "Offer" },
      this.#ring(until, conversation.timeout),
      h("div", { class: "body" },
        h("p", { class: "sub" }, "A yes brings back"),
        this.#chips(offer.entities, palette),
        h("p", { class: "sub" }, "and answers: ",
          h("span", { dir: "auto" }, offer.question)),
      ),
    );
  }

  /** The offers, each a button that accepts it. */
  #table(offers, conversation, palette, then) {
    const { quick_replies: replies = [], pending } = conversation;
    const waitsForYes = pending?.missing.length === 0;
    const canAccept = !then && !waitsForYes && replies.length === offers.length;
    return h("section", { class: "table", "aria-labelledby": "table-title" },
      this.#ring(Date.parse(conversation.offers_expire), conversation.timeout),
      h("div", { class: "body" },
        h("h3", { id: "table-title" }, "On the table"),
        h("p", { class: "sub" }, "offered by ", h("code", {}, conversation.offered_by)),
        h("ol", {}, offers.map((bundle, index) => h("li", {}, h(canAccept ? "button" : "div", {
          class: "offer",
          ...(canAccept && {
            type: "button",
            title: `Accept: “${replies[index]}”`,
            on: { click: () => this.onSay(replies[index]) },
          }),
        }, canAccept && h("span", { class: "unseen" }, "Accept: "), this.#chips(bundle, palette))))),
      ),
    );
  }

  #chips(entities, palette) {
    return h("span", { class: "has" }, entities.map((entity) =>
      h("span", { class: "tinted chip", dir: "auto", vars: palette.vars(entity.groups) },
        said(entity).main)));
  }

  #ring(until, timeout) {
    const arc = svg("circle", { class: "arc", cx: 20, cy: 20, r: 17 });
    arc.style.strokeDasharray = String(ROUND);
    const label = h("span", { class: "left" });
    const root = h("div", { class: "ring", role: "timer", "aria-label": "Time left" },
      svg("svg", { viewBox: "0 0 40 40", "aria-hidden": "true" },
        svg("circle", { class: "track", cx: 20, cy: 20, r: 17 }), arc),
      label,
    );
    this.#rings.push({ root, arc, label, until, timeout });
    return root;
  }
}

/** How many more answers may leave it unused. */
function dots(held, { depth }) {
  const left = Math.max(0, held.matches_left);
  const label = `${left} of ${depth}: forgotten after ${counted(left, "more answer")} without it`;
  if (depth > 8) return h("span", { class: "dots", title: label }, `${left}/${depth}`);
  return h("span", { class: "dots", role: "img", "aria-label": label, title: label },
    Array.from({ length: depth }, (_, index) => h("i", { class: index < left ? "on" : "" })));
}

function stored(held) {
  const by = held.by === "bot" ? " by the bot" : "";
  if (held.questions_ago === 0) return `just said${by}`;
  return `said${by} ${counted(held.questions_ago, "question")} ago`;
}

function empty(conversation, then) {
  const text = then ? "Nothing was remembered after this question."
    : conversation.questions > 0 ? "Nothing is remembered: the next question starts from scratch."
    : "What an answer uses is kept here until something of its group takes its place, or until "
      + `nobody has spoken for ${lasting(conversation.timeout)}.`;
  return h("p", { class: "empty" }, text);
}
