// Movements that explain: a thing goes from where it was to what became of it.

const still = matchMedia("(prefers-reduced-motion: reduce)");

/** Let `element` come from `from`, the place (a DOMRect) of what it was before. */
export function comeFrom(element, from) {
  if (still.matches || !from || from.width === 0) return;
  const to = element.getBoundingClientRect();
  if (to.width === 0) return;
  const [x, y] = [from.left - to.left, from.top - to.top];
  element.animate(
    [
      { transform: `translate(${x}px, ${y}px)`, opacity: 0.2 },
      { opacity: 1, offset: 0.4 },
      { transform: "none" },
    ],
    { duration: 520, easing: "cubic-bezier(.2,.75,.25,1)" },
  );
}

/** Let what is new appear where it stands. */
export function appear(element) {
  if (still.matches) return;
  element.animate(
    [{ opacity: 0, transform: "translateY(6px)" }, { opacity: 1, transform: "none" }],
    { duration: 260, easing: "ease-out" },
  );
}

export function placeOf(element) {
  return element?.getBoundingClientRect() ?? null;
}
