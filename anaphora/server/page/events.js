// Server-sent events, read from the body of a response: a browser's own reader cannot POST.

/** Yield { event, data } for each event of `body`, whose data is JSON. */
export async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const found = eventOf(block);
        if (found) yield found;
      }
    }
  } finally {
    reader.cancel().catch(() => {}); // whoever reads no further closes the connection
  }
}

/** An event by its lines; null for a comment. */
function eventOf(block) {
  let event = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const [, name, text] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
    if (name === "event") event = text;
    else if (name === "data") data.push(text);
  }
  return data.length > 0 ? { event, data: JSON.parse(data.join("\n")) } : null;
}
