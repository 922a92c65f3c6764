import { Ed25519Keys, problem, type SigningSeed } from '@svc/platform';

/** Name of the variable that holds the secrets; each entry is `secret[:notBefore[:notAfter]][:revoked=date]`. */
export const MESH_SIGNING_SEEDS = 'MESH_SIGNING_SEEDS';

/** What the service says of an answer, and by which key. */
export interface ServiceSignature {
  /** Ed25519 (RFC 8032), 64 bytes in hex. */
  readonly signature: string;
  /** 32 bytes in hex. */
  readonly publicKey: string;
}

/** The keys that answers are signed with, and have been. */
export class MeshKeys extends Ed25519Keys<'mesh'> {
  /** Hex, by their ids. */
  private readonly publicKeys: ReadonlyMap<string, string>;

  constructor(seeds: readonly SigningSeed[]) {
    super(seeds, { seedLabel: 'svc/mesh-signing-seed/v1:', use: 'mesh' });
    this.publicKeys = new Map(
      this.published().map(({ kid, publicKey }) => [
        kid,
        Buffer.from(publicKey, 'base64url').toString('hex'),
      ]),
    );
  }

  /** @throws ProblemError SERVICE_UNAVAILABLE while no key may sign */
  sign(text: string, nowMs: number): ServiceSignature {
    const key = this.current(nowMs);
    if (!key)
      throw problem('SERVICE_UNAVAILABLE', 'No key for answers may sign now', { retryAfterSeconds: 60 });
    return {
      signature: Buffer.from(key.sign(Buffer.from(text, 'utf8'))).toString('hex'),
      publicKey: this.publicKeys.get(key.kid)!,
    };
  }
}
