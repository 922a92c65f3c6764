import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../setup/workspace.mjs';
import { serviceManifests } from './kubernetes.mjs';
import { natsConfig } from './nats-config.mjs';
import { postgresRoles } from './postgres-roles.mjs';

/** Files that are made from the topology: path and how. */
export const RENDERED = {
  'k8s/base/nats.conf': natsConfig,
  'k8s/base/postgres-roles.sql': postgresRoles,
  'k8s/base/services.yaml': serviceManifests,
};

if (process.argv[1] === import.meta.filename) {
  for (const [path, render] of Object.entries(RENDERED)) {
    writeFileSync(join(workspaceRoot, path), render());
    process.stdout.write(`${path}\n`);
  }
}
