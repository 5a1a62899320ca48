import { authCodeLength } from './constants.ts';

/** Specification §5: word characters, optional dots or dashes, @, domain, a top-level domain of 2-3 letters. */
const emailPattern = /^\w+(?:[.-]\w+)*@\w+(?:[.-]\w+)*\.[A-Za-z]{2,3}$/;

/** The longest address that fits into an SMTP path (RFC 5321 §4.5.3.1.3, without the angle brackets). */
const emailMaxLength = 254;

export function isEmail(text: string): boolean {
  return text.length <= emailMaxLength && emailPattern.test(text);
}

export function isAuthCode(text: string): boolean {
  return text.length === authCodeLength;
}

/**
 * Reduces a redirect target to a path of this app; anything that would leave the app becomes `/`. Browsers read a
 * backslash as a slash and drop control characters in URLs (WHATWG URL §4.4), so both are refused rather than
 * interpreted.
 */
export function sanitizeNextPath(next: string | null | undefined): string {
  if (!next?.startsWith('/') || next.startsWith('//')) return '/';
  // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
  return /[\\\u0000-\u001f\u007f]/.test(next) ? '/' : next;
}
