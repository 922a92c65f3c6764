import { accountVerb } from './account.verb.js';
import { acousticVerb } from './acoustic.verb.js';
import { adminVerb } from './admin.verb.js';
import { airVerb } from './air.verb.js';
import { arenaVerb } from './arena.verb.js';
import { bullionVerb } from './bullion.verb.js';
import { buyVerb } from './buy.verb.js';
import { callVerb } from './call.verb.js';
import { cardsVerb, cardVerb } from './card.verb.js';
import { coiVerb } from './coi.verb.js';
import { desksVerb, taskVerb } from './desk.verb.js';
import { escrowVerb } from './escrow.verb.js';
import { fepVerb } from './fep.verb.js';
import { healthVerb } from './health.verb.js';
import { licenceVerb } from './licence.verb.js';
import { licenseVerb } from './license.verb.js';
import { meshVerb } from './mesh.verb.js';
import { payVerb } from './pay.verb.js';
import { proofVerb } from './proof.verb.js';
import { proveVerb } from './prove.verb.js';
import { sagaVerb } from './saga.verb.js';
import { snnVerb } from './snn.verb.js';
import { speckleVerb } from './speckle.verb.js';
import { telemetryVerb } from './telemetry.verb.js';
import type { Verb, VerbOption } from './verb.js';
import { toolsVerb, toolVerb } from './tool.verb.js';
import { verifyVerb } from './verify.verb.js';
import { walVerb } from './wal.verb.js';

/** Every command of `svc`, in the order of the help. A new one is a file and a line here. */
export const VERBS: readonly Verb[] = [
  proveVerb,
  verifyVerb,
  proofVerb,
  airVerb,
  bullionVerb,
  cardVerb,
  cardsVerb,
  coiVerb,
  snnVerb,
  fepVerb,
  acousticVerb,
  speckleVerb,
  meshVerb,
  toolVerb,
  toolsVerb,
  desksVerb,
  taskVerb,
  arenaVerb,
  licenseVerb,
  sagaVerb,
  telemetryVerb,
  callVerb,
  payVerb,
  buyVerb,
  accountVerb,
  escrowVerb,
  licenceVerb,
  walVerb,
  healthVerb,
  adminVerb,
];

/** Options of every verb. */
export const commonOptions: Readonly<Record<string, VerbOption>> = {
  json: { type: 'boolean', help: 'print the result, or the error, as JSON on stdout' },
  help: { type: 'boolean', short: 'h', help: 'print this help' },
};

export function findVerb(name: string): Verb | undefined {
  return VERBS.find(verb => verb.name === name);
}
