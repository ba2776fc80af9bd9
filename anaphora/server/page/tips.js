// What an entity is, while the pointer or the focus is on it.

import { h } from "./dom.js";

export function tips(tip) {
  let owner = null;

  function show(target) {
    owner = target;
    tip.replaceChildren(h("dl", {}, JSON.parse(target.dataset.tip).map(([name, text]) =>
      h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, text)))));
    tip.hidden = false;
    target.setAttribute("aria-describedby", tip.id);
    const [at, size] = [target.getBoundingClientRect(), tip.getBoundingClientRect()];
    const left = Math.min(Math.max(8, at.left), innerWidth - size.width - 8);
    const below = at.bottom + 8 + size.height < innerHeight;
    tip.style.left = `${left}px`;
    tip.style.top = `${below ? at.bottom + 8 : Math.max(8, at.top - size.height - 8)}px`;
  }

  function hide() {
    owner?.removeAttribute("aria-describedby");
    owner = null;
    tip.hidden = true;
  }

  const over = (event) => {
    const target = event.target.closest?.("[data-tip]");
    if (target && target !== owner) show(target);
    else if (!target && owner && document.activeElement !== owner) hide();
  };
  document.addEventListener("pointerover", over);
  document.addEventListener("focusin", over);
  document.addEventListener("focusout", (event) => event.target === owner && hide());
  document.addEventListener("scroll", hide, { capture: true, passive: true });
  return {
    hide,
    /** Hide it if what it tells of has gone. */
    settle: () => owner && !owner.isConnected && hide(),
    get shown() { return owner !== null; },
  };
}
