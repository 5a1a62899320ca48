import type { en } from './en.ts';
import type { enFirst } from './first/en.ts';

export type TextKey = keyof typeof en;

/** A complete set of texts. A set with a missing or an extra key does not compile. */
export type Texts = Record<TextKey, string>;

/** The texts of the first pages, which are loaded before all others. */
export type FirstTexts = Record<keyof typeof enFirst, string>;
