import { Ed25519Keys, type SigningSeed } from '@svc/platform';

/** Name of the variable that holds the secrets; each entry is `secret[:notBefore[:notAfter]][:revoked=date]`. */
export const CALLBACK_SIGNING_SEEDS = 'CALLBACK_SIGNING_SEEDS';

/** A call as its receiver gets it. */
export interface SignedCall {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * The keys that callbacks are signed with, as Standard Webhooks has it (github.com/standard-webhooks/standard-webhooks, spec
 * "Webhook Headers" and "Signature scheme", asymmetric `v1a`): Ed25519 over `id.timestamp.body`. Nobody has to share a secret
 * with us: the public keys are published.
 */
export class CallbackKeys extends Ed25519Keys<'callback'> {
  constructor(seeds: readonly SigningSeed[]) {
    super(seeds, { seedLabel: 'svc/callback-signing-seed/v1:', use: 'callback' });
  }

  /** @throws RangeError while no key may sign */
  sign(id: string, body: Uint8Array, nowMs: number): SignedCall {
    const key = this.current(nowMs);
    if (!key) throw new RangeError('no key for callbacks may sign now');
    const timestamp = String(Math.floor(nowMs / 1_000));
    const signature = key.sign(Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]));
    return {
      headers: {
        'content-type': 'application/json',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1a,${Buffer.from(signature).toString('base64')}`,
        // Which of the published keys it is: Standard Webhooks has no member for it.
        'svc-key-id': key.kid,
      },
      body,
    };
  }
}
