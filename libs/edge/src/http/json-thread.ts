import { answerTasks } from '@svc/kernels/node';
import { type JsonReading, jsonShape, readJson, shapeFaultOf } from './json-text.js';

/** What a thread has read, and how many values the text looks to have. */
export interface JsonThreadReply {
  readonly reading: JsonReading;
  readonly values: number;
}

answerTasks<Uint8Array, JsonThreadReply>(bytes => {
  const shape = jsonShape(bytes);
  return { reading: shapeFaultOf(shape) ?? readJson(bytes, shape), values: shape.values };
});
