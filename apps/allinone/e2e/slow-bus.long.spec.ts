// commit: ./slow-bus.spec.ts, but for the whole program, which prints where it is: seven CPU seconds a start
// watches: libs/platform/src/messaging, libs/platform/src/runtime
import { freePort } from '@svc/platform';
import { AppProcess } from './processes.js';
import { describeSlowBus } from './slow-bus.cases.js';

const SAYS_WHERE_IT_IS = /gateway {5}http:\/\/127\.0\.0\.1:\d+/;

describeSlowBus(async (bus, folder) => {
  const port = await freePort();
  const app = new AppProcess('allinone', {
    PORT: String(port),
    DATA_DIR: folder,
    NATS_URL: bus.url,
    NATS_TOKEN: bus.token!,
  });
  return {
    address: `http://127.0.0.1:${port}`,
    hasSaid: () => SAYS_WHERE_IT_IS.test(app.output),
    whenSaid: () => app.says(SAYS_WHERE_IT_IS),
    close: () => app.end(),
  };
});
