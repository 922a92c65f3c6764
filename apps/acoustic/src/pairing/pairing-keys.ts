import { Ed25519Keys, type SigningSeed } from '@svc/platform';
import { joinPairingToken, type Pairing, pairingSigningInput } from '@svc/protocols';

/** Name of the variable that holds the secrets; each entry is `secret[:notBefore[:notAfter]][:revoked=date]`. */
export const PAIRING_SIGNING_SEEDS = 'PAIRING_SIGNING_SEEDS';

const SEED_LABELS = {
  pairing: 'svc/pairing-signing-seed/v1:',
  'self-test': 'svc/pairing-self-test-seed/v1:',
} as const;

/** The keys that pairing tokens are signed with, and have been. Those of self-tests are never published. */
export class PairingKeys extends Ed25519Keys<keyof typeof SEED_LABELS> {
  constructor(seeds: readonly SigningSeed[], use: keyof typeof SEED_LABELS = 'pairing') {
    super(seeds, { seedLabel: SEED_LABELS[use], use });
  }

  /** Id of the newest key that may sign; undefined if there is none. */
  currentKid(nowMs: number): string | undefined {
    return this.current(nowMs)?.kid;
  }

  /**
   * The token of a pairing, by the key that it names: always the same text.
   * @throws RangeError when that key is not configured
   */
  sign(pairing: Pairing): string {
    const input = pairingSigningInput(pairing);
    return joinPairingToken(input, this.signatureOf(pairing.kid, Buffer.from(input)));
  }
}
