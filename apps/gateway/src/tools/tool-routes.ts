import { type Route, TOOL_NAMES, toolDefinition, toolEvidence, toolsRoutes } from '@svc/contracts';

/**
 * The route of each tool, for whoever reads a document: what is one route to the router has its own inputs, outputs and
 * price here. The operation id is that of the price list.
 */
export const TOOL_ROUTES: readonly Route[] = TOOL_NAMES.map(tool => {
  const { params: _name, ...call } = toolsRoutes.call;
  const { description, input, output } = toolDefinition(tool);
  const { 200: done, 202: goesOn } = call.replies;
  const isSaga = tool === 'm2m_license_contract';
  const replies: Route['replies'] = { 200: { ...done, schema: output.extend(toolEvidence) } };
  return {
    ...call,
    operationId: `tool.${tool}`,
    path: call.path.replace(':name', tool),
    summary: `Tool ${tool}`,
    description,
    body: { schema: input },
    replies: isSaga ? { ...replies, 202: goesOn } : replies,
  };
});
