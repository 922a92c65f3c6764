import { Controller, Module } from '@nestjs/common';
import {
  type Admission,
  auditContract,
  type AuditProof,
  type ParsedRequestOf,
  proverContract,
  type ProveReply,
  type ProveRequest,
  toolCallContract,
  type ToolReply,
} from '@svc/contracts';
import { TrustedProxies } from '@svc/edge';
import { type RunningGateway, startGateway } from '@svc/gateway';
import { paymentsService } from '@svc/payments';
import {
  API_VERSION,
  createLogger,
  currentTurn,
  Handle,
  MemoryBus,
  problem,
  type RunningService,
  type ServiceDefinition,
  type ServiceEnvironment,
  type Standing,
  startService,
} from '@svc/platform';
import { startTemporaryPostgres } from '@svc/platform/testing';
import { createHash } from 'node:crypto';

/** What the prover's end of the bus does in a test, and how often it was asked to prove. */
export interface ProverScript {
  provedCount: number;
  /** Ids of the calls that were asked for, and of those that were cancelled. */
  readonly callIds: (string | undefined)[];
  readonly cancelledCallIds: string[];
  /** How the calls stood with their payment that were admitted and proved, in the order in which they came. */
  readonly standings: (Standing | undefined)[];
  /** What admission answers where it is set. */
  admission?: Error;
  /** Runs before each answer: waits, or throws. */
  before: () => Promise<void>;
}

/** Attests everything, by digests alone. */
@Controller()
class AttestUnderTest {
  @Handle(auditContract.attest)
  attest(asked: ParsedRequestOf<typeof auditContract.attest>): AuditProof {
    const { proves, doesNotProve, requestDigest, resultDigest } = asked;
    const root = `0x${'11'.repeat(32)}`;
    return {
      ...{ version: 1, proves, doesNotProve, rulesetId: '', rules: [], leafCount: 1 },
      ...{ requestDigest: hexOf(requestDigest), resultDigest: hexOf(resultDigest) },
      leaves: [{ index: 0, salt: `0x${'0'.repeat(32)}`, path: Array(4).fill(root) as string[] }],
      ...{ root, airId: 'rules/v1', proofId: 'prf_evidence', keyId: 'k', signature: '' },
      expiresAt: '2036-04-02T00:00:00.000Z',
    };
  }
}

/**
 * Answers the prover's subjects as fast as a digest takes, so that these tests are about payments.
 * What it answers depends on the request and on the count, so that a replay shows.
 */
export function proverUnderTest(script: ProverScript) {
  @Controller()
  class ProverUnderTest {
    @Handle(proverContract.admit)
    admit(request: ProveRequest): Admission {
      script.standings.push(currentTurn()?.standing);
      if (script.admission) throw script.admission;
      if (request.traceData === 'impossible') throw problem('UNPROCESSABLE', 'traceData is impossible');
      return { traceLength: request.degree, memoryBytes: 1 };
    }

    @Handle(proverContract.prove)
    async prove({ request, callId }: ParsedRequestOf<typeof proverContract.prove>): Promise<ProveReply> {
      script.callIds.push(callId);
      script.standings.push(currentTurn()?.standing);
      const provedCount = ++script.provedCount;
      await script.before();
      const digest = createHash('sha256')
        .update(JSON.stringify([request, provedCount]))
        .digest();
      const hex = `0x${digest.toString('hex')}`;
      return {
        proofRootHash: hex,
        verificationLatencyMs: 0,
        fieldOps: 1,
        primeField: '2^64 - 2^32 + 1',
        status: 'VERIFIED_VALID',
        proofId: `prf_${digest.toString('base64url').slice(0, 22)}`,
        airId: 'hash-chain/v1',
        publicInputs: {},
        starkRootCommitment: hex,
        securityBits: 1,
        conjecturedSecurityBits: 1,
        parameterSet: 'test',
        proverLatencyMs: 0,
        proofBytes: digest.length,
        friQueryProofBytes: 0,
        degree: request.degree,
        friBlowup: request.friBlowup,
        traceLength: request.degree,
        proves: 'computation',
        doesNotProve: 'anything: this is a test',
        proof: new Uint8Array(digest),
      };
    }

    @Handle(proverContract.cancelProof)
    cancelProof({ callId }: ParsedRequestOf<typeof proverContract.cancelProof>) {
      script.cancelledCallIds.push(callId);
      return { cancelled: true };
    }
  }
  @Module({ controllers: [ProverUnderTest, AttestUnderTest] })
  class ProverUnderTestModule {}
  return ProverUnderTestModule;
}

/** Answers the spiking networks' tool that has no effect, as {@link proverUnderTest} does. */
export function toolUnderTest(script: ProverScript) {
  const { admitTool, callTool } = toolCallContract.snn;
  @Controller()
  class ToolUnderTest {
    @Handle(admitTool)
    admit(): Record<string, never> {
      return {};
    }

    @Handle(callTool)
    async call(): Promise<ToolReply> {
      const provedCount = ++script.provedCount;
      await script.before();
      const optimalTrajectory = [provedCount];
      return { output: { variationalFreeEnergy: 0.01, homeostaticStatus: 'HOMEOSTATIC', optimalTrajectory } };
    }
  }
  @Module({ controllers: [ToolUnderTest] })
  class ToolUnderTestModule {}
  return ToolUnderTestModule;
}

const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;

/** Gateway and payments as they are, with a prover that a test scripts. */
export interface PaidRoute {
  readonly address: string;
  /** The department's own address, where `DEPARTMENT_PORT` is among the variables. */
  readonly departmentAddress: string;
  readonly script: ProverScript;
  /** Of the payments' own tables. */
  readonly databaseUrl: string;
  /** Of the tables of another service. */
  databaseUrlOf(service: ServiceEnvironment['service']): string;
  /** What the services speak over. */
  readonly bus: ServiceEnvironment['bus'];
  /** As they run now. */
  running(): Readonly<Record<'payments' | 'prover', RunningService>>;
  /** Ends the payments service, or starts it again on the same tables. */
  stopPayments(): Promise<void>;
  startPayments(): Promise<void>;
  /** Starts the prover again after a test has ended it. */
  startProver(): Promise<void>;
  /** The same of the department, where there is one. */
  stopDepartment(): Promise<void>;
  startDepartment(): Promise<void>;
  close(): Promise<void>;
}

/** What a test sets of it. */
export interface PaidRouteOptions {
  /** Variables of the services: rails beside Lightning. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly logger?: ServiceEnvironment['logger'];
  /** As of {@link ServiceEnvironment}: of what a test would wait for otherwise. */
  readonly pace?: number;
  /**
   * Factor of the limits on bursts, 1 where it is not given: unmodified clients live with the limits of everybody. More for a
   * suite that sends more bad payments in a minute than one address may.
   */
  readonly limitFactor?: number;
  /** The prover as it is, instead of the one that a test scripts. */
  readonly prover?: ServiceDefinition;
  /** The department, which is not there otherwise. */
  readonly department?: ServiceDefinition;
  /** The service of networks and inference, which is not there otherwise. */
  readonly snn?: ServiceDefinition;
  /** The service of packets of sound and pairing, which is not there otherwise. */
  readonly acoustic?: ServiceDefinition;
  /** The service of the mesh, which is not there otherwise. */
  readonly mesh?: ServiceDefinition;
}

/** Of every service. */
const SECRETS_OF_TESTS = {
  PAYMENTS_SECRET: 'payments secret of the tests, 32 characters',
  MACAROON_SECRET: 'macaroon secret of the tests, 32 characters',
  SANDBOX_LIGHTNING_KEY: 'lightning secret of the tests, 32 characters',
  API_KEY_PEPPER: 'pepper of the tests, at least 32 characters',
  CREDIT_KEY_SECRET: 'credit key secret of the tests, 32 characters',
  LICENCE_SIGNING_SEEDS: 'licence-seed-of-the-tests-of-32-characters',
  WAL_SIGNING_SEEDS: 'checkpoint-seed-of-the-tests-of-32-characters',
  DEPARTMENT_SECRET: 'department-secret-of-the-tests-of-32-characters',
  CALLBACK_SIGNING_SEEDS: 'callback-seed-of-the-tests-of-32-characters',
  ACOUSTIC_SECRET: 'acoustic-secret-of-the-tests-of-32-characters',
  PAIRING_SIGNING_SEEDS: 'pairing-seed-of-the-tests-of-32-characters',
  MESH_SIGNING_SEEDS: 'mesh-seed-of-the-tests-of-32-characters',
  AUDIT_SIGNING_SEEDS: 'audit-seed-of-the-tests-of-32-characters',
  ADMIN_KEY: 'admin key of the tests, at least 32 characters',
};

export async function startPaidRoute(options: PaidRouteOptions = {}): Promise<PaidRoute> {
  const { logger = createLogger('gateway', { level: 'silent' }), variables = {}, pace } = options;
  const postgres = await startTemporaryPostgres();
  const bus = new MemoryBus();
  const environmentOf = (service: ServiceEnvironment['service']): ServiceEnvironment => ({
    service,
    version: API_VERSION,
    bus: { kind: 'memory', bus },
    ...postgres.urlsFor(service),
    production: false,
    secrets: SECRETS_OF_TESTS,
    variables,
    logger,
    pace,
  });
  const script: ProverScript = {
    provedCount: 0,
    ...{ callIds: [], standings: [], cancelledCallIds: [] },
    before: async () => undefined,
  };
  const scripted = { name: 'prover', migrations: [], module: () => proverUnderTest(script) } as const;
  const startProver = () => startService(options.prover ?? scripted, environmentOf('prover'));
  let prover = await startProver();
  const startOf = async (service: ServiceDefinition | undefined) =>
    service && startService(service, environmentOf(service.name));
  const snn = await startOf(options.snn);
  const acoustic = await startOf(options.acoustic);
  const mesh = await startOf(options.mesh);
  const startDepartment = () => startOf(options.department);
  let department = await startDepartment();
  let payments: RunningService = await startService(paymentsService, environmentOf('payments'));
  const gateway: RunningGateway = await startGateway({
    ...environmentOf('gateway'),
    port: 0,
    host: '127.0.0.1',
    // A test that is many callers names their addresses in X-Forwarded-For.
    rateLimits: { factor: options.limitFactor ?? 1, trustedProxies: new TrustedProxies(['127.0.0.1']) },
  });
  return {
    address: gateway.address,
    departmentAddress: `http://127.0.0.1:${variables.DEPARTMENT_PORT}`,
    script,
    databaseUrl: postgres.migrationUrlFor('payments'),
    databaseUrlOf: service => postgres.migrationUrlFor(service),
    bus: { kind: 'memory', bus },
    running: () => ({ payments, prover }),
    stopPayments: () => payments.close(),
    startPayments: async () => {
      payments = await startService(paymentsService, environmentOf('payments'));
    },
    startProver: async () => void (prover = await startProver()),
    stopDepartment: async () => department?.close(),
    startDepartment: async () => {
      department = await startDepartment();
    },
    close: async () => {
      try {
        await gateway.close();
        await department?.close();
        await payments.close();
        await prover.close();
        await snn?.close();
        await acoustic?.close();
        await mesh?.close();
      } finally {
        await postgres.stop();
      }
    },
  };
}
