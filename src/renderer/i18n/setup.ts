import { createInstance, type i18n } from 'i18next';
import { initReactI18next } from 'react-i18next';
import type { Language, Translations } from '#shared/entities.ts';
import { languageTags } from '#shared/language.ts';
import { acceptedTranslations } from '#shared/texts/placeholders.ts';
import type { FirstTexts, Texts } from '#shared/texts/texts.ts';

/** Only the chosen language is loaded, and for the first pages only their texts. */
const first: Record<Language, () => Promise<FirstTexts>> = {
  en: async () => (await import('#shared/texts/first/en.ts')).enFirst,
  'zh-hans': async () => (await import('#shared/texts/first/zh-hans.ts')).zhHansFirst,
  'zh-hant': async () => (await import('#shared/texts/first/zh-hant.ts')).zhHantFirst,
};
const all: Record<Language, () => Promise<Texts>> = {
  en: async () => (await import('#shared/texts/en.ts')).en,
  'zh-hans': async () => (await import('#shared/texts/zh-hans.ts')).zhHans,
  'zh-hant': async () => (await import('#shared/texts/zh-hant.ts')).zhHant,
};

interface Shown {
  instance: i18n;
  language: Language;
  isComplete: boolean;
  /** The service's texts. */
  operators: Translations;
}

/** The language that was set up last. */
let shown: Shown | undefined;
/** The texts of the system around the page, which replace the usual ones; a browser has none. */
let systemTexts: ((language: Language) => Translations) | undefined;
/** Whether a page was opened that needs more than the first texts. */
let areAllWanted = false;

export async function setUpI18n(language: Language): Promise<i18n> {
  const isComplete = areAllWanted;
  const texts = await (isComplete ? all : first)[language]();
  const instance = createInstance();
  await instance.use(initReactI18next).init({
    // i18next treats a language as a BCP 47 tag and writes it as one, such as `zh-Hans`.
    lng: languageTags[language],
    resources: { [languageTags[language]]: { translation: texts } },
    // Each language is complete: no text is looked up in another one.
    load: 'currentOnly',
    fallbackLng: false,
    keySeparator: false,
    nsSeparator: false,
    // React escapes what it prints.
    interpolation: { escapeValue: false },
    react: { bindI18nStore: 'added' },
  });
  const operators = shown?.language === language ? shown.operators : {};
  shown = { instance, language, isComplete, operators };
  overlaySystemTexts();
  overlayTranslations(language, operators);
  // They may have been requested meanwhile.
  if (areAllWanted) await loadAllTexts();
  document.documentElement.lang = languageTags[language];
  return instance;
}

/** Once this has resolved, all texts are there, in any language. Rejects if they cannot be loaded. */
export async function loadAllTexts(): Promise<void> {
  areAllWanted = true;
  if (!shown || shown.isComplete) return;
  const now = shown;
  const texts = await all[now.language]();
  if (now.isComplete) return;
  now.isComplete = true;
  now.instance.addResourceBundle(languageTags[now.language], 'translation', texts);
  overlaySystemTexts();
  overlayTranslations(now.language, now.operators);
}

/** From now on, these texts replace the usual ones. */
export function setSystemTexts(texts: (language: Language) => Translations): void {
  systemTexts = texts;
  overlaySystemTexts();
  if (shown) overlayTranslations(shown.language, shown.operators);
}

function overlaySystemTexts(): void {
  if (shown && systemTexts)
    shown.instance.addResources(languageTags[shown.language], 'translation', systemTexts(shown.language));
}

/** Puts the service's texts of a language over the bundled ones, while that language is displayed. */
export function overlayTranslations(language: Language, service: Translations): void {
  if (shown?.language !== language) return;
  const tag = languageTags[language];
  const { instance } = shown;
  shown.operators = service;
  const bundled: unknown = instance.getResourceBundle(tag, 'translation');
  const accepted = acceptedTranslations(bundled as Texts, service);
  if (Object.keys(accepted).length > 0) instance.addResources(tag, 'translation', accepted);
}
