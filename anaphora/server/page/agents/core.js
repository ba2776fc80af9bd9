// The core memory: blocks that the user may edit, each with what it holds of what it may hold.

import { Problem } from "../api.js";
import { h } from "../dom.js";
import { number } from "./context.js";

export class CoreView {
  #blocks = new Map(); // by label
  #memories = h("div", { class: "memories" });
  #thread = null;

  /** `onSaved` gets the core memory after an edit. */
  constructor({ root, onSaved }) {
    Object.assign(this, { root, onSaved });
  }

  /** Show the core memory. What is being edited is left alone. */
  show(thread, core) {
    if (this.#thread !== thread) this.#blocks.clear();
    this.#thread = thread;
    for (const block of core.blocks) {
      if (!this.#blocks.has(block.label)) this.#blocks.set(block.label, this.#build(block.label));
      this.#blocks.get(block.label).take(block);
    }
    this.#memories.replaceChildren(...core.memories.map(({ name, value, turn }) =>
      h("div", { class: "memory-value" }, h("h3", {}, name, h("span", { class: "mark" }, turn > 0 ? `of turn ${turn}` : "")),
        h("p", { dir: "auto" }, typeof value === "string" ? value : JSON.stringify(value, null, 1)))));
    const elements = [...core.blocks.map(({ label }) => this.#blocks.get(label).element), this.#memories];
    const same = elements.every((element, index) => this.root.children[index] === element);
    if (!same || this.root.children.length !== elements.length) this.root.replaceChildren(...elements);
  }

  /** What the service cannot or may not tell. */
  blank(why) {
    this.#blocks.clear();
    this.#thread = null;
    this.root.replaceChildren(h("p", { class: "empty" }, why));
  }

  #build(label) {
    const id = `core-${[...this.#blocks.keys()].length}`;
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
      count.textContent = `${number(used)} of ${number(block.limit)}`;
      count.classList.toggle("over", used > block.limit);
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
        const core = await thread.api.edit(label, value);
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
      mark.textContent = now.read_only ? "the agent may only read it" : "";
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
