/** A request on the bus: its file as bytes beside it, for base64 in JSON is a third longer and is read twice. */
export interface CallWithFile {
  readonly request: Record<string, unknown>;
  readonly file?: Uint8Array;
}

/** Takes the base64 member `name` out of a validated body. */
export function withFileBytes(body: object, name: string): CallWithFile {
  const { [name]: base64, ...request } = body as Record<string, unknown>;
  return { request, ...(typeof base64 === 'string' ? { file: Buffer.from(base64, 'base64') } : {}) };
}
