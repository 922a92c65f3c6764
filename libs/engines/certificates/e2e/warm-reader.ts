import { CertificateReader } from '../src/node/certificate-reader.js';

/**
 * Reads with one process for all cases of a suite, since each takes a second or two to warm up. For tests that leave the
 * process as it was.
 *
 * @example
 * const { tamperSigns } = await reader.read(bytes);
 */
export const reader = new CertificateReader({
  processes: 1,
  inspectMsMax: 60_000,
  readMsMax: 115_000,
});
afterAll(() => reader.close());
