import { type Route, TOOL_NAMES, type ToolName } from '@svc/contracts';
import { findPrice, type Price, priceOf } from '@svc/protocols';

/** A tool and its price. */
export interface ToolPrice extends Price {
  readonly tool: ToolName;
}

/** Prices of the tools, in the order of the catalogue. */
export const toolPrices = (): ToolPrice[] => TOOL_NAMES.map(tool => ({ tool, ...priceOf(`tool.${tool}`) }));

/** Whether a route is sold at the price of the tool that its request is about, and has none of its own. */
export const sellsTools = ({ access, operationId }: Route): boolean =>
  access === 'paid' && /^(x402|tools)\./.test(operationId) && findPrice(operationId) === undefined;

/** Where a route that sells tools sells this one: the path names it, or the query does. */
export const toolTargetOf = ({ path }: Route, tool: ToolName): string =>
  path.includes(':name') ? path.replace(':name', tool) : `${path}?tool=${tool}`;
