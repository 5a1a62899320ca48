import path from 'node:path';
import { format } from 'oxfmt';
import formatting from '../../.oxfmtrc.json' with { type: 'json' };
import { messagesSection, sectionBegin, sectionEnd } from './messages-section.ts';

export const pageFile = path.resolve(import.meta.dirname, '../../docs/webview.md');

/** The page with a messages section for the current contract, formatted like everything here. */
export async function withMessages(page: string): Promise<string> {
  const begin = page.indexOf(sectionBegin);
  const end = page.indexOf(sectionEnd);
  if (begin < 0 || end < begin) throw new Error('the page has no messages section');
  const text = page.slice(0, begin) + messagesSection() + page.slice(end + sectionEnd.length);
  const { singleQuote, printWidth } = formatting;
  const { code } = await format(pageFile, text, { singleQuote, printWidth });
  return code;
}
