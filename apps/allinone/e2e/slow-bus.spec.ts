import 'reflect-metadata';
import { Controller } from '@nestjs/common';
import { proverContract, type ServiceName } from '@svc/contracts';
import { startGateway } from '@svc/gateway';
import {
  API_VERSION,
  createLogger,
  Handle,
  problem,
  type ServiceEnvironment,
  startService,
} from '@svc/platform';
import { type CalledProduct, describeSlowBus, type NatsBus } from './slow-bus.cases.js';

@Controller()
class ProverWithoutProofs {
  @Handle(proverContract.fetchProof)
  fetchProof(): never {
    throw problem('NOT_FOUND', 'No proof has this id');
  }
}
class ProverModule {}

/** The prover and the gateway in this process; the gateway says that it is reachable where the whole product prints its address. */
async function startInProcess(bus: NatsBus): Promise<CalledProduct> {
  const environmentOf = (service: ServiceName): ServiceEnvironment => ({
    service,
    version: API_VERSION,
    bus,
    production: false,
    secrets: {},
    logger: createLogger(service, { level: 'silent' }),
  });
  const module = () => ({ module: ProverModule, controllers: [ProverWithoutProofs] });
  const prover = await startService({ name: 'prover', migrations: [], module }, environmentOf('prover'));
  const gateway = await startGateway({ ...environmentOf('gateway'), port: 0, host: '127.0.0.1' });
  let said = false;
  const reachable = gateway.whenReachable().then(() => void (said = true));
  reachable.catch(() => undefined);
  return {
    address: gateway.address,
    hasSaid: () => said,
    whenSaid: () => reachable,
    close: async () => {
      await gateway.close();
      await prover.close();
    },
  };
}

describeSlowBus(startInProcess);
