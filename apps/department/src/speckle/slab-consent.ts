import { Inject, Injectable } from '@nestjs/common';
import { deriveKey, problem, SERVICE_ENVIRONMENT, type ServiceEnvironment } from '@svc/platform';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { sealingSecretsOf } from './speckle-config.js';

const SHOWN_CHARS = 8;

/** Tokens by which an owner lets others ask about an enrolment: made from its name, and written nowhere. */
@Injectable()
export class SlabConsent {
  private readonly keys: readonly Buffer[];

  constructor(@Inject(SERVICE_ENVIRONMENT) { secrets, variables = process.env }: ServiceEnvironment) {
    this.keys = sealingSecretsOf(secrets, variables).map(secret =>
      deriveKey(secret, 'svc/slab-verification/v1'),
    );
  }

  /** For the owner, who hands it out. */
  tokenOf(pufId: string): string {
    return tokenUnder(this.keys[0], pufId);
  }

  /** @throws ProblemError FORBIDDEN */
  require(token: string | undefined, pufId: string): void {
    if (token === undefined) throw refused('is missing: the owner of the surface hands it out');
    const sent = Buffer.from(token);
    const isGiven = this.keys.some(key => {
      const given = Buffer.from(tokenUnder(key, pufId));
      return given.length === sent.length && timingSafeEqual(given, sent);
    });
    if (!isGiven) throw refused('is not that of this enrolment', token);
  }

  /** @throws ProblemError FORBIDDEN */
  requireNewest(token: string | undefined, isReplaced: boolean): void {
    if (isReplaced) throw refused('has ended: the slab was enrolled anew, with a token of its own', token);
  }
}

const tokenUnder = (key: Buffer, pufId: string): string =>
  `slv_${createHmac('sha256', key).update(pufId, 'utf8').digest('base64url')}`;

function refused(message: string, token?: string) {
  const path = 'verificationToken';
  const bound = 'the token that the owner of the newest enrolment was given';
  const got = token === undefined ? null : `${token.slice(0, SHOWN_CHARS)}…`;
  return problem('FORBIDDEN', `${path}: ${message}`, { errors: [{ path, message, bound, got }] });
}
