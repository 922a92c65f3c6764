import { Inject, Injectable } from '@nestjs/common';
import { type PaymentCredit, TOOL_NAMES, TOOLS, type ToolName } from '@svc/contracts';
import type { JsonObject } from '@svc/durability';
import { parseOrProblem, problem, type ProblemError } from '@svc/platform';
import { TOOL_SAGAS, type ToolSaga } from './tool-saga.js';

/** The tools that can be executed, by their names. */
@Injectable()
export class ToolSagas {
  private readonly byTool: ReadonlyMap<ToolName, ToolSaga>;

  constructor(@Inject(TOOL_SAGAS) readonly all: readonly ToolSaga[]) {
    this.byTool = new Map(all.map(saga => [saga.tool, saga]));
  }

  /** Undefined for a tool without an engine. */
  find(tool: ToolName): ToolSaga | undefined {
    return this.byTool.get(tool);
  }

  /** @throws ProblemError NOT_YET_AVAILABLE for a tool without an engine: nothing is taken for it */
  require(tool: ToolName): ToolSaga {
    const saga = this.find(tool);
    if (saga) return saga;
    throw withoutEngine(tool);
  }
}

/** @param credit what had been paid for it all the same, over a rail whose money arrives before it is shown here */
export function withoutEngine(tool: ToolName, credit?: PaymentCredit): ProblemError {
  const fate = credit ? 'what was paid for it is credit' : 'nothing was taken for it';
  return problem('NOT_YET_AVAILABLE', `The engine of ${tool} is not in service yet; ${fate}`, {
    ...(credit ? { extensions: { credit } } : {}),
  });
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
