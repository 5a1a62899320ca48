import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language, Translations } from '#shared/entities.ts';
import { languageTags } from '#shared/language.ts';
import { acceptedTranslations } from '#shared/texts/placeholders.ts';
import type { Texts } from '#shared/texts/texts.ts';

/** Only the chosen language is fetched. */
const loaders: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('#shared/texts/en.ts')).en,
  'zh-hans': async () => (await import('#shared/texts/zh-hans.ts')).zhHans,
  'zh-hant': async () => (await import('#shared/texts/zh-hant.ts')).zhHant,
};

export async function setUpI18n(language: Language): Promise<i18n> {
  const instance = createInstance();
  await instance.use(initReactI18next).init({
    // i18next takes a language for a BCP 47 tag and writes it so, as `zh-Hans`.
    lng: languageTags[language],
    resources: { [languageTags[language]]: { translation: await loaders[language]() } },
    // Each language has every text: none is looked for in another.
    load: 'currentOnly',
    fallbackLng: false,
    keySeparator: false,
    nsSeparator: false,
    // React escapes what it prints.
    interpolation: { escapeValue: false },
    react: { bindI18nStore: 'added' },
  });
  document.documentElement.lang = languageTags[language];
  return instance;
}

/** Puts the service's texts over the bundled ones. */
export function overlayTranslations(instance: i18n, language: Language, service: Translations): void {
  const tag = languageTags[language];
  const bundled: unknown = instance.getResourceBundle(tag, 'translation');
  const accepted = acceptedTranslations(bundled as Texts, service);
  if (Object.keys(accepted).length > 0) instance.addResources(tag, 'translation', accepted);
}
