// A button that opens a menu, with the keys that a menu has.

import { isModified } from "./keys.js";

export function menu(button, list, onChoose) {
  const items = () => [...list.querySelectorAll('[role="menuitem"]')];

  function open(place) {
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    items().at(place).focus();
  }

  function close({ refocus = true } = {}) {
    if (list.hidden) return;
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (refocus) button.focus();
  }

  button.addEventListener("click", () => (list.hidden ? open(0) : close()));
  button.addEventListener("keydown", (event) => {
    const place = { ArrowDown: 0, ArrowUp: -1 }[event.key];
    if (place === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(place);
  });
  list.addEventListener("click", (event) => {
    const item = event.target.closest('[role="menuitem"]');
    if (!item) return;
    close();
    onChoose(item);
  });
  list.addEventListener("keydown", (event) => {
    const all = items();
    const here = all.indexOf(document.activeElement);
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 }[event.key];
    if (to !== undefined && !isModified(event)) {
      event.preventDefault();
      all[(to + all.length) % all.length].focus();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    } else if (event.key === "Tab") {
      close({ refocus: false });
    }
  });
  document.addEventListener("pointerdown", (event) => {
    if (!list.contains(event.target) && !button.contains(event.target)) close({ refocus: false });
  });
}
