import { z } from 'zod';
import { Bytes, procedure } from './procedure.js';
import { defineRoutes } from './route.js';
import { unguessableId } from './wire-format.js';

/** Bytes of one upload: the longest file that a tool reads. */
export const UPLOAD_BYTES_MAX = 7_864_320;
/** How long an upload is there. */
export const UPLOAD_SECONDS = 600;

/** A file that was uploaded for a call over MCP. Its id is all that reading it takes. */
export const UploadId = unguessableId('upl');
export const FileSha256 = z
  .string()
  .regex(/^0x[0-9a-f]{64}$/)
  .meta({ description: 'SHA-256 of the file' });

/** Response of `POST /v1/uploads`. */
export const Upload = z
  .object({
    uploadId: UploadId.meta({ description: 'In the place of the file in the arguments of a tool' }),
    bytes: z.int(),
    sha256: FileSha256,
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Upload' });
export type Upload = z.infer<typeof Upload>;

export const uploadsRoutes = defineRoutes({
  create: {
    operationId: 'tools.upload',
    method: 'POST',
    path: '/v1/uploads',
    summary: 'Upload a file for a tool over MCP',
    description:
      'For a file that is too long for the arguments of a call. It is kept for ten minutes, and read by no call but those that name its id.',
    tag: 'Tools',
    access: 'free',
    body: { schema: z.string(), mediaType: 'application/octet-stream' },
    bodyBytesMax: UPLOAD_BYTES_MAX,
    replies: { 201: { description: 'The file is there', schema: Upload } },
    problems: ['OVERLOADED'],
  },
});

export const uploadsContract = {
  /** RATE_LIMITED for a caller who has its room full, OVERLOADED where there is none. */
  add: procedure('department', 'add-upload', {
    request: z.object({ file: Bytes }),
    reply: Upload,
    timeoutMs: 10_000,
  }),
  /** UNPROCESSABLE for one that is not there, or not any more. */
  find: procedure('department', 'find-upload', {
    request: z.object({ uploadId: UploadId }),
    reply: Upload,
    timeoutMs: 5_000,
  }),
} as const;
