/** Preferences that are read of one `Prefer` header; the rest does not count. */
const PREFERENCES_MAX = 16;

/** The preferences of a `Prefer` header by their names in lower case (RFC 7240, section 2); of two alike the first counts. */
function preferencesOf(header: string): ReadonlyMap<string, string> {
  const preferences = new Map<string, string>();
  for (const preference of header.split(',', PREFERENCES_MAX)) {
    const [token] = preference.split(';', 1);
    const [name, value = ''] = token.split('=', 2).map(part => part.trim());
    const key = name.toLowerCase();
    if (!preferences.has(key)) preferences.set(key, value.replace(/^"(.*)"$/, '$1'));
  }
  return preferences;
}

/** Whether a `Prefer` header asks for an answer before the work is done (RFC 7240, section 4.1). */
export function prefersAsync(header: string | undefined): boolean {
  return header !== undefined && preferencesOf(header).has('respond-async');
}

/**
 * How many seconds a `Prefer` header would have the answer waited for (RFC 7240, section 4.3): `wait=N`; none with
 * `respond-async` alone; undefined where it says neither.
 */
export function preferredWaitSeconds(header: string | undefined): number | undefined {
  const preferences = preferencesOf(header ?? '');
  const wait = preferences.get('wait') ?? '';
  if (/^\d{1,9}$/.test(wait)) return Number(wait);
  return preferences.has('respond-async') ? 0 : undefined;
}
