import { afterAll, beforeAll } from '@jest/globals';
import { cleanup } from 'node-datachannel';
import { describeIndependentPeers } from './mesh-independent-peers.cases.js';
import { type MeshGateway, SECRET, startMeshGateway } from './mesh-peers/mesh-gateway.js';
import { startTurnServer, TURN_SERVER, type TurnServer } from './mesh-peers/turn-server.js';
import { describeMeshRelay } from './mesh-relay.cases.js';

let turn: TurnServer | undefined;
let gateway: MeshGateway;
beforeAll(async () => {
  if (TURN_SERVER) turn = await startTurnServer(SECRET);
  gateway = await startMeshGateway({ variables: turn ? { MESH_TURN_URLS: turn.url } : {} });
});
afterAll(async () => {
  await gateway?.close();
  await turn?.close();
});

describeMeshRelay(
  () => turn,
  () => gateway,
  1,
);
describeIndependentPeers(() => gateway, ['node-datachannel'], false);
// After the peers and the gateway.
afterAll(() => cleanup());
