import { createContext, use } from 'react';
import type { Language } from '#shared/entities.ts';
import { languageTags } from '#shared/language.ts';

export const LanguageContext = createContext<Language>('en');

export const useLanguage = (): Language => use(LanguageContext);

/** The chosen language as a tag for Intl. */
export const useLanguageTag = (): string => languageTags[useLanguage()];
