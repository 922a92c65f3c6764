import { CertificateError } from '../certificate-error.js';
import type { ExtractedCertificate } from '../extracted-certificate.js';
import { isCertificatePage, readCertificatePage } from '../text/read-page.js';
import { openPdf } from './open-pdf.js';
import { drawingOf, pageTextOf } from './page-words.js';

/** @throws CertificateError */
export async function readCertificate(bytes: Uint8Array): Promise<ExtractedCertificate> {
  const pdf = await openPdf(bytes);
  try {
    for (const page of pdf.pages) {
      const text = await pageTextOf(page, await drawingOf(page));
      if (!isCertificatePage(text)) continue;
      return {
        variant: 'flattened',
        fields: readCertificatePage(text),
        pages: pdf.pages.length,
        attachments: [],
        tamperSigns: [],
      };
    }
    throw new CertificateError('NO_CERTIFICATE', 'no page of the file is a certificate of insurance');
  } finally {
    await pdf.document.destroy();
  }
}
