import { ConfigError, type Variables } from '@svc/platform';
import { taskSettingsOf } from './tasks/task-settings.js';

/** Faults of what this service alone reads, a line each. */
export function departmentFaults(
  secrets: Readonly<Record<string, string>>,
  variables: Variables,
): readonly string[] {
  const faults = secrets.DEPARTMENT_SECRET === undefined ? ['DEPARTMENT_SECRET: is not set'] : [];
  try {
    taskSettingsOf(variables);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    faults.push(...error.faults);
  }
  return faults;
}
