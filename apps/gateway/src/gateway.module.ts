import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { type BusLink, BusModule, paced, type Readiness } from '@svc/platform';
import { AcousticCalls } from './acoustic/acoustic-calls.js';
import { AcousticHttpController } from './acoustic/acoustic.http.controller.js';
import { AudioAnswer } from './acoustic/audio-answer.interceptor.js';
import { BeaconsHttpController } from './acoustic/beacons.http.controller.js';
import { AccountRecoveryHttpController } from './account/account-recovery.http.controller.js';
import { AccountHttpController } from './account/account.http.controller.js';
import { AdminAccountsHttpController } from './admin/admin-accounts.http.controller.js';
import { AdminRecordsHttpController } from './admin/admin-records.http.controller.js';
import { AdminRefundsHttpController } from './admin/admin-refunds.http.controller.js';
import { LightningRefundsHttpController } from './refunds/lightning-refunds.http.controller.js';
import { AgentPricesHttpController } from './agents/agent-prices.http.controller.js';
import { BullionHttpController } from './agents/bullion.http.controller.js';
import { CardsHttpController } from './agents/cards.http.controller.js';
import { ArenaHttpController } from './arena/arena.http.controller.js';
import { AsyncApiHttpController } from './asyncapi/asyncapi.http.controller.js';
import { AuditHttpController } from './audit/audit.http.controller.js';
import { ChallengeHttpController } from './challenge/challenge.http.controller.js';
import { CoiBatchTaking } from './coi/coi-batch-taking.js';
import { CoiBatchesHttpController } from './coi/coi-batches.http.controller.js';
import { CoiRecordsHttpController } from './coi/coi-records.http.controller.js';
import { CoiVerifyHttpController } from './coi/coi-verify.http.controller.js';
import { ConsoleHttpController } from './console/console.http.controller.js';
import { CreditsHttpController } from './credits/credits.http.controller.js';
import { L402BundleHttpController } from './credits/l402-bundle.http.controller.js';
import { TopUpHttpController } from './credits/top-up.http.controller.js';
import { DocsHttpController } from './docs/docs.http.controller.js';
import { EscrowHttpController } from './escrow/escrow.http.controller.js';
import { FetchProofHttpController } from './fetch-proof/fetch-proof.http.controller.js';
import { GatewayIndexHttpController } from './gateway-index/gateway-index.http.controller.js';
import { X402ResourceList } from './gateway-index/x402-resources.js';
import {
  BurstLimits,
  ChallengeMaker,
  DepartmentsHttpController,
  EventStreams,
  OpenApiHttpController,
  PaymentDesk,
  ProblemTypesHttpController,
  PublishedDocument,
  TaskSale,
  TicketedTask,
} from '@svc/edge';
import { HealthHttpController, READINESS } from './health/health.http.controller.js';
import { HealthService, PING_EVERY_MS, PING_INTERVAL } from './health/health.service.js';
import { LeadsHttpController } from './leads/leads.http.controller.js';
import { LicencesHttpController } from './licences/licences.http.controller.js';
import { KEEP_ALIVE_EVERY_MS, KEEP_ALIVE_MS } from './mcp/answer-stream.js';
import { MCP_ORIGINS, McpEndpoint } from './mcp/mcp-endpoint.js';
import type { McpOriginSettings } from './mcp/mcp-origins.js';
import { McpResources } from './mcp/mcp-resources.js';
import { McpSessions } from './mcp/mcp-sessions.js';
import { McpHttpController } from './mcp/mcp.http.controller.js';
import { ProductionCatalogue } from './mcp/production-catalogue.js';
import { LinkedAnswers } from './mcp/linked-answer.js';
import { DeskTools } from './mcp/desk-tools.js';
import { ListedTools } from './mcp/listed-tools.js';
import { McpTools } from './mcp/mcp-tools.js';
import { OwnStatementTool } from './mcp/own-statement-tool.js';
import { ModernMcp } from './mcp/modern-mcp.js';
import { ToolCalling } from './mcp/tool-calling.js';
import { InboxHttpController } from './mesh/inbox.http.controller.js';
import { MeshSessionsHttpController } from './mesh/mesh-sessions.http.controller.js';
import { RendezvousHttpController } from './mesh/rendezvous.http.controller.js';
import { SessionReference } from './mesh/session-reference.interceptor.js';
import { ProofJobsHttpController } from './proof-jobs/proof-jobs.http.controller.js';
import { ProofCallService } from './prove/proof-call.service.js';
import { ProveHttpController } from './prove/prove.http.controller.js';
import { ToolCatalogue } from './tools/tool-catalogue.js';
import { ToolCalls } from './tools/tool-calls.js';
import { ToolEvidence } from './tools/tool-evidence.js';
import { ToolsHttpController } from './tools/tools.http.controller.js';
import { UploadsHttpController } from './tools/uploads.http.controller.js';
import { VerifyProofHttpController } from './verify-proof/verify-proof.http.controller.js';
import {
  SECURITY_CONTACT,
  SecurityTextHttpController,
} from './security-text/security-text.http.controller.js';
import { SnnCalls } from './snn/snn-calls.js';
import { SnnHttpController } from './snn/snn.http.controller.js';
import { SpeckleHttpController } from './speckle/speckle.http.controller.js';
import { StripeWebhookHttpController } from './webhooks/stripe-webhook.http.controller.js';
import { ExecuteHttpController } from './x402/execute.http.controller.js';
import { SagaHttpController } from './x402/saga.http.controller.js';
import { TelemetryHttpController } from './x402/telemetry.http.controller.js';
import { ToolExecution } from './x402/tool-execution.js';
import { ToolSale } from './x402/tool-sale.js';
import { VerifyHttpController } from './x402/verify.http.controller.js';

/** What answers the routes. */
const CONTROLLERS: readonly Type[] = [
  GatewayIndexHttpController,
  HealthHttpController,
  OpenApiHttpController,
  ProblemTypesHttpController,
  AsyncApiHttpController,
  DocsHttpController,
  SecurityTextHttpController,
  ConsoleHttpController,
  ProveHttpController,
  ProofJobsHttpController,
  VerifyProofHttpController,
  AuditHttpController,
  FetchProofHttpController,
  ChallengeHttpController,
  LicencesHttpController,
  CreditsHttpController,
  TopUpHttpController,
  L402BundleHttpController,
  StripeWebhookHttpController,
  EscrowHttpController,
  AccountHttpController,
  AccountRecoveryHttpController,
  LeadsHttpController,
  AdminAccountsHttpController,
  AdminRecordsHttpController,
  AdminRefundsHttpController,
  LightningRefundsHttpController,
  VerifyHttpController,
  ExecuteHttpController,
  SagaHttpController,
  TelemetryHttpController,
  AgentPricesHttpController,
  BullionHttpController,
  CardsHttpController,
  CoiVerifyHttpController,
  CoiRecordsHttpController,
  CoiBatchesHttpController,
  DepartmentsHttpController,
  ToolsHttpController,
  UploadsHttpController,
  ArenaHttpController,
  SnnHttpController,
  SpeckleHttpController,
  AcousticHttpController,
  BeaconsHttpController,
  RendezvousHttpController,
  MeshSessionsHttpController,
  InboxHttpController,
  McpHttpController,
];

/** What whoever starts the gateway gives its module. */
export interface GatewayParts {
  /** The bus, opened and closed by whoever starts the gateway. */
  readonly link: BusLink;
  readonly readiness: () => Readiness;
  readonly bursts: BurstLimits;
  /** Who may speak to `/mcp`. */
  readonly mcpOrigins: McpOriginSettings;
  /** Whom to tell of a weakness. */
  readonly securityContact: string | undefined;
  /** None in production. */
  readonly sandboxControllers: readonly Type[];
  /** How many times as often as in use the services are asked whether they are there. Default 1. */
  readonly pace?: number | undefined;
}

@Module({})
export class GatewayModule {
  static register(parts: GatewayParts): DynamicModule {
    const { link, readiness, bursts, mcpOrigins, securityContact, sandboxControllers, pace } = parts;
    return {
      module: GatewayModule,
      imports: [BusModule.forLink(link)],
      controllers: [...CONTROLLERS, ...sandboxControllers],
      providers: [
        { provide: SECURITY_CONTACT, useValue: securityContact },
        HealthService,
        { provide: PING_INTERVAL, useValue: paced({ pace }, PING_EVERY_MS) },
        ProofCallService,
        SnnCalls,
        AcousticCalls,
        AudioAnswer,
        SessionReference,
        PublishedDocument,
        ChallengeMaker,
        PaymentDesk,
        TaskSale,
        TicketedTask,
        CoiBatchTaking,
        X402ResourceList,
        ToolSale,
        ToolExecution,
        ToolCalls,
        ToolEvidence,
        ToolCatalogue,
        EventStreams,
        McpEndpoint,
        McpSessions,
        McpResources,
        LinkedAnswers,
        DeskTools,
        OwnStatementTool,
        McpTools,
        ListedTools,
        ModernMcp,
        ToolCalling,
        ProductionCatalogue,
        { provide: MCP_ORIGINS, useValue: mcpOrigins },
        { provide: KEEP_ALIVE_MS, useValue: paced({ pace }, KEEP_ALIVE_EVERY_MS) },
        { provide: BurstLimits, useValue: bursts },
        { provide: READINESS, useValue: readiness },
      ],
    };
  }
}
