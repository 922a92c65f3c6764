import { readFileSync } from 'node:fs';

/** What one kind of peer really says, offering and answering. */
export interface RecordedDescriptions {
  readonly peer: string;
  readonly offer: string;
  readonly answer: string;
  /** What it trickles after its offer, where it was recorded before all was gathered. */
  readonly fragment?: string;
}

const file = new URL('../../sdp/recorded-descriptions.vectors.json', import.meta.url);
export const recordedDescriptions: readonly RecordedDescriptions[] = JSON.parse(
  readFileSync(file, 'utf8'),
).descriptions;

/** The recording of one peer, by the beginning of its name. */
export function recordedOf(peer: string): RecordedDescriptions {
  return recordedDescriptions.find(recorded => recorded.peer.startsWith(peer))!;
}
