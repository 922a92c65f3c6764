import { Injectable } from '@nestjs/common';
import { type IceServer, RENDEZVOUS_DOES_NOT_PROVE, type RendezvousResult } from '@svc/contracts';
import { answerText, type PeerSession } from '@svc/mesh';
import { MeshKeys } from '../identity/mesh-keys.js';
import { IceServers } from '../identity/ice-servers.js';
import type { GivenAnswer, StoredSession } from './session-rows.js';

/** What an answer is made of. */
export interface NewAnswer {
  readonly sdpAnswer: string;
  readonly fingerprint: string;
  readonly proof?: GivenAnswer['proof'];
}

/** Signs answers, and says them. */
@Injectable()
export class SessionAnswers {
  constructor(
    private readonly keys: MeshKeys,
    private readonly iceServers: IceServers,
  ) {}

  /** The answer as it is given, with the time that the answered session ends by. @throws ProblemError SERVICE_UNAVAILABLE */
  sign(
    { sdpAnswer, fingerprint, proof }: NewAnswer,
    { id: sessionId, expiresAtMs, targetKey: answererKey }: PeerSession,
    sdpOffer: string,
  ): GivenAnswer {
    const text = answerText({ sessionId, sdpOffer, sdpAnswer, fingerprint, answererKey, expiresAtMs });
    const { signature, publicKey: servicePublicKey } = this.keys.sign(text, Date.now());
    return { sdpAnswer, signature, servicePublicKey, expiresAtMs, ...(proof && { proof }) };
  }

  /** @returns undefined of a session that has no answer */
  said({ session, offerer, answer }: StoredSession): (RendezvousResult & { version: number }) | undefined {
    if (!answer) return undefined;
    return {
      sdpAnswer: answer.sdpAnswer,
      sessionStatus: 'P2P_AEROMESH_ENTANGLED',
      sessionId: session.id,
      answeredBy: session.kind === 'brokered' ? 'peer' : 'service',
      identity: offerer.identity,
      iceCandidates: [...(session.answerer?.candidates ?? [])],
      iceServers: this.serversOf(offerer.keyHash),
      expiresAt: new Date(answer.expiresAtMs).toISOString(),
      answerSignature: answer.signature,
      servicePublicKey: answer.servicePublicKey,
      ...(answer.proof && { peerProof: answer.proof }),
      proves: 'signature',
      doesNotProve: RENDEZVOUS_DOES_NOT_PROVE,
      version: session.version,
    };
  }

  serversOf(keyHash: string): IceServer[] {
    return this.iceServers.of(keyHash, Date.now());
  }
}
