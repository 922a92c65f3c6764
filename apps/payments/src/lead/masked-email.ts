/**
 * An address of which only the first letter and the domain are left. The stars are as many whatever they hide.
 * @example maskedEmail('alice@example.com') // 'a***@example.com'
 */
export function maskedEmail(email: string): string {
  const at = email.lastIndexOf('@');
  if (at < 1) return '***';
  // A local part of one letter would be shown whole.
  const [first] = at === 1 ? [''] : email;
  return `${first}***${email.slice(at)}`;
}
