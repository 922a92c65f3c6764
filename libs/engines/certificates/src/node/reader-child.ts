import { CertificateError } from '../certificate-error.js';
import { inspectCertificate } from './inspect-certificate.js';
import { readCertificate } from './read-certificate.js';
import { Recogniser } from './recogniser.js';
import type { ReaderReply, ReaderTask } from './reader-process.js';

interface Request {
  readonly id: number;
  readonly task: ReaderTask;
  readonly bytes: Uint8Array;
}

/** Starts with the first picture, and stays warm for the next. */
const recogniser = new Recogniser();

async function answer({ id, task, bytes }: Request): Promise<ReaderReply> {
  try {
    // Its own copy: the libraries take the memory over.
    const file = new Uint8Array(bytes);
    return {
      id,
      value: await (task === 'read' ? readCertificate(file, recogniser) : inspectCertificate(file)),
    };
  } catch (error) {
    if (error instanceof CertificateError) {
      const { code, message, max, got } = error;
      return { id, error: { code, message, max, got } };
    }
    // What a library throws over a file is the file's fault; its words are not for whoever sent it.
    return { id, error: { code: 'BROKEN', message: 'the file cannot be read as a PDF' } };
  }
}

/** Serves its parent, one file at a time, until the parent is gone. */
export function serve(): void {
  process.on('message', (request: Request) => void answer(request).then(reply => process.send?.(reply)));
  process.on('disconnect', () => process.exit(0));
  process.send?.({ ready: true } satisfies ReaderReply);
}
