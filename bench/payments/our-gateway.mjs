import 'reflect-metadata';
import { Controller, Get, Module, Post } from '@nestjs/common';
import { accountContract, auditContract, proverContract, toolCallContract } from '@svc/contracts';
import { TrustedProxies } from '@svc/edge';
import { startGateway } from '@svc/gateway';
import { paymentsService } from '@svc/payments';
import { BusClient, Handle, MemoryBus, startService } from '@svc/platform';
import { serviceEnvironment } from '../../tools/bench/service-environment.mjs';

/**
 * The gateway and the payments service in one process, with a prover that answers at once: what is measured is the
 * payment. It listens on PORT until it is told to stop; its database is BENCH_DATABASE, the URLs of
 * the service's role and of its migrator's.
 */
const { PORT, BENCH_DATABASE, BENCH_SECRETS } = process.env;
const bus = { kind: 'memory', bus: new MemoryBus() };
const environmentOf = service =>
  serviceEnvironment(service, { bus, urls: JSON.parse(BENCH_DATABASE), secrets: JSON.parse(BENCH_SECRETS) });

/** Applies a method decorator in plain JavaScript. */
function decorate(prototype, name, ...decorators) {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name);
  for (const apply of decorators) apply(prototype, name, descriptor);
  Object.defineProperty(prototype, name, descriptor);
}

const ANSWER = {
  ...{ proofRootHash: `0x${'00'.repeat(32)}`, verificationLatencyMs: 0, fieldOps: 1 },
  ...{ primeField: '2^64 - 2^32 + 1', status: 'VERIFIED_VALID', proofId: `prf_${'A'.repeat(22)}` },
  ...{ airId: 'hash-chain/v1', publicInputs: {}, starkRootCommitment: `0x${'00'.repeat(32)}` },
  ...{
    securityBits: 1,
    conjecturedSecurityBits: 1,
    parameterSet: 'bench',
    proverLatencyMs: 0,
    proofBytes: 1,
  },
  ...{ friQueryProofBytes: 0, degree: 8, friBlowup: 8, traceLength: 8, proves: 'computation' },
  ...{ doesNotProve: 'anything: this is a benchmark', proof: Uint8Array.of(1) },
};

class AtOnceProver {
  admit() {
    return { traceLength: 8, memoryBytes: 1 };
  }
  prove() {
    return ANSWER;
  }
}
decorate(AtOnceProver.prototype, 'admit', Handle(proverContract.admit));
decorate(AtOnceProver.prototype, 'prove', Handle(proverContract.prove));
Controller()(AtOnceProver);

/** Evidence by digests alone, at once. */
class AtOnceAttest {
  attest({ proves, doesNotProve, requestDigest, resultDigest }) {
    const root = `0x${'11'.repeat(32)}`;
    return {
      ...{ version: 1, proves, doesNotProve, rulesetId: '', rules: [], leafCount: 1 },
      ...{ requestDigest: hex(requestDigest), resultDigest: hex(resultDigest) },
      leaves: [{ index: 0, salt: `0x${'0'.repeat(32)}`, path: Array(4).fill(root) }],
      ...{ root, airId: 'rules/v1', proofId: `prf_${'A'.repeat(22)}`, keyId: 'k', signature: '' },
      expiresAt: '2036-01-01T00:00:00.000Z',
    };
  }
}
const hex = bytes => `0x${Buffer.from(bytes).toString('hex')}`;
decorate(AtOnceAttest.prototype, 'attest', Handle(auditContract.attest));
Controller()(AtOnceAttest);
class AtOnceProverModule {}
Module({ controllers: [AtOnceProver, AtOnceAttest] })(AtOnceProverModule);

/** A tool that has no effect, at once. */
class AtOnceTool {
  admit() {
    return {};
  }
  call() {
    const output = { variationalFreeEnergy: 0.01, homeostaticStatus: 'HOMEOSTATIC', optimalTrajectory: [1] };
    return { output };
  }
}
decorate(AtOnceTool.prototype, 'admit', Handle(toolCallContract.snn.admitTool));
decorate(AtOnceTool.prototype, 'call', Handle(toolCallContract.snn.callTool));
Controller()(AtOnceTool);
class AtOnceToolModule {}
Module({ controllers: [AtOnceTool] })(AtOnceToolModule);

/** The same call without the guard: what the guard adds is the difference. */
class UnguardedController {
  constructor(client) {
    this.client = client;
  }
  async prove() {
    const { proof, ...reply } = await this.client.call(proverContract.prove, {
      request: { traceData: 'hello', degree: 8, friBlowup: 8 },
    });
    return { ...reply, proof: Buffer.from(proof).toString('base64') };
  }
  authenticate() {
    return this.client.call(accountContract.authenticate, { accountKey: process.env.BENCH_KEY ?? 'none' });
  }
}
Reflect.defineMetadata('design:paramtypes', [BusClient], UnguardedController);
decorate(UnguardedController.prototype, 'prove', Post('/dev/unguarded'));
decorate(UnguardedController.prototype, 'authenticate', Get('/dev/authenticate'));
Controller()(UnguardedController);

const services = [
  await startService(
    { name: 'prover', migrations: [], module: () => AtOnceProverModule },
    environmentOf('prover'),
  ),
  await startService({ name: 'snn', migrations: [], module: () => AtOnceToolModule }, environmentOf('snn')),
  await startService(paymentsService, environmentOf('payments')),
];
const gateway = await startGateway({
  ...environmentOf('gateway'),
  port: Number(PORT),
  host: '127.0.0.1',
  rateLimits: { factor: 10_000, trustedProxies: new TrustedProxies([]) },
  sandboxControllers: [UnguardedController],
});
process.once('SIGTERM', async () => {
  await gateway.close();
  for (const service of services) await service.close();
  process.exit(0);
});
