import { InlineKernelExecutor, LEAF_KEY, m31, NODE_KEY, Transcript } from '@svc/kernels';
import { loadKernelModule } from '@svc/kernels/node';
import { CircleCommitment } from './circle-commitment.js';
import { createCircleDomain } from './circle-twiddles.js';

const executor = new InlineKernelExecutor(await loadKernelModule());
const { arena } = executor;
const LOG2_SIZE = 7;
const SIZE = 2 ** LOG2_SIZE;
const WIDTH = 3;

async function commit(isRetained: boolean, salts: number): Promise<CircleCommitment> {
  const source = new Transcript(m31);
  source.absorb(0, new Uint8Array());
  const coefficients = Array.from({ length: WIDTH }, () =>
    arena.storeWords(Array.from({ length: SIZE }, () => Number(source.drawBase()))),
  );
  const domain = await createCircleDomain(executor, LOG2_SIZE, 2);
  const keys = { leaf: arena.storeBytes(LEAF_KEY), node: arena.storeBytes(NODE_KEY) };
  const columns = { coefficients, log2Length: LOG2_SIZE, salts };
  return CircleCommitment.create(executor, domain, columns, keys, isRetained);
}

it('commits, opens and shows the same whether it keeps its extension or not, in any order', async () => {
  const salts = arena.storeBytes(Uint8Array.from({ length: 16 * ((4 * SIZE) / 8) }, (_, i) => i));
  const [kept, streamed] = [await commit(true, salts), await commit(false, salts)];
  expect(streamed.cap).toEqual(kept.cap);
  const pairOf = async (commitment: CircleCommitment, pair: number) =>
    arena.words(await commitment.pair(pair), 2 * WIDTH * SIZE).slice();
  for (const leaves of [[0, 1, 63], [31, 32], [40], [2, 3, 17, 18, 33, 50, 62]]) {
    expect(await streamed.open(leaves)).toEqual(await kept.open(leaves));
    for (const pair of [0, 1]) expect(await pairOf(streamed, pair)).toEqual(await pairOf(kept, pair));
    expect(await streamed.open(leaves)).toEqual(await kept.open(leaves));
    await streamed.open([63]);
    expect(await streamed.open(leaves)).toEqual(await kept.open(leaves));
    await streamed.pair(0);
  }
});
