import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { PATTERN_METADATA } from '@nestjs/microservices/constants.js';
import { toolCallContract, type ToolReply } from '@svc/contracts';
import {
  type AskedTool,
  type ToolCallKeys,
  type ToolCallRequest,
  toolCallHandlers,
} from './tool-call-handlers.js';

type Service = keyof typeof toolCallContract;
type Handlers = Record<keyof (typeof toolCallContract)[Service], (request: unknown) => Promise<unknown>>;

const SERVICES = Object.keys(toolCallContract) as Service[];
const REPLY: ToolReply = { output: { links: 1 } };
const IDEM_KEY = 'ab'.repeat(32);

/** The handlers of a service whose tools note what they are asked. */
function handlersOf(service: Service) {
  const asked: unknown[] = [];
  const noted = async <T>(name: string, what: unknown, answer: T): Promise<T> => {
    await new Promise(resolve => setImmediate(resolve));
    asked.push([name, what]);
    return answer;
  };
  class Controller extends toolCallHandlers(service) {
    readonly keys: ToolCallKeys = {
      outcome: key => noted('outcome', key, { state: 'done', reply: REPLY }),
      progress: (...of) => noted('progress', of, { seq: 1, progress: 0.5, ended: false }),
      revoke: key => noted('revoke', key, { was: 'running' }),
    };
    admit(tool: AskedTool): Promise<void> {
      return noted('admit', tool, undefined);
    }
    run(call: ToolCallRequest): Promise<ToolReply> {
      return noted('run', call, REPLY);
    }
  }
  return { handlers: new Controller() as unknown as Handlers, asked };
}

describe('the handlers of tool calls', () => {
  it.each(SERVICES)('answer every subject of %s, and those of no other service', service => {
    const { handlers } = handlersOf(service);
    for (const [name, { subject }] of Object.entries(toolCallContract[service])) {
      const handler = handlers[name as keyof Handlers];
      expect(Reflect.getMetadata(PATTERN_METADATA, handler)).toEqual([subject]);
    }
  });

  it('ask the service for what is its own, and give its answers', async () => {
    const { handlers, asked } = handlersOf('snn');
    const tool = { tool: 'webgpu_snn_attractor', input: { neuronCount: 8 } };
    const call = { ...tool, idemKey: IDEM_KEY, receipt: 'r', accountId: 'a' };
    expect(await handlers.admitTool(tool)).toEqual({});
    expect(await handlers.callTool(call)).toEqual(REPLY);
    expect(await handlers.toolOutcome({ idemKey: IDEM_KEY })).toEqual({ state: 'done', reply: REPLY });
    const progress = { idemKey: IDEM_KEY, afterSeq: 3 };
    expect(await handlers.toolProgress(progress)).toEqual({ seq: 1, progress: 0.5, ended: false });
    expect(await handlers.revokeTool({ idemKey: IDEM_KEY })).toEqual({ was: 'running' });
    expect(asked).toEqual([
      ['admit', tool],
      ['run', call],
      ['outcome', IDEM_KEY],
      ['progress', [IDEM_KEY, 3, 0]],
      ['revoke', IDEM_KEY],
    ]);
  });

  it('refuse what the contract does not allow before the service is asked', async () => {
    const { handlers, asked } = handlersOf('snn');
    await expect(handlers.callTool({ tool: 'webgpu_snn_attractor', input: {} })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
    });
    await expect(handlers.revokeTool({ idemKey: 'AB' })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(asked).toEqual([]);
  });
});
