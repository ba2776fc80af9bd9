// One line under the header: what is wrong now, or what has just happened.

import { h } from "./dom.js";

const SHORT = 5000; // ms that good news stays

export class Notices {
  #timer = 0;

  constructor(root) {
    this.root = root;
  }

  /** Something is wrong; it stays until `clear()`. */
  trouble(title, detail = "") {
    this.#show("trouble", title, detail);
  }

  /** Something has happened; it goes by itself. */
  tell(title) {
    this.#show("news", title, "");
    this.#timer = setTimeout(() => this.clear(), SHORT);
  }

  clear() {
    clearTimeout(this.#timer);
    this.root.hidden = true;
    this.root.replaceChildren();
  }

  #show(kind, title, detail) {
    clearTimeout(this.#timer);
    this.root.className = `notice ${kind}`;
    this.root.hidden = false;
    if (this.root.textContent !== title + detail) {
      this.root.replaceChildren(h("b", {}, title), h("span", {}, detail));
    }
  }
}
