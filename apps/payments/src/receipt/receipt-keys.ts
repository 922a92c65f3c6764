import type { DidDocument } from '@svc/contracts';
import { Ed25519Keys, type SigningSeed } from '@svc/platform';
import type { JwsSigner } from '@svc/protocols';

/**
 * The keys that receipts and offers are signed with, and have been: made of the seeds of licences under a label of their own, so that
 * no key signs both.
 */
export class ReceiptKeys extends Ed25519Keys<'receipt'> {
  /** `did:web` of our origin. */
  readonly did: string;

  constructor(seeds: readonly SigningSeed[], origin: string) {
    super(seeds, { seedLabel: 'svc/receipt-signing-seed/v1:', use: 'receipt' });
    this.did = `did:web:${encodeURIComponent(new URL(origin).host)}`;
  }

  /** The newest key that may sign; undefined if there is none. */
  signer(nowMs: number): JwsSigner | undefined {
    const key = this.current(nowMs);
    return key && { kid: `${this.did}#${key.kid}`, sign: message => key.sign(message) };
  }

  /** The key that has signed before, by its DID URL. Its `sign` throws RangeError when that key is not configured. */
  signerOf(kid: string): JwsSigner {
    const name = kid.slice(kid.indexOf('#') + 1);
    return { kid, sign: message => this.signatureOf(name, message) };
  }

  /** The DID document: every key that was not given up, those that have ended too, for what they have signed. */
  document(): DidDocument {
    const keys = this.published().filter(({ revokedAt }) => revokedAt === null);
    const idOf = (kid: string) => `${this.did}#${kid}`;
    return {
      '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
      id: this.did,
      verificationMethod: keys.map(({ kid, publicKey: x }) => ({
        ...{ id: idOf(kid), type: 'JsonWebKey2020', controller: this.did },
        publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x },
      })),
      assertionMethod: keys.map(({ kid }) => idOf(kid)),
    };
  }
}
