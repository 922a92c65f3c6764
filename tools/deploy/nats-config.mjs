import { ENVELOPE_BYTES_MAX, presenceNamesOf, workNamesOf } from '@svc/platform';
import { CONSUMERS, REPLY_WITHIN, TOPOLOGY, variableName } from './topology.mjs';

/**
 * The configuration of nats-server: one user a service, who may listen on its own subjects (in its own
 * queue group), publish to the services it calls, and answer what it was asked. Replies come back on
 * `_INBOX.<service>.>`, which no other user can read.
 *
 * Passwords come from the environment, and nats-server reads such a value as a token of this language:
 * letters and digits, a letter first.
 *
 * @returns {string}
 */
export function natsConfig() {
  return `# Rendered from tools/deploy/topology.mjs by "npm run render"; a test keeps it in step.
server_name: $NATS_SERVER_NAME
port: 4222
http: 8222
max_payload: ${ENVELOPE_BYTES_MAX}
max_connections: 1024
write_deadline: "10s"

jetstream {
  store_dir: "/data"
  max_memory_store: 64MB
  max_file_store: 4GB
}

authorization {
  timeout: 2
  users: [
${[...Object.entries(TOPOLOGY).map(user), ...Object.entries(CONSUMERS).map(consumer)].join('\n')}
  ]
}
`;
}

/** What a service may ask of JetStream, to make a stream where it is missing: no consumer, no purge, no deletion. */
const STREAM_REQUESTS = ['INFO', 'CREATE', 'UPDATE'];

/** What a service asks of JetStream for its own queues of work: to make them and their consumers, to take and to acknowledge. */
function ofQueues(service) {
  const names = workNamesOf(service);
  return [
    ...['MSG.GET', 'MSG.DELETE'].map(request => `$JS.API.STREAM.${request}.${names.stream}`),
    ...[...names.streamSubjects, ...names.asideSubjects, names.wake('*')],
    ...[names.stream, names.aside].flatMap(stream => [
      ...STREAM_REQUESTS.map(request => `$JS.API.STREAM.${request}.${stream}`),
      ...['INFO', 'CREATE', 'MSG.NEXT'].map(request => `$JS.API.CONSUMER.${request}.${stream}.>`),
      `$JS.ACK.${stream}.>`,
    ]),
  ];
}

/** What a service asks of JetStream for its own presence board: to make the bucket, to write into it, to read and to follow it. */
function ofPresence(service) {
  const { stream, subjects } = presenceNamesOf(service);
  return [
    subjects,
    ...[...STREAM_REQUESTS, 'MSG.GET'].map(request => `$JS.API.STREAM.${request}.${stream}`),
    ...['CREATE', 'INFO', 'DELETE'].map(request => `$JS.API.CONSUMER.${request}.${stream}.>`),
    // Says that it keeps up with what is delivered.
    `$JS.FC.${stream}.>`,
  ];
}

function user([name, service]) {
  const { calls, events = { publish: [], streams: [] } } = service;
  const { workQueues = false, presence = false, notices = false } = service;
  const subjects = [
    ...calls.map(callee => (callee.includes('.') ? callee : `${callee}.>`)),
    ...events.publish,
    ...events.streams.flatMap(stream =>
      STREAM_REQUESTS.map(request => `$JS.API.STREAM.${request}.${stream}`),
    ),
    ...(workQueues ? ofQueues(name) : []),
    ...(presence ? ofPresence(name) : []),
    ...(notices ? [`notices.${name}.>`] : []),
  ];
  const publish = subjects.map(subject => `"${subject}"`).join(', ');
  const listens = [
    `${name}.> ${name}`,
    `_INBOX.${name}.>`,
    ...(workQueues ? [workNamesOf(name).wake('*')] : []),
    // Heard by every replica: outside the queue group.
    ...(notices ? [`notices.${name}.>`] : []),
  ];
  const subscribe = listens.map(subject => `"${subject}"`).join(', ');
  return `    {
      user: "${name}"
      password: $NATS_PASSWORD_${variableName(name)}
      permissions: {
        ${publish ? `publish: { allow: [${publish}] }` : 'publish: { deny: [">"] }'}
        subscribe: { allow: [${subscribe}] }
        allow_responses: { max: 1, expires: "${REPLY_WITHIN}" }
      }
    }`;
}

/**
 * A reader of events. It makes and reads durable consumers of its own names, each of one family of events, and can neither
 * look at nor change those of others; it asks no service anything.
 */
function consumer([name, { families }]) {
  const durables = families.flatMap(family => {
    const durable = `${name}-${family}`;
    return [
      `$JS.API.CONSUMER.CREATE.EVENTS.${durable}.events.${family}.>`,
      `$JS.API.CONSUMER.INFO.EVENTS.${durable}`,
      `$JS.API.CONSUMER.MSG.NEXT.EVENTS.${durable}`,
      `$JS.ACK.EVENTS.${durable}.>`,
      `events.dead.${durable}.>`,
    ];
  });
  const publish = ['$JS.API.STREAM.INFO.EVENTS', ...durables].map(subject => `"${subject}"`).join(', ');
  return `    {
      user: "${name}"
      password: $NATS_PASSWORD_${variableName(name)}
      permissions: {
        publish: { allow: [${publish}] }
        subscribe: { allow: ["_INBOX.${name}.>"] }
      }
    }`;
}
