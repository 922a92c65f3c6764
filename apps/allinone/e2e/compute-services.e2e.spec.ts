import { afterAll, beforeAll } from '@jest/globals';
import { acousticService } from '@svc/acoustic';
import { departmentService } from '@svc/department';
import { freePort } from '@svc/platform';
import { proverService } from '@svc/prover';
import { snnService } from '@svc/snn';
import { describeAcousticRoutes } from './acoustic-routes.cases.js';
import { describeNeuralDesks } from './neural-desks.cases.js';
import { type PaidRoute, startPaidRoute } from './paid-route-fixture.js';
import { describeSnnRoutes } from './snn-routes.cases.js';
import { describeSoundTasks } from './sound-tasks.cases.js';
import { describeSpeckleRoutes } from './speckle-routes.cases.js';

let route: PaidRoute;
beforeAll(async () => {
  route = await startPaidRoute({
    ...{ prover: proverService, department: departmentService, snn: snnService, acoustic: acousticService },
    variables: {
      DEPARTMENT_PORT: String(await freePort()),
      SANDBOX_CARD_MARKET: 'off',
    },
  });
});
afterAll(() => route?.close());

describeSpeckleRoutes(() => route);
describeAcousticRoutes(() => route);
describeSoundTasks(() => route);
describeSnnRoutes(() => route);
describeNeuralDesks(() => route);
