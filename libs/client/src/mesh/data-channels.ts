import { withoutOtherFingerprints } from '@svc/mesh';
import { MeshConnectionError } from './mesh-error.js';

/** Longest that a connection may take to open once its answer is there; the service gives it up then, too. */
export const OPEN_MS_MAX = 30_000;

/**
 * Waits until data channels are open, or it is clear that they will not be.
 * @throws {MeshConnectionError} NOT_OPENED; the reason of the signal
 */
export function channelsOpen(
  connection: RTCPeerConnection,
  channels: readonly RTCDataChannel[],
  signal?: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const watched: readonly [EventTarget, string][] = [
      [connection, 'connectionstatechange'],
      ...channels.flatMap(channel => ['open', 'close'].map(name => [channel, name] as [EventTarget, string])),
    ];
    const settle = (outcome: () => void) => {
      clearTimeout(timer);
      for (const [target, name] of watched) target.removeEventListener(name, look);
      signal?.removeEventListener('abort', abort);
      outcome();
    };
    const fail = (message: string) => settle(() => reject(new MeshConnectionError('NOT_OPENED', message)));
    const abort = () => settle(() => reject(signal?.reason));
    const look = () => {
      if (channels.every(({ readyState }) => readyState === 'open')) settle(resolve);
      else if (channels.some(({ readyState }) => readyState === 'closed')) fail('a channel closed');
      else if (isOver(connection)) fail(`the connection is ${connection.connectionState}`);
    };
    const timer = setTimeout(() => fail(`not open within ${OPEN_MS_MAX} ms`), OPEN_MS_MAX);
    // Listened to before, read after.
    for (const [target, name] of watched) target.addEventListener(name, look);
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    else look();
  });
}

/**
 * Gives a connection the answer to its offer: of the fingerprints of the certificate, the one that was checked.
 * @throws {MeshConnectionError} NOT_OPENED where the platform does not take it
 */
export async function acceptAnswer(connection: RTCPeerConnection, sdp: string): Promise<void> {
  try {
    await connection.setRemoteDescription({ type: 'answer', sdp: withoutOtherFingerprints(sdp) });
  } catch (cause) {
    throw new MeshConnectionError('NOT_OPENED', `the answer cannot be used: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Tries of a connection that does not open; what fails for another reason is not tried again. */
const OPENING_TRIES = 3;

/**
 * What `open` makes, tried again where the connection did not open: checks of ICE get lost, and the handshake may run into an
 * answer that is not taken in yet.
 */
export async function openWithTries<Opened>(open: () => Promise<Opened>): Promise<Opened> {
  for (let tries = 1; ; tries++) {
    try {
      return await open();
    } catch (error) {
      const isUnopened = error instanceof MeshConnectionError && error.code === 'NOT_OPENED';
      if (!isUnopened || tries === OPENING_TRIES) throw error;
    }
  }
}

/** Whether a connection will not open, or not open again. */
export const isOver = ({ connectionState }: RTCPeerConnection): boolean =>
  connectionState === 'failed' || connectionState === 'closed';

/** Calls once, when a connection or one of its channels is gone. */
export function onceGone(
  connection: RTCPeerConnection,
  channels: readonly RTCDataChannel[],
  gone: () => void,
): void {
  let isCalled = false;
  const look = () => {
    const isGone = isOver(connection) || channels.some(({ readyState }) => readyState === 'closed');
    if (!isGone || isCalled) return;
    isCalled = true;
    gone();
  };
  connection.addEventListener('connectionstatechange', look);
  for (const channel of channels) channel.addEventListener('close', look);
  look();
}

/** Sends, and says whether it could: a channel may close before its state says so. */
export function trySend(channel: RTCDataChannel, data: string | Uint8Array): boolean {
  if (channel.readyState !== 'open') return false;
  try {
    if (typeof data === 'string') channel.send(data);
    // A copy: what is given is the caller's, and a package for Node sends later.
    else channel.send(Uint8Array.from(data));
    return true;
  } catch {
    return false;
  }
}

/** The bytes of a message; undefined for text, and for a Blob, which `binaryType` rules out. */
export function bytesOf(data: unknown): Uint8Array | undefined {
  // Not instanceof: a package for Node may make its buffers in another realm.
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return Object.prototype.toString.call(data) === '[object ArrayBuffer]'
    ? new Uint8Array(data as ArrayBuffer)
    : undefined;
}
