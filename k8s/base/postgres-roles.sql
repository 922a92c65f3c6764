-- Rendered from tools/deploy/topology.mjs by "npm run render"; a test keeps it in step.
\set ON_ERROR_STOP on
REVOKE ALL ON DATABASE svc, postgres, template1 FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;

\getenv prover_password POSTGRES_PASSWORD_PROVER
CREATE ROLE prover LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'prover_password';
ALTER ROLE prover SET search_path = prover;
GRANT CONNECT, TEMPORARY ON DATABASE svc TO prover;
CREATE SCHEMA prover AUTHORIZATION prover;

\getenv payments_password POSTGRES_PASSWORD_PAYMENTS
CREATE ROLE payments LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'payments_password';
ALTER ROLE payments SET search_path = payments;
GRANT CONNECT, TEMPORARY ON DATABASE svc TO payments;
CREATE SCHEMA payments AUTHORIZATION payments;
