import { databaseServices, roleName, variableName } from './topology.mjs';

/**
 * SQL that the Postgres image runs once, on an empty data folder: a role for each service that keeps
 * data, owner of its own schema and of nothing else. The passwords come from the environment.
 *
 * @returns {string}
 */
export function postgresRoles() {
  return `-- Rendered from tools/deploy/topology.mjs by "npm run render"; a test keeps it in step.
\\set ON_ERROR_STOP on
REVOKE ALL ON DATABASE svc, postgres, template1 FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
${databaseServices().map(role).join('')}`;
}

function role(service) {
  const name = roleName(service);
  return `
\\getenv ${name}_password POSTGRES_PASSWORD_${variableName(service)}
CREATE ROLE ${name} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'${name}_password';
ALTER ROLE ${name} SET search_path = ${name};
GRANT CONNECT, TEMPORARY ON DATABASE svc TO ${name};
CREATE SCHEMA ${name} AUTHORIZATION ${name};
`;
}
