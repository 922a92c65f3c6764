import type { KeyHolder } from '@svc/contracts';

// On the bus a file travels as bytes beside its request: base64 in JSON is a third longer, and is read twice.

/** A validated body with its recording as bytes. */
export function bullionCallOf(body: object) {
  const { request, file } = taken(body, 'recordingBase64');
  return { request, ...(file && { recording: file }) };
}

/** A validated body with its file as bytes, and whose audit it is to be. */
export function certificateCallOf(body: object, holder: KeyHolder | undefined) {
  const { request, file } = taken(body, 'pdfBase64');
  return { request, ...(file && { pdf: file }), ...(holder && { accountId: holder.accountId }) };
}

function taken(body: object, name: string): { request: Record<string, unknown>; file?: Uint8Array } {
  const { [name]: base64, ...request } = body as Record<string, unknown>;
  return { request, ...(typeof base64 === 'string' && { file: Buffer.from(base64, 'base64') }) };
}
