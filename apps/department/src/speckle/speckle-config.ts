import type { Variables } from '@svc/platform';

const SECRET_CHARS_MIN = 32;
const BEFORE = 'DEPARTMENT_SECRETS_BEFORE';

/** The secret that prints of surfaces are sealed under, and those that it had before, which still open what they sealed. */
export function sealingSecretsOf(
  { DEPARTMENT_SECRET: secret }: Readonly<Record<string, string>>,
  variables: Variables,
): readonly string[] {
  if (secret === undefined) throw new Error('DEPARTMENT_SECRET is not set');
  return [secret, ...secretsBefore(variables)];
}

/** Faults of {@link BEFORE}, a line each. They name no secret. */
export const speckleFaults = (variables: Variables): readonly string[] =>
  secretsBefore(variables).flatMap((secret, index) =>
    secret.length >= SECRET_CHARS_MIN
      ? []
      : [
          `${BEFORE}: entry ${index + 1} has ${secret.length} characters, at least ${SECRET_CHARS_MIN} are asked`,
        ],
  );

function secretsBefore(variables: Variables): string[] {
  const list = variables[BEFORE]?.trim() ?? '';
  return list === '' ? [] : list.split(',').map(secret => secret.trim());
}
