import { CertificateError } from '../certificate-error.js';
import type { CertificateInspection } from '../extracted-certificate.js';
import { openPdf } from './open-pdf.js';
import { requireFewMarks } from './page-words.js';

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
    // What is refused for it while it is read has taken a process for longer, and was paid for in vain.
    for (const page of pdf.pages) await requireFewMarks(page);
    return { pages: pdf.pages.length, formFields };
  } finally {
    await pdf.document.destroy();
  }
}
