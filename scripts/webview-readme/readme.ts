import path from 'node:path';
import { format } from 'oxfmt';
import formatting from '../../.oxfmtrc.json' with { type: 'json' };
import { messagesSection, sectionBegin, sectionEnd } from './messages-section.ts';

export const readmeFile = path.resolve(import.meta.dirname, '../../resources/webview/README.md');

/** The page with a messages section for the current contract, formatted like everything here. */
export async function withMessages(readme: string): Promise<string> {
  const begin = readme.indexOf(sectionBegin);
  const end = readme.indexOf(sectionEnd);
  if (begin < 0 || end < begin) throw new Error('the page has no messages section');
  const text = readme.slice(0, begin) + messagesSection() + readme.slice(end + sectionEnd.length);
  const { singleQuote, printWidth } = formatting;
  const { code } = await format(readmeFile, text, { singleQuote, printWidth });
  return code;
}
