import type { Answer, CallOptions, RequestOptions } from '../paid-call.js';
import type {
  InboxEvent,
  MeshAnswerRequest,
  MeshSession,
  PublicKeys,
  RendezvousPending,
  RendezvousRequest,
  RendezvousResult,
} from '../api-types.js';
import { UnexpectedResponseError } from '../errors.js';
import { eventsOf } from '../event-text.js';
import { errorOf, type HttpAnswer } from '../http-exchange.js';
import type { Ask } from '../tool/tool-methods.js';

/** Who reads an inbox, and the proof of it. */
export type InboxProof = Omit<MeshAnswerRequest, 'sdpAnswer'>;

/** One event of an inbox, and after what to go on. */
export interface NumberedInboxEvent {
  readonly id: string | undefined;
  readonly event: InboxEvent;
}

/**
 * Signalling: how two peers find each other before there is a connection. The calls alone; what keeps a connection, and checks
 * what comes, is `joinMesh` of `@svc/client/mesh`.
 */
export interface MeshMethods {
  /**
   * Has a session description answered by the service, or by a peer: `POST /v1/mesh/rendezvous`, within the month's quota for
   * nothing, beyond it paid. Status 202: the peer has not answered yet; ask for the session.
   */
  rendezvous(
    request: RendezvousRequest,
    options?: CallOptions,
  ): Promise<Answer<RendezvousResult | RendezvousPending>>;
  /** The state of a session: `GET /v1/mesh/sessions/:id`. */
  meshSession(sessionId: string, options?: CallOptions): Promise<Answer<MeshSession>>;
  /** Answers an offer of the inbox: `POST /v1/mesh/sessions/:id/answer`. */
  answerMeshOffer(
    sessionId: string,
    request: MeshAnswerRequest,
    options?: CallOptions,
  ): Promise<Answer<MeshSession>>;
  /** Adds candidates to a session: `PATCH /v1/mesh/sessions/:id`, a fragment of RFC 8840. */
  addMeshCandidates(sessionId: string, fragment: string, options?: CallOptions): Promise<void>;
  /** Closes a session: `DELETE /v1/mesh/sessions/:id`. */
  closeMeshSession(sessionId: string, options?: CallOptions): Promise<void>;
  /** The keys that the service signs answers with: `GET /.well-known/svc-mesh-keys.json`. */
  meshKeys(options?: CallOptions): Promise<Answer<PublicKeys>>;
  /**
   * The events of one stream of an inbox, to where it breaks off: `GET /v1/mesh/inbox`. The proof serves one stream; another
   * one goes on after `lastEventId` with a proof of its own.
   */
  meshInbox(proof: InboxProof, options?: InboxOptions): AsyncGenerator<NumberedInboxEvent>;
}

export interface InboxOptions {
  readonly lastEventId?: string;
  readonly signal?: AbortSignal;
  /** The stream is there: from now on this peer is present. */
  readonly onOpen?: () => void;
}

/** How the methods reach what `Ask` does not: bodies that are not JSON, empty answers, streams. */
export interface PlainCalls {
  /** The whole answer, whatever its status. */
  exchange(
    method: string,
    path: string,
    request: RequestOptions & { readonly text?: string },
  ): Promise<HttpAnswer>;
  /** A response whose body is not read yet. */
  open(path: string, request: RequestOptions): Promise<Response>;
}

/**
 * Characters of one event of an inbox: an offer of 65,536 in JSON, where a line's end is four characters, and its proof. With
 * a lower bound anybody's longest offer would break the stream off, again and again.
 */
const INBOX_EVENT_CHARS_MAX = 262_144;
const SESSION_PATH = '/v1/mesh/sessions/{sessionId}';
const SESSION_FIELDS = { sessionId: 'string', state: 'string', iceCandidates: 'object' };
const PENDING_FIELDS = { sessionId: 'string', expiresAt: 'string', iceServers: 'object' };
const ANSWERED_FIELDS = { ...PENDING_FIELDS, sdpAnswer: 'string', answerSignature: 'string' };

export function meshMethods(
  ask: Ask,
  once: () => { idempotencyKey?: string },
  plain: PlainCalls,
): MeshMethods {
  const send = async (method: string, sessionId: string, request: RequestOptions & { text?: string }) => {
    const parameters = { sessionId };
    const answer = await plain.exchange(method, SESSION_PATH, { ...request, parameters });
    if (answer.status < 200 || answer.status >= 300) throw errorOf(answer);
  };
  return {
    rendezvous: (body, options) =>
      ask('POST', '/v1/mesh/rendezvous', { ...once(), ...options, body }, status =>
        status === 202 ? PENDING_FIELDS : ANSWERED_FIELDS,
      ),
    meshSession: (sessionId, options) =>
      ask('GET', SESSION_PATH, { ...options, parameters: { sessionId } }, () => SESSION_FIELDS),
    answerMeshOffer: (sessionId, body, options) =>
      ask(
        'POST',
        `${SESSION_PATH}/answer`,
        { ...options, body, parameters: { sessionId } },
        () => SESSION_FIELDS,
      ),
    addMeshCandidates: (sessionId, text, options = {}) => {
      const headers = { ...options.headers, 'Content-Type': 'application/trickle-ice-sdpfrag' };
      return send('PATCH', sessionId, { ...options, headers, text });
    },
    closeMeshSession: (sessionId, options = {}) => send('DELETE', sessionId, options),
    meshKeys: options =>
      ask('GET', '/.well-known/svc-mesh-keys.json', { ...options }, () => ({ keys: 'object' })),
    meshInbox: (proof, options = {}) => readInbox(plain, proof, options),
  };
}

async function* readInbox(
  plain: PlainCalls,
  proof: InboxProof,
  { lastEventId, signal, onOpen }: InboxOptions,
): AsyncGenerator<NumberedInboxEvent> {
  const after: Record<string, string> = lastEventId === undefined ? {} : { 'Last-Event-ID': lastEventId };
  const headers = { Accept: 'text/event-stream', ...after };
  const response = await plain.open('/v1/mesh/inbox', { query: { ...proof }, headers, signal });
  if (response.status !== 200 || response.body === null) {
    const body = new Uint8Array(await response.arrayBuffer());
    throw errorOf({ status: response.status, headers: response.headers, body });
  }
  onOpen?.();
  for await (const { id, data } of eventsOf(response.body, INBOX_EVENT_CHARS_MAX)) {
    if (!isInboxEvent(data)) throw new UnexpectedResponseError('an event of the inbox is none', 200);
    yield { id, event: data };
  }
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string');

/** Whether the members that are used are there; what they say is checked where they are used. */
function isInboxEvent(value: unknown): value is InboxEvent {
  if (typeof value !== 'object' || value === null) return false;
  const event = value as Record<string, unknown>;
  if (typeof event['sessionId'] !== 'string') return false;
  if (event['type'] === 'candidates') return isTexts(event['candidates']);
  if (event['type'] === 'closed') return typeof event['reason'] === 'string';
  return (
    event['type'] === 'offer' &&
    typeof event['sdpOffer'] === 'string' &&
    typeof event['peerProof'] === 'object' &&
    Array.isArray(event['iceServers'])
  );
}
