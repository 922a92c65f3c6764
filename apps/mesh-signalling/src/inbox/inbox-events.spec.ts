import { createLogger, MemoryBus, openBusLink } from '@svc/platform';
import type { DataSource } from 'typeorm';
import type { IceServers } from '../identity/ice-servers.js';
import { InboxEvents } from './inbox-events.js';
import { InboxLooks } from './inbox-looks.js';
import type { InboxPresence } from './inbox-presence.js';

const logger = createLogger('mesh-signalling', { level: 'silent' });

it('an inbox to which nothing happens costs the database a look each few seconds, and not each one', async () => {
  let looks = 0;
  const keyHash = 'ab'.repeat(32);
  const row = {
    place: 0,
    public_key: 'k',
    hash: Buffer.from(keyHash, 'hex'),
    after: '7',
    is_old: false,
    seq: null,
  };
  const dataSource = { query: async () => (looks++, [row]) } as unknown as DataSource;
  const presence = { seen: () => undefined, keyHashOf: () => keyHash } as unknown as InboxPresence;
  const link = openBusLink({ kind: 'memory', bus: new MemoryBus() }, 'mesh-signalling', logger);
  await link.connect();
  const events = new InboxEvents(new InboxLooks(dataSource), presence, {} as IceServers, link, { logger });
  expect(await events.next('inbox', 7, 2_500)).toEqual({ events: [], lastSeq: 7 });
  // At the beginning and at the end.
  expect(looks).toBe(2);
  await link.close();
});
