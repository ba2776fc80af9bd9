// The knowledge graph, to be walked: an entity in the middle, what is known of it around it, now or
// as of a time, as a picture and as a table.

import { Problem } from "../api.js";
import { $, h } from "../dom.js";
import { keepFocus } from "../focus.js";
import { moment } from "../words.js";
import { pictureOf } from "./picture.js";

const USER = "user"; // the entity that stands for the user; it is not among those mentioned
const CHIPS = 12;

export class GraphView {
  #thread = null;
  #entity = "";
  #number = 0; // of the last look: an older answer that comes later is not shown
  #trail = []; // the entities before this one
  #shown = ""; // what is drawn

  constructor(root, { onSay }) {
    this.onSay = onSay;
    this.at = $("[name=at]", root);
    this.depth = $("[name=depth]", root);
    this.now = $("[data-now]", root);
    this.back = $("[data-back]", root);
    this.entities = $(".entities", root);
    this.picture = $(".picture", root);
    this.table = $(".facts", root);
    $("form", root).addEventListener("submit", (event) => event.preventDefault());
    this.at.addEventListener("change", () => this.look());
    this.depth.addEventListener("change", () => this.look());
    this.now.addEventListener("click", () => {
      this.at.value = "";
      this.at.focus();
      this.look();
    });
    this.back.addEventListener("click", () => {
      this.#entity = this.#trail.pop();
      this.look({ focus: true });
    });
  }

  enter(thread) {
    this.#thread = thread;
    this.#number += 1;
    this.#entity = "";
    this.#trail = [];
    this.#shown = "";
    this.at.value = "";
    for (const part of [this.entities, this.picture, this.table]) part.replaceChildren();
  }

  /** Put an entity in the middle. */
  go(entity) {
    if (entity === this.#entity) return;
    if (this.#entity) this.#trail.push(this.#entity);
    this.#entity = entity;
    this.look({ focus: true });
  }

  async look({ focus = false } = {}) {
    const thread = this.#thread;
    if (!thread?.info.graph) return;
    const number = ++this.#number;
    const at = this.at.value ? new Date(this.at.value).toISOString() : "";
    const depth = Number(this.depth.value);
    try {
      const { entities } = await thread.api.graph({ at });
      let entity = this.#entity || USER;
      let { facts } = await thread.api.graph({ entity, depth, at });
      if (!this.#entity && facts.length === 0) {
        entity = entities[0]?.name ?? "";
        if (entity) ({ facts } = await thread.api.graph({ entity, depth, at }));
      }
      if (number !== this.#number) return;
      this.#entity = entity;
      const name = JSON.stringify([entities, entity, facts]);
      if (name === this.#shown && !focus) return;
      this.#shown = name;
      keepFocus(() => this.#show(entities, entity, facts));
      if (focus) {
        (this.picture.querySelector(".node.here") ?? this.picture).focus();
        this.onSay(`${entity}: ${facts.length === 1 ? "1 fact" : `${facts.length} facts`}.`);
      }
    } catch (error) {
      if (number !== this.#number) return;
      const { title, reason } = Problem.from(error);
      this.#shown = "";
      this.picture.replaceChildren(h("p", { class: "block-problem" }, `${title}. ${reason}`));
    }
  }

  #show(entities, entity, facts) {
    this.back.disabled = this.#trail.length === 0;
    this.now.disabled = this.at.value === "";
    const user = entity ? [{ name: USER, kind: "", count: 0 }] : [];
    this.entities.replaceChildren(...[...user, ...entities.slice(0, CHIPS)].map(({ name, kind, count }) => h("li", {},
      h("button", {
        type: "button",
        class: "quiet",
        "aria-pressed": String(name === entity),
        title: count > 0 ? `${kind ? `${kind}, ` : ""}mentioned ${count}×` : null,
        dir: "auto",
        on: { click: () => this.go(name) },
      }, name))));
    if (!entity) {
      this.picture.replaceChildren(h("p", { class: "empty" },
        this.at.value ? "Nothing was known at that time." : "Nothing is known yet. Facts gather here as the agent learns them."));
      this.table.replaceChildren();
      return;
    }
    this.picture.replaceChildren(
      ...pictureOf(entity, facts, { onGo: (name) => this.go(name) }),
      ...(facts.length === 0 ? [h("p", { class: "sub" }, "No fact about it holds at this time.")] : []));
    this.table.replaceChildren(this.#tableOf(entity, facts));
  }

  #tableOf(entity, facts) {
    const button = (name) => h("button", {
      type: "button", class: "link", dir: "auto", disabled: name === entity, on: { click: () => this.go(name) },
    }, name);
    return h("details", { open: this.table.querySelector("details")?.open ?? false },
      h("summary", {}, `The same as a table (${facts.length})`),
      h("div", { class: "wide", tabindex: 0, role: "group", "aria-label": "Facts" },
        h("table", {},
          h("thead", {}, h("tr", {}, ["Subject", "Relation", "Object", "Since", "Until", "Stated"].map((name) =>
            h("th", { scope: "col" }, name)))),
          h("tbody", {}, facts.map((fact) => h("tr", {},
            h("td", {}, button(fact.subject)),
            h("td", { dir: "auto" }, fact.relation),
            h("td", {}, button(fact.object)),
            h("td", {}, fact.valid_at ? moment(fact.valid_at) : ""),
            h("td", {}, fact.invalid_at ? moment(fact.invalid_at) : "holds"),
            h("td", {}, `${fact.count}×`)))))));
  }
}
