import type { Language } from '#shared/entities.ts';
import { chooseLanguage } from '#shared/language.ts';

const texts: Record<Language, string> = {
  en: 'The app cannot start. Restart the computer, then try again. If that does not help, send this to support:',
  'zh-hans': '应用无法启动。请重启电脑后再试。如果仍然不行，请将以下信息发给客服：',
  'zh-hant': '應用程式無法啟動。請重新啟動電腦後再試。如果仍然不行，請將以下訊息傳給客服：',
};

/** The message to show instead of a window; `locale` is the system's language as a BCP 47 tag. */
export function startFailureText(error: unknown, locale: string): string {
  const cause = error instanceof Error ? error.message : String(error);
  return `${texts[chooseLanguage([locale])]}\n${cause}`;
}
