-- Rendered from tools/deploy/topology.mjs by "npm run render"; a test keeps it in step.
\set ON_ERROR_STOP on
REVOKE ALL ON DATABASE svc, postgres, template1 FROM PUBLIC;
REVOKE ALL ON SCHEMA public FROM PUBLIC;

\getenv prover_password POSTGRES_PASSWORD_PROVER
\getenv prover_migrator_password POSTGRES_MIGRATOR_PASSWORD_PROVER
CREATE ROLE prover LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'prover_password';
ALTER ROLE prover SET search_path = prover;
GRANT CONNECT ON DATABASE svc TO prover;
CREATE ROLE prover_migrator LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'prover_migrator_password';
ALTER ROLE prover_migrator SET search_path = prover;
GRANT CONNECT ON DATABASE svc TO prover_migrator;
CREATE SCHEMA prover AUTHORIZATION prover_migrator;
GRANT USAGE ON SCHEMA prover TO prover;
ALTER DEFAULT PRIVILEGES FOR ROLE prover_migrator IN SCHEMA prover GRANT SELECT, INSERT ON TABLES TO prover;
ALTER DEFAULT PRIVILEGES FOR ROLE prover_migrator IN SCHEMA prover GRANT USAGE, SELECT ON SEQUENCES TO prover;

\getenv acoustic_password POSTGRES_PASSWORD_ACOUSTIC
\getenv acoustic_migrator_password POSTGRES_MIGRATOR_PASSWORD_ACOUSTIC
CREATE ROLE acoustic LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'acoustic_password';
ALTER ROLE acoustic SET search_path = acoustic;
GRANT CONNECT ON DATABASE svc TO acoustic;
CREATE ROLE acoustic_migrator LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'acoustic_migrator_password';
ALTER ROLE acoustic_migrator SET search_path = acoustic;
GRANT CONNECT ON DATABASE svc TO acoustic_migrator;
CREATE SCHEMA acoustic AUTHORIZATION acoustic_migrator;
GRANT USAGE ON SCHEMA acoustic TO acoustic;
ALTER DEFAULT PRIVILEGES FOR ROLE acoustic_migrator IN SCHEMA acoustic GRANT SELECT, INSERT ON TABLES TO acoustic;
ALTER DEFAULT PRIVILEGES FOR ROLE acoustic_migrator IN SCHEMA acoustic GRANT USAGE, SELECT ON SEQUENCES TO acoustic;

\getenv mesh_signalling_password POSTGRES_PASSWORD_MESH_SIGNALLING
\getenv mesh_signalling_migrator_password POSTGRES_MIGRATOR_PASSWORD_MESH_SIGNALLING
CREATE ROLE mesh_signalling LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'mesh_signalling_password';
ALTER ROLE mesh_signalling SET search_path = mesh_signalling;
GRANT CONNECT ON DATABASE svc TO mesh_signalling;
CREATE ROLE mesh_signalling_migrator LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'mesh_signalling_migrator_password';
ALTER ROLE mesh_signalling_migrator SET search_path = mesh_signalling;
GRANT CONNECT ON DATABASE svc TO mesh_signalling_migrator;
CREATE SCHEMA mesh_signalling AUTHORIZATION mesh_signalling_migrator;
GRANT USAGE ON SCHEMA mesh_signalling TO mesh_signalling;
ALTER DEFAULT PRIVILEGES FOR ROLE mesh_signalling_migrator IN SCHEMA mesh_signalling GRANT SELECT, INSERT ON TABLES TO mesh_signalling;
ALTER DEFAULT PRIVILEGES FOR ROLE mesh_signalling_migrator IN SCHEMA mesh_signalling GRANT USAGE, SELECT ON SEQUENCES TO mesh_signalling;

\getenv payments_password POSTGRES_PASSWORD_PAYMENTS
\getenv payments_migrator_password POSTGRES_MIGRATOR_PASSWORD_PAYMENTS
CREATE ROLE payments LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'payments_password';
ALTER ROLE payments SET search_path = payments;
GRANT CONNECT ON DATABASE svc TO payments;
CREATE ROLE payments_migrator LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'payments_migrator_password';
ALTER ROLE payments_migrator SET search_path = payments;
GRANT CONNECT ON DATABASE svc TO payments_migrator;
CREATE SCHEMA payments AUTHORIZATION payments_migrator;
GRANT USAGE ON SCHEMA payments TO payments;
ALTER DEFAULT PRIVILEGES FOR ROLE payments_migrator IN SCHEMA payments GRANT SELECT, INSERT ON TABLES TO payments;
ALTER DEFAULT PRIVILEGES FOR ROLE payments_migrator IN SCHEMA payments GRANT USAGE, SELECT ON SEQUENCES TO payments;

\getenv department_password POSTGRES_PASSWORD_DEPARTMENT
\getenv department_migrator_password POSTGRES_MIGRATOR_PASSWORD_DEPARTMENT
CREATE ROLE department LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'department_password';
ALTER ROLE department SET search_path = department;
GRANT CONNECT ON DATABASE svc TO department;
CREATE ROLE department_migrator LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOINHERIT PASSWORD :'department_migrator_password';
ALTER ROLE department_migrator SET search_path = department;
GRANT CONNECT ON DATABASE svc TO department_migrator;
CREATE SCHEMA department AUTHORIZATION department_migrator;
GRANT USAGE ON SCHEMA department TO department;
ALTER DEFAULT PRIVILEGES FOR ROLE department_migrator IN SCHEMA department GRANT SELECT, INSERT ON TABLES TO department;
ALTER DEFAULT PRIVILEGES FOR ROLE department_migrator IN SCHEMA department GRANT USAGE, SELECT ON SEQUENCES TO department;
