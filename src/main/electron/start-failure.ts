import type { Language } from '#shared/entities.ts';
import { chooseLanguage } from '#shared/language.ts';

const texts: Record<Language, string> = {
  en: 'The app cannot start:',
  'zh-hans': '应用无法启动：',
  'zh-hant': '應用程式無法啟動：',
};

/** The message to show instead of a window; `locale` is the system's language as a BCP 47 tag. */
export function startFailureText(error: unknown, locale: string): string {
  const cause = error instanceof Error ? error.message : String(error);
  return `${texts[chooseLanguage([locale])]}\n${cause}`;
}
