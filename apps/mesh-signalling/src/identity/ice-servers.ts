import { Inject, Injectable } from '@nestjs/common';
import type { IceServer } from '@svc/contracts';
import { createHmac } from 'node:crypto';
import { MeshSettings } from '../mesh-config.js';

const CREDENTIAL_MS = 60 * 60 * 1_000;
const NAME_CHARS = 16;

/** The STUN and TURN servers that peers are told of. */
@Injectable()
export class IceServers {
  constructor(
    @Inject(MeshSettings)
    private readonly settings: Pick<MeshSettings, 'stunUrls' | 'turnUrls' | 'turnSecret'>,
  ) {}

  /**
   * Those of one peer, whose credential for the relays ends an hour from now: `use-auth-secret` of coturn, that is
   * the end in unix seconds and a name as username, and HMAC-SHA-1 of that in base64.
   * @param keyHash hex
   *
   * Source: draft-uberti-behave-turn-rest-00 section 2.2.
   */
  of(keyHash: string, nowMs: number): IceServer[] {
    const { stunUrls, turnUrls, turnSecret } = this.settings;
    const servers: IceServer[] = stunUrls.length > 0 ? [{ urls: [...stunUrls] }] : [];
    if (turnUrls.length === 0 || turnSecret === undefined) return servers;
    const username = `${Math.floor((nowMs + CREDENTIAL_MS) / 1_000)}:${keyHash.slice(0, NAME_CHARS)}`;
    const credential = createHmac('sha1', turnSecret).update(username).digest('base64');
    return [...servers, { urls: [...turnUrls], username, credential }];
  }
}
