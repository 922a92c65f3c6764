import { Inject, Injectable } from '@nestjs/common';
import { type ToolName, type ToolReply, TOOLS } from '@svc/contracts';
import { parsePeerKey, ProofError } from '@svc/mesh';
import {
  parseOrProblem,
  PostgresToolCalls,
  PRESENCE_BOARD,
  type PresenceBoard,
  problem,
} from '@svc/platform';
import { presentPeers } from '../document/node-entries.js';
import { SharedDocuments } from '../document/shared-documents.js';

/** A call of the tool. */
export interface MeshCall {
  /** A public key, its hash, or any name. */
  readonly peerId?: string;
}

/** The tool `sync_mesh_crdt`: what the document says once everything stored is in it, and who is there. */
@Injectable()
export class MeshTool {
  constructor(
    private readonly calls: PostgresToolCalls,
    private readonly documents: SharedDocuments,
    @Inject(PRESENCE_BOARD) private readonly board: PresenceBoard,
  ) {}

  /** @throws ProblemError VALIDATION_FAILED; NOT_YET_AVAILABLE for another tool */
  read(tool: ToolName, input: unknown): MeshCall {
    if (tool !== 'sync_mesh_crdt')
      throw problem('NOT_YET_AVAILABLE', `The mesh service does not run the tool ${tool}`);
    return parseOrProblem(TOOLS.sync_mesh_crdt.input, input);
  }

  /** Runs the tool once for its key. @throws ProblemError SERVICE_UNAVAILABLE; CONFLICT where the key was revoked */
  async run(call: MeshCall, idemKey: string): Promise<ToolReply> {
    const done = await this.calls.begin(idemKey, call);
    if (done) return done;
    await this.documents.compare();
    const { document } = this.documents.replica;
    const { stateHash, stateVector } = document;
    const present = await presentPeers(this.board);
    const { peerId } = call;
    const output = {
      crdtStateHash: stateHash,
      meshNodesDiscovered: present.size,
      stateVector: Buffer.from(stateVector).toString('base64'),
      ...(peerId !== undefined && { peerPresent: namesOf(peerId).some(name => present.has(name)) }),
    };
    return this.calls.complete(idemKey, () => Promise.resolve({ output }));
  }
}

/** Hashes that a name may stand for: itself, and that of the public key which it is. */
function namesOf(peerId: string): string[] {
  const hash = peerId.toLowerCase().replace(/^0x/, '');
  try {
    return [hash, parsePeerKey(peerId).hash];
  } catch (error) {
    if (error instanceof ProofError) return [hash];
    throw error;
  }
}
