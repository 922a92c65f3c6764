import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { ModulateRequest, type ModulateResult } from '@svc/contracts';
import { preferredType } from '@svc/edge';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { from, mergeMap, type Observable } from 'rxjs';
import { AcousticCalls } from './acoustic-calls.js';

export const AUDIO_TYPE = 'audio/wav';
/** The answer that the sound stands for, without its evidence, and that evidence: JSON in ASCII, a line each. */
export const ANSWER_HEADER = 'SVC-Answer';
export const EVIDENCE_HEADER = 'SVC-Audit-Proof';

/** Whether the client would rather have the sound than JSON about it. */
export const wantsAudio = ({ headers }: FastifyRequest): boolean =>
  preferredType(headers.accept, ['application/json', AUDIO_TYPE]) === AUDIO_TYPE;

const sounds = new WeakMap<FastifyRequest, Uint8Array>();

/** Keeps the sound that was made for a request until its answer is written. */
export function keepSound(request: FastifyRequest, wav: Uint8Array | undefined): void {
  if (wav) sounds.set(request, wav);
}

/**
 * Writes the answer about a packet as its sound, where the client asks for that. What is sold and stored is the JSON: the sound
 * is what it names by `sha256`, and is made again where an answer is given again. Stands outside the payment guard, so that it sees
 * both alike.
 */
@Injectable()
export class AudioAnswer implements NestInterceptor {
  constructor(private readonly calls: AcousticCalls) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // A payment guard behind this one may turn the body into what its schema makes of it.
    const asked = request.body;
    return next
      .handle()
      .pipe(mergeMap(answer => from(this.represent(answer as Buffer, asked, request, reply))));
  }

  private async represent(
    answer: Buffer,
    asked: unknown,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Buffer> {
    reply.header('vary', 'accept');
    if (!wantsAudio(request)) return answer;
    const { wavBase64: _inside, auditProof, ...said } = JSON.parse(answer.toString('utf8')) as ModulateResult;
    const wav = sounds.get(request) ?? (await this.madeAgain(asked));
    const digest = createHash('sha256').update(wav).digest();
    // Another release may have written it: then the answer that was bought is what there is.
    if (digest.toString('hex') !== said.sha256) return answer;
    const field = `sha-256=:${digest.toString('base64')}:`;
    reply
      .header('content-type', AUDIO_TYPE)
      .header('content-disposition', 'attachment; filename="packet.wav"')
      .header('content-digest', field)
      .header('repr-digest', field)
      .header(ANSWER_HEADER, asciiJson(said))
      .header(EVIDENCE_HEADER, asciiJson(auditProof));
    if ('proofId' in auditProof)
      reply.header('link', `</v1/stark/proofs/${auditProof.proofId}>; rel="describedby"`);
    return Buffer.from(wav.buffer, wav.byteOffset, wav.byteLength);
  }

  private async madeAgain(asked: unknown): Promise<Uint8Array> {
    const { wav } = await this.calls.packetOf(ModulateRequest.parse(asked), true);
    if (!wav) throw new TypeError('the service has made a packet without the sound that was asked for');
    return wav;
  }
}

/** JSON that a header field can carry: what is not ASCII is escaped. */
const asciiJson = (value: object): string =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
