import { posix } from 'node:path';
import { stringify } from 'yaml';
import { GATEWAY_PORT, HEALTH_PORT, MIGRATE_COMMAND, TOPOLOGY } from './topology.mjs';

const CONFINED = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

const labels = name => ({ 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'svc' });
const selector = name => ({ matchLabels: { 'app.kubernetes.io/name': name } });
const quantity = ({ cpuMilli, memoryMi }) => ({ cpu: `${cpuMilli}m`, memory: `${memoryMi}Mi` });
const fromSecret = (name, key, more = {}) => ({
  name: key,
  valueFrom: { secretKeyRef: { name, key, ...more } },
});

/**
 * The manifests of the seven services, as they stand in `k8s/base/services.yaml`.
 *
 * @returns {string} YAML documents
 */
export function serviceManifests() {
  const manifests = Object.entries(TOPOLOGY).flatMap(([name, service]) => [
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, labels: labels(name) },
      automountServiceAccountToken: false,
    },
    deployment(name, service),
    disruptionBudget(name),
    networkPolicy(name, service),
  ]);
  const header = '# Rendered from tools/deploy/topology.mjs by "npm run render"; a test keeps it in step.\n';
  return (
    header + manifests.map(manifest => stringify(manifest, { aliasDuplicateObjects: false })).join('---\n')
  );
}

function deployment(name, service) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: labels(name) },
    spec: {
      // The autoscaler sets the gateway's count.
      ...(name === 'gateway' ? {} : { replicas: service.replicas }),
      selector: selector(name),
      strategy: { type: 'RollingUpdate', rollingUpdate: rollingUpdate(service) },
      template: { metadata: { labels: labels(name) }, spec: podSpec(name, service) },
    },
  };
}

/** A port of the node is free again once the pod before has gone: one more beside it would wait for another node. */
const rollingUpdate = ({ peers }) =>
  peers ? { maxUnavailable: 1, maxSurge: 0 } : { maxUnavailable: 0, maxSurge: 1 };

function podSpec(name, service) {
  return {
    serviceAccountName: name,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // A drain finishes the requests in flight; the slowest may take two minutes.
    terminationGracePeriodSeconds: 180,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(service.peers ? { affinity: oneToANode(name) } : {}),
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: selector(name),
      },
    ],
    ...(service.database ? { initContainers: [migration(name, service)] } : {}),
    containers: [container(name, service)],
    volumes: [
      { name: 'tmp', emptyDir: { sizeLimit: '64Mi' } },
      ...(service.certificates ?? []).map(certificate => certificateVolume(name, certificate)),
    ],
  };
}

/** Two pods cannot have the same port of a node. */
const oneToANode = name => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: selector(name), topologyKey: 'kubernetes.io/hostname' },
    ],
  },
});

/**
 * A port of the node itself. A Service cannot stand before it: the answer to an offer names the address of the replica that
 * holds the connection, and its packets must reach that one.
 */
const peersPort = ({ number }) => ({
  ...{ name: 'peers', protocol: 'UDP', containerPort: number, hostPort: number },
});

/** Empty where the installation's Secret has no certificate. */
function certificateVolume(name, { key, path }) {
  const items = [{ key, path: posix.basename(path) }];
  return { name: volumeName(key), secret: { secretName: `svc-${name}`, optional: true, items } };
}

/** `lnd-tls-cert` */
const volumeName = key => key.toLowerCase().replaceAll('_', '-');

function container(name, service) {
  const port = name === 'gateway' ? GATEWAY_PORT : HEALTH_PORT;
  const probe = path => ({ httpGet: { path, port: 'http' }, periodSeconds: 10, timeoutSeconds: 3 });
  return {
    name: 'service',
    image: `svc/${name}`,
    env: environment(name, service),
    ports: [
      { name: 'http', containerPort: port },
      ...(service.address ? [{ name: 'direct', containerPort: service.address.number }] : []),
      ...(service.operators ? [{ name: 'operators', containerPort: service.operators.number }] : []),
      ...(service.peers ? [peersPort(service.peers)] : []),
    ],
    startupProbe: { ...probe('/livez'), periodSeconds: 2, failureThreshold: 30 },
    livenessProbe: probe('/livez'),
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5 },
    resources: { requests: quantity(service.requests), limits: quantity(service.limits) },
    securityContext: CONFINED,
    volumeMounts: [
      { name: 'tmp', mountPath: '/tmp' },
      ...(service.certificates ?? []).map(({ key, path }) => ({
        name: volumeName(key),
        mountPath: posix.dirname(path),
        readOnly: true,
      })),
    ],
  };
}

/** Brings the schema up to date before the service starts, which never has the password of the role that owns it. */
function migration(name, service) {
  return {
    name: 'migrate',
    image: `svc/${name}`,
    command: MIGRATE_COMMAND,
    env: [
      { name: 'NODE_ENV', value: 'production' },
      { name: 'LOG_LEVEL', value: 'info' },
      fromSecret(`svc-${name}-migrator`, 'DATABASE_MIGRATION_URL'),
    ],
    resources: { requests: quantity(service.requests), limits: quantity(service.limits) },
    securityContext: CONFINED,
    volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
  };
}

function environment(name, { database, secrets, optional = [], address, operators, peers }) {
  const secretName = `svc-${name}`;
  return [
    { name: 'NODE_ENV', value: 'production' },
    { name: 'LOG_LEVEL', value: 'info' },
    ...(name === 'gateway'
      ? [
          { name: 'HOST', value: '0.0.0.0' },
          { name: 'PORT', value: String(GATEWAY_PORT) },
        ]
      : [{ name: 'HEALTH_PORT', value: String(HEALTH_PORT) }]),
    ...[address, operators].flatMap(listener =>
      listener
        ? [
            { name: listener.host, value: '0.0.0.0' },
            { name: listener.port, value: String(listener.number) },
          ]
        : [],
    ),
    ...(peers
      ? [
          { name: peers.port, value: String(peers.number) },
          { name: peers.publicAddress, valueFrom: { fieldRef: { fieldPath: 'status.hostIP' } } },
        ]
      : []),
    { name: 'NATS_URL', value: 'nats://nats:4222' },
    { name: 'NATS_USER', value: name },
    fromSecret(secretName, 'NATS_PASSWORD'),
    ...(database ? [fromSecret(secretName, 'DATABASE_URL')] : []),
    ...secrets.map(key => fromSecret(secretName, key)),
    ...optional.map(key => fromSecret(secretName, key, { optional: true })),
  ];
}

function disruptionBudget(name) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, labels: labels(name) },
    spec: { maxUnavailable: 1, selector: selector(name) },
  };
}

/**
 * Out: DNS, NATS and, for a service that keeps data, Postgres. In: nothing, but the port of an address of its own, or the one
 * that peers reach; and the port of operators for the pods from which they work.
 */
function networkPolicy(name, { database, address, operators, peers }) {
  const port = name === 'gateway' ? GATEWAY_PORT : address?.number;
  const to = (target, port) => ({
    to: [{ podSelector: selector(target) }],
    ports: [{ protocol: 'TCP', port }],
  });
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name, labels: labels(name) },
    spec: {
      podSelector: selector(name),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [
        ...(port === undefined ? [] : [{ ports: [{ protocol: 'TCP', port }] }]),
        ...(operators
          ? [
              {
                from: [{ podSelector: selector('operators') }],
                ports: [{ protocol: 'TCP', port: operators.number }],
              },
            ]
          : []),
        ...(peers ? [{ ports: [{ protocol: 'UDP', port: peers.number }] }] : []),
      ],
      egress: [
        {
          to: [{ namespaceSelector: {}, podSelector: { matchLabels: { 'k8s-app': 'kube-dns' } } }],
          ports: [
            { protocol: 'UDP', port: 53 },
            { protocol: 'TCP', port: 53 },
          ],
        },
        to('nats', 4222),
        ...(database ? [to('postgres', 5432)] : []),
      ],
    },
  };
}
