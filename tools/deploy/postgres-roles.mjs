import { databaseServices, migratorName, roleName, variableName } from './topology.mjs';

/**
 * SQL that the Postgres image runs once, on an empty data folder: two roles for each service that keeps data. The migrator
 * owns the service's schema and nothing else; the service's own role owns nothing. The passwords come from the environment.
 *
 * @returns {string}
 */
export function postgresRoles() {
  return `-- Rendered from tools/deploy/topology.mjs by "npm run render"; a test keeps it in step.
\\set ON_ERROR_STOP on
REVOKE ALL ON DATABASE svc, postgres, template1 FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
${databaseServices().map(roles).join('')}`;
}

function roles(service) {
  const [name, migrator] = [roleName(service), migratorName(service)];
  const key = variableName(service);
  return `
\\getenv ${name}_password POSTGRES_PASSWORD_${key}
\\getenv ${migrator}_password POSTGRES_MIGRATOR_PASSWORD_${key}
${role(name, name)}${role(migrator, name)}${schema(name, migrator)}`;
}

const role = (name, schema) => `\
CREATE ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'${name}_password';
ALTER ROLE ${name} SET search_path = ${schema};
GRANT CONNECT ON DATABASE svc TO ${name};
`;

/** By default tables can be read and added to; what else may be done with each, the migrations give. */
const schema = (name, migrator) => `\
CREATE SCHEMA ${name} AUTHORIZATION ${migrator};
GRANT USAGE ON SCHEMA ${name} TO ${name};
ALTER DEFAULT PRIVILEGES FOR ROLE ${migrator} IN SCHEMA ${name} GRANT SELECT, INSERT ON TABLES TO ${name};
ALTER DEFAULT PRIVILEGES FOR ROLE ${migrator} IN SCHEMA ${name} GRANT USAGE, SELECT ON SEQUENCES TO ${name};
`;

/**
 * SQL that a superuser runs once, by hand, in the database of an installation whose services still own their schemas. They
 * go on working with their tables; the next migration takes from them what they may not do.
 *
 * @returns {string}
 */
export function migratorHandover() {
  return databaseServices()
    .map(service => {
      const [name, migrator] = [roleName(service), migratorName(service)];
      return `\
\\getenv ${migrator}_password POSTGRES_MIGRATOR_PASSWORD_${variableName(service)}
${role(migrator, name)}REASSIGN OWNED BY ${name} TO ${migrator};
REVOKE TEMPORARY ON DATABASE svc FROM ${name};
${schema(name, migrator).replace(/^CREATE SCHEMA.*\n/, '')}
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${name} TO ${name};
GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA ${name} TO ${name};
`;
    })
    .join('\n');
}
