import 'reflect-metadata';
import { meshContract, type Procedure } from '@svc/contracts';
import fc from 'fast-check';
import { callsOf, type MeshOnBus, startMeshOnBus } from './mesh-on-bus.js';
import { description, fragmentOf, MeshPeer } from './mesh-peer.js';

const RUNS = process.env.SUITE_TIER === 'long' ? 1_000 : 25;
const SEED = 20_261_123;

const REFUSALS = [
  ...['VALIDATION_FAILED', 'UNPROCESSABLE', 'IDENTITY_UNPROVED', 'NOT_FOUND', 'CONFLICT', 'EXPIRED'],
  'BODY_TOO_LARGE',
];

/** Values at and beyond the edges of what is taken. */
const odd = fc.oneof(
  fc.constantFrom(0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, '', 'x', '0x', '\u0000', '\ud800', null, true, [], {}),
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.jsonValue({ maxDepth: 2 }),
);
/** A request with some members replaced, left out or added. */
const spoiled = (base: object, names: readonly string[] = ['extra']) =>
  fc
    .dictionary(fc.constantFrom(...Object.keys(base), ...names), fc.option(odd, { nil: undefined }), {
      maxKeys: 2,
    })
    .map(changes => ({ ...base, ...changes }));
/** A text with some characters replaced, and cut off somewhere. */
const edited = (text: string) =>
  fc
    .tuple(
      fc.array(fc.tuple(fc.nat(text.length - 1), fc.string({ unit: 'binary', minLength: 1, maxLength: 3 })), {
        maxLength: 4,
      }),
      fc.option(fc.nat(text.length), { nil: text.length, freq: 3 }),
    )
    .map(([edits, length]) =>
      edits
        .reduce((changed, [at, by]) => changed.slice(0, at) + by + changed.slice(at + 1), text)
        .slice(0, length),
    );

describe('every handler of the service', () => {
  let mesh: MeshOnBus;
  const [peer, target] = [new MeshPeer(), new MeshPeer()];
  const sdpOffer = description();
  let known: { readonly sessionId: string; readonly inboxId: string };
  beforeAll(async () => {
    mesh = await startMeshOnBus();
    const calls = callsOf(mesh);
    const { sessionId } = await calls.meet(peer.rendezvous(sdpOffer));
    known = { sessionId, inboxId: await calls.openInbox(target) };
  });
  afterAll(() => mesh?.close());

  /** Answers, or refuses with a reason; anything else is a fault of ours. */
  async function isAnswered(procedure: Procedure, payload: unknown): Promise<void> {
    const outcome = await mesh.client.call(procedure, payload as never).then(
      () => 'answered',
      (error: { code?: string }) => error.code ?? String(error),
    );
    if (outcome !== 'answered') expect(REFUSALS).toContain(outcome);
  }

  const caller = { address: '198.51.100.7' };
  const offers = fc.oneof(
    edited(sdpOffer).map(sdp => ({ peerPublicKey: peer.publicKey, sdpOffer: sdp })),
    spoiled({ peerPublicKey: peer.publicKey, sdpOffer }, [
      'signature',
      'nonce',
      'timestamp',
      'targetPeerKey',
    ]),
    fc.constant(0).chain(() => spoiled(peer.rendezvous(description()))),
  );
  const sessionRefs = spoiled({}, ['sessionId', 'extra']).map(ref => (): object => ({
    sessionId: known.sessionId,
    ...ref,
  }));
  const fragments = edited(fragmentOf(sdpOffer, ['8.8.4.4 41000']));

  it.each([
    ['admitRendezvous', offers.map(request => () => ({ request, caller }))],
    ['rendezvous', offers.map(request => () => ({ request, caller }))],
    ['session', sessionRefs],
    ['trickle', fragments.map(fragment => () => ({ sessionId: known.sessionId, fragment }))],
    [
      'answer',
      spoiled(target.answer(`mesh_${'A'.repeat(22)}`, peer)).map(request => () => ({
        ...{ sessionId: known.sessionId, request },
      })),
    ],
    [
      'openInbox',
      fc
        .constant(0)
        .chain(() => spoiled(target.inbox()))
        .map(query => () => ({ query, caller })),
    ],
    [
      'inboxEvents',
      spoiled({ afterSeq: 1 }, ['inboxId', 'waitMs']).map(rest => () => ({
        ...{ inboxId: known.inboxId, ...rest },
        ...('waitMs' in rest && typeof rest.waitMs === 'number' && { waitMs: Math.min(rest.waitMs, 10) }),
      })),
    ],
    ['closeInbox', sessionRefs],
    ['closeSession', spoiled({ sessionId: '' }).map(ref => () => ref)],
    ['meshKeys', spoiled({}).map(payload => () => payload)],
  ] as const)('%s answers or refuses whatever it is given', async (name, payloads) => {
    await fc.assert(
      fc.asyncProperty(payloads as fc.Arbitrary<() => unknown>, payload =>
        isAnswered(meshContract[name], payload()),
      ),
      { numRuns: RUNS, seed: SEED },
    );
    expect((await mesh.replicas[0].service.readiness()).ready).toBe(true);
  });
});
