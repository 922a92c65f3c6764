import type { MeshSession } from '../api-types.js';
import { connectionOptions, openClient } from './connection.js';
import { ExitCode, UsageError } from './exit-code.js';
import { columns } from './terminal.js';
import type { Verb, VerbContext } from './verb.js';

async function run(context: VerbContext): Promise<ExitCode> {
  const { positionals, terminal, signal } = context;
  const [what, sessionId] = positionals;
  const client = await openClient(context, 'free');
  if (what === 'keys') {
    const { data } = await client.meshKeys({ signal });
    terminal.result(data, columns(data.keys.map(({ kid, publicKey }) => [kid, publicKey] as const)));
    return ExitCode.ok;
  }
  if (what !== 'session' || sessionId === undefined) throw new UsageError('say keys, or session and its id');
  const { data } = await client.meshSession(sessionId, { signal });
  terminal.result(data, linesOf(data));
  return ExitCode.ok;
}

function linesOf(session: MeshSession): string[] {
  const { sessionId, kind, state, reason, identity, iceCandidates, expiresAt } = session;
  return columns([
    ['session', sessionId],
    ['kind', kind],
    ['state', reason === undefined ? state : `${state}: ${reason}`],
    ['identity', identity],
    ['candidates', String(iceCandidates.length)],
    ['expires', expiresAt],
  ]);
}

export const meshVerb: Verb = {
  name: 'mesh',
  summary: 'the keys of the mesh, or how a session of it stands',
  operands: 'keys | session ID',
  positionalsMin: 1,
  positionalsMax: 2,
  options: connectionOptions,
  notes: ['Examples:', '  svc mesh keys', '  svc mesh session mesh_…', '  svc tool sync_mesh_crdt'],
  run,
};
