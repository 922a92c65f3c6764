/// <reference lib="dom" />
import type { ToldProof } from './signed-texts.js';

/** An offer of another peer. */
export interface Offer {
  readonly sessionId: string;
  readonly sdpOffer: string;
  readonly peerProof: ToldProof;
  /** For the connection that answers it. */
  readonly iceServers: RTCIceServer[];
}

/** Reads server-sent events; resolves once the stream has begun, and reads on until the signal aborts. */
export async function readInbox(
  url: string,
  onOffer: (offer: Offer) => void,
  signal: AbortSignal,
): Promise<void> {
  const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal });
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  void readEvents(response.body!, onOffer).catch(() => undefined);
}

async function readEvents(body: ReadableStream<Uint8Array>, onOffer: (offer: Offer) => void): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let unread = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const events = (unread + decoder.decode(value, { stream: true })).split('\n\n');
    unread = events.pop()!;
    for (const event of events) {
      const data = /^data: ?(.*)$/m.exec(event)?.[1];
      if (/^event: ?offer$/m.test(event) && data) onOffer(JSON.parse(data) as Offer);
    }
  }
}
