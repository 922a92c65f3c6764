import { describe, expect, it } from '@jest/globals';
import type { ProblemError, ServiceEnvironment, Variables } from '@svc/platform';
import { SlabConsent } from './slab-consent.js';

const OLD = 'the-secret-that-the-department-had-before';
const NEW = 'the-secret-that-the-department-has-by-now';
const consentOf = (secret: string, variables: Variables = {}) =>
  new SlabConsent({ secrets: { DEPARTMENT_SECRET: secret }, variables } as unknown as ServiceEnvironment);
const PUF = `puf_${'p'.repeat(22)}`;

function codeOf(work: () => void): string | undefined {
  try {
    work();
  } catch (error) {
    return (error as ProblemError).code;
  }
  return undefined;
}

describe('the token of an enrolment', () => {
  it('is the same at every replica, and lets in for this enrolment alone', () => {
    const token = consentOf(NEW).tokenOf(PUF);
    expect(token).toMatch(/^slv_[A-Za-z0-9_-]{43}$/);
    expect(codeOf(() => consentOf(NEW).require(token, PUF))).toBeUndefined();
    for (const [sent, pufId] of [
      [token, `puf_${'q'.repeat(22)}`],
      [token.slice(0, -1), PUF],
      [`${token}A`, PUF],
      ['', PUF],
      [undefined, PUF],
    ] as const)
      expect(codeOf(() => consentOf(NEW).require(sent, pufId))).toBe('FORBIDDEN');
  });

  it('outlives its secret where that is listed, and not otherwise', () => {
    const token = consentOf(OLD).tokenOf(PUF);
    const listed = consentOf(NEW, { DEPARTMENT_SECRETS_BEFORE: OLD });
    expect(codeOf(() => listed.require(token, PUF))).toBeUndefined();
    expect(codeOf(() => consentOf(NEW).require(token, PUF))).toBe('FORBIDDEN');
    expect(listed.tokenOf(PUF)).toBe(consentOf(NEW).tokenOf(PUF));
  });
});
