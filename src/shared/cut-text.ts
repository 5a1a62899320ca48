import { charactersOf } from './characters.ts';

/**
 * The beginning of a text with at most `maxLength` UTF-16 code units, which ends with a whole character as people see
 * it: a flag, a family or a letter with its accents is not cut in two. If the first is longer than that, it is cut.
 */
export function cutText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  let end = 0;
  // What is behind the limit decides whether the last character is whole.
  for (const { length } of charactersOf(text.slice(0, maxLength + 64))) {
    if (end + length > maxLength) break;
    end += length;
  }
  return end > 0 ? text.slice(0, end) : text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '');
}
