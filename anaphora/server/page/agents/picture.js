// The picture of a part of the knowledge graph: nodes that can be clicked and walked by the arrows.

import { h, svg } from "../dom.js";
import { isModified } from "../keys.js";
import { layout } from "./layout.js";

const MOST = 36; // nodes; the table has all facts
const LABEL = 26; // letters

/** Draw the facts around `center`; `onGo` is called with the entity that is chosen. */
export function pictureOf(center, facts, { onGo }) {
  const { nodes, edges, hidden } = graphOf(center, facts);
  const places = layout(nodes, edges);
  const box = frameOf(nodes, places);
  const root = svg("svg", {
    class: "graph",
    viewBox: `${box.x} ${box.y} ${box.width} ${box.height}`,
    role: "group",
    "aria-label": `What surrounds ${center}. Arrows move between the nodes, Enter goes to one.`,
  },
  svg("defs", {}, svg("marker", {
    id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse",
  }, svg("path", { d: "M0 0 8 4 0 8Z" }))),
  edges.map((edge) => edgeOf(edge, places)),
  nodes.map((node) => nodeOf(node, places, onGo)));
  walk(root, nodes, places);
  return [root, hidden > 0 && h("p", { class: "sub" }, `${hidden} more in the table.`)].filter(Boolean);
}

/** The nodes with their depth, nearest first, and one edge for each pair of nodes. */
function graphOf(center, facts) {
  const same = (name) => name.toLowerCase() === center.toLowerCase();
  const first = facts.flatMap(({ subject, object }) => [subject, object]).find(same) ?? center;
  const depths = new Map([[first, 0]]);
  for (let depth = 1; depth <= 2; depth += 1) {
    for (const { subject, object } of facts) {
      if (depths.get(subject) === depth - 1 && !depths.has(object)) depths.set(object, depth);
      if (depths.get(object) === depth - 1 && !depths.has(subject)) depths.set(subject, depth);
    }
  }
  const all = [...depths].map(([name, depth]) => ({ name, depth }));
  const nodes = all.slice(0, MOST);
  const shown = new Set(nodes.map(({ name }) => name));
  const pairs = Map.groupBy(
    facts.filter(({ subject, object }) => subject !== object && shown.has(subject) && shown.has(object)),
    ({ subject, object }) => JSON.stringify([subject, object]));
  const edges = [...pairs.values()].map((group) => ({
    from: group[0].subject,
    to: group[0].object,
    relations: group.map(({ relation }) => relation),
    isTwoWay: pairs.has(JSON.stringify([group[0].object, group[0].subject])),
  }));
  return { nodes, edges, hidden: all.length - nodes.length };
}

function frameOf(nodes, places) {
  const all = nodes.map(({ name }) => ({ ...places.get(name), half: Math.max(30, cut(name).length * 4.2) }));
  const left = Math.min(...all.map(({ x, half }) => x - half)) - 12;
  const right = Math.max(...all.map(({ x, half }) => x + half)) + 12;
  const top = Math.min(...all.map(({ y }) => y)) - 32;
  const bottom = Math.max(...all.map(({ y }) => y)) + 44;
  const [width, height] = [Math.max(420, right - left), Math.max(220, bottom - top)];
  return { x: (left + right - width) / 2, y: (top + bottom - height) / 2, width, height };
}

/** A line with its relations; one of two between the same nodes bends aside. */
function edgeOf({ from, to, relations, isTwoWay }, places) {
  const [a, b] = [places.get(from), places.get(to)];
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const [x, y] = [(b.x - a.x) / length, (b.y - a.y) / length];
  const bend = isTwoWay ? 34 : 0;
  const middle = { x: (a.x + b.x) / 2 - y * bend, y: (a.y + b.y) / 2 + x * bend };
  const start = { x: a.x + x * 10, y: a.y + y * 10 };
  const end = { x: b.x - x * 13, y: b.y - y * 13 };
  const text = relations.slice(0, 2).join(", ") + (relations.length > 2 ? ` +${relations.length - 2}` : "");
  const at = { x: (a.x + b.x) / 2 - y * bend / 2, y: (a.y + b.y) / 2 + x * bend / 2 };
  return svg("g", { class: "edge", "aria-hidden": "true" },
    svg("title", {}, `${from} ${relations.join(", ")} ${to}`),
    svg("path", {
      d: `M${start.x} ${start.y}Q${middle.x} ${middle.y} ${end.x} ${end.y}`, "marker-end": "url(#arrow)",
    }),
    svg("text", { x: at.x, y: at.y - 3 }, cut(text)));
}

function nodeOf({ name, depth }, places, onGo) {
  const { x, y } = places.get(name);
  return svg("g", {
    class: depth === 0 ? "node here" : `node depth-${depth}`,
    role: "button",
    tabindex: depth === 0 ? 0 : -1,
    transform: `translate(${x} ${y})`,
    "aria-label": depth === 0 ? `${name}, in the middle` : `Go to ${name}`,
    "aria-current": depth === 0 ? "true" : null,
    data: { entity: name },
    on: { click: () => onGo(name) },
  },
  svg("title", {}, name),
  svg("circle", { class: "halo", r: 16 }),
  svg("circle", { class: "dot", r: depth === 0 ? 9 : 7 }),
  svg("text", { y: 24 }, cut(name)));
}

/** The arrows go to the nearest node in their direction, Enter and Space choose. */
function walk(root, nodes, places) {
  const elementOf = (name) => root.querySelector(`[data-entity="${CSS.escape(name)}"]`);
  root.addEventListener("keydown", (event) => {
    const here = event.target.closest(".node");
    if (!here || isModified(event)) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      here.dispatchEvent(new MouseEvent("click"));
      return;
    }
    const to = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
    if (!to) return;
    event.preventDefault();
    const at = places.get(here.dataset.entity);
    let best = { cost: Infinity, name: null };
    for (const { name } of nodes) {
      const [x, y] = [places.get(name).x - at.x, places.get(name).y - at.y];
      const along = x * to[0] + y * to[1];
      if (along <= 1) continue;
      const cost = along + 2 * Math.abs(x * to[1] - y * to[0]);
      if (cost < best.cost) best = { cost, name };
    }
    if (best.name === null) return;
    here.setAttribute("tabindex", "-1");
    const next = elementOf(best.name);
    next.setAttribute("tabindex", "0");
    next.focus();
  });
}

function cut(text) {
  const letters = [...text];
  return letters.length > LABEL ? `${letters.slice(0, LABEL - 1).join("")}…` : text;
}
