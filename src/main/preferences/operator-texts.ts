import type { ApiClient } from '#shared/api/client.ts';
import { translations, type Language, type Translations } from '#shared/entities.ts';
import { createListeners } from '../listeners.ts';
import type { Settings } from './settings.ts';

/** The operator's replacements for our texts, from the service's last reply to a page, possibly in an earlier run. */
export interface OperatorTexts {
  of(language: Language): Translations;
  onChange(listener: () => void): void;
  /** Wraps a client to read its replies. */
  watch(client: ApiClient): ApiClient;
}

export function createOperatorTexts(settings: Settings): OperatorTexts {
  const listeners = createListeners<void>();
  const all = () => settings.get('operatorTexts');
  return {
    of: (language) => all()[language] ?? {},
    onChange: (listener) => listeners.add(listener),
    watch: (client) => ({
      async call(name, input) {
        const result = await client.call(name, input);
        if (name !== 'translations' || !result.ok) return result;
        const { lang } = { lang: '', ...input?.params };
        const texts = translations.safeParse(result.data);
        if (texts.success && JSON.stringify(texts.data) !== JSON.stringify(all()[lang] ?? {})) {
          settings.set('operatorTexts', { ...all(), [lang]: texts.data });
          listeners.emit();
        }
        return result;
      },
    }),
  };
}
