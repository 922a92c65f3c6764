/** Bytes that a certificate file may have: what fits into one message of the bus. */
export const CERTIFICATE_FILE_BYTES_MAX = 7_864_320;
/** Pages that a certificate file may have, endorsements among them. */
export const CERTIFICATE_FILE_PAGES_MAX = 20;

/** What a file shows before it is read. */
export interface CertificateInspection {
  readonly pages: number;
  /** Form fields that hold a certificate's values, if filled. */
  readonly formFields: number;
}
