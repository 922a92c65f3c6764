import { accountRecoveryRoutes } from './account-recovery.contract.js';
import { accountRoutes } from './account.contract.js';
import { acousticRoutes } from './acoustic.contract.js';
import { adminRoutes } from './admin.contract.js';
import { arenaRoutes } from './arena.contract.js';
import { bullionRoutes } from './bullion.contract.js';
import { cardsRoutes } from './cards.contract.js';
import { certificatesRoutes } from './certificates.contract.js';
import { coiBatchesRoutes } from './coi-batches.contract.js';
import { creditsRoutes } from './credits.contract.js';
import { departmentsRoutes } from './departments.contract.js';
import { escrowRoutes } from './escrow.contract.js';
import { gatewayRoutes } from './gateway.contract.js';
import { l402BundleRoutes } from './l402-bundle.contract.js';
import { leadsRoutes } from './leads.contract.js';
import { licencesRoutes } from './licences.contract.js';
import { receiptsRoutes } from './receipts.contract.js';
import { refundsRoutes } from './refunds.contract.js';
import { meshRoutes } from './mesh.contract.js';
import type { Route } from './route.js';
import { snnRoutes } from './snn.contract.js';
import { speckleRoutes } from './speckle.contract.js';
import { starkRoutes } from './stark.contract.js';
import { toolsRoutes } from './tools.contract.js';
import { uploadsRoutes } from './uploads.contract.js';
import { x402Routes } from './x402.contract.js';

/**
 * Every route of the public surface, in the order it is published. The router, the OpenAPI document,
 * the gateway index and the documentation all come from this list.
 */
export const ROUTES: readonly Route[] = [
  gatewayRoutes,
  starkRoutes,
  snnRoutes,
  acousticRoutes,
  speckleRoutes,
  meshRoutes,
  x402Routes,
  creditsRoutes,
  l402BundleRoutes,
  accountRoutes,
  accountRecoveryRoutes,
  escrowRoutes,
  bullionRoutes,
  cardsRoutes,
  certificatesRoutes,
  coiBatchesRoutes,
  toolsRoutes,
  uploadsRoutes,
  arenaRoutes,
  departmentsRoutes,
  licencesRoutes,
  receiptsRoutes,
  leadsRoutes,
  adminRoutes,
  refundsRoutes,
].flatMap(routes => Object.values(routes) as Route[]);
