// Where the focus goes when what has it is drawn anew, is hidden, or goes away.

const FOCUSABLE = "a[href], button, input, select, summary, [tabindex]";

/** Run `render` and leave the focus where it was: on what has the same name in the same part of the
 *  page. If that has gone: on the next of its kind if `neighbour`, else on the first of `otherwise`
 *  that can be seen, else on the heading of its panel, else on the question. */
export function keepFocus(render, { neighbour = false, otherwise = () => [] } = {}) {
  const before = document.activeElement;
  const place = placeOf(before);
  render();
  if (!place || before.checkVisibility()) return;
  const now = [...place.root.querySelectorAll(FOCUSABLE)];
  const alike = now.filter((element) => kindOf(element) === place.kind);
  const same = alike.filter((element) => nameOf(element) === place.name);
  const next = [
    same[place.nth] ?? same[0],
    neighbour ? alike[Math.min(place.index, alike.length - 1)] : null,
    ...otherwise(),
    place.root.closest(".panel")?.querySelector("h2"),
    document.querySelector("#question"),
    document.querySelector("[role=tabpanel]"),
  ].find((element) => element?.checkVisibility());
  next?.focus();
}

/** Make `nodes` the children of `parent`; those that are there already are not touched. */
export function arrange(parent, nodes) {
  const kept = new Set(nodes);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  nodes.forEach((node, index) => {
    if (parent.children[index] !== node) parent.insertBefore(node, parent.children[index] ?? null);
  });
}

function placeOf(element) {
  const root = element?.parentElement?.closest("[id]");
  if (!root) return null;
  const all = [...root.querySelectorAll(FOCUSABLE)];
  const [kind, name] = [kindOf(element), nameOf(element)];
  const alike = all.filter((one) => kindOf(one) === kind);
  return {
    root,
    kind,
    name,
    index: alike.indexOf(element),
    nth: alike.filter((one) => nameOf(one) === name).indexOf(element),
  };
}

function kindOf(element) {
  return `${element.tagName} ${element.classList[0] ?? ""}`;
}

function nameOf(element) {
  return element.ariaLabel ?? element.textContent;
}
