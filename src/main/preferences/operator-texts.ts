import type { ApiClient } from '#shared/api/client.ts';
import { translations, type Language, type Translations } from '#shared/entities.ts';
import { createListeners } from '../listeners.ts';
import type { Settings } from './settings.ts';

/** What the operator says in the place of our texts, as the service told the pages last, also in an earlier run. */
export interface OperatorTexts {
  of(language: Language): Translations;
  onChange(listener: () => void): void;
  /** The same client, whose replies are heeded. */
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
