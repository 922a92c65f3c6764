import type { ExtractedCertificate } from '../extracted-certificate.js';
import { CertificateError } from '../certificate-error.js';
import { openPdf } from './open-pdf.js';

/** @throws CertificateError */
export async function readCertificate(bytes: Uint8Array): Promise<ExtractedCertificate> {
  const pdf = await openPdf(bytes);
  await pdf.document.destroy();
  throw new CertificateError('NO_CERTIFICATE', 'no page of the file is a certificate of insurance');
}
