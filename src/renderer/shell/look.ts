import type { i18n } from 'i18next';
import type { Language, Platform } from '#shared/entities.ts';
import type { ThemeChoice } from '#shared/host/common-contract.ts';
import type { AppDescription } from '../platform/host-context.tsx';
import type { Host } from '#shared/host/contract.ts';
import type { Preferences } from '#shared/host/preferences.ts';
import { chooseLanguage } from '#shared/language.ts';
import { setSystemTexts, setUpI18n } from '../i18n/setup.ts';

/** The user's choices about how every page is shown. */
export interface Look {
  language: Language;
  i18n: i18n;
  theme: ThemeChoice;
}

/**
 * The language of the system: the desktop app knows what its desktop is set to, which Chromium may judge differently.
 * A browser's can change while the page is open.
 */
const systemLanguage = ({ kind, device }: AppDescription): Language =>
  chooseLanguage(kind === 'desktop' ? [device.lang] : navigator.languages);

/** `system`: used if the user has chosen nothing, and the app does not say otherwise. */
export async function chosenLook(
  host: Host,
  app: Promise<AppDescription>,
  system: Promise<Look>,
): Promise<Look> {
  // Texts must be displayed in some language, whatever the app around the page answers.
  const chosen = await host.preferences.get().catch(() => undefined);
  const [look, described] = await Promise.all([system, app]);
  // Without them, some texts name what another system has.
  await takeTextsOf(described.device.platform).catch(() => undefined);
  return await nextLook(look, described, chosen);
}

/** The usual texts are for Linux and for browsers, where others would be loaded for nothing. */
async function takeTextsOf(platform: Platform): Promise<void> {
  if (platform !== 'macos' && platform !== 'windows') return;
  const { systemTexts } = await import('#shared/texts/system-texts.ts');
  setSystemTexts((language) => ({ ...systemTexts(platform, language) }));
}

/** Applies each choice as soon as its texts are loaded. */
export function followLook(host: Host, app: AppDescription, first: Look, show: (look: Look) => void): void {
  let current = first;
  let changes = 0;
  host.preferences.changed((chosen) => {
    changes += 1;
    const change = changes;
    void nextLook(current, app, chosen).then((look) => {
      if (change !== changes || (look.language === current.language && look.theme === current.theme)) return;
      current = look;
      show(look);
    });
  });
}

async function nextLook(before: Look, app: AppDescription, chosen: Preferences | undefined): Promise<Look> {
  const { language: wanted = 'system', theme = 'system' } = chosen ?? {};
  const language = wanted === 'system' ? systemLanguage(app) : wanted;
  if (language === before.language) return { ...before, theme };
  // A language whose texts are missing cannot be shown.
  const i18n = await setUpI18n(language).catch(() => undefined);
  return i18n ? { language, i18n, theme } : { ...before, theme };
}
