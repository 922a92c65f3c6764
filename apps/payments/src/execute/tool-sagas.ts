import { Inject, Injectable } from '@nestjs/common';
import { TOOL_NAMES, TOOLS, type ToolName } from '@svc/contracts';
import type { JsonObject } from '@svc/durability';
import { parseOrProblem, problem } from '@svc/platform';
import { TOOL_SAGAS, type ToolSaga } from './tool-saga.js';

/** The sagas of the tools, by their names: every tool of the catalogue has one. */
@Injectable()
export class ToolSagas {
  private readonly byTool: ReadonlyMap<ToolName, ToolSaga>;

  constructor(@Inject(TOOL_SAGAS) readonly all: readonly ToolSaga[]) {
    this.byTool = new Map(all.map(saga => [saga.tool, saga]));
  }

  of(tool: ToolName): ToolSaga {
    return this.byTool.get(tool)!;
  }
}

/**
 * The inputs of a call as the catalogue parses them. No tool takes a NUL: a log cannot commit to it, and Postgres cannot
 * keep it.
 *
 * @throws ProblemError VALIDATION_FAILED naming the fields
 */
export function inputOf(tool: ToolName, input: unknown): JsonObject {
  const parsed = parseOrProblem(TOOLS[tool].input, input) as JsonObject;
  const errors = Object.entries(parsed)
    .filter(([, value]) => holdsNul(value))
    .map(([path]) => ({ path, message: 'must not hold the character U+0000' }));
  if (errors.length === 0) return parsed;
  throw problem('VALIDATION_FAILED', `${errors[0]!.path}: ${errors[0]!.message}`, { errors });
}

const holdsNul = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.includes('\0')
    : typeof value === 'object' && value !== null && Object.values(value).some(holdsNul);

/** Whether a tool has an input of this name. */
export const hasInput = (tool: ToolName, name: string): boolean => name in TOOLS[tool].input.shape;

/** The tool of an operation `tool.<name>`; undefined for other operations. */
export function toolOfOperation(operationId: string | undefined): ToolName | undefined {
  const name = operationId?.startsWith('tool.') ? operationId.slice('tool.'.length) : undefined;
  return TOOL_NAMES.find(tool => tool === name);
}

export const operationOfTool = (tool: ToolName): string => `tool.${tool}`;
