/** Preferences that are read of one `Prefer` header; the rest does not count. */
const PREFERENCES_MAX = 16;

/** Whether a `Prefer` header asks for an answer before the work is done (RFC 7240, section 4.1). */
export function prefersAsync(header: string | undefined): boolean {
  const preferences = (header ?? '').split(',', PREFERENCES_MAX);
  return preferences.some(preference => /^\s*respond-async\s*(;.*)?$/i.test(preference));
}
