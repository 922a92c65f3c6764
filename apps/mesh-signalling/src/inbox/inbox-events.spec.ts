import { createLogger, MemoryBus, openBusLink } from '@svc/platform';
import type { DataSource } from 'typeorm';
import type { IceServers } from '../identity/ice-servers.js';
import { InboxEvents } from './inbox-events.js';
import type { Inboxes } from './inboxes.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });

it('an inbox to which nothing happens costs the database a look each few seconds, and not each one', async () => {
  let looks = 0;
  const dataSource = { query: async () => (looks++, []) } as unknown as DataSource;
  const inboxes = { renew: async () => ({ keyHash: 'k' }) } as unknown as Inboxes;
  const link = openBusLink({ kind: 'memory', bus: new MemoryBus() }, 'mesh-signalling', logger);
  await link.connect();
  const events = new InboxEvents(dataSource, inboxes, {} as IceServers, link, { logger });
  expect(await events.next('inbox', 7, 2_500)).toEqual({ events: [], lastSeq: 7 });
  // At the beginning and at the end.
  expect(looks).toBe(2);
  await link.close();
});
