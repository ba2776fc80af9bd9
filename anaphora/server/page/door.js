// The dialog that asks for a key. It opens by itself once for each key; who closes it is left alone.

import { $ } from "./dom.js";

export class Door {
  #dismissed = false;
  #entered = false; // a key, with which the dialog closes as well

  constructor({ dialog, onKey }) {
    this.dialog = dialog;
    this.input = $("input", dialog);
    this.alert = $("[role=alert]", dialog);
    $("form", dialog).addEventListener("submit", (event) => {
      event.preventDefault();
      const key = this.input.value.trim();
      if (!key) return;
      this.#entered = true;
      dialog.close();
      onKey(key);
    });
    $("[data-close]", dialog).addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => {
      this.#dismissed = !this.#entered;
      this.#entered = false;
      this.input.value = "";
    });
  }

  get isOpen() {
    return this.dialog.open;
  }

  /** Ask for a key because the user wants to enter one. */
  open(reason = "") {
    if (!this.dialog.open) this.dialog.showModal();
    this.alert.textContent = reason; // once it is displayed, else nobody hears of it
    if (reason) this.input.setAttribute("aria-invalid", "true");
    else this.input.removeAttribute("aria-invalid");
  }

  /** Ask for a key because the service does, unless the user has closed the dialog already. */
  offer(reason = "") {
    if (!this.#dismissed) this.open(reason);
  }
}
