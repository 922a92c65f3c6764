import { randomBytes } from 'node:crypto';
import { stringify } from 'yaml';
import { CONSUMERS, databaseServices, migratorName, roleName, TOPOLOGY, variableName } from './topology.mjs';

/** 256 random bits that nats-server, a URL and a shell all read unchanged: a letter, then hexadecimal. */
const secret = () => `s${randomBytes(32).toString('hex')}`;

/**
 * Fresh secrets for one installation.
 *
 * @returns {Record<string, string>} the variables that docker-compose.yml asks for
 */
export function freshSecrets() {
  const variables = { POSTGRES_PASSWORD: secret() };
  for (const user of [...Object.keys(TOPOLOGY), ...Object.keys(CONSUMERS)])
    variables[`NATS_PASSWORD_${variableName(user)}`] = secret();
  for (const service of databaseServices()) {
    variables[`POSTGRES_PASSWORD_${variableName(service)}`] = secret();
    variables[`POSTGRES_MIGRATOR_PASSWORD_${variableName(service)}`] = secret();
  }
  const own = Object.values(TOPOLOGY).flatMap(service => service.secrets);
  for (const name of [...own, 'SANDBOX_LIGHTNING_KEY']) {
    // The Lightning key is a private key of 32 bytes in hexadecimal.
    variables[name] = name === 'SANDBOX_LIGHTNING_KEY' ? randomBytes(32).toString('hex') : secret();
  }
  return variables;
}

/**
 * @param {Record<string, string>} variables
 * @param {'sandbox' | 'production'} profile
 * @returns {string} an env file for docker compose
 */
export function envFile(variables, profile) {
  const lines = Object.entries({ COMPOSE_PROFILES: profile, ...variables });
  return lines.map(([name, value]) => `${name}=${value}\n`).join('');
}

/**
 * @param {Record<string, string>} variables
 * @returns {string} the Secrets that `k8s/` refers to, YAML
 */
export function kubernetesSecrets(variables) {
  const secrets = Object.entries(TOPOLOGY).map(([name, { database, secrets: names }]) => {
    const key = variableName(name);
    const stringData = { NATS_PASSWORD: variables[`NATS_PASSWORD_${key}`] };
    if (database) {
      const password = variables[`POSTGRES_PASSWORD_${key}`];
      stringData.DATABASE_URL = `postgres://${roleName(name)}:${password}@postgres:5432/svc`;
    }
    for (const variable of names) stringData[variable] = variables[variable];
    return [`svc-${name}`, stringData];
  });
  for (const name of databaseServices()) {
    const password = variables[`POSTGRES_MIGRATOR_PASSWORD_${variableName(name)}`];
    const url = `postgres://${migratorName(name)}:${password}@postgres:5432/svc`;
    secrets.push([`svc-${name}-migrator`, { DATABASE_MIGRATION_URL: url }]);
  }
  const select = prefix =>
    Object.fromEntries(Object.entries(variables).filter(([name]) => name.startsWith(prefix)));
  secrets.push(['svc-postgres', select('POSTGRES_')], ['svc-nats', select('NATS_')]);
  return secrets
    .map(([name, stringData]) =>
      stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData }),
    )
    .join('---\n');
}

if (process.argv[1] === import.meta.filename) {
  const [kind = 'sandbox'] = process.argv.slice(2);
  const makers = {
    sandbox: () => envFile(freshSecrets(), 'sandbox'),
    production: () => envFile(freshSecrets(), 'production'),
    kubernetes: () => kubernetesSecrets(freshSecrets()),
  };
  if (!(kind in makers)) {
    process.stderr.write(`There is no kind "${kind}"; there are ${Object.keys(makers).join(', ')}.\n`);
    process.exit(1);
  }
  process.stdout.write(makers[kind]());
}
