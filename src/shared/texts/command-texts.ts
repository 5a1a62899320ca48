import type { Language } from '../entities.ts';
import { doctorTexts, type DoctorTextKey } from './command/doctor-texts.ts';
import { helpTexts, type HelpTextKey } from './command/help-texts.ts';
import { resultTexts, type ResultTextKey } from './command/result-texts.ts';
import { selfTestTexts, type SelfTestTextKey } from './command/self-test-texts.ts';

export type CommandTextKey = HelpTextKey | ResultTextKey | DoctorTextKey | SelfTestTextKey;

const textsIn = (language: Language): Record<CommandTextKey, string> => ({
  ...helpTexts[language],
  ...resultTexts[language],
  ...doctorTexts[language],
  ...selfTestTexts[language],
});

/** Texts of the command line in addition to those of the pages. */
export const commandTexts: Record<Language, Record<CommandTextKey, string>> = {
  en: textsIn('en'),
  'zh-hans': textsIn('zh-hans'),
  'zh-hant': textsIn('zh-hant'),
};
