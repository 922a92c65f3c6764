import { Controller } from '@nestjs/common';
import {
  type AgentPriceRecord,
  bullionRoutes,
  cardsRoutes,
  certificatesRoutes,
  type Route,
} from '@svc/contracts';
import { priceOf } from '@svc/protocols';
import { Endpoint } from '@svc/edge';

/** What each paid agent endpoint costs, and how it is paid: `GET` on its path. */
@Controller()
export class AgentPricesHttpController {
  @Endpoint(bullionRoutes.price)
  bullion(): AgentPriceRecord {
    return priceRecordOf(bullionRoutes.verify);
  }

  @Endpoint(cardsRoutes.price)
  card(): AgentPriceRecord {
    return priceRecordOf(cardsRoutes.valuation);
  }

  @Endpoint(certificatesRoutes.price)
  certificate(): AgentPriceRecord {
    return priceRecordOf(certificatesRoutes.verify);
  }
}

function priceRecordOf({ operationId, path }: Route): AgentPriceRecord {
  const { priceUsd, amountSats } = priceOf(operationId);
  return {
    operationId,
    method: 'POST',
    path,
    priceUsd: Number(priceUsd),
    priceSats: amountSats,
    rail: 'PROCESSOR_MPP_OR_L402',
    headerAuth: 'X-SVC-KEY',
    lightningAuth: 'Authorization: L402 <macaroon>:<preimage>',
  };
}
