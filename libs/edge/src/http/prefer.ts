/** Preferences that are read of one `Prefer` header; the rest does not count. */
const PREFERENCES_MAX = 16;

/** The names of the preferences of a `Prefer` header, in lower case (RFC 7240, section 2). */
function preferencesOf(header: string): string[] {
  return header.split(',', PREFERENCES_MAX).map(preference => {
    const [name] = preference.split(';', 1);
    return name.trim().toLowerCase();
  });
}

/** Whether a `Prefer` header asks for an answer before the work is done (RFC 7240, section 4.1). */
export function prefersAsync(header: string | undefined): boolean {
  return header !== undefined && preferencesOf(header).includes('respond-async');
}
