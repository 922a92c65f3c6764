import { CertificateError } from '@svc/certificates';
import type { CertificateReader } from '@svc/certificates/node';
import { problemOf, runInTurn } from '@svc/platform';
import { CertificateSource, UNPAID_MS } from './certificate-source.js';

/** Takes half of what a caller may take without paying for it, looking and reading, and finds at last that it cannot be read. */
const reader = {
  read: async (_pdf: Uint8Array, onTaken?: (ms: number) => void) => {
    onTaken?.(UNPAID_MS / 2);
    throw new CertificateError('TIME_LIMIT', 'the file takes too long');
  },
  inspect: (_pdf: Uint8Array, onTaken?: (ms: number) => void) =>
    Promise.resolve(onTaken?.(UNPAID_MS / 2)).then(() => ({ pages: 1, formFields: 0 })),
} as unknown as CertificateReader;
const file = { request: {}, pdf: Buffer.from('%PDF-') };

it('looks at the files of one caller for so long before a payment, and at those of another all the same', async () => {
  const source = new CertificateSource(reader);
  const look = (subject: string) => runInTurn({ subject, standing: 'later' }, () => source.inspect(file));
  await look('one');
  await look('one');
  const { payload } = await problemOf(look('one'));
  expect(payload).toMatchObject({ code: 'RATE_LIMITED', errors: [{ path: 'pdfBase64', bound: UNPAID_MS }] });
  expect(payload.retryAfterSeconds).toBeGreaterThan(0);
  await look('another');
  await source.inspect(file);
});

it('counts what was read and refused, so that its payment went back, with what was looked at', async () => {
  const source = new CertificateSource(reader);
  const as = <Value>(work: () => Promise<Value>) => runInTurn({ subject: 'one', standing: 'settled' }, work);
  for (let i = 0; i < 2; i++) {
    const { payload } = await problemOf(as(() => source.read(file)));
    expect(payload.code).toBe('UNPROCESSABLE');
  }
  const { payload } = await problemOf(as(() => source.inspect(file)));
  expect(payload).toMatchObject({ code: 'RATE_LIMITED', errors: [{ bound: UNPAID_MS }] });
});
