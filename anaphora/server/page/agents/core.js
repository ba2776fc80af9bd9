// The core memory and the declared memories: texts that the user may edit, each block with what it
// holds of what it may hold.

import { Problem } from "../api.js";
import { h } from "../dom.js";
import { number } from "./context.js";

export class CoreView {
  #blocks = new Map(); // by label
  #values = new Map(); // editors of declared memories, by name
  #kept = new Map(); // their values
  #memories = h("div", { class: "memories" });
  #thread = null;

  /** `onSaved` gets the core memory after an edit. */
  constructor({ root, onSaved }) {
    Object.assign(this, { root, onSaved });
  }

  /** Show the core memory. What is being edited is left alone. */
  show(thread, core) {
    if (this.#thread !== thread) this.#clear();
    this.#thread = thread;
    for (const { label, value, limit, description, read_only: fixed } of core.blocks) {
      if (!this.#blocks.has(label)) this.#blocks.set(label, this.#build(label, (api, text) => api.edit(label, text)));
      const mark = fixed ? "the agent may only read it" : "";
      this.#blocks.get(label).take({ value, limit, description, mark });
    }
    for (const { name, value, turn } of core.memories) {
      if (!this.#values.has(name)) {
        this.#values.set(name, this.#build(name, (api, text) => api.editMemory(name, valueOf(text, this.#kept.get(name)))));
      }
      this.#kept.set(name, value);
      const mark = turn > 0 ? `of turn ${turn}` : "";
      this.#values.get(name).take({ value: textOf(value), limit: 0, description: "", mark });
    }
    fill(this.#memories, core.memories.map(({ name }) => this.#values.get(name).element));
    fill(this.root, [...core.blocks.map(({ label }) => this.#blocks.get(label).element), this.#memories]);
  }

  /** What the service cannot or may not tell. */
  blank(why) {
    this.#clear();
    this.#thread = null;
    this.root.replaceChildren(h("p", { class: "empty" }, why));
  }

  #clear() {
    for (const known of [this.#blocks, this.#values, this.#kept]) known.clear();
  }

  /** An editor of a text, which `send` gives to the service. */
  #build(label, send) {
    const id = `core-${this.#blocks.size + this.#values.size}`;
    const area = h("textarea", {
      id, rows: 3, dir: "auto", spellcheck: "false", "aria-describedby": `${id}-about ${id}-problem`,
    });
    const count = h("span", { class: "count" });
    const mark = h("span", { class: "mark" });
    const about = h("p", { class: "sub", id: `${id}-about` });
    const problem = h("p", { class: "block-problem", id: `${id}-problem`, role: "alert" });
    const save = h("button", { type: "button", class: "quiet", on: { click: () => store() } }, "Save");
    const undo = h("button", { type: "button", class: "quiet", on: { click: () => reset() } }, "Undo");
    const element = h("section", { class: "block", data: { label } },
      h("h3", {}, h("label", { for: id }, label), mark, count),
      about, area, problem, h("div", { class: "choices", hidden: true }, save, undo));
    const choices = element.lastChild;
    let block = { value: "", limit: 0 };
    let saving = false;

    const refresh = () => {
      const used = [...area.value].length;
      const dirty = area.value !== block.value;
      count.textContent = block.limit > 0 ? `${number(used)} of ${number(block.limit)}` : "";
      count.classList.toggle("over", block.limit > 0 && used > block.limit);
      element.classList.toggle("dirty", dirty);
      choices.hidden = !dirty && !saving;
      save.disabled = saving;
      save.textContent = saving ? "Saving …" : "Save";
      undo.disabled = saving;
      area.rows = Math.min(12, Math.max(2, area.value.split("\n").length, Math.ceil(used / 60)));
    };
    const reset = () => {
      area.value = block.value;
      problem.textContent = "";
      area.removeAttribute("aria-invalid");
      area.focus();
      refresh();
    };
    const store = async () => {
      const thread = this.#thread;
      const value = area.value;
      if (element.contains(document.activeElement)) area.focus(); // the buttons are about to go
      saving = true;
      refresh();
      try {
        const core = await send(thread.api, value);
        saving = false;
        problem.textContent = "";
        area.removeAttribute("aria-invalid");
        if (this.#thread !== thread) return;
        block = { ...block, value };
        this.onSaved(thread, core);
        refresh();
      } catch (error) {
        const { title, reason } = Problem.from(error);
        saving = false;
        problem.textContent = `Not saved. ${title}. ${reason}`;
        area.setAttribute("aria-invalid", "true");
        refresh();
      }
    };
    area.addEventListener("input", refresh);
    area.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !save.disabled) {
        event.preventDefault();
        store();
      } else if (event.key === "Escape" && area.value !== block.value && !saving) {
        event.preventDefault();
        event.stopPropagation();
        reset();
      }
    });
    const take = (now) => {
      const dirty = area.value !== block.value || saving;
      const changed = now.value !== block.value;
      block = now;
      mark.textContent = now.mark;
      about.textContent = now.description;
      if (!dirty) area.value = now.value;
      else if (changed && !saving && area.value !== now.value) {
        problem.textContent = "The agent has changed this block meanwhile. Undo shows its text.";
      }
      refresh();
    };
    return { element, take };
  }
}

/** Put the elements into `root`, unless they are there. */
function fill(root, elements) {
  const same = elements.every((element, index) => root.children[index] === element);
  if (!same || root.children.length !== elements.length) root.replaceChildren(...elements);
}

/** The value of a declared memory as a text to edit. */
function textOf(value) {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value, null, 1);
}

/** The value of a text that was edited; a memory with fields is JSON. */
function valueOf(text, before) {
  if (text.trim() === "") return null;
  if (typeof before === "string" || (before === null && !text.trim().startsWith("{"))) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem({ slug: "not-json", title: "This is not JSON", detail: 'Write {"field": "value"}.' });
  }
}
