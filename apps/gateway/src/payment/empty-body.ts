/** Whether a body says nothing: absent, or `{}`. Clients that know no more than the path send such to be told the price. */
export function isEmptyBody(body: unknown): boolean {
  if (body === undefined) return true;
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0;
}
