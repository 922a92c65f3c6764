import { describe, expect, it } from '@jest/globals';
import { ProblemError } from '@svc/platform';
import { findPrice } from '@svc/protocols';
import { offeredOperationOf, requireOfferedFor } from './offered-operation.js';

const HERE = 'https://svc.example/v1/zk/prove';
const price = findPrice('zk.prove')!;
const echo = (resourceUrl?: string, operationId?: unknown) => ({
  ...(resourceUrl === undefined ? {} : { resourceUrl }),
  accepted: { extra: { name: 'USDC', ...(operationId === undefined ? {} : { operationId }) } },
});
/** Code and detail of the refusal, `taken` where there is none. */
function said(payment: Parameters<typeof requireOfferedFor>[0]): string {
  try {
    requireOfferedFor(payment, price);
    return 'taken';
  } catch (error) {
    if (error instanceof ProblemError) return `${error.code}: ${error.message}`;
    throw error;
  }
}

describe('what a payment says that it pays for', () => {
  it.each([
    ['https://svc.example/v1/x402/verify?tool=arena_challenge', 'tool.arena_challenge'],
    ['https://svc.example/v1/x402/challenge?tool=zk_prove_spatial&x=1', 'tool.zk_prove_spatial'],
    ['https://svc.example/v1/x402/execute', 'tool.m2m_license_contract'],
    ['http://10.0.0.7:8080/v1/tools/arena_challenge', 'tool.arena_challenge'],
    ['https://svc.example/v1/zk/prove?tool=arena_challenge', 'zk.prove'],
    ['https://svc.example/partnerCoiVerify', 'agent.coi-verify'],
    ['https://svc.example/mcp', undefined],
    ['https://svc.example/departments/proofs', undefined],
    ['https://svc.example/v1/account', undefined],
    ['/v1/x402/verify?tool=arena_challenge', undefined],
  ])('is what the route sells that offered it: %s', (url, operationId) => {
    expect(offeredOperationOf(echo(url))).toBe(operationId);
  });

  it('is what the tag of its offer says, whatever the URL', () => {
    for (const url of [undefined, 'https://svc.example/mcp', HERE])
      expect(offeredOperationOf(echo(url, 'tool.arena_challenge'))).toBe('tool.arena_challenge');
  });

  it.each([[{}], [{ accepted: {} }], [{ accepted: { extra: null } }], [echo(undefined, 7)]])(
    'is nothing of %j',
    payment => {
      expect(offeredOperationOf(payment)).toBeUndefined();
    },
  );
});

describe('a payment for one operation', () => {
  it.each<[string, ReturnType<typeof echo>, string]>([
    ['the URL of another route', echo('https://svc.example/v1/stark/prove-m31'), 'stark.prove-m31'],
    ['the URL of a tool', echo(`${HERE}/../../tools/arena_challenge`, 'zk.prove'), 'tool.arena_challenge'],
    ['the tag of another offer', echo(HERE, 'stark.prove-m31'), 'stark.prove-m31'],
    ['the tag of another offer of MCP', echo('https://svc.example/mcp', 'tool.x'), 'tool.x'],
    ['a tag that is none', echo(HERE, 7), '7'],
    ['a tag of null', echo(undefined, null), 'null'],
    ['a tag beyond all bounds', echo(undefined, 'x'.repeat(9_000)), 'x'.repeat(80)],
  ])('is refused with %s, which is named', (_what, payment, other) => {
    expect(said(payment)).toBe(
      `PAYMENT_BOUND_ELSEWHERE: The payment was offered for ${other}, and this is zk.prove`,
    );
  });

  it.each<[string, Parameters<typeof requireOfferedFor>[0]]>([
    ['its own echo', echo(HERE, 'zk.prove')],
    ['its URL at another host', echo('http://gateway:3000/v1/zk/prove')],
    [
      'its tag at a route that sells what bodies name',
      echo('https://svc.example/departments/proofs', 'zk.prove'),
    ],
    ['its tag and a path that is none of ours', echo('https://svc.example/ours/v1/zk/prove', 'zk.prove')],
    ['nothing', echo()],
    ['what version 1 says', {}],
  ])('is taken with %s', (_what, payment) => {
    expect(said(payment)).toBe('taken');
  });
});
