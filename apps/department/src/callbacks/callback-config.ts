import {
  ConfigError,
  loadConfig,
  OutgoingPost,
  type OutgoingSettings,
  type ResolveName,
  type ServiceEnvironment,
  signingSeedFaults,
  signingSeedsOf,
  type Variables,
} from '@svc/platform';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { CALLBACK_SIGNING_SEEDS, CallbackKeys } from './callback-keys.js';

const callbackConfig = z.object({
  /** Lets callbacks go to this machine: for a sandbox alone. */
  CALLBACK_LOOPBACK: z.enum(['true', 'false', '']).default('false'),
  /** Certificate authorities that receivers are held against in place of the well-known ones. */
  CALLBACK_CA_PATH: z.string().max(4_096).default(''),
});

type Known = Pick<ServiceEnvironment, 'production' | 'secrets'>;

/** Faults of what callbacks are sent with, all of them at once. */
export function callbackFaults({ production, secrets }: Known, variables: Variables): string[] {
  const faults = signingSeedFaults(CALLBACK_SIGNING_SEEDS, secrets);
  try {
    const config = loadConfig(callbackConfig, variables);
    if (production && config.CALLBACK_LOOPBACK === 'true') {
      faults.push('CALLBACK_LOOPBACK: is true, and production calls nothing on its own machine');
    }
    if (config.CALLBACK_CA_PATH !== '') readFileSync(config.CALLBACK_CA_PATH);
  } catch (error) {
    if (error instanceof ConfigError) faults.push(...error.faults);
    else faults.push(`CALLBACK_CA_PATH: cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return faults;
}

/** @throws ConfigError */
export function callbackKeysOf({ secrets }: Pick<ServiceEnvironment, 'secrets'>): CallbackKeys {
  return new CallbackKeys(signingSeedsOf(CALLBACK_SIGNING_SEEDS, secrets));
}

/** What whoever starts the service may set of callbacks. */
export interface CallbackSettings {
  /** What names stand for, in place of what the name servers of the system say. */
  readonly resolve?: ResolveName;
}

/** What callbacks are sent by. @throws ConfigError */
export function outgoingOf(environment: ServiceEnvironment, more: CallbackSettings = {}): OutgoingPost {
  const variables = environment.variables ?? process.env;
  const faults = callbackFaults(environment, variables);
  if (faults.length > 0) throw new ConfigError(faults);
  const { CALLBACK_LOOPBACK, CALLBACK_CA_PATH } = loadConfig(callbackConfig, variables);
  const settings: OutgoingSettings = { ...more, allowLoopback: CALLBACK_LOOPBACK === 'true' };
  if (CALLBACK_CA_PATH === '') return new OutgoingPost(settings);
  return new OutgoingPost({ ...settings, ca: readFileSync(CALLBACK_CA_PATH, 'utf8') });
}
