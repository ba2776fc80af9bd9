// Light, dark or as the system has it; and which view a narrow screen shows.

import { icon } from "./dom.js";

const NEXT = { system: "light", light: "dark", dark: "system" };
const NAMES = { system: "as the system", light: "light", dark: "dark" };

export function themeSwitch(button) {
  const show = () => {
    const theme = current();
    const label = `Theme: ${NAMES[theme]}. Switch to ${NAMES[NEXT[theme]]}`;
    button.replaceChildren(icon(theme));
    button.setAttribute("aria-label", label);
    button.title = label;
  };
  button.addEventListener("click", () => {
    choose(NEXT[current()]);
    show();
  });
  show();
}

/** The tabs of a narrow screen; a wide one shows all views at once. */
export function tabs(list) {
  const all = [...list.querySelectorAll('[role="tab"]')];

  function select(tab) {
    document.body.dataset.tab = tab.dataset.tab;
    for (const one of all) {
      one.setAttribute("aria-selected", String(one === tab));
      one.tabIndex = one === tab ? 0 : -1;
    }
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) select(tab);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = all.at((all.indexOf(document.activeElement) + step) % all.length);
    select(next);
    next.focus();
  });
  select(all[0]);
  return { select: (name) => select(all.find((tab) => tab.dataset.tab === name)) };
}

function current() {
  return document.documentElement.dataset.theme ?? "system";
}

function choose(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem("anaphora.theme");
    else localStorage.setItem("anaphora.theme", theme);
  } catch {
    // without storage the choice lasts until the next load
  }
}
