import type { LookupAddress } from 'node:dns';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import {
  addressFault,
  hostOf,
  isLoopbackAddress,
  type OutgoingRules,
  outgoingUrlFault,
  portFault,
} from './outgoing-address.js';
import { resolveName } from './resolve-name.js';

/** All addresses of a name; it may stop when the signal is aborted. */
export type ResolveName = (host: string, signal: AbortSignal) => Promise<readonly LookupAddress[]>;

export interface OutgoingSettings extends OutgoingRules {
  /** For the whole of a call: the name, the connection, the body and the answer. */
  readonly timeoutMs?: number;
  /** Bytes of an answer that are read; of a longer one the rest is left. */
  readonly answerBytesMax?: number;
  /** Certificate authorities in place of the well-known ones, PEM. */
  readonly ca?: string;
  /** {@link resolveName} by default. */
  readonly resolve?: ResolveName;
}

export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As much of it as is read. */
  readonly body: Buffer;
}

/** A call that came to no answer. Its words are fit to be shown to whoever named the URL. */
export class OutgoingFault extends Error {
  /** @param code `REFUSED`: by the rules, nothing was sent; `FAILED`: no answer came */
  constructor(
    readonly code: 'REFUSED' | 'FAILED',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'OutgoingFault';
  }
}

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 16_384;
const HEADER_BYTES_MAX = 16_384;

/**
 * Posts to URLs that strangers have named: https only, to public addresses alone. The name is asked for once a call, each of its
 * addresses must be allowed, and the connection goes to one of those and to no other, whatever the name says by then. No redirect
 * is followed, no proxy and no kept connection is used, and time and bytes are bounded.
 *
 * @example const { status } = await new OutgoingPost({ allowLoopback: false }).post(url, { 'content-type': 'application/json' }, body)
 */
export class OutgoingPost {
  private readonly resolve: ResolveName;

  constructor(private readonly settings: OutgoingSettings) {
    this.resolve = settings.resolve ?? resolveName;
  }

  /**
   * Refuses a URL that the rules do not let be called, whatever its name stands for. Asks nobody.
   * @throws OutgoingFault REFUSED
   */
  checkUrl(text: string): void {
    const fault = outgoingUrlFault(text, this.settings);
    if (fault !== undefined) throw new OutgoingFault('REFUSED', fault);
  }

  /**
   * Refuses a URL that the rules do not let be called, with its name asked for; a name that cannot be resolved now, or in time,
   * is no reason.
   * @throws OutgoingFault REFUSED
   */
  async checkName(text: string, timeoutMs = this.settings.timeoutMs ?? TIMEOUT_MS): Promise<void> {
    await this.addressesOf(text, AbortSignal.timeout(timeoutMs)).catch((error: unknown) => {
      if (error instanceof OutgoingFault && error.code === 'REFUSED') throw error;
    });
  }

  /** @throws OutgoingFault; an answer of any status is none */
  async post(
    text: string,
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal?: AbortSignal,
  ): Promise<OutgoingAnswer> {
    const deadline = AbortSignal.timeout(this.settings.timeoutMs ?? TIMEOUT_MS);
    const both = signal ? AbortSignal.any([deadline, signal]) : deadline;
    const addresses = await this.addressesOf(text, both);
    try {
      return await this.send(new URL(text), addresses, headers, body, both);
    } catch (error) {
      throw new OutgoingFault('FAILED', wordsOf(error, both), { cause: error });
    }
  }

  /** The addresses that the host of a URL has now; every one of them may be called. */
  private async addressesOf(text: string, signal: AbortSignal): Promise<readonly LookupAddress[]> {
    this.checkUrl(text);
    const url = new URL(text);
    const host = hostOf(url);
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    const addresses = await untilAborted(this.resolve(host, signal), signal).catch((error: unknown) => {
      const words = signal.aborted ? wordsOf(error, signal) : `${host} has no address`;
      throw new OutgoingFault('FAILED', words, { cause: error });
    });
    if (addresses.length === 0) throw new OutgoingFault('FAILED', `${host} has no address`);
    // One forbidden address refuses the name: which of them is called is up to the network.
    const refused = addresses.some(({ address }) => addressFault(address, this.settings) !== undefined);
    if (refused) throw new OutgoingFault('REFUSED', `${host} has an address that is not public`);
    const port = addresses.every(({ address }) => isLoopbackAddress(address)) ? undefined : portFault(url);
    if (port !== undefined) throw new OutgoingFault('REFUSED', port);
    return addresses;
  }

  private send(
    url: URL,
    addresses: readonly LookupAddress[],
    headers: Readonly<Record<string, string>>,
    body: Uint8Array,
    signal: AbortSignal,
  ): Promise<OutgoingAnswer> {
    return new Promise((resolve, reject) => {
      const request: ClientRequest = httpsRequest(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': String(body.byteLength), connection: 'close' },
        agent: false,
        lookup: pinned(addresses),
        maxHeaderSize: HEADER_BYTES_MAX,
        signal,
        ...(this.settings.ca === undefined ? {} : { ca: this.settings.ca }),
      });
      request.once('error', reject);
      request.once('response', (response: IncomingMessage) => {
        this.read(response).then(answer => {
          request.destroy();
          resolve(answer);
        }, reject);
      });
      request.end(body);
    });
  }

  private async read(response: IncomingMessage): Promise<OutgoingAnswer> {
    const max = this.settings.answerBytesMax ?? ANSWER_BYTES_MAX;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, max - size));
      size += chunk.length;
      if (size >= max) break;
    }
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  }
}

/** A resolver that knows nothing but what was checked. */
function pinned(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0].address, addresses[0].family);
  };
}

/** A resolver need not stop when it is told to. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort!);
  }
}

/** What went wrong, without a word about what was found at an address. */
function wordsOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return isTimeout(signal.reason) ? 'no answer in time' : 'the call was ended';
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (/^(CERT|ERR_TLS|ERR_SSL|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)) {
    return 'the certificate, or the TLS of the connection, is not accepted';
  }
  if (/^(HPE_|ERR_HTTP)/.test(code)) return 'the answer is not HTTP';
  return 'no connection, or it broke off';
}

const isTimeout = (reason: unknown) => (reason as { name?: unknown } | null)?.name === 'TimeoutError';
