// Lines under the header: what is wrong now, one for each topic, and what has just happened.

import { h } from "./dom.js";

const SHORT = 5000; // ms that good news stays

export class Notices {
  #rows = new Map(); // by topic: { name, element, choices }
  #timer = 0;

  /** `onFocusLost` is called when a line goes that has the focus. */
  constructor(root, { onFocusLost }) {
    Object.assign(this, { root, onFocusLost });
  }

  /** Something is wrong. It stays until `clear()`, or until the user dismisses it.
   *  `choices` are buttons: what to do by their text. */
  trouble(topic, title, detail = "", { choices = {}, dismissible = false } = {}) {
    const dismiss = dismissible ? { Dismiss: () => this.clear(topic) } : {};
    this.#show(topic, "trouble", title, detail, { ...choices, ...dismiss });
  }

  /** Something has happened. It goes by itself. */
  tell(title) {
    this.#show("news", "news", title, "", {});
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.clear("news"), SHORT);
  }

  clear(topic) {
    const row = this.#rows.get(topic);
    if (!row) return;
    const focused = row.element.contains(document.activeElement);
    row.element.remove();
    this.#rows.delete(topic);
    if (focused) this.onFocusLost();
  }

  /** What is the same already is left as it is: it is not read out again and keeps the focus. */
  #show(topic, kind, title, detail, choices) {
    const row = this.#rows.get(topic);
    const name = JSON.stringify([kind, title, detail, Object.keys(choices)]);
    if (row?.name === name) {
      row.choices = choices;
      return;
    }
    const fresh = { name, choices };
    const buttons = Object.keys(choices).map((label) => h("button", {
      type: "button",
      class: "quiet",
      on: { click: () => fresh.choices[label]() },
    }, label));
    fresh.element = h("div", { class: `notice ${kind}` }, h("b", {}, title), h("span", {}, detail), buttons);
    const focused = row?.element.contains(document.activeElement);
    if (row) row.element.replaceWith(fresh.element);
    else this.root.append(fresh.element);
    this.#rows.set(topic, fresh);
    if (!focused) return;
    if (buttons.length > 0) buttons[0].focus();
    else this.onFocusLost();
  }
}
