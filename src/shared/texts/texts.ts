import type { en } from './en.ts';

export type TextKey = keyof typeof en;

/** A complete set of texts: one that lacks a key, or has one too many, does not compile. */
export type Texts = Record<TextKey, string>;
