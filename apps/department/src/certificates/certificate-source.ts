import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  CertificateError,
  type ExtractedCertificate,
  type ExtractedField,
  namedFields,
} from '@svc/certificates';
import { type CertificateReader, CertificateReaderBusyError } from '@svc/certificates/node';
import type { CoiVerifyRequest } from '@svc/contracts';
import { currentTurn, problem } from '@svc/platform';
import { RateLimiterMemory } from 'rate-limiter-flexible';

const BUSY_RETRY_SECONDS = 2;
/**
 * What the files of one caller may take of processes without being paid for: looked at before a payment, or read and refused, so that
 * the payment went back. One process of two, and no more.
 */
export const UNPAID_MS = 60_000;
const WINDOW_SECONDS = 60;
const VALUE_CHARS_MAX = 4_096;
const NAME_CHARS_MAX = 120;
const ATTACHMENT_CHARS_MAX = 20_000;
/** Names of fields that nobody knows, repeated in one fault. */
const NAMES_SHOWN_MAX = 8;

/** What an audit is made of: a file's bytes, or a request that has the fields. */
export interface CertificateInput {
  readonly request: Partial<Extract<CoiVerifyRequest, { fields: unknown }>>;
  readonly pdf?: Uint8Array;
}

/** A certificate, and what is to be said of how it came. */
export interface SourcedCertificate {
  readonly certificate: ExtractedCertificate;
  /** Names in the request that stand for no field of a certificate. */
  readonly unknownNames: readonly string[];
}

/** Certificates as they come: files, opened in processes of their own, or fields by their names. */
@Injectable()
export class CertificateSource implements OnApplicationShutdown {
  private readonly unpaid = new RateLimiterMemory({ points: UNPAID_MS, duration: WINDOW_SECONDS });

  constructor(private readonly reader: CertificateReader) {}

  /** @throws ProblemError UNPROCESSABLE for what cannot be read; OVERLOADED; RATE_LIMITED for who has had too much looked at */
  async inspect({ request, pdf }: CertificateInput): Promise<void> {
    if (!pdf) return void certificateOf(request);
    const subject = currentTurn()?.subject;
    if (subject !== undefined) await this.requireTime(subject);
    await refusedAsProblem(this.reader.inspect(pdf, ms => this.count(subject, ms)));
  }

  private count(subject: string | undefined, ms: number): void {
    if (subject !== undefined) void this.unpaid.penalty(subject, Math.ceil(ms));
  }

  private async requireTime(subject: string): Promise<void> {
    const taken = await this.unpaid.get(subject);
    if (!taken || taken.consumedPoints < UNPAID_MS) return;
    const message = `files that take more than ${UNPAID_MS} ms in ${WINDOW_SECONDS} s, and are not paid for in the end, are looked at no more`;
    throw problem('RATE_LIMITED', `pdfBase64: ${message}`, {
      errors: [{ path: 'pdfBase64', message, bound: UNPAID_MS, got: taken.consumedPoints }],
      retryAfterSeconds: Math.max(1, Math.ceil(taken.msBeforeNext / 1_000)),
    });
  }

  /** @throws ProblemError as {@link inspect} */
  async read({ request, pdf }: CertificateInput): Promise<SourcedCertificate> {
    if (!pdf) return certificateOf(request);
    const subject = currentTurn()?.subject;
    let takenMs = 0;
    const certificate = await refusedAsProblem(this.reader.read(pdf, ms => (takenMs = ms))).catch(
      (refusal: unknown) => {
        this.count(subject, takenMs);
        throw refusal;
      },
    );
    if (Object.keys(certificate.fields).length === 0) throw noCertificate('pdfBase64');
    return { certificate: storable(certificate), unknownNames: [] };
  }

  onApplicationShutdown(): Promise<void> {
    return this.reader.close();
  }
}

function certificateOf({ fields = {}, attachments = [] }: CertificateInput['request']): SourcedCertificate {
  const named = namedFields(fields);
  const names = Object.keys(named.fields);
  if (names.length === 0 && named.contradictory.length === 0) throw noCertificate('fields', named.unknown);
  const values = Object.entries(named.fields).map(([name, value]): [string, ExtractedField] => [
    name,
    { value, confidence: 1 },
  ]);
  const certificate: ExtractedCertificate = {
    variant: 'fields',
    fields: Object.fromEntries(values),
    pages: 1 + attachments.length,
    attachments: attachments.map((text, index) => ({ page: index + 2, text })),
    tamperSigns: named.contradictory.map(field => `${field} was sent with two different values`),
  };
  return { certificate, unknownNames: named.unknown };
}

async function refusedAsProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof CertificateReaderBusyError) {
      throw problem('OVERLOADED', 'Too many certificates are being read', {
        retryAfterSeconds: BUSY_RETRY_SECONDS,
        cause: error,
      });
    }
    if (!(error instanceof CertificateError)) throw error;
    const { code, message, max, got } = error;
    const bound = { ...(max === undefined ? {} : { bound: max }), ...(got === undefined ? {} : { got }) };
    throw problem('UNPROCESSABLE', `The file cannot be audited: ${message}`, {
      errors: [{ path: 'pdfBase64', message: `${code}: ${message}`, ...bound }],
    });
  }
}

function noCertificate(path: 'pdfBase64' | 'fields', unknown: readonly string[] = []) {
  const detail = 'No field of a certificate of liability insurance was found';
  const shown = unknown.slice(0, NAMES_SHOWN_MAX).join(', ').slice(0, 400);
  const message = unknown.length === 0 ? 'has no such field' : `has no such field, but: ${shown}`;
  return problem('UNPROCESSABLE', detail, { errors: [{ path, message }] });
}

/** What was read from a file, without what neither a database nor canonical JSON takes, and within bounds. */
function storable(certificate: ExtractedCertificate): ExtractedCertificate {
  const fields = Object.entries(certificate.fields).flatMap(([name, field]) => {
    const value = plainText(field.value, VALUE_CHARS_MAX);
    return value === '' ? [] : [[name, { ...field, value, confidence: rounded(field.confidence) }]];
  });
  const attachments = certificate.attachments.map(({ page, text }) => ({
    page,
    text: plainText(text, ATTACHMENT_CHARS_MAX),
  }));
  const tamperSigns = certificate.tamperSigns.map(sign => plainText(sign, VALUE_CHARS_MAX));
  const otherText = certificate.otherText?.map(other => ({
    ...other,
    name: plainText(other.name, NAME_CHARS_MAX),
    value: plainText(other.value, VALUE_CHARS_MAX),
  }));
  return {
    ...certificate,
    ...{ fields: Object.fromEntries(fields), attachments, tamperSigns },
    ...(otherText && { otherText }),
  };
}

/** Text without control characters but line breaks, and without halves of surrogate pairs. */
const plainText = (text: string, charsMax: number): string =>
  text
    .slice(0, charsMax)
    .replace(/\p{Cs}|(?![\t\n])\p{Cc}/gu, ' ')
    .trim();

const rounded = (confidence: number): number =>
  Math.floor(Math.min(1, Math.max(0, confidence)) * 1_000) / 1_000;
