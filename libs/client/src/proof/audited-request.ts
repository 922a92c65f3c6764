type JsonObject = Readonly<Record<string, unknown>>;

/** What a request keeps private, and its evidence says nothing of. */
const PRIVATE_MEMBERS = ['privateWitness', 'trace', 'inputs'];
const SPATIAL_PRIVATE_MEMBERS = ['coordinates', 'altitude'];

/**
 * A request as the evidence of its answer commits to it: without its private members, and with the defaults that the service
 * filled in, which the answer states. One that is so already stays as it is.
 */
export function auditedRequest(request: JsonObject, answer: JsonObject): JsonObject {
  const { airId, statement, friBlowup, parameterSet, traceLength } = answer;
  if (statement !== undefined) {
    return { statement, friBlowup, parameterSet, ...without(request, PRIVATE_MEMBERS) };
  }
  if (airId === 'hash-chain/v1') return { degree: traceLength, friBlowup, ...request };
  return airId === 'spatial-box/v1' ? without(request, SPATIAL_PRIVATE_MEMBERS) : request;
}

function without(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}
