/** What is shorter is no secret; a gateway could have any text garbled that it sends. */
const minSecretChars = 8;

/**
 * What an engine says, without the session's cookie, or its value alone, or the beginning of either where the text has
 * been cut there. `cookie`: `name=value`.
 */
export function withoutCookie(text: string, cookie: string): string {
  const value = cookie.slice(cookie.indexOf('=') + 1);
  const secrets = value.length < minSecretChars ? [cookie] : [cookie, value];
  return secrets.reduce((left, secret) => withoutCutOff(left.replaceAll(secret, '[cookie]'), secret), text);
}

function withoutCutOff(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= minSecretChars; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}[cookie]`;
  return text;
}
