// One conversation as the page knows it: its turns, and what the service says of its memory.

let turns = 0;

export class Thread {
  constructor(user, model) {
    this.who = { user, model };
    this.turns = [];
    this.conversation = null; // as GET /v1/conversation gave it last
    this.left = []; // what left the memory since the last answer, without a question of ours
    this.selected = null; // the turn that is looked at; null is now
    this.sample = null; // the sample dialog that is being played: { texts, at }
    this.draft = "";
    this.version = 0; // grows with all that happens in it: what was asked for before is out of date
  }

  get isBusy() {
    return this.turns.some((turn) => turn.state === "sending");
  }

  /** A question that has been sent. */
  begin(text) {
    const turn = { id: ++turns, text, state: "sending", reply: null, problem: null, after: null };
    this.turns.push(turn);
    this.version += 1;
    this.selected = null;
    return turn;
  }

  answer(turn, reply) {
    this.version += 1;
    Object.assign(turn, { state: "done", reply, problem: null });
    this.left = [];
  }

  fail(turn, problem) {
    this.version += 1;
    Object.assign(turn, { state: "failed", problem });
  }

  drop(turn) {
    this.turns = this.turns.filter((one) => one !== turn);
  }

  /** Take what the service says of the conversation; returns what has left it unseen. `turn` is
   *  the answered question that it follows, `forgotten` says that this page has asked to forget. */
  take(conversation, { turn = null, forgotten = false } = {}) {
    const before = this.conversation;
    this.conversation = conversation;
    this.version += 1;
    if (turn) turn.after = conversation;
    if (turn || before === null) return [];
    const kept = new Set(conversation.remembered.map(nameOf));
    const gone = before.remembered
      .filter((held) => !kept.has(nameOf(held)))
      .map((held) => ({ ...held, rule: ruleOf(held, before, conversation, forgotten), by: null }));
    this.left = [...gone, ...this.left].slice(0, 12);
    return gone;
  }

  /** The answered question that the panels show. */
  get shown() {
    if (this.selected) return this.selected;
    return this.turns.findLast((turn) => turn.state === "done") ?? null;
  }

  /** How many questions were asked on other channels since the last answer here. */
  get elsewhere() {
    const last = this.turns.findLast((turn) => turn.after);
    if (!last || !this.conversation) return 0;
    return Math.max(0, this.conversation.questions - last.after.questions);
  }
}

/** What tells one remembered entity from another. */
export function nameOf(held) {
  return JSON.stringify([held.element, held.value, held.text, held.stored_at]);
}

function ruleOf(held, before, now, forgotten) {
  if (forgotten) return "reset";
  if (now.questions > before.questions) return "elsewhere"; // fewer: it was started anew
  if (Date.parse(held.expires_at) <= Date.parse(now.now)) return "age";
  if (Date.parse(before.expires) <= Date.parse(now.now)) return "timeout";
  return "elsewhere";
}
