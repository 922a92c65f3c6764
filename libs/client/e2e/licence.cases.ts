import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Client,
  createClient,
  type FetchedProof,
  type LicenceEvidence,
  sandboxWallet,
  verifyLicenceAnswer,
  verifyWalEvents,
} from '../src/index.js';
import type { Svc } from './command-line.js';
import type { RunningProduct } from './running-product.js';

/** Licences that are bought, what they are checked against, and the telemetry that they move. */
export function describeLicence(product: () => RunningProduct, svc: Svc): void {
  let client: Client;
  let folder: string;
  let evidence: LicenceEvidence;
  const REQUEST = { licenseeAgentId: 'agent-7', capability: 'translate' };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-licence-'));
    const baseUrl = product().address;
    client = createClient({ baseUrl, wallet: sandboxWallet({ baseUrl }) });
    evidence = await boughtByTicket();
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const keysOf = async (name: string) =>
    (await client.request('GET', `/.well-known/svc-${name}-keys.json`)).data['keys'] as never;

  /** A licence that a ticket paid for, with all that it is checked against. */
  async function boughtByTicket(): Promise<LicenceEvidence> {
    const { data: sold } = await client.buyTicket({ agentId: REQUEST.licenseeAgentId });
    const { data: answer } = await client.licence(REQUEST, { ticket: sold.ticket });
    const { data: saga } = await client.saga(answer.sagaId, { ticket: sold.ticket });
    expect([saga.status, saga.walHash]).toEqual(['COMPLETED', answer.walHash]);
    const parameters = { proofId: answer.starkExecutionProof };
    const { data: executionProof } = await client.request('GET', '/v1/stark/proofs/{proofId}' as string, {
      parameters,
    });
    return {
      answer: answer as unknown as Record<string, unknown>,
      request: REQUEST,
      licenceKeys: await keysOf('license'),
      proofKeys: await keysOf('proof'),
      walKeys: await keysOf('wal'),
      executionProof: executionProof as unknown as FetchedProof,
      batchProof: (await client.fetchProof((answer.auditProof as { proofId: string }).proofId)).data,
    };
  }

  const failedOf = async (changed: LicenceEvidence) =>
    (await verifyLicenceAnswer(changed)).checks.filter(({ valid }) => !valid).map(({ name }) => name);

  test('a licence that a ticket bought is checked here, every part of it', async () => {
    const { valid, checks } = await verifyLicenceAnswer(evidence);
    expect(checks.filter(check => !check.valid)).toEqual([]);
    expect(valid).toBe(true);
    expect(checks.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['log', 'token', 'contract', 'execution proof', 'audit proof']),
    );
  });

  type Answer = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- changed anywhere
  const CHANGES: [what: string, change: (answer: Answer) => void, failing: string][] = [
    ['a record', ({ walEvents }) => (walEvents[4].payload.more = 1), 'log'],
    ['the time of a record', ({ walEvents }) => (walEvents[2].at = '2026-01-01T00:00:00.000Z'), 'log'],
    ['a record that is left out', ({ walEvents }) => walEvents.splice(3, 1), 'log'],
    ['the end of the log', ({ walEvents }) => walEvents.pop(), 'log'],
    ['the count', answer => (answer['walCount'] = 11), 'log'],
    ['the status', answer => (answer['status'] = 'COMPENSATED'), 'log'],
    [
      'a letter of the token',
      answer => (answer['m2mLicenseToken'] = swapped(answer['m2mLicenseToken'])),
      'token',
    ],
    ['the licensee of the contract', ({ contract }) => (contract.licensee = 'agent-8'), 'execution proof'],
    ['the grant', ({ contract }) => (contract.grant.nodesMax = 1_000), 'token'],
    ['the id of the contract', answer => (answer['contractId'] = 'other'), 'contract'],
    ['the root', answer => (answer['starkRoot'] = `0x${'00'.repeat(32)}`), 'execution proof'],
    ['the treasury entry', answer => (answer['settlementTreasury'] = 'treasury:other'), 'audit proof'],
    ['a rule', ({ auditProof }) => (auditProof.rules[0].value = '9'), 'audit proof'],
  ];
  const swapped = (token: string) => token.slice(0, 40) + (token[40] === 'A' ? 'B' : 'A') + token.slice(41);

  test.each(CHANGES)('%s, changed, is found by name', async (_, change, failing) => {
    const answer = structuredClone(evidence.answer) as Answer;
    change(answer);
    expect(await failedOf({ ...evidence, answer })).toContain(failing);
  });

  test('another request, other keys, a missing or a revoked proof are found by name', async () => {
    expect(await failedOf({ ...evidence, request: { ...REQUEST, capability: 'other' } })).toContain(
      'contract',
    );
    expect(await failedOf({ ...evidence, licenceKeys: [] })).toEqual(['token']);
    expect(await failedOf({ ...evidence, proofKeys: [] })).toEqual(['audit proof']);
    expect(await failedOf({ ...evidence, batchProof: undefined })).toEqual(['audit proof']);
    expect(await failedOf({ ...evidence, executionProof: undefined })).toEqual(['execution proof']);
    const executionProof = { ...evidence.executionProof!, revokedAt: '2026-04-02T00:00:00.000Z' };
    expect(await failedOf({ ...evidence, executionProof })).toEqual(['execution proof']);
    expect(await failedOf({ ...evidence, at: new Date('2100-01-01') })).toEqual(['token']);
  });

  test('an execution by ticket whose answer is lost is asked for again, and runs once', async () => {
    let lost = 0;
    const baseUrl = product().address;
    const losing = createClient({
      baseUrl,
      wallet: sandboxWallet({ baseUrl }),
      fetch: async (input, init) => {
        const response = await fetch(input, init);
        if (String(input).includes('/execute') && lost++ === 0) throw new TypeError('lost on its way');
        return response;
      },
    });
    const { data: sold } = await losing.buyTicket();
    const { data } = await losing.licence({ licenseeAgentId: 'agent-9' }, { ticket: sold.ticket });
    expect([data.status, lost]).toEqual(['COMPLETED', 2]);
    // Without the key of the first try the ticket is used.
    await expect(
      client.licence({ licenseeAgentId: 'agent-9' }, { ticket: sold.ticket }),
    ).rejects.toMatchObject({
      code: 'TICKET_USED',
      problem: { sagaId: data.sagaId },
    });
  });

  test('the telemetry is followed, and moves with a sale', async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const { transactionsExecuted } of client.followTelemetry({ signal: stop.signal })) {
      if (seen.push(transactionsExecuted) === 1) void client.licence({ licenseeAgentId: 'agent-10' });
      if (transactionsExecuted > seen[0]) break;
    }
    expect(seen.at(-1)).toBe(seen[0] + 1);
  });

  test('svc license buys, saves and checks; svc verify finds what was changed, with its exit code', async () => {
    const [file, url] = [join(folder, 'licence.json'), product().address];
    const bought = await svc(['license', 'agent-7', '--save', file, '--url', url]);
    expect([bought.code, bought.stdout]).toEqual([0, expect.stringContaining('check: execution proof')]);
    const verified = await svc(['verify', file, '--url', url, '--json']);
    expect([verified.code, JSON.parse(verified.stdout).valid]).toEqual([0, true]);
    const saved = JSON.parse(await readFile(file, 'utf8')) as Answer;
    saved['walEvents'][4].payload.more = 1;
    await writeFile(file, JSON.stringify(saved));
    const refused = await svc(['verify', file, '--url', url]);
    expect([refused.code, refused.stdout]).toEqual([4, expect.stringContaining('INVALID  record 4')]);
  });

  test('svc license --simulate-fault and svc saga show the way back', async () => {
    const { data: sold } = await client.buyTicket();
    const url = product().address;
    const args = ['license', 'agent-7', '--simulate-fault', '--ticket', sold.ticket, '--json', '--url', url];
    const { code, stdout } = await svc(args);
    const answer = JSON.parse(stdout) as Answer;
    expect([code, answer['status'], answer['checked'].valid]).toEqual([0, 'COMPENSATED', true]);
    expect(await verifyWalEvents(answer)).toMatchObject({ valid: true, count: 14 });
    const shown = await svc(['saga', answer['sagaId'] as string, '--ticket', sold.ticket, '--url', url]);
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/13 .* SAGA_ABORTED/)]);
  });

  test('svc says what a key was debited, what went back to it, and what a fault did not cost', async () => {
    const url = ['--url', product().address];
    const taken = await svc(['license', 'agent-7', '--simulate-fault', ...url]);
    expect(taken.stdout).toMatch(/^paid +nothing: 10 sats over l402 were taken, and have become credit$/m);
    const environment = { SVC_KEY: /^the rest is on +(svc_test_\S+)/m.exec(taken.stdout)![1] };
    const paid = async (...args: string[]) => {
      const { code, stdout } = await svc([...args, ...url], { environment });
      expect(code).toBe(0);
      return /^paid +(.*)$/m.exec(stdout)?.[1];
    };
    expect(await paid('license', 'agent-7', '--simulate-fault')).toBe(
      'nothing: 0.005 USD were taken, and are back in the credit of SVC_KEY, which then had 0.005 USD',
    );
    const debited = (left: string) => `0.001 USD from the credit of SVC_KEY, which then had ${left} USD`;
    expect(await paid('tool', 'get_product_catalog')).toBe(debited('0.004'));
    const chain = (traceData: string) => ['--input', JSON.stringify({ traceData, degree: 64 })];
    expect(await paid('call', 'POST', '/v1/zk/prove', ...chain('by call'))).toBe(debited('0.003'));
    expect(await paid('task', 'proofs', ...chain('by task'), '--wait', '20')).toBe(debited('0.002'));
    const account = await svc(['account', '--json', ...url], { environment });
    expect(JSON.parse(account.stdout)).toMatchObject({ balanceMicroUsd: 2_000 });
  });

  test('svc call --dry-run tells the price of the 402, for every price that there is', async () => {
    const url = product().address;
    for (const [path, body] of [
      ['/v1/zk/prove', { traceData: 'hello', degree: 64 }],
      ['/v1/stark/prove-m31', { publicInputs: ['42'] }],
      ['/v1/tools/m2m_license_contract', { licenseeAgentId: 'agent-7' }],
      ['/v1/x402/execute?tool=arena_challenge', {}],
    ] as const) {
      const { code, stdout } = await svc(['call', '--dry-run', 'POST', path, '--json', '--url', url]);
      const told = JSON.parse(stdout) as Answer;
      const price = told['tools'] === null ? told['payment'] : Object.values(told['tools'] as object)[0];
      const asked = await fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const terms = (await asked.json()) as Answer;
      expect([code, asked.status]).toEqual([0, 402]);
      expect(price).toMatchObject({ priceUsd: terms['priceUsd'], priceSats: terms['priceSats'] });
      expect([...told['rails']].sort()).toEqual([...terms['rails']].sort());
    }
  });
}
