import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import {
  startStripeEmulator,
  type StripeEmulator,
  type StripeEmulatorOptions,
} from '../src/stripe/stripe-emulator.js';

/** The version in which shared payment tokens exist. */
export const PREVIEW = { apiVersion: '2026-07-29.preview' } as Stripe.RequestOptions;
export const NO_REDIRECTS = { enabled: true, allow_redirects: 'never' } as const;

/** An unmodified stripe-node that speaks to an emulator. */
export function clientOf(emulator: StripeEmulator, config: Stripe.StripeConfig = {}): Stripe {
  const { port, secretKey } = emulator;
  return new Stripe(secretKey, {
    host: '127.0.0.1',
    port,
    protocol: 'http',
    maxNetworkRetries: 0,
    telemetry: false,
    ...config,
  });
}

export async function startEmulatedStripe(
  options: StripeEmulatorOptions = {},
): Promise<{ emulator: StripeEmulator; stripe: Stripe }> {
  const emulator = await startStripeEmulator(options);
  return { emulator, stripe: clientOf(emulator) };
}

/** A webhook as it arrived. */
export interface Arrival {
  body: string;
  signature: string;
}

export interface Receiver {
  url: string;
  arrivals: Arrival[];
  /** What the next arrivals are answered; 200 afterwards. */
  statuses: number[];
  close(): Promise<void>;
}

/** Somewhere for webhooks to go. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const signature = String(request.headers['stripe-signature']);
      arrivals.push({ body: Buffer.concat(chunks).toString(), signature });
      response.writeHead(statuses.shift() ?? 200).end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>(resolve => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}/webhooks/stripe`, arrivals, statuses, close };
}

/** What a browser does with the form of a hosted page: posts it, and follows nothing. */
export function submitPage(url: string, fields: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' });
}

/** The fields of a page filled in with a card that pays. */
export const CARD = { number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123', step: 'pay' } as const;

/** The error that stripe-node makes of a call that is refused. */
export async function refusalOf(call: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error('the call was not refused');
}
