/** What is shorter is no secret; a gateway could have any text garbled that it sends. */
const minSecretChars = 8;

/** What an engine says, without the session's cookie, or its value alone. `cookie`: `name=value`. */
export function withoutCookie(text: string, cookie: string): string {
  const value = cookie.slice(cookie.indexOf('=') + 1);
  const secrets = value.length < minSecretChars ? [cookie] : [cookie, value];
  return secrets.reduce((left, secret) => left.replaceAll(secret, '[cookie]'), text);
}
