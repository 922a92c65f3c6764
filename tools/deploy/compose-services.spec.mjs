import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { workspaceRoot } from '../setup/workspace.mjs';
import { readCompose } from './manifests.mjs';
import { freshSecrets } from './secrets.mjs';
import { configFaults, interpolated, OF_INSTALLATION } from './service-config.mjs';
import {
  CONSUMERS,
  databaseServices,
  GATEWAY_PORT,
  HEALTH_PORT,
  MIGRATE_COMMAND,
  migratorName,
  roleName,
  TOPOLOGY,
  variableName,
} from './topology.mjs';

const compose = readCompose();
const built = Object.entries(compose.services).filter(([, service]) => service.build);
const apps = built.filter(([, service]) => !service.command);
const migrations = built.filter(([, service]) => service.command);
const asked = variable => `\${${variable}:?make it with npm run -s secrets}`;
/** Variables that an installation may set: empty, they count as not set. */
const mayBeSet = names => Object.fromEntries(names.map(name => [name, `\${${name}:-}`]));
const variables = names => Object.fromEntries(names.map(name => [name, asked(name)]));

/** What a profile adds to the environment that the topology asks for. */
const PROFILE_VARIABLES = {
  'gateway-sandbox': { SANDBOX_PUBLISH: 'true' },
  'payments-sandbox': variables(['SANDBOX_LIGHTNING_KEY']),
  prover: mayBeSet(TOPOLOGY.prover.optional),
  snn: mayBeSet(TOPOLOGY.snn.optional),
  acoustic: mayBeSet(TOPOLOGY.acoustic.optional),
  'mesh-signalling': mayBeSet([
    TOPOLOGY['mesh-signalling'].peers.publicAddress,
    ...TOPOLOGY['mesh-signalling'].optional,
  ]),
  department: mayBeSet(TOPOLOGY.department.optional),
  'department-sandbox': { ...mayBeSet(TOPOLOGY.department.optional), SANDBOX_PUBLISH: 'true' },
  payments: {
    ...mayBeSet(TOPOLOGY.payments.optional),
    LND_TLS_CERT_PATH: '${LND_TLS_CERT:+/etc/lnd/tls.cert}',
    LND_NETWORK: '${LND_NETWORK:-mainnet}',
    CLN_TLS_CERT_PATH: '${CLN_TLS_CERT:+/etc/cln/ca.pem}',
  },
};

function environmentOf(name, { build, profiles = [] }) {
  const app = build.args.APP;
  const { address, operators, peers, database, secrets } = TOPOLOGY[app];
  const key = variableName(app);
  return {
    NODE_ENV: profiles.includes('sandbox') ? 'development' : 'production',
    LOG_LEVEL: '${LOG_LEVEL:-info}',
    ...(app === 'gateway'
      ? { HOST: '0.0.0.0', PORT: String(GATEWAY_PORT), ...mayBeSet(TOPOLOGY.gateway.optional) }
      : { HEALTH_PORT: String(HEALTH_PORT) }),
    ...(peers && { [peers.port]: String(peers.number) }),
    ...(address && { [address.host]: '0.0.0.0', [address.port]: String(address.number) }),
    ...(operators && { [operators.host]: '0.0.0.0', [operators.port]: String(operators.number) }),
    NATS_URL: 'nats://nats:4222',
    NATS_USER: app,
    NATS_PASSWORD: asked(`NATS_PASSWORD_${key}`),
    ...(database && {
      DATABASE_URL: `postgres://${roleName(app)}:${asked(`POSTGRES_PASSWORD_${key}`)}@postgres:5432/svc`,
    }),
    ...variables(secrets),
    ...PROFILE_VARIABLES[name],
  };
}

describe('services of docker-compose.yml', () => {
  for (const [name, service] of apps) {
    const app = service.build.args.APP;

    it(`${name} is given the environment of the topology, and nothing else`, () => {
      assert.deepEqual(service.environment, environmentOf(name, service));
    });

    it(`${name} takes that environment, with what an installation of its profile adds`, () => {
      const { environment, profiles = ['sandbox', 'production'] } = service;
      for (const profile of profiles) {
        const variables = { ...freshSecrets(), ...(profile === 'production' ? OF_INSTALLATION : {}) };
        const given = Object.entries(environment).map(([key, value]) => [
          key,
          interpolated(value, variables),
        ]);
        assert.deepEqual(configFaults(app, Object.fromEntries(given)), [], profile);
      }
    });

    it(`${name} is asked whether it is ready on the port that it listens on`, () => {
      const { HEALTH_PORT: health, PORT: port = health } = service.environment;
      const [cmd, program, flag, script] = service.healthcheck.test;
      assert.deepEqual([cmd, program, flag], ['CMD', 'node', '-e']);
      assert.equal(/fetch\('([^']+)'\)/.exec(script)?.[1], `http://127.0.0.1:${port}/readyz`);
    });

    it(`${name} waits for the servers that it needs`, () => {
      const healthy = { condition: 'service_healthy' };
      const withData = {
        postgres: healthy,
        [`${app}-migrate`]: { condition: 'service_completed_successfully' },
      };
      assert.deepEqual(service.depends_on, { nats: healthy, ...(TOPOLOGY[app].database && withData) });
    });
  }

  it('brings the schema of each database service up to date in a container that has its migrator’s password alone', () => {
    assert.deepEqual(
      migrations.map(([name]) => name).sort(),
      databaseServices()
        .map(name => `${name}-migrate`)
        .sort(),
    );
    for (const [name, service] of migrations) {
      const app = service.build.args.APP;
      assert.equal(name, `${app}-migrate`);
      assert.deepEqual(service.command, MIGRATE_COMMAND);
      assert.deepEqual([service.restart, service.profiles], ['no', undefined]);
      assert.deepEqual(service.networks, ['data']);
      assert.deepEqual(service.depends_on, { postgres: { condition: 'service_healthy' } });
      const password = asked(`POSTGRES_MIGRATOR_PASSWORD_${variableName(app)}`);
      assert.deepEqual(service.environment, {
        NODE_ENV: 'production',
        LOG_LEVEL: '${LOG_LEVEL:-info}',
        DATABASE_MIGRATION_URL: `postgres://${migratorName(app)}:${password}@postgres:5432/svc`,
      });
    }
    for (const [name, { environment }] of apps)
      assert.doesNotMatch(JSON.stringify(environment), /MIGRAT/, `${name} is given what its migrator has`);
  });

  it('has every file that a container mounts', () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) =>
      volumes.map(volume => volume.split(':')[0]),
    );
    assert.ok(mounted.includes('./k8s/base/nats.conf') && mounted.includes('./k8s/base/postgres-roles.sql'));
    for (const source of mounted) {
      const found = source.startsWith('.')
        ? existsSync(join(workspaceRoot, source))
        : source in compose.volumes;
      assert.ok(found, source);
    }
  });

  it('mounts the Lightning nodes’ certificates where payments is told to read them', () => {
    const { configs, environment } = compose.services.payments;
    for (const { key, path } of TOPOLOGY.payments.certificates) {
      const source = key.toLowerCase().replaceAll('_', '-');
      assert.equal(environment[`${key}_PATH`], `\${${key}:+${path}}`);
      assert.ok(
        configs.some(config => config.source === source && config.target === path),
        source,
      );
      assert.equal(compose.configs[source].file, `\${${key}:-/dev/null}`);
    }
  });

  it('starts nats-server with the configuration that is mounted for it', () => {
    const { command, volumes } = compose.services.nats;
    assert.ok(volumes.includes(`./k8s/base/nats.conf:${command[command.indexOf('--config') + 1]}:ro`));
  });

  it('runs the roles where the Postgres image looks for its first scripts', () => {
    const mount = './k8s/base/postgres-roles.sql:/docker-entrypoint-initdb.d/roles.sql:ro';
    assert.ok(compose.services.postgres.volumes.includes(mount));
  });

  it('gives NATS the password of each service and each reader of events, and Postgres that of each role', () => {
    const passwords = (server, services) =>
      variables(services.map(service => `${server}_PASSWORD_${variableName(service)}`));
    const withData = Object.keys(TOPOLOGY).filter(service => TOPOLOGY[service].database);
    assert.deepEqual(compose.services.nats.environment, {
      NATS_SERVER_NAME: 'nats',
      ...passwords('NATS', [...Object.keys(TOPOLOGY), ...Object.keys(CONSUMERS)]),
    });
    assert.deepEqual(compose.services.postgres.environment, {
      POSTGRES_DB: 'svc',
      POSTGRES_PASSWORD: asked('POSTGRES_PASSWORD'),
      ...passwords('POSTGRES', withData),
      ...variables(withData.map(service => `POSTGRES_MIGRATOR_PASSWORD_${variableName(service)}`)),
    });
  });

  it('asks NATS and Postgres with programs that their alpine images have', () => {
    const { nats, postgres } = compose.services;
    assert.deepEqual(nats.healthcheck.test, [
      'CMD',
      'wget',
      '-q',
      '--spider',
      'http://127.0.0.1:8222/healthz',
    ]);
    const pgIsReady = ['CMD', 'pg_isready', '-U', 'postgres', '-d', 'svc', '-h', '127.0.0.1'];
    assert.deepEqual(postgres.healthcheck.test, pgIsReady);
  });
});
