// What the page knows of one agent with one user.

import { Problem } from "../api.js";

export class AgentThread {
  constructor() {
    this.info = null; // of the agent, as the service lists it
    this.api = null;
    this.turns = []; // messages of the user: sent here, or read from the last events
    this.answers = []; // of the last events, oldest first
    this.queue = null;
    this.core = null;
    this.usage = null;
    this.unreadable = null; // the problem of the last look
    this.draft = "";
  }

  get isBusy() {
    return this.turns.some((turn) => turn.state === "sending");
  }

  begin(text) {
    const turn = turnOf(newId(), text, "sending");
    this.turns.push(turn);
    return turn;
  }

  /** Take what the service says of the last events. */
  take(queue, answers) {
    Object.assign(this, { queue, answers });
    const known = new Map(this.turns.map((turn) => [turn.id, turn]));
    const earlier = [];
    for (const answer of answers) {
      if (answer.kind !== "user_message" && answer.messages.length === 0) continue;
      const turn = known.get(answer.event);
      if (turn) settle(turn, answer);
      else {
        const text = answer.kind === "user_message" ? answer.event_text : null;
        earlier.push(settle(turnOf(answer.event, text, "done"), answer));
      }
    }
    const places = new Map(answers.map(({ event }, index) => [event, index]));
    // Those that the service has told of before are older, those it has not heard of are newer.
    const placeOf = (turn) => places.get(turn.id) ?? (turn.known ? -1 : answers.length);
    this.turns = [...earlier, ...this.turns].sort((one, other) => placeOf(one) - placeOf(other));
  }
}

/** What the user has been told in a turn so far. */
export function messagesOf(turn) {
  if (turn.answer?.ended) return turn.answer.messages;
  return turn.steps.flatMap((step) => step.calls)
    .filter((call) => call.name === "send_message" && !call.failed)
    .map((call) => argumentsOf(call)?.message)
    .filter((text) => typeof text === "string");
}

/** The arguments of a call; null if the model wrote no JSON object. */
export function argumentsOf(call) {
  try {
    const found = JSON.parse(call.arguments);
    return found !== null && typeof found === "object" && !Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}

function turnOf(id, text, state) {
  return {
    id, text, state, kind: "user_message", steps: [], writing: "", answer: null, problem: null, failedAt: 0, known: false,
  };
}

/** Let a turn say what the service does. What this page is still waiting for is left alone. */
function settle(turn, answer) {
  Object.assign(turn, { known: true, kind: answer.kind });
  if (turn.state === "sending") return turn;
  Object.assign(turn, { answer, steps: answer.steps });
  if (answer.ended === "failed") {
    turn.problem ??= new Problem({ slug: "failed", title: "The agent could not answer", detail: answer.detail });
    turn.state = "failed";
  } else if (answer.ended) Object.assign(turn, { state: "done", problem: null });
  else if (turn.state === "done") turn.state = "elsewhere";
  return turn;
}

/** `crypto.randomUUID` exists only on secure origins, and this page is also served on others. */
function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
