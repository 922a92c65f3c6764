import { Injectable } from '@nestjs/common';
import { type ToolName, type ToolReply, TOOLS } from '@svc/contracts';
import { parseOrProblem, PostgresToolCalls, problem, unprocessable } from '@svc/platform';
import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import { NONCE_BYTES } from '../pairing/challenge-keys.js';
import type { StoredPairing } from '../pairing/pairing-challenges.js';
import { type PairingCall, PairingService } from '../pairing/pairing.service.js';
import { PairingTokens } from '../pairing/pairing-tokens.js';

const NONCE = new RegExp(`^(0x)?[0-9a-fA-F]{${2 * NONCE_BYTES}}$`);

/** A call of the tool: with a recording it verifies that, without one it says a pairing again. */
export type ProximityCall = Omit<PairingCall, 'recording' | 'idemKey'> & { readonly recording?: Uint8Array };

/** The tool `verify_acoustic_proximity_token`. */
@Injectable()
export class ProximityTool {
  constructor(
    private readonly calls: PostgresToolCalls,
    private readonly pairings: PairingService,
    private readonly tokens: PairingTokens,
  ) {}

  /** @throws ProblemError VALIDATION_FAILED; UNPROCESSABLE for a nonce that none can be; NOT_YET_AVAILABLE for another tool */
  read(tool: ToolName, input: unknown): ProximityCall {
    if (tool !== 'verify_acoustic_proximity_token') {
      throw problem('NOT_YET_AVAILABLE', `The acoustic service does not run the tool ${tool}`);
    }
    const request = parseOrProblem(TOOLS.verify_acoustic_proximity_token.input, input);
    const { deviceId, challengeNonce, frequencyBand: band, recordingBase64 } = request;
    if (!NONCE.test(challengeNonce)) {
      throw unprocessable('challengeNonce', `is not ${NONCE_BYTES} bytes as hexadecimal digits`);
    }
    const recording =
      recordingBase64 === undefined
        ? {}
        : { recording: Uint8Array.from(Buffer.from(recordingBase64, 'base64')) };
    return { deviceId, challengeNonce, band, ...recording };
  }

  /** @throws ProblemError as pairings do; CONFLICT `NO_CAPTURE` without a recording */
  async admit({ recording, ...call }: ProximityCall): Promise<void> {
    if (recording) await this.pairings.admit({ ...call, recording });
    else await this.pairings.captured(call);
  }

  /** Runs the tool once for its key. @throws ProblemError as {@link admit}; CONFLICT where the key was revoked */
  async run({ recording, ...call }: ProximityCall, idemKey: string): Promise<ToolReply> {
    const recordingSha256 = recording && createHash('sha256').update(recording).digest('hex');
    const challengeNonce = call.challengeNonce.replace(/^0x/, '').toLowerCase();
    const request = { ...call, challengeNonce, ...(recordingSha256 && { recordingSha256 }) };
    const done = await this.calls.begin(idemKey, request);
    if (done) return done;
    const settle = await this.prepare(call, recording, idemKey);
    return this.calls.complete(idemKey, async manager => this.replyOf(await settle(manager)));
  }

  /** Does what takes time, and leaves what is written to a transaction. */
  private async prepare(
    call: Omit<ProximityCall, 'recording'>,
    recording: Uint8Array | undefined,
    idemKey: string,
  ): Promise<(manager: EntityManager) => Promise<StoredPairing>> {
    if (recording) {
      const heard = await this.pairings.hear({ ...call, recording, idemKey });
      return manager => this.pairings.settle(manager, heard);
    }
    const pairing = await this.pairings.captured(call);
    return () => Promise.resolve(pairing);
  }

  private replyOf(pairing: StoredPairing): ToolReply {
    return { output: { ...this.tokens.reply(pairing) } };
  }
}
