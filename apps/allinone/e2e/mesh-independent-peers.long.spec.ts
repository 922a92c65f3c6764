// commit: ./mesh-peers.spec.ts, but for browsers: what they share with them is in ./tools-and-browsers.e2e.spec.ts
// watches: apps/mesh-signalling/src
import { afterAll, beforeAll } from '@jest/globals';
import { cleanup } from 'node-datachannel';
import { describeIndependentPeers } from './mesh-independent-peers.cases.js';
import { type MeshGateway, startMeshGateway } from './mesh-peers/mesh-gateway.js';

let gateway: MeshGateway;
beforeAll(async () => {
  gateway = await startMeshGateway();
});
afterAll(() => gateway?.close());

describeIndependentPeers(() => gateway);
// After the peers and the gateway.
afterAll(() => cleanup());
