/* The theme that was chosen, before anything is painted: no module, so that the page waits for it. */
"use strict";
(() => {
  let theme = null;
  try {
    theme = localStorage.getItem("anaphora.theme");
  } catch {
    // storage is switched off: the system's theme then
  }
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
})();
