import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { createLogger } from '../observability/logger.js';
import { encodeEnvelope } from './envelope.js';
import { MemoryBus, MemoryLink } from './memory-bus.js';
import { NoticeBoard } from './notice-board.js';

const logger = createLogger('snn', { level: 'silent' });
const Ended = z.object({ callId: z.string() });
const turn = () => new Promise(resolve => setImmediate(resolve));

it('gives every replica what one of them tells, and passes over what it cannot read', async () => {
  const bus = new MemoryBus();
  const links = [new MemoryLink(bus), new MemoryLink(bus)];
  const boards = links.map(link => new NoticeBoard(link, 'snn', 'ended', Ended, logger));
  const heard: string[] = [];
  boards.forEach((board, i) => board.hear(({ callId }) => void heard.push(`${i}:${callId}`)));
  links[0].tell('notices.snn.ended', new Uint8Array([9, 9]));
  links[0].tell('notices.snn.ended', encodeEnvelope({ callId: 7 }));
  boards[1].tell({ callId: 'x' });
  await turn();
  expect(heard).toEqual(['0:x', '1:x']);
});

it('goes on where the bus is away', async () => {
  const link = new MemoryLink(new MemoryBus());
  const board = new NoticeBoard(link, 'snn', 'ended', Ended, logger);
  await link.close();
  expect(() => board.tell({ callId: 'x' })).not.toThrow();
});
