import { Injectable } from '@nestjs/common';
import {
  MCP_PROTOCOL_VERSION,
  type Payee,
  paymentsContract,
  TOOL_CATALOG_VERSION,
  TOOL_NAMES,
  type ToolCatalog,
  toolDefinition,
  toolInputSchema,
  type ToolName,
  toolOutputSchema,
} from '@svc/contracts';
import { BusClient } from '@svc/platform';
import { CARD_BUNDLE_MICRO_USD_MIN, priceOf, PROOF_FEE_MICRO_USD, usdText } from '@svc/protocols';
import type { z } from 'zod';
import { SERVICE_DESCRIPTION, SERVICE_NAME } from '../gateway-index/gateway-index.js';

/** Who is paid is asked for again after this; it changes with the configuration alone. */
const PAYEE_KEPT_MS = 60_000;
const NO_PAYEE: Payee = { networkId: '', destination: '', destinationName: '' };

/** `GET /mcp.json`: the catalogue, with the prices of the price list and who is paid. */
@Injectable()
export class ToolCatalogue {
  private readonly tools = TOOL_NAMES.map(listedTool);
  private payee: Promise<Payee> | undefined;
  private untilMs = 0;

  constructor(private readonly bus: BusClient) {}

  /** The catalogue; nobody is named as paid while the payments service or the card processor is away. */
  async catalog(): Promise<z.infer<typeof ToolCatalog>> {
    const { networkId, destination, destinationName } = await this.payeeNow().catch(() => NO_PAYEE);
    return {
      name: SERVICE_NAME,
      version: TOOL_CATALOG_VERSION,
      description: SERVICE_DESCRIPTION,
      protocolVersion: MCP_PROTOCOL_VERSION,
      monetization: {
        ...{ protocol: 'mpp', networkId, destination, destinationName },
        pricing: {
          defaultProofFeeUsd: usdText(PROOF_FEE_MICRO_USD),
          minCardBundleUsd: usdText(CARD_BUNDLE_MICRO_USD_MIN),
          // What the MPP challenges of tools offer: `rails` of /health says what else can settle, and what can now.
          ...{ tempoStablecoinSupported: false, cardSptSupported: true, lightningSupported: false },
        },
      },
      tools: this.tools,
    };
  }

  private payeeNow(): Promise<Payee> {
    if (!this.payee || this.untilMs <= Date.now()) {
      this.untilMs = Date.now() + PAYEE_KEPT_MS;
      const asked = this.bus.call(paymentsContract.payee, {});
      this.payee = asked;
      asked.catch(() => this.payee === asked && (this.payee = undefined));
    }
    return this.payee;
  }
}

function listedTool(name: ToolName) {
  const { description, latencyMs } = toolDefinition(name);
  return {
    name,
    description,
    costUsd: priceOf(`tool.${name}`).priceUsd,
    ...(latencyMs === undefined ? {} : { latencyMs }),
    inputSchema: { ...toolInputSchema(name) },
    outputSchema: { ...toolOutputSchema(name) },
  };
}
