// The bar at the top: the model, the user, the reset, the key, the theme.

import { $, h, icon } from "./dom.js";
import { themeSwitch } from "./look.js";
import { menu } from "./menu.js";

export class Header {
  #user = ""; // who asks now: what an empty field goes back to

  constructor({ onModel, onAgent, onUser, onReset, onKey, onHelp }) {
    Object.assign(this, { model: $("#model"), field: $("#user"), onUser });
    $("#choice").append(icon("down"));
    $("#more").append(icon("more"));
    $("#help").append(icon("keys"));
    themeSwitch($("#theme"));
    menu($("#reset"), $("#reset-menu"), (item) => onReset(item.dataset.what));
    $("#key").addEventListener("click", onKey);
    $("#help").addEventListener("click", onHelp);
    $("#more").addEventListener("click", () =>
      this.#openTools(!$("#tools").classList.contains("open")));
    this.model.addEventListener("change", () => {
      const { agent } = this.model.selectedOptions[0].dataset;
      if (agent === undefined) onModel(this.model.value);
      else onAgent(agent);
    });
    this.field.addEventListener("change", () => this.#enterUser());
    $("#user-form").addEventListener("submit", (event) => {
      event.preventDefault(); // the focus stays in the field
      this.#enterUser();
    });
  }

  /** Show who asks. What is being typed is left alone, unless the key speaks for one user. */
  showUser({ user, me }) {
    this.#user = user;
    if (this.field !== document.activeElement || me?.user) this.field.value = user;
    this.field.readOnly = Boolean(me?.user);
    this.field.removeAttribute("aria-invalid");
    if (me) $("#key").hidden = me.id === null;
  }

  /** Mark the user as what is wrong; false if the user cannot be changed here. */
  refuseUser() {
    if (this.field.readOnly) return false;
    this.field.setAttribute("aria-invalid", "true");
    this.#openTools(true);
    return true;
  }

  offerKey() {
    $("#key").hidden = false;
  }

  listModels(models, agents = []) {
    const choices = models.map(({ id, name }) => h("option", { value: id }, name || id));
    this.model.replaceChildren(...(agents.length === 0 ? choices : [
      h("optgroup", { label: "Models" }, choices),
      h("optgroup", { label: "Agents" }, agents.map(({ name }) =>
        h("option", { value: agentChoice(name), data: { agent: name } }, name))),
    ]));
    this.model.disabled = models.length + agents.length < 2;
  }

  showAgent(name) {
    this.model.value = agentChoice(name);
    this.model.disabled = false;
  }

  showModel(id) {
    this.model.value = id;
    this.model.disabled = this.model.options.length < 2;
  }

  /** No model can be chosen until they are listed. */
  lockModels() {
    this.model.disabled = true;
  }

  nameOf(id) {
    return [...this.model.options].find((option) => option.value === id)?.text ?? id;
  }

  #enterUser() {
    const user = this.field.value.trim();
    if (user) this.onUser(user);
    else this.field.value = this.#user;
  }

  #openTools(open) {
    $("#tools").classList.toggle("open", open);
    $("#more").setAttribute("aria-expanded", String(open));
  }
}

/** The value of an agent among the models: a model has no such id. */
function agentChoice(name) {
  return `agent ${name}`;
}
