import { requiredValue } from './description-attribute.js';
import { SdpError } from './sdp-error.js';
import type { SdpLine } from './sdp-lines.js';

/** What the checks of ICE are signed with. */
export interface IceCredentials {
  /** 4 to 256 of `A–Z a–z 0–9 + /`. */
  readonly iceUfrag: string;
  /** 22 to 256 of the same. */
  readonly icePwd: string;
}

const CHARS_MAX = 256;
const UFRAG_CHARS_MIN = 4;
const PASSWORD_CHARS_MIN = 22;
const ICE_CHARS = /^[A-Za-z0-9+/]+$/;

/** @throws SdpError MISSING, REPEATED, ATTRIBUTE, ICE_CREDENTIALS. Source: RFC 8839 section 5.4. */
export function readIceCredentials(lines: readonly SdpLine[]): IceCredentials {
  return {
    iceUfrag: readIceText(lines, 'ice-ufrag', UFRAG_CHARS_MIN),
    icePwd: readIceText(lines, 'ice-pwd', PASSWORD_CHARS_MIN),
  };
}

function readIceText(lines: readonly SdpLine[], name: 'ice-ufrag' | 'ice-pwd', charsMin: number): string {
  const { line, value } = requiredValue(lines, name);
  if (value.length >= charsMin && value.length <= CHARS_MAX && ICE_CHARS.test(value)) return value;
  const message = `a=${name} has ${charsMin} to ${CHARS_MAX} characters of A–Z a–z 0–9 + /`;
  throw new SdpError('ICE_CREDENTIALS', message, {
    line,
    bound: `${charsMin} to ${CHARS_MAX}`,
    value: value.length,
  });
}
