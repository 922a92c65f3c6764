import { callScope, runInScope } from '../runtime/call-scope.js';
import { freshTrace, Hop, type TraceContext } from './hop.js';

/**
 * Runs `fn` inside a trace: the caller's when its `traceparent` is valid, else a fresh one. Each
 * call is a hop and gets a span id of its own.
 */
export const runWithTrace = <T>(traceparent: string | undefined, fn: () => T): T =>
  runInScope({ ...callScope(), hop: new Hop(traceparent) }, fn);

/** The trace of the running work; a fresh one, kept nowhere, outside of any. */
export function currentTrace(): TraceContext {
  return activeHop() ?? freshTrace();
}

/** The trace of the running work, or undefined outside of any. */
export const activeHop = (): Hop | undefined => callScope()?.hop;
