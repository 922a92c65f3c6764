/**
 * What runs where, who may ask whom, and what each may use: the one table behind the NATS permissions,
 * the Postgres roles and the Kubernetes manifests. docker-compose.yml is held against it by a test.
 */

/** Longest a handler may take before its reply is refused by NATS; the slowest procedure, a simulation, waits 930 s. */
export const REPLY_WITHIN = '20m';

export const GATEWAY_PORT = 3000;
/** The department's own address. */
export const DEPARTMENT_PORT = 3001;
/** Where operators reach the gateway, and nobody else does. */
export const OPERATOR_PORT = 8082;
/** Where peers reach the mesh: one UDP port for all connections of a replica. */
export const MESH_PORT = 42000;
export const HEALTH_PORT = 8081;

export const IMAGES = { postgres: 'postgres:18.4-alpine', nats: 'nats:2.11.4-alpine' };

/**
 * @typedef {object} Service
 * @property {string[]} calls services whose subjects it may publish to, or single subjects of theirs
 * @property {{ publish: string[]; streams: string[] }} [events] subjects of events that it alone publishes, and the
 *   streams of JetStream that it makes
 * @property {boolean} [workQueues] it has queues of work of its own on JetStream, in streams that it makes
 * @property {boolean} [presence] its replicas know who is there, by a bucket on JetStream that they make
 * @property {boolean} [notices] its replicas tell one another what each must know, on `notices.<service>.>`
 * @property {{ host: string; port: string; number: number }} [address] variables of an HTTP address of its own, and its port
 * @property {{ host: string; port: string; number: number }} [operators] variables of a listener for operators alone, and its port
 * @property {{ port: string; publicAddress: string; number: number }} [peers] variables of a UDP port that peers reach from
 *   anywhere, and of the address that they are told; and the port
 * @property {boolean} database it owns a schema in Postgres
 * @property {string[]} secrets variables that it reads beside NATS_PASSWORD and DATABASE_URL
 * @property {string[]} [optional] variables that an installation may add to the service's Secret
 * @property {{ key: string; path: string }[]} [certificates] keys that an installation may add to the
 *   service's Secret, and the paths in the container where their values are then mounted
 * @property {{ cpuMilli: number; memoryMi: number }} requests
 * @property {{ cpuMilli: number; memoryMi: number }} limits
 * @property {number} replicas
 */

const small = {
  requests: { cpuMilli: 50, memoryMi: 128 },
  limits: { cpuMilli: 1_000, memoryMi: 384 },
};

/** What whoever has tools run asks of their service. */
const TOOL_CALLS = ['admit-tool', 'call-tool', 'tool-progress', 'tool-outcome', 'revoke-tool'];

/** What the edge asks of payments: to credit an account, to renew a claim and whatever else others ask is not among it. */
const EDGE_OF_PAYMENTS = [
  ...[
    'ping',
    'authenticate',
    'count',
    'uncount',
    'challenge',
    'payee',
    'rails',
    'claim',
    'sell',
    'bought-answer',
    'deliver',
    'delivery',
    'release',
    'heartbeat',
  ],
  ...['account', 'account-ledger', 'account-usage', 'create-key', 'rotate-key', 'revoke-key'],
  ...['recovery-challenge', 'recover-key', 'refund-lightning'],
  ...[
    'prepay',
    'top-up',
    'l402-bundle',
    'confirm-checkout',
    'stripe-webhook',
    'sandbox-pay',
    'check-licence',
    'account-licences',
    'licence-keys',
    'wal-keys',
    'receipt-keys',
    'did',
  ],
  ...['escrow-create', 'escrow-find', 'escrow-list', 'escrow-release', 'escrow-cancel'],
  ...['escrow-accept', 'escrow-claim-of', 'escrow-claim'],
  ...['verify-payment', 'admit-execution', 'execute', 'saga', 'telemetry', 'tool-of'],
  // These carry the key of an operator, which payments looks at itself.
  ...['leads', 'change-lead', 'admin-accounts', 'admin-create-account', 'admin-account', 'admin-set-plan'],
  ...['admin-grant-credit', 'admin-issue-key', 'admin-revoke-key', 'admin-set-licences', 'admin-spot-prices'],
  ...['admin-set-spot-price', 'admin-reconcile', 'admin-sagas', 'admin-resume-saga', 'admin-audit'],
  ...['admin-refund', 'admin-refunds', 'admin-find-refund'],
];

/** What the edge asks of the prover: to prove a saga's execution, or a batch of other services' evidence, is not among it. */
const EDGE_OF_PROVER = [
  ...[
    'ping',
    'prove',
    'prove-goldilocks',
    'prove-m31',
    'admit',
    'admit-goldilocks',
    'admit-m31',
    'cancel-proof',
  ],
  ...[
    'check-air',
    'verify-proof',
    'verify-audit',
    'pq-verify',
    'fetch-proof',
    'proof-digest',
    'proof-keys',
    'attest',
  ],
  ...['admit-job', 'start-job', 'job', 'job-events', 'job-of-claim', 'cancel-job'],
];

/** What the edge asks of whoever runs a tool. */
const EDGE_OF_TOOLS = ['admit-tool', 'call-tool', 'tool-progress', 'revoke-tool'];

/** @type {Record<string, Service>} */
export const TOPOLOGY = {
  gateway: {
    calls: [
      ...['snn', 'acoustic', 'mesh-signalling', 'department'],
      ...[...EDGE_OF_PAYMENTS, ...EDGE_OF_TOOLS].map(verb => `payments.${verb}`),
      ...[...EDGE_OF_PROVER, ...EDGE_OF_TOOLS].map(verb => `prover.${verb}`),
    ],
    database: false,
    secrets: [],
    operators: { host: 'OPERATOR_HOST', port: 'OPERATOR_PORT', number: OPERATOR_PORT },
    optional: [
      'PUBLIC_URL',
      'SECURITY_CONTACT',
      'TRUSTED_PROXIES',
      'RATE_LIMIT_FACTOR',
      'MCP_ALLOWED_HOSTS',
      'MCP_ALLOWED_ORIGINS',
    ],
    requests: { cpuMilli: 250, memoryMi: 192 },
    limits: { cpuMilli: 2_000, memoryMi: 512 },
    replicas: 2,
  },
  // The prover refuses a proof that needs more than 1.5 GB before it starts; a smaller one may run beside it.
  // It settles the payments of its jobs, whose claims the gateway hands it; it can claim none.
  prover: {
    calls: ['payments.deliver', 'payments.release', 'payments.renew'],
    events: { publish: ['events.proof.>'], streams: [] },
    workQueues: true,
    database: true,
    secrets: ['AUDIT_SIGNING_SEEDS'],
    optional: ['PROOF_DRAIN_SECONDS', 'WORK_REPLICAS', 'WORK_BYTES_MAX', 'WORK_PIECES_MAX'],
    requests: { cpuMilli: 500, memoryMi: 512 },
    limits: { cpuMilli: 4_000, memoryMi: 2_560 },
    replicas: 2,
  },
  // A run takes what it was admitted with, 1.5 GB at the most (SNN_MEMORY_MB_MAX), and every core that it is given.
  snn: {
    calls: [],
    notices: true,
    database: false,
    secrets: [],
    optional: [...['SNN_MEMORY_MB_MAX', 'SNN_WORK_MAX', 'SNN_THREADS', 'SNN_DRAIN_SECONDS']],
    requests: { cpuMilli: 500, memoryMi: 512 },
    // The largest run, beside it a small one, and two graphs that are read.
    limits: { cpuMilli: 2_000, memoryMi: 2_560 },
    replicas: 2,
  },
  // Its threads make and hear packets: a recording of a minute is some 30 MB while it is heard, and two are at once.
  acoustic: {
    calls: [],
    notices: true,
    database: true,
    secrets: ['ACOUSTIC_SECRET', 'PAIRING_SIGNING_SEEDS'],
    optional: ['ACOUSTIC_THREADS'],
    requests: { cpuMilli: 100, memoryMi: 256 },
    limits: { cpuMilli: 2_000, memoryMi: 1_024 },
    replicas: 2,
  },
  // Its replicas ask one another for what each holds, and payments whose key an operator has. A connection is 0.3 MB outside of the
  // heap, and a replica holds 1,000.
  'mesh-signalling': {
    calls: ['mesh-signalling.node.*', 'payments.authenticate'],
    notices: true,
    presence: true,
    database: true,
    secrets: ['MESH_SIGNING_SEEDS'],
    peers: { port: 'MESH_UDP_PORT', publicAddress: 'MESH_PUBLIC_ADDRESS', number: MESH_PORT },
    optional: [
      ...['TURN_SECRET', 'MESH_TURN_URLS', 'MESH_STUN_URLS', 'MESH_CANDIDATES', 'MESH_CONNECTIONS_MAX'],
      ...['MESH_KEY_CALLS_PER_MINUTE', 'MESH_ADDRESS_CALLS_PER_MINUTE', 'MESH_INBOX_CALLS_PER_MINUTE'],
      ...['MESH_SYNC_SECONDS', 'MESH_COMPACT_UPDATES', 'MESH_NODE_GRACE_SECONDS'],
      ...['PRESENCE_TTL_SECONDS', 'PRESENCE_REPLICAS', 'PRESENCE_BYTES_MAX'],
    ],
    requests: { cpuMilli: 100, memoryMi: 256 },
    limits: { cpuMilli: 2_000, memoryMi: 1_024 },
    replicas: 2,
  },
  // Its sagas have contracts and tools proved by the prover, and take that back.
  payments: {
    calls: [
      ...['prove-execution', 'execution-outcome', 'revoke-execution'].map(verb => `prover.${verb}`),
      ...['admit-tool', 'call-tool', 'tool-outcome', 'revoke-tool', 'attest'].map(verb => `prover.${verb}`),
      ...['admit-tool', 'call-tool', 'tool-outcome', 'revoke-tool', 'owe'].map(verb => `department.${verb}`),
      ...['admit-tool', 'call-tool', 'tool-outcome', 'revoke-tool'].map(verb => `snn.${verb}`),
      ...['admit-tool', 'call-tool', 'tool-outcome', 'revoke-tool'].map(verb => `acoustic.${verb}`),
      ...['admit-tool', 'call-tool', 'tool-outcome', 'revoke-tool'].map(verb => `mesh-signalling.${verb}`),
    ],
    events: { publish: ['events.saga.>', 'events.wal.>', 'events.payment.>'], streams: ['EVENTS'] },
    database: true,
    secrets: [
      'PAYMENTS_SECRET',
      'MACAROON_SECRET',
      'API_KEY_PEPPER',
      'CREDIT_KEY_SECRET',
      'LICENCE_SIGNING_SEEDS',
      'WAL_SIGNING_SEEDS',
      'ADMIN_KEY',
    ],
    optional: [
      ...['SALE_ORDERS', 'RECEIPT_VERSION', 'TICKET_TTL_SECONDS', 'SAGA_LEASE_SECONDS', 'ARENA_DAILY_SATS'],
      ...['EVENTS_REPLICAS', 'EVENTS_BYTES_MAX', 'WAL_CHECKPOINT_FILE'],
      ...['LND_REST_URL', 'LND_MACAROON_HEX', 'LND_TLS_CERT_PATH', 'LND_NETWORK'],
      ...['CLN_REST_URL', 'CLN_RUNE', 'CLN_TLS_CERT_PATH', 'CLN_NETWORK'],
      ...['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_NETWORK_ID', 'STRIPE_SPT_PARAMETER'],
      ...['STRIPE_PREVIEW_VERSION', 'PUBLIC_URL'],
      ...['X402_PAY_TO', 'X402_NETWORK', 'X402_RPC_URL', 'X402_FACILITATOR_URL'],
      ...['X402_FACILITATOR_AUTHORIZATION', 'X402_FACILITATOR_KEY', 'X402_LEAST_MICRO_USD'],
      ...['X402_REFUND_KEY', 'X402_REFUND_DAILY_MICRO_USD'],
    ],
    certificates: [
      { key: 'LND_TLS_CERT', path: '/etc/lnd/tls.cert' },
      { key: 'CLN_TLS_CERT', path: '/etc/cln/ca.pem' },
    ],
    ...small,
    replicas: 2,
  },
  // Two processes read certificates, of up to 1 GiB each (libs/engines/certificates, residentBytesMax), beside the service, whose
  // threads hold an image of 2^24 pixels each while they read it.
  department: {
    calls: [
      ...['attest', 'attest-all', 'ping'].map(verb => `prover.${verb}`),
      ...['admit', 'prove', 'cancel-proof'].map(verb => `prover.${verb}`),
      ...['admit-goldilocks', 'prove-goldilocks', 'admit-m31', 'prove-m31'].map(verb => `prover.${verb}`),
      ...TOOL_CALLS.map(verb => `prover.${verb}`),
      ...TOOL_CALLS.map(verb => `payments.${verb}`),
      ...TOOL_CALLS.map(verb => `snn.${verb}`),
      ...['admit-solve', 'solve', 'admit-graph', 'solve-graph', 'admit-inference', 'infer'].map(
        verb => `snn.${verb}`,
      ),
      ...['cancel-call', 'call-progress', 'ping'].map(verb => `snn.${verb}`),
      ...TOOL_CALLS.map(verb => `acoustic.${verb}`),
      ...['modulate', 'demodulate', 'challenge'].flatMap(verb => [
        `acoustic.admit-${verb}`,
        `acoustic.${verb}`,
      ]),
      ...['admit-pairing', 'verify-pairing', 'ping'].map(verb => `acoustic.${verb}`),
      ...TOOL_CALLS.map(verb => `mesh-signalling.${verb}`),
      ...['admit-rendezvous', 'rendezvous', 'ping'].map(verb => `mesh-signalling.${verb}`),
      // At its own address it sells tasks as the gateway does: it asks for challenges and accounts, and claims payments.
      ...['challenge', 'claim', 'verify-payment', 'authenticate'].map(verb => `payments.${verb}`),
      ...['departments', 'quote-task', 'admit-task', 'submit-task', 'task'].map(verb => `department.${verb}`),
      ...['task-of-claim', 'cancel-task', 'task-end', 'task-events', 'callback-keys'].map(
        verb => `department.${verb}`,
      ),
      // It settles the payments of its tasks, whose claims it is handed with them, and uses their tickets.
      ...['deliver', 'delivery', 'release', 'heartbeat', 'renew', 'uncount'].map(verb => `payments.${verb}`),
      ...['admit-execution', 'execute', 'spot-prices', 'award-credit', 'ping'].map(
        verb => `payments.${verb}`,
      ),
    ],
    events: { publish: ['events.task.>'], streams: [] },
    workQueues: true,
    database: true,
    secrets: ['DEPARTMENT_SECRET', 'CALLBACK_SIGNING_SEEDS'],
    address: { host: 'DEPARTMENT_HOST', port: 'DEPARTMENT_PORT', number: DEPARTMENT_PORT },
    optional: [
      ...['WORK_REPLICAS', 'WORK_BYTES_MAX', 'WORK_PIECES_MAX'],
      ...['DEPARTMENT_QUEUE_MAX', 'DEPARTMENT_TASKS_AT_ONCE', 'DEPARTMENT_TASK_LEASE_SECONDS'],
      ...[
        'CALLBACK_CA_PATH',
        'PUBLIC_URL',
        'TRUSTED_PROXIES',
        'RATE_LIMIT_FACTOR',
        'DEPARTMENT_SECRETS_BEFORE',
        'SPECKLE_TRIES_PER_DAY',
        'SPECKLE_ENROLMENTS_MAX',
        'FFMPEG',
      ],
    ],
    requests: { cpuMilli: 100, memoryMi: 512 },
    limits: { cpuMilli: 2_000, memoryMi: 3_072 },
    replicas: 2,
  },
};

/**
 * Users of NATS for services of other teams, which read events and nothing else: each with durable consumers of its own on
 * the stream EVENTS, `<user>-<family>`, and a place for what it could not handle. Another team is another line.
 *
 * @type {Record<string, { families: string[] }>}
 */
export const CONSUMERS = {
  consumer: { families: ['saga', 'wal', 'payment', 'task', 'proof'] },
};

/** Services that own a schema in Postgres. */
export const databaseServices = () => Object.keys(TOPOLOGY).filter(name => TOPOLOGY[name].database);

/** Name of a service within a variable: `MESH_SIGNALLING`. */
export const variableName = service => service.toUpperCase().replaceAll('-', '_');

/** A service's role and schema in Postgres: `mesh_signalling`. */
export const roleName = service => service.replaceAll('-', '_');

/** The role that owns the schema, and runs its migrations. */
export const migratorName = service => `${roleName(service)}_migrator`;

/** What a container runs to bring its service's schema up to date, and end. */
export const MIGRATE_COMMAND = ['node', 'main.js', 'migrate'];
