/** Why a file is not read; each is a fault of the file, found within bounded time and memory. */
export type CertificateErrorCode =
  /** No bytes at all. */
  | 'EMPTY'
  /** More bytes than a file may have. */
  | 'TOO_LARGE'
  /** It does not begin as a PDF does. */
  | 'NOT_A_PDF'
  /** It begins as a PDF, and what follows cannot be made sense of: cut off, loops, no pages. */
  | 'BROKEN'
  /** It asks for a password. */
  | 'ENCRYPTED'
  | 'TOO_MANY_PAGES'
  /** An action that starts something, anywhere in it. */
  | 'SCRIPTED'
  /** Files inside the file. */
  | 'EMBEDDED_FILES'
  /** An XFA form without form fields of its own: what it shows is made by a program. */
  | 'XFA'
  /** A picture, a page or a stream that would take more memory than a certificate needs. */
  | 'PICTURE_TOO_LARGE'
  | 'STREAM_TOO_LARGE'
  /** Reading it took longer, or more memory, than a certificate takes; its process was ended. */
  | 'TIME_LIMIT'
  | 'MEMORY_LIMIT'
  /** It opens, and no page of it is a certificate of insurance. */
  | 'NO_CERTIFICATE';

/** A bound that was broken, and what was found. */
export interface CertificateBound {
  readonly max?: number;
  readonly got?: number;
}

/** A file that cannot be read as a certificate. The message is meant for whoever sent it. */
export class CertificateError extends Error {
  override readonly name = 'CertificateError';
  readonly max?: number;
  readonly got?: number;

  constructor(
    readonly code: CertificateErrorCode,
    message: string,
    bound: CertificateBound = {},
  ) {
    super(message);
    this.max = bound.max;
    this.got = bound.got;
  }
}
