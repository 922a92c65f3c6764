import { answerTasks } from '@svc/kernels/node';
import { type JsonReading, type JsonShape, readJson } from './json-text.js';

/** What a thread reads: a text and what it looks like. */
export interface JsonTask {
  readonly bytes: Uint8Array;
  readonly shape: JsonShape;
}

answerTasks<JsonTask, JsonReading>(({ bytes, shape }) => readJson(bytes, shape));
