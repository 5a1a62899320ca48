import { cutText } from '#shared/cut-text.ts';

/**
 * A link that every system passes to its mail program: Windows takes 2,081 characters (Electron, `shell.openExternal`),
 * of which a Chinese one needs nine.
 */
const maxLink = 2000;

/**
 * A link that begins a mail with a description and, below it, `ending`. A description that is too long for it is cut:
 * the saved report has all of it.
 */
export function mailLink(mail: { to: string; subject: string; description: string; ending: string }): string {
  const { to, subject, description, ending } = mail;
  const linkWith = (text: string) => {
    const body = `${text}\n\n${ending}\n`;
    return `mailto:${encodeURI(to)}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
  };
  // Half a character cannot be encoded.
  let text = description.replace(/\p{Surrogate}/gu, '\ufffd');
  let link = linkWith(text);
  while (link.length > maxLink && text !== '') {
    text = cutText(text, Math.min(text.length - 1, Math.floor((text.length * maxLink) / link.length)));
    link = linkWith(text);
  }
  return link;
}
