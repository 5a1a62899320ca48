import type { Language, Translations } from '#shared/entities.ts';
import { mailTexts, type MailTextKey } from '#shared/texts/mail-texts.ts';
import { acceptedTranslations, fillPlaceholders } from '#shared/texts/placeholders.ts';

/** A mail's text in its language, with its placeholders filled. */
export type MailSay = (key: MailTextKey, values?: Readonly<Record<string, string>>) => string;

/** Our texts, replaced by the operator's where there are any. */
export function createMailSay(language: Language, operators: Translations = {}): MailSay {
  const ours = mailTexts[language];
  const texts: Record<string, string> = { ...ours, ...acceptedTranslations(ours, operators) };
  return (key, values = {}) => fillPlaceholders(texts[key] ?? ours[key], values);
}
