// Light, dark or as the system has it; and which view a narrow screen shows.

import { $, icon } from "./dom.js";
import { isModified } from "./keys.js";

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

/** The tabs of a narrow screen; a wide one shows all views at once, and no tabs. */
export function tabs(list) {
  const all = [...list.querySelectorAll('[role="tab"]')];
  const narrow = matchMedia("(width < 44rem)"); // as in style.css
  const chat = $("#chat");
  const why = $("#why"); // the panel of two tabs, for both show parts of it

  function select(tab) {
    document.body.dataset.tab = tab.dataset.tab;
    for (const one of all) {
      one.setAttribute("aria-selected", String(one === tab));
      one.tabIndex = one === tab ? 0 : -1;
    }
    describe();
  }

  function describe() {
    const tab = all.find((one) => one.getAttribute("aria-selected") === "true");
    for (const panel of [chat, why]) {
      if (narrow.matches) {
        const own = tab.getAttribute("aria-controls") === panel.id ? tab : null;
        panel.setAttribute("role", "tabpanel");
        panel.setAttribute("aria-labelledby", (own ?? all.find((one) =>
          one.getAttribute("aria-controls") === panel.id)).id);
      } else {
        panel.removeAttribute("role");
        panel.removeAttribute("aria-labelledby");
      }
    }
    why.tabIndex = narrow.matches ? 0 : -1; // it may have nothing else to put the focus on
  }

  list.addEventListener("click", (event) => {
    const tab = event.target.closest('[role="tab"]');
    if (tab) select(tab);
  });
  list.addEventListener("keydown", (event) => {
    const here = all.indexOf(document.activeElement);
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: -1 }[event.key];
    if (to === undefined || isModified(event)) return;
    event.preventDefault();
    const next = all.at(to % all.length);
    select(next);
    next.focus();
  });
  narrow.addEventListener("change", describe);
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
