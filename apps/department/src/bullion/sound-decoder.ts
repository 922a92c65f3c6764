import {
  ConfigError,
  findProgram,
  isExecutable,
  loadConfig,
  type ServiceEnvironment,
  type Variables,
} from '@svc/platform';
import { z } from 'zod';

const variables = z.object({ FFMPEG: z.string().max(4_096).default('') });

type Known = Pick<ServiceEnvironment, 'production'>;

/**
 * The ffmpeg that decodes recordings of formats without a decoder here, MP3 and AAC among them: what `FFMPEG` names, none where
 * it is `off`. It reads what strangers send, so production takes none unless it is named.
 *
 * @throws ConfigError
 */
export function soundDecoderOf({ production }: Known, env: Variables): string | undefined {
  const { FFMPEG: path } = loadConfig(variables, env);
  if (path === 'off') return undefined;
  if (path === '') return production ? undefined : findProgram('ffmpeg', env.PATH);
  if (!path.startsWith('/') || !isExecutable(path))
    throw new ConfigError(['FFMPEG: is the path of a program that can be started, or off']);
  return path;
}

/** Faults of {@link soundDecoderOf}, a line each. */
export function soundDecoderFaults(known: Known, env: Variables): readonly string[] {
  try {
    soundDecoderOf(known, env);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.faults;
  }
}
