import { CertificateError } from '../certificate-error.js';
import type { CertificateInspection } from '../extracted-certificate.js';
import { openPdf } from './open-pdf.js';

/** @throws CertificateError */
export async function inspectCertificate(bytes: Uint8Array): Promise<CertificateInspection> {
  const pdf = await openPdf(bytes);
  try {
    const fields = (await pdf.document.getFieldObjects()) ?? {};
    const formFields = Object.keys(fields).length;
    if (pdf.hasXfa && formFields === 0) {
      throw new CertificateError(
        'XFA',
        'the file is an XFA form without fields of its own; print it to a PDF',
      );
    }
    return { pages: pdf.pages.length, formFields };
  } finally {
    await pdf.document.destroy();
  }
}
