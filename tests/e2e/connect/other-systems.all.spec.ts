import { systemTexts, type SystemTextKey } from '#shared/texts/system-texts.ts';
import { expect, test } from '../fixtures.ts';
import { ConnectRoute } from '../routes/connect/connect-route.ts';
import { SettingsRoute } from '../routes/desktop/settings-route.ts';
import { askHost } from '../support/host/ask-host.ts';
import { electronBinary } from '../support/host/electron-binary.ts';
import { surroundingsOf } from '../support/host/surroundings-of.ts';
import { inspectPage } from '../support/screens/inspect-screens.ts';
import { languages, texts } from '../support/screens/texts.ts';
import { launchSignedIn } from '../support/tunnel/sign-in.ts';

/** The built app as it is on the other systems, as far as the stand-in plays them. */

test.skip(electronBinary() !== undefined, 'real Electron plays no other system');

const systems = [
  ['macOS', 'macos', 'darwin'],
  ['Windows', 'windows', 'win32'],
] as const;

/** As it reads on a page, where the quotation marks of commands have become their typeface. */
const asShown = (text: string) => text.replaceAll(/[“「]([a-z][\x20-\x7e]*)[”」]/g, '$1');

for (const [name, system, platform] of systems)
  test(`on ${name}, the app says in every language how to start a helper and stay signed in, and nothing is cut off`, async ({
    launchHere,
    serviceHere,
    email,
  }) => {
    const app = await launchSignedIn(launchHere, serviceHere, email, { system: { platform } });
    const { page } = app;
    // A developer's app gets no shortcut of the installed one.
    expect(await surroundingsOf(app).identity()).toEqual([]);
    const setDark = (dark: boolean) => app.setDark(dark);
    const main = page.getByRole('main');
    for (const language of languages) {
      const says = async (key: SystemTextKey & keyof typeof texts.en) => {
        const text = systemTexts(system, language)?.[key] ?? '';
        await expect(main).toContainText(asShown(text));
        expect(text).not.toBe(texts[language][key]);
      };
      await askHost(page, 'preferences.set', { language });
      const connect = new ConnectRoute(page, language);
      await connect.follow();
      await expect(connect.status('cause.helperAbsentTitle')).toBeVisible();
      await says('cause.helperAbsent');
      await says('account.memoryText');
      await inspectPage(page, `${name}, connect`, language, setDark);
      const settings = new SettingsRoute(page, language);
      await settings.follow();
      await expect(settings.heading).toBeVisible();
      await inspectPage(page, `${name}, settings`, language, setDark);
    }
  });
