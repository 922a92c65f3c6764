/** Characters of one event; most of ours have some hundreds. */
const EVENT_CHARS_MAX = 65_536;

/** One event of a stream. */
export interface ServerEvent {
  /** What to go on after, where the stream breaks off. */
  readonly id: string | undefined;
  readonly data: unknown;
}

/** The events of a stream that have data (WHATWG HTML, section 9.2), as far as our server uses the format. */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  charsMax = EVENT_CHARS_MAX,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      if (text.length > charsMax) return;
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data !== undefined) yield { id: /^id: (.*)$/m.exec(block)?.[1], data: JSON.parse(data) };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
