import { expect, it } from '@jest/globals';
import { createLogger } from '../observability/logger.js';
import { MemoryBus, MemoryLink } from './memory-bus.js';
import { TopicNews } from './topic-news.js';

const logger = createLogger('snn', { level: 'silent' });
/** Longer than any test may run. */
const LONG_MS = 600_000;
const LIMITS = { topic: 'session', topicMax: 2, countMax: 4 };

it('are told here at once, with what is known, and to other replicas of the topic that there are some', async () => {
  const bus = new MemoryBus();
  const links = [new MemoryLink(bus), new MemoryLink(bus)];
  const [here, there] = links.map(link => new TopicNews<string>({ link, service: 'snn', logger }, LIMITS));
  const waits = [here.expect('a'), there.expect('a'), there.expect('b')];
  here.tell('a', 'answered');
  expect(await waits[0].within(LONG_MS)).toBe('answered');
  let wasWoken = false;
  void waits[2].within(LONG_MS).then(() => (wasWoken = true));
  expect(await waits[1].within(LONG_MS)).toBeUndefined();
  expect(wasWoken).toBe(false);
  there.close();
});

it('are of one name: news of another wake nobody', async () => {
  const bus = new MemoryBus();
  const link = new MemoryLink(bus);
  const parts = { link, service: 'snn', logger } as const;
  const [sessions, inboxes] = ['session', 'inbox'].map(topic => new TopicNews(parts, { ...LIMITS, topic }));
  const heard: string[] = [];
  const wait = sessions.expect('a');
  void wait.within(LONG_MS).then(() => heard.push('session'));
  void inboxes
    .expect('a')
    .within(LONG_MS)
    .then(() => heard.push('inbox'));
  inboxes.tell('a');
  await new Promise(resolve => setImmediate(resolve));
  expect(heard).toEqual(['inbox']);
  sessions.close();
});

it('are told here, too, where the bus is away', async () => {
  const link = new MemoryLink(new MemoryBus());
  const news = new TopicNews<string>({ link, service: 'snn', logger }, LIMITS);
  const wait = news.expect('a');
  await link.close();
  news.tell('a', 'known');
  expect(await wait.within(LONG_MS)).toBe('known');
});
