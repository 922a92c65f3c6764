import sdpTransform, { type ParsedDescription } from 'sdp-transform';
import { SdpError } from './sdp-error.js';
import type { SdpLine } from './sdp-lines.js';

/**
 * The attributes that a connection is made from, each as sdp-transform read it and written back. The library takes the
 * beginning of a line and overlooks the rest: only a line that comes out as it went in was read whole.
 */
const WRITTEN_BACK = {
  mid: ({ mid }: ParsedDescription) => mid,
  setup: ({ setup }: ParsedDescription) => setup,
  'ice-ufrag': ({ iceUfrag }: ParsedDescription) => iceUfrag,
  'ice-pwd': ({ icePwd }: ParsedDescription) => icePwd,
  'sctp-port': ({ sctpPort }: ParsedDescription) => sctpPort,
  'max-message-size': ({ maxMessageSize }: ParsedDescription) => maxMessageSize,
  fingerprint: ({ fingerprint }: ParsedDescription) =>
    fingerprint && `${fingerprint.type} ${fingerprint.hash}`,
  group: ({ groups }: ParsedDescription) => groups && `${groups[0].type} ${groups[0].mids}`,
} as const;

/** An attribute with a value that stands once for a whole description. */
export type AttributeName = keyof typeof WRITTEN_BACK;

export interface AttributeValue {
  readonly line: SdpLine;
  readonly value: string;
}

/**
 * All values of an attribute, in order.
 *
 * @throws SdpError ATTRIBUTE where a line looks like one and is not
 */
export function attributeValues(lines: readonly SdpLine[], name: AttributeName): AttributeValue[] {
  return lines
    .filter(({ looseName }) => looseName === name)
    .map(line => {
      const value = WRITTEN_BACK[name](sdpTransform.parse(line.text));
      if (value === undefined || line.text !== `a=${name}:${value}`) {
        throw new SdpError('ATTRIBUTE', `this is no a=${name} as RFC 8866 has it`, { line });
      }
      return { line, value: String(value) };
    });
}

/**
 * The value of an attribute that may stand for the session, for its one section, or for both with the same value.
 *
 * @throws SdpError ATTRIBUTE; REPEATED where two differ
 */
export function singleValue(lines: readonly SdpLine[], name: AttributeName): AttributeValue | undefined {
  const [first, ...others] = attributeValues(lines, name);
  const different = others.find(({ value }) => value !== first.value);
  if (different) {
    throw new SdpError('REPEATED', `a=${name} stands on line ${first.line.number} already, and differs`, {
      line: different.line,
    });
  }
  return first;
}

/** @throws SdpError as {@link singleValue}; MISSING where there is none */
export function requiredValue(lines: readonly SdpLine[], name: AttributeName): AttributeValue {
  const found = singleValue(lines, name);
  if (found === undefined) throw new SdpError('MISSING', `a=${name} is missing`, { bound: `a=${name}` });
  return found;
}

/** Whether an attribute without a value stands there: `a=end-of-candidates`. @throws SdpError ATTRIBUTE */
export function hasEndOfCandidates(lines: readonly SdpLine[]): boolean {
  const found = lines.filter(({ looseName }) => looseName === 'end-of-candidates');
  const odd = found.find(({ text }) => text !== 'a=end-of-candidates');
  if (odd) throw new SdpError('ATTRIBUTE', 'a=end-of-candidates has no value', { line: odd });
  return found.length > 0;
}
