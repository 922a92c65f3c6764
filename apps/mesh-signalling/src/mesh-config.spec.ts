import { ConfigError } from '@svc/platform';
import { meshConfigFaults, meshKeysOf, MeshSettings } from './mesh-config.js';

const SEED = 'mesh-seed-of-the-tests-of-32-characters';
const secrets = { MESH_SIGNING_SEEDS: SEED };
const settingsOf = (variables = {}, production = false) =>
  new MeshSettings({ secrets, variables, production });

describe('the configuration of the mesh service', () => {
  it('has no fault with the signing secret alone', () => {
    expect(meshConfigFaults(secrets, {})).toEqual([]);
    expect(settingsOf()).toMatchObject({
      ...{ udpPort: 0, stunUrls: [], turnUrls: [], connectionsMax: 1_000 },
      ...{ perMinute: { key: 10, address: 60, inbox: 30 } },
    });
  });

  it('names every fault at once, and repeats no secret', () => {
    const variables = {
      MESH_UDP_PORT: '65536',
      MESH_BIND_ADDRESS: 'localhost',
      MESH_STUN_URLS: 'stun:stun.example.org,http://stun.example.org',
      MESH_CANDIDATES: 'private',
      MESH_KEY_CALLS_PER_MINUTE: '0',
      MESH_SYNC_SECONDS: '0',
      PRESENCE_TTL_SECONDS: '0',
    };
    const faults = meshConfigFaults({ MESH_SIGNING_SEEDS: 'hunter2' }, variables);
    expect(faults).toEqual([
      expect.stringMatching(/^MESH_SIGNING_SEEDS: entry 1 is not/),
      ...Object.keys(variables).map(name => expect.stringMatching(new RegExp(`^${name}`))),
    ]);
    expect(faults.join()).not.toContain('hunter2');
    expect(() => meshKeysOf({ MESH_SIGNING_SEEDS: 'hunter2' })).toThrow(ConfigError);
  });

  it('takes relays with the secret that they share, and not without', () => {
    const variables = { MESH_TURN_URLS: 'turn:turn.example.org:3478?transport=udp, turns:turn.example.org' };
    expect(meshConfigFaults(secrets, variables)).toEqual([
      'TURN_SECRET: is not set, and MESH_TURN_URLS needs it',
    ]);
    expect(meshConfigFaults({ ...secrets, TURN_SECRET: 'a secret of the relays' }, variables)).toEqual([]);
    expect(settingsOf(variables).turnUrls).toHaveLength(2);
    expect(meshConfigFaults(secrets, { MESH_STUN_URLS: 'turn:turn.example.org' })).toHaveLength(1);
  });

  it('contacts no private address in production, unless that is asked for', () => {
    expect(settingsOf().candidateRules).toEqual({ candidates: 'any' });
    expect(settingsOf({}, true).candidateRules).toEqual({ candidates: 'public' });
    expect(settingsOf({ MESH_CANDIDATES: 'any' }, true).candidateRules).toEqual({ candidates: 'any' });
    expect(settingsOf({ MESH_CANDIDATES: 'public' }).candidateRules).toEqual({ candidates: 'public' });
  });

  it('counts addresses under a key that the signing secret does not show', () => {
    const other = new MeshSettings({
      ...{ secrets: { MESH_SIGNING_SEEDS: `another-${SEED}` }, variables: {}, production: false },
    });
    expect(settingsOf().addressKey).toHaveLength(32);
    expect(settingsOf().addressKey).toEqual(settingsOf().addressKey);
    expect(settingsOf().addressKey).not.toEqual(other.addressKey);
  });

  it('counts addresses under no secret that was revoked, wherever it is listed', () => {
    const secrets = { MESH_SIGNING_SEEDS: `revoked-${SEED}:2025-01-01:revoked=2025-06-01,${SEED}` };
    const rotated = new MeshSettings({ secrets, variables: {}, production: false });
    expect(rotated.addressKey).toEqual(settingsOf().addressKey);
  });
});
