import type { i18n } from 'i18next';
import type { Language } from '#shared/entities.ts';
import type { ThemeChoice } from '#shared/host/common-contract.ts';
import type { Host, Preferences } from '#shared/host/contract.ts';
import { chooseLanguage } from '#shared/language.ts';
import { setUpI18n } from '../i18n/setup.ts';

/** The user's choices about how every page is shown. */
export interface Look {
  language: Language;
  i18n: i18n;
  theme: ThemeChoice;
}

/** `system`: used if the user has chosen nothing. */
export async function chosenLook(host: Host, system: Promise<Look>): Promise<Look> {
  // Texts must be displayed in some language, whatever the app around the page answers.
  const chosen = await host.preferences.get().catch(() => undefined);
  return await nextLook(await system, chosen);
}

/** Applies each choice as soon as its texts are loaded. */
export function followLook(host: Host, first: Look, show: (look: Look) => void): void {
  let current = first;
  let changes = 0;
  host.preferences.changed((chosen) => {
    changes += 1;
    const change = changes;
    void nextLook(current, chosen).then((look) => {
      if (change !== changes || (look.language === current.language && look.theme === current.theme)) return;
      current = look;
      show(look);
    });
  });
}

async function nextLook(before: Look, chosen: Preferences | undefined): Promise<Look> {
  const { language: wanted = 'system', theme = 'system' } = chosen ?? {};
  const language = wanted === 'system' ? chooseLanguage(navigator.languages) : wanted;
  if (language === before.language) return { ...before, theme };
  // A language whose texts are missing cannot be shown.
  const i18n = await setUpI18n(language).catch(() => undefined);
  return i18n ? { language, i18n, theme } : { ...before, theme };
}
