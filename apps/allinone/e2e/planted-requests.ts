import { ROUTES, type ToolName } from '@svc/contracts';
import { pictureFile } from '@svc/speckle/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { paidL402 } from './paid-call.js';

type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- of any route

/** A request that was sent, and how it was answered. */
export interface SentRequest {
  readonly operationId: string;
  /** The operation, and the tool or desk where it has several. */
  readonly name: string;
  readonly bytes: string;
  readonly status: number;
  readonly text: string;
  /** What it needs to succeed, nobody has here; it is looked at all the same. */
  readonly mayFail: boolean;
}

export interface PlantedCall {
  readonly address: string;
  readonly adminKey: string;
  /** Short texts, each for one field. */
  readonly codes: readonly string[];
}

/** Routes that take a body and are not sent one, and why. */
export const UNSENT: Readonly<Record<string, string>> = {
  'mesh.answer': 'it needs a peer that was called; a signed description that is kept as it is',
  'mesh.trickle': 'it needs a session; candidates are kept as they are',
  'tools.upload': 'no fields: a file that is kept as it came, for ten minutes',
};

/** A hidden number is tripled row by row. */
const TRIPLING = {
  ...{ format: 'air/1', field: 'goldilocks', columns: ['x'], public: ['end'], periodic: [] },
  nodes: [
    ['next', 'x'],
    ['cur', 'x'],
    ['const', '3'],
    ['mul', 1, 2],
    ['sub', 0, 3],
  ],
  constraints: [{ name: 'triple', node: 4 }],
  boundary: [{ column: 'x', row: 'last', value: ['public', 'end'] }],
};

interface Sending {
  readonly headers?: Record<string, string>;
  readonly params?: Record<string, string>;
  readonly query?: string;
  readonly mayFail?: boolean;
}

/** Sends each route that takes a body, and each tool, a request with short texts in its fields, one after the other. */
export async function sendPlantedRequests(call: PlantedCall): Promise<SentRequest[]> {
  const sender = new PlantedRequests(call);
  await sender.operators();
  await sender.proofs();
  await sender.networks();
  await sender.sounds();
  await sender.purchases();
  await sender.agents();
  await sender.tools();
  return sender.sent;
}

class PlantedRequests {
  readonly sent: SentRequest[] = [];
  private next = 0;
  private key: Record<string, string> = {};
  private wav = '';
  private readonly byAdmin: Sending;

  constructor(private readonly call: PlantedCall) {
    this.byAdmin = { headers: { 'x-svc-key': call.adminKey } };
  }

  /** What operators do; the account that pays for the rest. */
  async operators(): Promise<void> {
    const { accountId } = await this.post(
      'admin.create-account',
      { email: `${this.code()}@example.com` },
      this.byAdmin,
    );
    const account = { ...this.byAdmin, params: { accountId: String(accountId) } };
    await this.post('admin.grant-credit', { amountMicroUsd: 50_000_000, reason: this.code() }, account);
    this.key = {
      'x-svc-key': String((await this.post('admin.issue-key', { label: this.code() }, account)).key),
    };
    await this.post('admin.set-plan', { plan: 'developer' }, account);
    await this.post('admin.set-licences', { state: 'active' }, account);
    const spot = {
      metal: 'XAU',
      currency: 'USD',
      price: this.code(),
      asOf: new Date().toISOString(),
      source: this.code(),
    };
    await this.post('admin.set-spot-price', spot, this.byAdmin);
    const refund = { claimId: crypto.randomUUID(), reason: this.code() };
    await this.post('admin.refund', refund, {
      headers: { ...this.byAdmin.headers, 'idempotency-key': crypto.randomUUID() },
      mayFail: true,
    });
    await this.post('refunds.lightning', { invoice: `lnbcrt${this.code()}` }, { mayFail: true });
    await this.post('admin.reset-mesh-document', { content: 'clear', reason: this.code() }, this.byAdmin);
    await this.post(
      'admin.change-lead',
      { notes: this.code() },
      { ...this.byAdmin, params: { leadId: '1' }, mayFail: true },
    );
  }

  /** Proofs, at once and as jobs. */
  async proofs(): Promise<void> {
    const stark = () => ({
      publicInputs: ['0x2a'],
      privateWitness: [this.code()],
      contextDomain: this.code(),
    });
    await this.post('zk.prove', { traceData: this.code(), degree: 1_024 });
    await this.post('zk.prove', { traceData: this.code(), degree: 1_024 }, this.later());
    await this.post('stark.prove-goldilocks', stark());
    await this.post('stark.prove-goldilocks', stark(), this.later());
    await this.post('stark.prove-m31', stark());
    const own = (more: object = {}) => ({
      air: TRIPLING,
      rows: 5,
      start: { x: `9${this.code()}${this.code()}` },
      ...more,
    });
    const bought = (more: object = {}) => ({ statement: 'own', ...own(more) });
    await this.post('zk.check-air', own());
    await this.post('zk.check-air', own({ public: { end: this.code() } }));
    await this.post('stark.prove-goldilocks', bought());
    await this.post('stark.prove-goldilocks', bought(), this.later());
    // A trace that does not hold: its caller alone is told its values.
    const broken = () => bought({ public: { end: this.code() } });
    await this.post('stark.prove-goldilocks', broken(), { mayFail: true });
    const { jobId } = await this.post('stark.prove-goldilocks', broken(), { ...this.later(), mayFail: true });
    await this.ended(String(jobId));
    for (const verify of ['stark.verify-proof', 'stark.pq-verify'])
      await this.post(verify, { proof: Buffer.from(this.code()).toString('base64') }, { mayFail: true });
  }

  /** Networks, graphs and inference. */
  async networks(): Promise<void> {
    const network = () => ({ neuronCount: 1_000, iterations: 10, seed: Number(this.code()) });
    await this.post('snn.solve', network());
    await this.post('snn.solve', network(), this.later());
    const edges = [
      [0, 1, Number(this.code())],
      [1, 2, Number(this.code())],
    ];
    await this.post('snn.solve-graph', { problem: 'sssp', nodes: 3, edges, source: 0, target: 2 });
    await this.post('fep.active-inference', exampleOf('fep.active-inference'));
  }

  /** Sounds, surfaces and sessions. */
  async sounds(): Promise<void> {
    const { wavBase64 } = await this.post('acoustic.modulate', { payloadHex: this.hex(), includeWav: true });
    this.wav = String(wavBase64);
    await this.post('acoustic.demodulate', { recordingBase64: this.wav });
    const deviceId = this.code();
    const { challengeNonce } = await this.post('acoustic.challenge', { deviceId });
    const heard = { deviceId, challengeNonce, recordingBase64: this.wav };
    await this.post('acoustic.verify-pairing', heard, { mayFail: true });
    await this.post('acoustic.enrol-beacon', { name: this.code() });
    const imageBase64 = Buffer.from(await pictureFile({ surface: 1, seed: 1, noise: 0.05 })).toString(
      'base64',
    );
    const slabId = this.code();
    await this.post('speckle.extract-puf', { imageBase64, modality: 'laser_speckle', enroll: true, slabId });
    await this.post('speckle.verify-slab', { imageBase64, slabId });
    const sdpOffer = descriptionOf(this.code());
    await this.post('mesh.rendezvous', { peerPublicKey: 'ab'.repeat(32), sdpOffer }, { mayFail: true });
  }

  /** Tickets, sagas, checkouts, keys and escrows. */
  async purchases(): Promise<void> {
    const agentId = this.code();
    const { ticket } = await this.post('x402.verify', { agentId }, { query: '?tool=m2m_license_contract' });
    await this.post('x402.execute', { licenseeAgentId: agentId, executionTicket: ticket });
    await this.post('x402.execute', { licenseeAgentId: this.code(), capability: this.code() });
    await this.post('credits.prepay', { packId: 'pack_10', customerEmail: `${this.code()}@example.com` });
    const { address } = this.call;
    const topUp = { usd: '3.71' };
    const authorization = await paidL402(address, '/v1/account/top-up', address, fetch, topUp);
    await this.post('account.top-up', topUp, { headers: { ...this.key, authorization } });
    const bundle = { sats: 3_701, validSeconds: 86_411 };
    const credential = await paidL402(address, '/v1/l402/bundle', address, fetch, bundle);
    await this.post('l402.bundle', bundle, { headers: { authorization: credential } });
    await this.post('webhooks.stripe', { id: this.code() }, { mayFail: true });
    const { keyId } = await this.post('account.create-key', { label: this.code() });
    await this.post('account.rotate-key', { graceSeconds: 3_599 }, { params: { keyId: String(keyId) } });
    const { intentId } = await this.post('escrow.create-intent', {
      ...{ amountUsd: '5.00', description: this.code(), metadata: { order: this.code() } },
    });
    const released = { params: { intentId: String(intentId) }, mayFail: true };
    await this.post('escrow.release', { amountUsd: '1.00' }, released);
    const { claimUrl } = await this.post('escrow.create-intent', { amountUsd: '5.00', payee: this.code() });
    const claimToken = String(claimUrl).split('/').at(-1)!;
    const wallet = `0x${`${crypto.randomUUID()}${crypto.randomUUID()}`.replaceAll('-', '').slice(0, 40)}`;
    await this.post('escrow.claim', { address: wallet }, { params: { claimToken }, mayFail: true });
    const accountId = `acct_${wallet.slice(2, 22)}`;
    const { challenge } = await this.post('account.recovery-challenge', { accountId });
    await this.post('account.recover-key', { challenge }, { mayFail: true });
  }

  /** Bullion, cards and certificates. */
  async agents(): Promise<void> {
    await this.post('agent.verify-bullion', {
      ...{ productId: 'krugerrand', massG: 33.93, peaksHz: [4_406, 8_652, 10_661, 18_532] },
    });
    const piece = { productId: 'krugerrand', specimen: this.code(), recordingBase64: this.wav };
    await this.post('agent.bullion-enrol', piece, { ...this.byAdmin, mayFail: true });
    await this.post('agent.bullion-import-enrolments', this.enrolmentFile(), this.byAdmin);
    const card = { year: 1971, set: this.code(), player: this.code(), number: '1' };
    await this.post('agent.card-valuation', { card, company: 'PSA', grade: 9 }, { mayFail: true });
    await this.post(
      'admin.import-card-sales',
      { sales: [{ title: this.code(), price: Number(this.code()) }] },
      this.byAdmin,
    );
    await this.post(
      'admin.resolve-card-sale',
      { action: 'discard' },
      { ...this.byAdmin, params: { quarantineId: 'q1' } },
    );

    const { auditId, results } = await this.post('agent.coi-verify', this.certificate());
    const requirements = { generalLiability: { eachOccurrenceUsd: Number(this.code()) } };
    await this.post('coi.put-requirement-set', requirements, { params: { requirementSetId: 'of-mine' } });
    const override = {
      ruleId: String(results?.[0]?.ruleId),
      outcome: 'pass',
      reason: this.code(),
      by: this.code(),
    };
    await this.post('coi.override', override, { params: { auditId: String(auditId) }, mayFail: true });
    await this.post('coi.create-batch', { documents: [this.certificate(), this.certificate()] });
  }

  private enrolmentFile(): Json {
    const product = { productId: `medal-${this.code()}`.toLowerCase(), name: this.code(), metal: 'silver' };
    const measures = { fineness: 0.999, massG: 30, diameterMm: 38, thicknessMm: null };
    return { format: 'svc-bullion-enrolments/v1', product: { ...product, ...measures }, enrolments: [] };
  }

  /** Every tool, by HTTP and MCP, and tasks of desks. */
  async tools(): Promise<void> {
    const tools: Record<ToolName, Json> = {
      zk_prove_spatial: { coordinates: [2, 3], altitude: 100, parcelId: this.code(), traceData: this.code() },
      generate_goldilocks_stark_proof: { publicInputs: ['0x1'], privateWitness: [this.code()] },
      verify_acoustic_proximity_token: { deviceId: this.code(), challengeNonce: this.code() },
      evaluate_spatial_parcel_fep: { parcelId: this.code(), elevationContour: [1, 2, 3] },
      create_purchase_link: { tier: 'developer_sdk', workEmail: `${this.code()}@example.com` },
      get_product_catalog: {},
      webgpu_snn_attractor: { neuronCount: 100 },
      sync_mesh_crdt: { peerId: this.code() },
      arena_challenge: { agentId: this.code(), challengePayload: '{"family":"sat","level":1}' },
      m2m_license_contract: { licenseeAgentId: this.code(), capability: this.code() },
    };
    // Nobody plays the sound of the one; the network of the other is drawn anew, and not each has a ratio that can be told.
    const uncertain: readonly string[] = ['verify_acoustic_proximity_token', 'webgpu_snn_attractor'];
    for (const [name, input] of Object.entries(tools))
      await this.post('tools.call', input, { params: { name }, mayFail: uncertain.includes(name) });
    const called = { name: 'zk_prove_spatial', arguments: { coordinates: [1, 2], parcelId: this.code() } };
    for (const endpoint of ['tools.mcp', 'tools.mcp-payment'])
      await this.post(
        endpoint,
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: called },
        { headers: { ...this.key, accept: 'application/json, text/event-stream' } },
      );

    const tasks: Record<string, Json> = {
      proofs: { capability: 'zk.prove', task: { traceData: this.code(), degree: 1_024 } },
      acoustics: { capability: 'acoustic.modulate', task: { payloadHex: this.hex() } },
      compliance: { capability: 'coi.verify', task: this.certificate() },
    };
    for (const [deptId, task] of Object.entries(tasks))
      await this.post('departments.submit', task, { params: { deptId }, mayFail: deptId === 'compliance' });
  }

  private code(): string {
    const text = this.call.codes[this.next++];
    if (text === undefined) throw new RangeError('more fields than texts');
    return text;
  }

  private hex(): string {
    return `0x${Buffer.from(this.code()).toString('hex')}`;
  }

  private certificate(): Json {
    return { fields: { NamedInsured_FullName: this.code() }, requirementSetId: 'electrical' };
  }

  private later(): Sending {
    return { headers: { ...this.key, 'idempotency-key': `name-${this.next}`, prefer: 'respond-async' } };
  }

  /** Why a job came to nothing rests in its row once it has. */
  private async ended(jobId: string): Promise<void> {
    const at = `${this.call.address}/v1/stark/jobs/${jobId}`;
    const look = async () => {
      const { state, code } = (await (await fetch(at, { headers: this.key })).json()) as Json;
      if (state === undefined) throw new Error(`no job ${jobId}: ${code}`);
      return String(state);
    };
    while (!['succeeded', 'failed', 'cancelled'].includes(await look())) await delay(50);
  }

  private async post(operationId: string, body: unknown, sending: Sending = {}): Promise<Json> {
    const { params = {}, query = '', mayFail = false } = sending;
    const { headers = { ...this.key, 'idempotency-key': `name-${this.next}` } } = sending;
    const { method, path } = ROUTES.find(route => route.operationId === operationId)!;
    const bytes = JSON.stringify(body);
    const at = this.call.address + path.replace(/:(\w+)/g, (_, name: string) => params[name]) + query;
    const response = await fetch(at, {
      ...{ method, body: bytes, headers: { 'content-type': 'application/json', ...headers } },
    });
    const text = await response.text();
    const name = [operationId, params['name'] ?? params['deptId'] ?? ''].join(' ').trim();
    this.sent.push({ operationId, name, bytes, status: response.status, text, mayFail });
    return text.startsWith('{') ? (JSON.parse(text) as Json) : {};
  }
}

const exampleOf = (operationId: string) =>
  ROUTES.find(route => route.operationId === operationId)!.body!.schema.meta()!.example as Json;

/** A description that a peer could offer. */
const descriptionOf = (password: string): string =>
  [
    ...['v=0', 'o=- 1 2 IN IP4 127.0.0.1', 's=-', 't=0 0', 'a=group:BUNDLE 0'],
    ...['m=application 9 UDP/DTLS/SCTP webrtc-datachannel', 'c=IN IP4 0.0.0.0', 'a=mid:0'],
    ...['a=ice-ufrag:abcd', `a=ice-pwd:${password.padEnd(22, 'x')}`, 'a=ice-options:trickle'],
    ...[`a=fingerprint:sha-256 ${Array.from({ length: 32 }, () => 'AB').join(':')}`, 'a=setup:actpass'],
    ...[
      'a=sctp-port:5000',
      'a=max-message-size:262144',
      'a=candidate:1 1 UDP 1 127.0.0.1 40000 typ host',
      '',
    ],
  ].join('\r\n');
