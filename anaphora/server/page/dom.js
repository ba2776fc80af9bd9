// Elements from a line of code. Text only ever becomes text: nothing here parses HTML.

/** The element `tag` with attributes and children. `class`, `on` (listeners by event), `vars`
 *  (custom properties) and `data` are known; other attributes are set unless null or false. */
export function h(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** The same for SVG. */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), props, children);
}

export function $(selector, root = document) {
  return root.querySelector(selector);
}

const PATHS = {
  send: ["M12 19V5", "M5.5 11.5 12 5l6.5 6.5"],
  more: ["M4 7h10", "M18 7h2", "M4 17h2", "M10 17h10", "M16 4.8v4.4", "M8 14.8v4.4"],
  keys: ["M9 9.2a3 3 0 1 1 4.4 2.65c-.9.5-1.4 1.1-1.4 2.15", "M12 17.6v.1"],
  light: ["M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z", "M12 2.5v2", "M12 19.5v2", "M2.5 12h2",
    "M19.5 12h2", "m5.3 5.3 1.4 1.4", "m17.3 17.3 1.4 1.4",
    "m5.3 18.7 1.4-1.4", "m17.3 6.7 1.4-1.4"],
  dark: ["M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z"],
  system: ["M12 4a8 8 0 1 0 0 16Z", "M12 4a8 8 0 0 1 0 16"],
  close: ["M7 7l10 10", "M17 7 7 17"],
  back: ["M9.5 6 4 11.5 9.5 17", "M4 11.5h10a6 6 0 0 1 6 6"],
  again: ["M19 12a7 7 0 1 1-2.2-5.1", "M19.5 3.5v4h-4"],
  down: ["M7 10l5 5 5-5"],
};

/** A line icon. It is decoration: what it stands for is said by its button. */
export function icon(name) {
  return svg(
    "svg",
    { viewBox: "0 0 24 24", "aria-hidden": "true", class: "glyph" },
    ...PATHS[name].map((d) => svg("path", { d })),
  );
}

function fill(element, props, children) {
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) {
        element.addEventListener(event, listener);
      }
    } else if (name === "vars") {
      for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    } else if (name === "data") {
      Object.assign(element.dataset, value);
    } else {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(3).filter((child) => child !== null && child !== false));
  return element;
}
