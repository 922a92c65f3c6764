/** What the service says on the channel `ctl`. */
export type ControlMessage =
  | {
      readonly type: 'welcome';
      readonly sessionId: string;
      /** The replica that holds the connection. */
      readonly nodeId: string;
      readonly identity: 'verified' | 'unverified';
      readonly keyHash: string;
      readonly documentName: string;
      /** A connection on which nothing goes for so long is closed. */
      readonly idleMs: number;
    }
  | { readonly type: 'pong'; readonly id: number; readonly at: string | number }
  | { readonly type: 'draining'; readonly reconnectWithinMs: number }
  | {
      readonly type: 'refused';
      readonly code: string;
      readonly detail: string;
      /** The bound that it is past, and what it would have come to, where there is one. */
      readonly max?: number;
      readonly got?: number;
    }
  | { readonly type: 'closing'; readonly reason: string }
  | { readonly type: 'error'; readonly detail: string };

type Members = Readonly<Record<string, unknown>>;

const MESSAGE_CHARS_MAX = 16_384;
const MS_MAX = 86_400_000;

const isText = (value: unknown): boolean => typeof value === 'string' && value.length <= MESSAGE_CHARS_MAX;
const isMs = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MS_MAX;

const FORMS: Readonly<Record<ControlMessage['type'], (members: Members) => boolean>> = {
  welcome: ({ sessionId, nodeId, identity, keyHash, documentName, idleMs }) =>
    [sessionId, nodeId, keyHash, documentName].every(isText) &&
    (identity === 'verified' || identity === 'unverified') &&
    isMs(idleMs),
  pong: ({ id, at }) => Number.isSafeInteger(id) && (isText(at) || Number.isFinite(at)),
  draining: ({ reconnectWithinMs }) => isMs(reconnectWithinMs),
  refused: ({ code, detail, max, got }) =>
    isText(code) && isText(detail) && [max, got].every(each => each === undefined || Number.isFinite(each)),
  closing: ({ reason }) => isText(reason),
  error: ({ detail }) => isText(detail),
};

/** Reads a message of the service; undefined for what this version does not know, which is passed over. */
export function readControlMessage(data: unknown): ControlMessage | undefined {
  if (typeof data !== 'string' || data.length > MESSAGE_CHARS_MAX) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value !== 'object' || value === null) return undefined;
    const { type } = value as { type?: unknown };
    if (typeof type !== 'string' || !Object.hasOwn(FORMS, type)) return undefined;
    return FORMS[type as ControlMessage['type']](value as Members) ? (value as ControlMessage) : undefined;
  } catch {
    return undefined;
  }
}
