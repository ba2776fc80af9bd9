// Searches in what was said (recall) and in what was stored (archive).

import { Problem } from "../api.js";
import { $, h } from "../dom.js";
import { counted, moment } from "../words.js";

export class SearchView {
  #thread = null;
  #number = 0; // of the last search: an older answer that comes later is not shown

  constructor(root) {
    this.form = $("form", root);
    this.input = $("input", this.form);
    this.where = $("select", this.form);
    this.found = $(".found", root);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.search(1);
    });
    this.where.addEventListener("change", () => this.search(1));
  }

  enter(thread) {
    this.#thread = thread;
    this.#number += 1;
    this.input.value = "";
    this.found.replaceChildren(h("p", { class: "empty" },
      "Search what was said, or the documents and notes of the agent. An empty search lists them."));
  }

  async search(page, { focus = false } = {}) {
    const thread = this.#thread;
    const [q, where] = [this.input.value.trim(), this.where.value];
    const number = ++this.#number;
    try {
      const found = await thread.api[where](q, page);
      if (number !== this.#number) return;
      this.#show(where === "recall" ? exchangesOf(found) : passagesOf(found), {
        page: found.page,
        more: found.more ?? found.page < found.pages,
        total: found.total,
      });
      if (focus) this.found.focus();
    } catch (error) {
      if (number !== this.#number) return;
      const { title, reason } = Problem.from(error);
      this.found.replaceChildren(h("p", { class: "block-problem" }, `${title}. ${reason}`));
    }
  }

  #show(items, { page, more, total }) {
    const turn = (to, label) => h("button", {
      type: "button", class: "quiet", on: { click: () => this.search(to, { focus: true }) },
    }, label);
    this.found.replaceChildren(
      items.length > 0 ? h("ol", {}, items) : h("p", { class: "empty" }, "Nothing was found."),
      ...(page > 1 || more ? [h("div", { class: "pages" },
        page > 1 && turn(page - 1, "Previous"),
        h("span", { class: "sub" }, `Page ${page}${total ? `, ${counted(total, "passage")}` : ""}`),
        more && turn(page + 1, "Next"))] : []));
  }
}

function exchangesOf({ passages }) {
  return passages.map(({ exchange }) => h("li", {},
    h("p", { class: "sub" }, exchange.at && moment(exchange.at)),
    exchange.question && h("p", { class: "quote", dir: "auto" }, exchange.question),
    exchange.answer && h("p", { dir: "auto" }, exchange.answer)));
}

function passagesOf({ passages, sources }) {
  if (sources.length > 0) {
    return sources.map(({ source, passages: count, shared }) => h("li", {},
      h("p", { dir: "auto" }, source),
      h("p", { class: "sub" }, counted(count, "passage"), shared && ", shared by all users")));
  }
  return passages.map(({ text, heading, source, position, shared }) => h("li", {},
    h("p", { class: "sub", dir: "auto" }, [heading, `${source} ${position}`].filter(Boolean).join(" · "),
      shared && " · shared"),
    h("p", { class: "passage", dir: "auto" }, text)));
}
