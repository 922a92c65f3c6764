import type { z } from 'zod';
import type { Route } from './route.js';
import { ROUTES } from './routes.js';
import { toolDefinition, TOOL_NAMES, type ToolName } from './tool-catalog.contract.js';
import { toolsRoutes } from './tools.contract.js';
import { x402Routes } from './x402.contract.js';

type Example = Readonly<Record<string, unknown>>;

/** One thing that a payment buys at an address of its own: a bare request there is answered 402. */
export interface SoldResource {
  /** Id in the price list. */
  readonly operationId: string;
  readonly route: Route;
  /** Path, with the query that names the tool. */
  readonly target: string;
  /** The tool that is sold, where it is one. */
  readonly tool?: ToolName;
  /** A body that the route takes. */
  readonly example: Example;
}

/** What an operation takes, and an example of it. */
export interface PublishedExample {
  readonly schema: z.ZodType;
  readonly example: Example;
}

/** Routes that sell each tool, the tool's own first. */
const TOOL_ROUTES: readonly Route[] = [toolsRoutes.call, x402Routes.execute, x402Routes.verify];

/** Where a route that sells tools sells this one: the path names it, or the query does. */
export const toolTargetOf = ({ path }: Route, tool: ToolName): string =>
  path.includes(':name') ? path.replace(':name', tool) : `${path}?tool=${tool}`;

/**
 * All that is sold by the call and has an address of its own, in the order of the routes. Not what a quota covers first: a bare
 * request there is answered, or refused, for nothing. Not what a body names (departments, MCP, a top-up, a bundle): a bare request has no price of its own there.
 */
export const SOLD_RESOURCES: readonly SoldResource[] = [
  ...ROUTES.filter(({ access }) => access === 'paid').flatMap(soldUnderItsOwnName),
  ...TOOL_ROUTES.flatMap(route => TOOL_NAMES.map(tool => soldTool(route, tool))),
];

function soldUnderItsOwnName(route: Route): SoldResource[] {
  const { operationId, path, body } = route;
  const example = body?.schema.meta()?.example as Example | undefined;
  if (example === undefined || TOOL_ROUTES.includes(route)) return [];
  return [{ operationId, route, target: path, example }];
}

function soldTool(route: Route, tool: ToolName): SoldResource {
  const example =
    route.operationId === x402Routes.verify.operationId
      ? (x402Routes.verify.body.schema.meta()!.example as Example)
      : toolDefinition(tool).example;
  return { operationId: `tool.${tool}`, route, target: toolTargetOf(route, tool), tool, example };
}

/** The example of what an operation takes, by its id in the price list. */
export const PUBLISHED_EXAMPLES: ReadonlyMap<string, PublishedExample> = new Map([
  ...SOLD_RESOURCES.filter(({ tool }) => tool === undefined).map(
    ({ operationId, route, example }) => [operationId, { schema: route.body!.schema, example }] as const,
  ),
  ...TOOL_NAMES.map(tool => {
    const { input: schema, example } = toolDefinition(tool);
    return [`tool.${tool}`, { schema, example }] as const;
  }),
]);
