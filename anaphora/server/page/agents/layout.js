// Places for the nodes of a graph: springs along the edges, repulsion between all nodes. The same
// graph gets the same places.

const ROUNDS = 300;
const SPRING = 76; // the length of an edge at rest
const WIDE = 2; // names are wider than high: nodes keep further apart from side to side
const FLAT = 0.02; // how much all are drawn to the middle line: a panel is wider than high

/** Places by name: [{ name, depth }] and [{ from, to }]; the node of depth 0 stays at 0, 0. */
export function layout(nodes, edges) {
  const places = new Map(nodes.map((node, index) => [node.name, start(node, index, nodes)]));
  const all = nodes.map((node) => ({ node, at: places.get(node.name) }));
  for (let round = 0; round < ROUNDS; round += 1) {
    const heat = 14 * (1 - round / ROUNDS);
    for (const one of all) one.push = { x: 0, y: 0 };
    for (let i = 0; i < all.length; i += 1) {
      for (let k = i + 1; k < all.length; k += 1) repel(all[i], all[k]);
    }
    const byName = new Map(all.map((one) => [one.node.name, one]));
    for (const { from, to } of edges) attract(byName.get(from), byName.get(to));
    for (const { node, at, push } of all) {
      if (node.depth === 0) continue;
      push.y -= FLAT * at.y;
      const length = Math.hypot(push.x, push.y) || 1;
      at.x += (push.x / length) * Math.min(length, heat);
      at.y += (push.y / length) * Math.min(length, heat);
    }
  }
  return places;
}

/** On rings by depth, turned so that no two nodes begin at one place. */
function start(node, index, nodes) {
  if (node.depth === 0) return { x: 0, y: 0 };
  const ring = nodes.filter((one) => one.depth === node.depth);
  const angle = (2 * Math.PI * ring.indexOf(node)) / ring.length + 0.4 * node.depth - Math.PI / 2;
  const radius = SPRING * node.depth + (index % 3);
  return { x: radius * Math.cos(angle) * WIDE, y: radius * Math.sin(angle) };
}

function repel(one, other) {
  const x = (one.at.x - other.at.x) / WIDE;
  const y = one.at.y - other.at.y;
  const distance = Math.max(8, Math.hypot(x, y));
  const force = 0.06 * (SPRING / distance) ** 2;
  push(one, other, x * force, y * force);
}

function attract(one, other) {
  const x = other.at.x - one.at.x;
  const y = other.at.y - one.at.y;
  const distance = Math.max(1, Math.hypot(x / WIDE, y));
  const force = 0.12 * (distance - SPRING) / distance;
  push(one, other, x * force, y * force);
}

function push(one, other, x, y) {
  one.push.x += x;
  one.push.y += y;
  other.push.x -= x;
  other.push.y -= y;
}
