// What the page says: entities, durations and reasons in words.

const ISO = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?)?$/;
const PREDICATE = /\(\{.*?\}\)(?=;|$| in the sentence itself)/g;

/** How an entity is named: `main` is read first; `exact` is its value where that differs. */
export function said({ quantity, negated, ...entity }) {
  const { main, exact } = plainly(entity);
  const counted = quantity === undefined ? main : `${quantity} × ${main}`;
  return { main: negated ? `not ${counted}` : counted, exact };
}

function plainly({ value, text, element }) {
  if (value === null || value === undefined) return { main: text || element, exact: "" };
  const date = spokenDate(String(value));
  if (date) return { main: text || date, exact: date };
  const same = value.toLowerCase() === text.toLowerCase();
  return { main: value, exact: same || !text ? "" : `“${text}”` };
}

/** Why something left the memory. `reading` are the entities of the sentence that pushed it out. */
export function whyGone(gone, { reading = [], timeout = 300, depth = 3 } = {}) {
  switch (gone.rule) {
    case "evicted":
      return gaveWay(gone, reading);
    case "timeout":
      return `forgotten: the pause was longer than ${lasting(timeout)}`;
    case "age":
      return `forgotten: nothing has used it for ${lasting(timeout)}`;
    case "depth":
      return `forgotten: the last ${counted(depth, "answer")} did not use it`;
    case "rejections":
      return "forgotten: too many questions in a row were not understood";
    case "topic":
      return "forgotten: the topic changed";
    case "reset":
      return "forgotten: a reset was asked for";
    case "elsewhere":
      return "left by a question on another channel";
    default:
      return `forgotten: ${gone.rule}`;
  }
}

/** What a reader of the screen should hear of a conversation that has changed without this page. */
export function heard(before, now, gone) {
  const more = now.questions - (before?.questions ?? now.questions);
  return [
    more > 0 && `${counted(more, "question")} came by another channel.`,
    more < 0 && "The conversation has begun anew.",
    gone.length > 0 && `Left the memory: ${named(gone)}.`,
  ].filter(Boolean).join(" ");
}

/** Entities by name, each once. */
export function named(entities) {
  return [...new Set(entities.map((entity) => said(entity).main))].join(", ");
}

/** A duration as a clock shows it: 4:05. */
export function clock(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours >= 24 * 1000) return "∞"; // a timeout that is meant to last for ever
  if (hours >= 48) return `${Math.floor(hours / 24)} d`;
  if (hours > 0) return `${hours}:${two(minutes)} h`;
  return `${minutes}:${two(whole % 60)}`;
}

/** A duration as one says it: 5 minutes. */
export function lasting(seconds) {
  if (seconds >= 86400 && seconds % 86400 === 0) return counted(seconds / 86400, "day");
  if (seconds >= 3600 && seconds % 3600 === 0) return counted(seconds / 3600, "hour");
  if (seconds >= 60 && seconds % 60 === 0) return counted(seconds / 60, "minute");
  return counted(seconds, "second");
}

export function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The time of day, with the date if it is not today's. */
export function moment(iso) {
  const at = new Date(iso);
  const today = at.toDateString() === new Date().toDateString();
  const time = { hour: "2-digit", minute: "2-digit", hour12: false };
  return at.toLocaleString("en-GB", today ? time : { day: "numeric", month: "short", ...time });
}

/** A reason cut into plain text and code: [{text, code}]. */
export function pieces(reason) {
  const found = [];
  let start = 0;
  for (const match of reason.matchAll(PREDICATE)) {
    found.push({ text: reason.slice(start, match.index), code: false });
    found.push({ text: match[0].slice(2, -2), code: true });
    start = match.index + match[0].length;
  }
  found.push({ text: reason.slice(start), code: false });
  return found.filter((piece) => piece.text);
}

/** The first letter large. */
export function sentence(text) {
  return text && text[0].toUpperCase() + text.slice(1);
}

function gaveWay(gone, reading) {
  const by = gone.by ?? "";
  const cut = by.indexOf("=");
  const [element, value] = cut < 0 ? [by, null] : [by.slice(0, cut), by.slice(cut + 1)];
  const same = (one) => one.element === element && (one.value ?? null) === value;
  const winner = reading.find(same) ?? reading.find((one) => one.element === element);
  const name = winner ? said(winner).main : (value ?? element);
  const again = element === gone.element && name === said(gone).main;
  return again ? "made room for itself, said again" : `gave way to ${name}`;
}

function spokenDate(value) {
  const ends = value.split("/");
  if (ends.length > 2 || !ends.every((end) => ISO.test(end))) return "";
  return ends.map(spokenDay).join(" – ");
}

function spokenDay(iso) {
  const at = new Date(iso.includes("T") ? iso : `${iso}T00:00`);
  const day = { weekday: "short", day: "numeric", month: "short" };
  const time = { hour: "2-digit", minute: "2-digit", hour12: false };
  return at.toLocaleString("en-GB", iso.includes("T") ? { ...day, ...time } : day);
}

function two(number) {
  return String(number).padStart(2, "0");
}
