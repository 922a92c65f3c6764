import {
  ConfigError,
  type EventStreamSettings,
  loadConfig,
  type ServiceEnvironment,
  Ed25519Keys,
  signingSeedFaults,
  signingSeedsOf,
  type Variables,
} from '@svc/platform';
import { z } from 'zod';

/** Name of the variable that holds the secrets of checkpoints' keys; each entry as in LICENCE_SIGNING_SEEDS. */
export const WAL_SIGNING_SEEDS = 'WAL_SIGNING_SEEDS';

const MIB = 1024 * 1024;

/** Variables of what leaves the log. */
const walConfig = z.object({
  /** NATS servers that keep each event. */
  EVENTS_REPLICAS: z.coerce.number().int().min(1).max(5).default(1),
  EVENTS_BYTES_MAX: z.coerce
    .number()
    .int()
    .min(16 * MIB)
    .max(1024 * 1024 * MIB)
    .default(512 * MIB),
  /** Where checkpoints are appended, one a line; nowhere by default. */
  WAL_CHECKPOINT_FILE: z.string().max(4_096).optional(),
});

export interface WalSettings {
  readonly events: Required<EventStreamSettings>;
  readonly checkpointFile: string | undefined;
}

/** Faults of the variables, one line each. */
export function walFaults({ secrets }: Pick<ServiceEnvironment, 'secrets'>, variables: Variables): string[] {
  const faults = signingSeedFaults(WAL_SIGNING_SEEDS, secrets);
  try {
    walSettingsOf(variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
  return faults;
}

/** @throws ConfigError */
export function walSettingsOf(variables: Variables): WalSettings {
  const config = loadConfig(walConfig, variables);
  return {
    events: { replicas: config.EVENTS_REPLICAS, bytesMax: config.EVENTS_BYTES_MAX },
    checkpointFile: config.WAL_CHECKPOINT_FILE,
  };
}

/** The keys of checkpoints of this deployment; all replicas need the same secrets. @throws ConfigError */
export function walKeysOf({ secrets }: Pick<ServiceEnvironment, 'secrets'>): Ed25519Keys {
  return new Ed25519Keys(signingSeedsOf(WAL_SIGNING_SEEDS, secrets), {
    seedLabel: 'svc/wal-signing-seed/v1:',
    use: 'wal-checkpoint',
  });
}
