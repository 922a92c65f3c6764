import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { SERVICES } from '@svc/contracts';
import { parseAllDocuments } from 'yaml';
import { workspaceRoot } from '../setup/workspace.mjs';
import { composeFaults, manifestFaults, readBase, readCompose } from './manifests.mjs';
import { RENDERED } from './render.mjs';
import { envFile, freshSecrets, kubernetesSecrets } from './secrets.mjs';
import { configFaults, OF_INSTALLATION } from './service-config.mjs';
import {
  databaseServices,
  GATEWAY_PORT,
  IMAGES,
  MIGRATE_COMMAND,
  OPERATOR_PORT,
  TOPOLOGY,
} from './topology.mjs';

const read = path => readFileSync(join(workspaceRoot, path), 'utf8');
const compose = readCompose();
const base = readBase();
const ofKind = kind => base.filter(manifest => manifest.kind === kind);
const named = (kind, name) => ofKind(kind).find(manifest => manifest.metadata.name === name);
/** Compose services that run one of ours: `payments-sandbox` runs payments. */
const composeBuilt = Object.entries(compose.services).filter(([, service]) => service.build);
/** But for the containers that migrate a schema and end. */
const composeApps = composeBuilt.filter(([, service]) => !service.command);
const appOf = ([, service]) => service.build.args.APP;

/** Every TypeScript source of the platform and of one app. */
function sourcesOf(app) {
  const folders = ['libs/platform/src', 'libs/edge/src', `apps/${app}/src`];
  return folders
    .flatMap(folder =>
      readdirSync(join(workspaceRoot, folder), { recursive: true })
        .filter(file => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
        .map(file => read(join(folder, file))),
    )
    .join('\n');
}

describe('topology', () => {
  it('has exactly the services that speak on the bus', () => {
    assert.deepEqual(Object.keys(TOPOLOGY).sort(), [...SERVICES].sort());
  });

  it('gives a database to the services with migrations, and to no others', () => {
    const withMigrations = SERVICES.filter(name => {
      const definition = readdirSync(join(workspaceRoot, 'apps', name, 'src'), { recursive: true });
      return definition.some(file => /(^|\/)migrations?(\/|-|\.)/.test(String(file)));
    });
    assert.deepEqual(withMigrations.sort(), databaseServices().sort());
  });

  it('is what the rendered files say', () => {
    for (const [path, render] of Object.entries(RENDERED)) {
      assert.equal(read(path), render(), `${path} is stale: npm run render`);
    }
  });
});

describe('docker-compose.yml', () => {
  it('follows the Compose Specification', () => {
    assert.deepEqual(composeFaults(compose), []);
  });

  it('would be refused with an unknown key, a wrong type or an unknown condition', () => {
    const changed = change => {
      const copy = structuredClone(compose);
      change(copy);
      return composeFaults(copy).length;
    };
    assert.ok(changed(file => (file.services.snn.restarts = 'always')) > 0);
    assert.ok(changed(file => (file.services.snn.image = 7)) > 0);
    assert.ok(changed(file => (file.services.snn.depends_on.nats.condition = 'service_ready')) > 0);
    assert.ok(changed(file => (file.serivces = {})) > 0);
  });

  it('runs every service, once in each profile', () => {
    for (const profile of ['production', 'sandbox']) {
      const active = composeApps.filter(
        ([, service]) => !service.profiles || service.profiles.includes(profile),
      );
      assert.deepEqual(active.map(appOf).sort(), [...SERVICES].sort(), profile);
    }
  });

  it('runs the images of the topology', () => {
    assert.equal(compose.services.postgres.image, IMAGES.postgres);
    assert.equal(compose.services.nats.image, IMAGES.nats);
    for (const entry of composeBuilt) assert.ok(entry[1].image.startsWith(`svc/${appOf(entry)}:`), entry[0]);
  });

  it('sets variables that the platform or the app reads, and no others', () => {
    for (const entry of composeBuilt) {
      const sources = sourcesOf(appOf(entry));
      for (const variable of Object.keys(entry[1].environment)) {
        assert.match(sources, new RegExp(`\\b${variable}\\b`), `${entry[0]} is given ${variable}`);
      }
    }
  });

  it('gives each service its own bus user and, where the topology says so, its own database role', () => {
    for (const entry of composeApps) {
      const { environment, networks } = entry[1];
      const app = appOf(entry);
      assert.equal(environment.NATS_USER, app);
      assert.equal(environment.DATABASE_URL !== undefined, TOPOLOGY[app].database, entry[0]);
      assert.equal(JSON.stringify(networks).includes('data'), TOPOLOGY[app].database, entry[0]);
      for (const secret of TOPOLOGY[app].secrets) assert.ok(environment[secret], `${entry[0]} ${secret}`);
    }
  });

  it('confines every container', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      assert.ok(service.deploy.resources.limits.memory && service.deploy.resources.limits.cpus, name);
      assert.ok(service.user, name);
      const runsOnce = service.restart === 'no';
      // Only the one that hands NATS its volume needs to be root.
      assert.equal(
        service.user.startsWith('0:'),
        name === 'nats-data-owner',
        `${name} runs as ${service.user}`,
      );
      const isAsked = service.healthcheck !== undefined && service.healthcheck.disable !== true;
      assert.equal(isAsked, !runsOnce, `${name} has a healthcheck`);
    }
  });

  it('bounds the processes of every service where its memory is bounded, and nowhere else', () => {
    // Beside `limits` the loader of Compose refuses `pids_limit`, whatever the schema says.
    for (const [name, service] of Object.entries(compose.services)) {
      assert.equal(service.pids_limit, undefined, name);
      assert.ok(service.deploy.resources.limits.pids >= 128, name);
    }
  });

  it('publishes nothing but the sandbox’s gateway and department and the operators’ port, on the loopback address, and the port of the peers', () => {
    const published = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
      ports.map(port => [name, port]),
    );
    const { number } = TOPOLOGY['mesh-signalling'].peers;
    const operators = `127.0.0.1:\${OPERATOR_PORT:-${OPERATOR_PORT}}:${OPERATOR_PORT}`;
    assert.deepEqual(published, [
      ['gateway', operators],
      ['gateway-sandbox', '127.0.0.1:${GATEWAY_PORT:-3000}:3000'],
      ['gateway-sandbox', operators],
      ['mesh-signalling', `${number}:${number}/udp`],
      ['department-sandbox', '127.0.0.1:${DEPARTMENT_PORT:-3001}:3001'],
    ]);
  });

  it('has no secret of its own: each is asked for and has no default', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      for (const [variable, value] of Object.entries(service.environment ?? {})) {
        if (!/PASSWORD|SECRET|KEY|DATABASE_(MIGRATION_)?URL/.test(variable)) continue;
        // What an installation may set is empty unless it does, and empty is not set.
        if (TOPOLOGY[service.build?.args.APP]?.optional?.includes(variable)) {
          assert.equal(value, `\${${variable}:-}`, `${name} ${variable}`);
          continue;
        }
        assert.match(String(value), /\$\{[A-Z_]+:\?[^}]+\}/, `${name} ${variable}`);
        assert.doesNotMatch(String(value), /:-/, `${name} ${variable}`);
      }
    }
  });

  it('asks for the variables that the generator makes, and for no others', () => {
    const asked = new Set(
      [...read('docker-compose.yml').matchAll(/\$\{([A-Z_]+):\?/g)].map(match => match[1]),
    );
    assert.deepEqual([...asked].sort(), Object.keys(freshSecrets()).sort());
  });
});

describe('secrets', () => {
  it('are fresh each time, long, and readable by nats-server, a URL and a shell alike', () => {
    const [one, other] = [freshSecrets(), freshSecrets()];
    for (const [name, value] of Object.entries(one)) {
      assert.notEqual(value, other[name]);
      assert.match(value, name === 'SANDBOX_LIGHTNING_KEY' ? /^[0-9a-f]{64}$/ : /^s[0-9a-f]{64}$/);
    }
    assert.match(envFile(one, 'sandbox'), /^COMPOSE_PROFILES=sandbox\nPOSTGRES_PASSWORD=s[0-9a-f]{64}\n/);
  });

  it('for Kubernetes hold every key that a manifest refers to', () => {
    const made = new Map();
    for (const text of kubernetesSecrets(freshSecrets()).split('---\n')) {
      made.set(
        /name: (\S+)/.exec(text)[1],
        new Set(text.match(/^ {2}[A-Z_]+(?=:)/gm).map(key => key.trim())),
      );
    }
    const containers = [...ofKind('Deployment'), ...ofKind('StatefulSet')].flatMap(m => [
      ...(m.spec.template.spec.initContainers ?? []),
      ...m.spec.template.spec.containers,
    ]);
    for (const { env = [], envFrom = [] } of containers) {
      for (const { secretRef } of envFrom) assert.ok(made.has(secretRef.name), secretRef.name);
      for (const { valueFrom } of env.filter(
        entry => entry.valueFrom?.secretKeyRef?.optional === undefined && entry.valueFrom?.secretKeyRef,
      )) {
        const { name, key } = valueFrom.secretKeyRef;
        assert.ok(made.get(name)?.has(key), `${name} ${key}`);
      }
    }
  });
});

describe('k8s/base', () => {
  it('follows the strict Kubernetes schemas', () => {
    assert.deepEqual(base.flatMap(manifestFaults), []);
  });

  it('would be refused with an unknown key at any depth, or an unknown kind', () => {
    const deployment = structuredClone(named('Deployment', 'snn'));
    deployment.spec.template.spec.containers[0].readynessProbe = {};
    assert.match(manifestFaults(deployment).join(), /additional properties \(readynessProbe\)/);
    assert.match(manifestFaults({ ...named('Service', 'nats'), replica: 1 }).join(), /\(replica\)/);
    assert.equal(manifestFaults({ apiVersion: 'apps/v2', kind: 'Deployment' }).length, 1);
  });

  it('runs every service with an account, a disruption budget and a network policy of its own', () => {
    for (const kind of ['Deployment', 'ServiceAccount', 'PodDisruptionBudget', 'NetworkPolicy']) {
      for (const service of SERVICES) assert.ok(named(kind, service), `${kind} ${service}`);
    }
    assert.ok(named('HorizontalPodAutoscaler', 'gateway'));
  });

  it('confines every pod', () => {
    for (const { metadata, spec } of [...ofKind('Deployment'), ...ofKind('StatefulSet')]) {
      const pod = spec.template.spec;
      assert.equal(pod.automountServiceAccountToken, false, metadata.name);
      assert.equal(pod.securityContext.runAsNonRoot, true, metadata.name);
      assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault', metadata.name);
      for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
        assert.equal(container.securityContext.readOnlyRootFilesystem, true, metadata.name);
        assert.equal(container.securityContext.allowPrivilegeEscalation, false, metadata.name);
        assert.deepEqual(container.securityContext.capabilities.drop, ['ALL'], metadata.name);
        assert.ok(container.resources.limits.memory && container.resources.requests.cpu, metadata.name);
        const isAsked = pod.containers.includes(container);
        assert.equal(Boolean(container.livenessProbe && container.readinessProbe), isAsked, metadata.name);
      }
    }
  });

  it('asks every service whether it lives and is ready, where and as it answers', () => {
    for (const service of SERVICES) {
      const [{ ports, env, ...probes }] = named('Deployment', service).spec.template.spec.containers;
      const { startupProbe, livenessProbe, readinessProbe } = probes;
      for (const probe of [startupProbe, livenessProbe]) {
        assert.deepEqual(probe.httpGet, { path: '/livez', port: 'http' }, service);
      }
      assert.deepEqual(readinessProbe.httpGet, { path: '/readyz', port: 'http' }, service);
      const listens = env.find(({ name }) => name === (service === 'gateway' ? 'PORT' : 'HEALTH_PORT'));
      const { address, operators, peers } = TOPOLOGY[service];
      for (const listener of [address, operators].filter(one => one)) {
        const own = env.find(({ name }) => name === listener.port);
        assert.equal(own?.value, String(listener.number), service);
      }
      assert.deepEqual(
        ports,
        [
          { name: 'http', containerPort: Number(listens?.value) },
          ...(address ? [{ name: 'direct', containerPort: address.number }] : []),
          ...(operators ? [{ name: 'operators', containerPort: operators.number }] : []),
          ...(peers
            ? [{ name: 'peers', protocol: 'UDP', containerPort: peers.number, hostPort: peers.number }]
            : []),
        ],
        service,
      );
    }
  });

  it('gives the port of a node to the peers of the mesh alone, one replica to a node, which says where it is', () => {
    const { template, strategy } = named('Deployment', 'mesh-signalling').spec;
    const { podAntiAffinity } = template.spec.affinity;
    const [{ labelSelector, topologyKey }] = podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    assert.equal(topologyKey, 'kubernetes.io/hostname');
    assert.deepEqual(labelSelector.matchLabels, { 'app.kubernetes.io/name': 'mesh-signalling' });
    // A new pod waits for the port of the old one.
    assert.deepEqual(strategy.rollingUpdate, { maxUnavailable: 1, maxSurge: 0 });
    const { port, publicAddress, number } = TOPOLOGY['mesh-signalling'].peers;
    const { env } = template.spec.containers[0];
    const valueOf = name =>
      env.filter(entry => entry.name === name).map(entry => entry.value ?? entry.valueFrom);
    assert.deepEqual(valueOf(port), [String(number)]);
    assert.deepEqual(valueOf(publicAddress), [{ fieldRef: { fieldPath: 'status.hostIP' } }]);
    const { ingress } = named('NetworkPolicy', 'mesh-signalling').spec;
    assert.deepEqual(ingress, [{ ports: [{ protocol: 'UDP', port: number }] }]);
    for (const { metadata, spec } of [...ofKind('Deployment'), ...ofKind('StatefulSet')]) {
      const { containers, hostNetwork, hostPID, hostIPC, volumes = [] } = spec.template.spec;
      const hostPorts = containers.flatMap(({ ports = [] }) => ports.filter(({ hostPort }) => hostPort));
      assert.equal(hostPorts.length, metadata.name === 'mesh-signalling' ? 1 : 0, metadata.name);
      assert.deepEqual([hostNetwork, hostPID, hostIPC], [undefined, undefined, undefined], metadata.name);
      assert.ok(
        volumes.every(({ hostPath }) => hostPath === undefined),
        metadata.name,
      );
    }
  });

  it('has the operators’ port behind a Service of its own, inside of the cluster, for operators’ pods alone', () => {
    const { type, ports } = named('Service', 'gateway-operators').spec;
    assert.equal(type, undefined);
    assert.deepEqual(ports, [{ name: 'operators', port: OPERATOR_PORT, targetPort: 'operators' }]);
    const others = ofKind('Service').filter(({ metadata }) => metadata.name !== 'gateway-operators');
    const led = others.flatMap(({ spec }) => spec.ports.map(({ targetPort }) => targetPort));
    assert.ok(!led.includes('operators') && !led.includes(OPERATOR_PORT));
    const { ingress } = named('NetworkPolicy', 'gateway').spec;
    assert.deepEqual(ingress, [
      { ports: [{ protocol: 'TCP', port: GATEWAY_PORT }] },
      {
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'operators' } } }],
        ports: [{ protocol: 'TCP', port: OPERATOR_PORT }],
      },
    ]);
    assert.deepEqual(
      base.filter(({ kind }) => /Ingress|Route|Gateway/.test(kind)),
      [],
    );
  });

  it('mounts the Lightning nodes’ certificates from the Secret of payments, which need not have them', () => {
    const { volumes, containers } = named('Deployment', 'payments').spec.template.spec;
    const mounted = containers[0].volumeMounts.filter(({ name }) => name.endsWith('-tls-cert'));
    const files = mounted.map(({ name, mountPath }) => {
      const { secret } = volumes.find(volume => volume.name === name);
      assert.deepEqual([secret.secretName, secret.optional], ['svc-payments', true]);
      return { key: secret.items[0].key, path: `${mountPath}/${secret.items[0].path}` };
    });
    assert.deepEqual(files, TOPOLOGY.payments.certificates);
    assert.equal(new Set(mounted.map(({ mountPath }) => mountPath)).size, mounted.length);
  });

  it('denies all traffic first, and lets in only what a policy names', () => {
    assert.deepEqual(named('NetworkPolicy', 'default-deny').spec, {
      podSelector: {},
      policyTypes: ['Ingress', 'Egress'],
    });
    const callersOf = name =>
      named('NetworkPolicy', name).spec.ingress[0].from[0].podSelector.matchExpressions[0].values;
    assert.deepEqual([...callersOf('nats')].sort(), [...SERVICES].sort());
    assert.deepEqual([...callersOf('postgres')].sort(), databaseServices().sort());
  });

  it('sets variables that the platform or the app reads, and no others', () => {
    for (const { metadata, spec } of ofKind('Deployment')) {
      const sources = sourcesOf(metadata.name);
      for (const { name } of spec.template.spec.containers[0].env) {
        assert.match(sources, new RegExp(`\\b${name}\\b`), `${metadata.name} is given ${name}`);
      }
    }
  });

  it('gives every service variables that it takes, with what an installation adds to its Secret', () => {
    const secrets = Object.fromEntries(
      parseAllDocuments(kubernetesSecrets(freshSecrets()))
        .map(document => document.toJS())
        .map(({ metadata, stringData }) => [metadata.name, { ...stringData, ...OF_INSTALLATION }]),
    );
    for (const service of SERVICES) {
      const { env } = named('Deployment', service).spec.template.spec.containers[0];
      const given = env.map(({ name, value, valueFrom }) => {
        const { secretKeyRef, fieldRef } = valueFrom ?? {};
        if (fieldRef?.fieldPath === 'status.hostIP') return [name, '203.0.113.7'];
        return [name, secretKeyRef ? secrets[secretKeyRef.name][secretKeyRef.key] : value];
      });
      assert.deepEqual(configFaults(service, Object.fromEntries(given)), [], service);
    }
  });

  it('migrates before a database service starts, with a password that the service is not given', () => {
    for (const service of SERVICES) {
      const { initContainers = [], containers } = named('Deployment', service).spec.template.spec;
      assert.doesNotMatch(JSON.stringify(containers), /migrat/i, service);
      if (!TOPOLOGY[service].database) assert.deepEqual(initContainers, [], service);
      else {
        const [{ image, command, env }, ...others] = initContainers;
        assert.deepEqual(others, []);
        assert.equal(image, containers[0].image);
        assert.deepEqual(command, MIGRATE_COMMAND);
        const secrets = env
          .filter(({ valueFrom }) => valueFrom)
          .map(({ name, valueFrom }) => [name, valueFrom.secretKeyRef.name]);
        assert.deepEqual(secrets, [['DATABASE_MIGRATION_URL', `svc-${service}-migrator`]]);
      }
    }
  });

  it('keeps no secret: each value comes from a Secret that stands elsewhere', () => {
    assert.equal(ofKind('Secret').length, 0);
    for (const { spec } of ofKind('Deployment')) {
      for (const { name, value } of spec.template.spec.containers[0].env) {
        if (/PASSWORD|SECRET|KEY|DATABASE_URL/.test(name)) assert.equal(value, undefined, name);
      }
    }
  });
});
