import { beforeAll, describe, expect, it } from '@jest/globals';
import { HealthReport, X402Resources } from '@svc/contracts';
import type { AllRails } from './all-rails-fixture.js';
import { post } from './paid-call.js';

let rails: AllRails;

const get = async (path: string) => (await fetch(rails.route.address + path)).json() as Promise<unknown>;

/** What is published of the rails. The last of all: it ends the card processor and the chain. */
export function describeDiscovery(railsOf: () => AllRails): void {
  describe('discovery', () => {
    beforeAll(() => {
      rails = railsOf();
    });

    it('what is published as payable is what a 402 offers, on its very terms', async () => {
      const asked = await post(`${rails.route.address}/v1/zk/prove`, undefined);
      const { rails: ofHealth } = HealthReport.parse(await get('/health'));
      const published = X402Resources.parse(await get('/.well-known/x402'));
      expect([...(asked.json.rails as string[])].sort()).toEqual([...ofHealth].sort());
      expect([...published.rails].sort()).toEqual([...ofHealth].sort());
      if (!rails.chain) {
        expect(published.resources).toEqual([]);
        return;
      }
      expect(ofHealth).toEqual(
        expect.arrayContaining(['l402', 'mpp-lightning', 'mpp-stripe', 'spt', 'x402']),
      );
      const url = `${rails.route.address}/v1/zk/prove`;
      expect(published.resources).toContain(url);
      // Of the routes that sell tools, each tool with an engine has a URL of its own.
      const execute = `${rails.route.address}/v1/x402/execute?tool=`;
      expect(published.resources).toContain(`${execute}m2m_license_contract`);
      expect(published.resources).toContain(`${rails.route.address}/v1/tools/zk_prove_spatial`);
      expect(published.resources).toContain(`${execute}sync_mesh_crdt`);
      expect(published.resources).toContain(`${rails.route.address}/v1/tools/sync_mesh_crdt`);
      const item = published.items.find(({ resource }) => resource === url)!;
      const required = JSON.parse(
        Buffer.from(asked.headers.get('payment-required')!, 'base64').toString(),
      ) as {
        accepts: { extra: Record<string, unknown> }[];
      };
      const terms = required.accepts.map(({ extra: { jti: _jti, ...extra }, ...accept }) => ({
        ...accept,
        extra,
      }));
      expect(item.accepts).toEqual(terms);
      // Nothing of one challenge in particular is published to all.
      expect(JSON.stringify(published)).not.toContain('jti');
    });

    it('a rail that is gone is offered, listed and published no more', async () => {
      const gone = ['mpp-evm', 'mpp-stripe', 'spt', 'x402'];
      await Promise.all([rails.emulator.close(), rails.chain?.close()]);
      let offered: string[];
      do {
        await new Promise(resolve => setTimeout(resolve, 20));
        offered = (await post(`${rails.route.address}/v1/zk/prove`, undefined)).json.rails as string[];
      } while (gone.some(rail => offered.includes(rail)));
      expect([...offered].sort()).toEqual(['l402', 'mpp-lightning']);
      const { rails: listed } = HealthReport.parse(await get('/health'));
      expect([...listed].sort()).toEqual([...offered].sort());
      const published = X402Resources.parse(await get('/.well-known/x402'));
      expect([published.resources, published.items, [...published.rails].sort()]).toEqual([
        [],
        [],
        [...offered].sort(),
      ]);
    });
  });
}
