import type { Logger } from 'pino';
import type { PreferencesStore } from '../preferences/preferences.ts';
import type { Settings } from '../preferences/settings.ts';
import type { HelperClient } from '../tunnel/helper-client.ts';

export interface UnsureKillSwitchOptions {
  settings: Settings;
  preferences: Pick<PreferencesStore, 'set' | 'onChange'>;
  helper: Pick<HelperClient, 'call' | 'onState' | 'isAttached'>;
  log: Logger;
}

/**
 * After settings were damaged, the kill switch stays on if the helper says that it is. If there was no copy of the
 * settings, it is off if the helper says that it is off, and on until the helper has been asked.
 */
export function settleUnsureKillSwitch({
  settings,
  preferences,
  helper,
  log,
}: UnsureKillSwitchOptions): void {
  let isAsking = false;
  async function settle(): Promise<void> {
    const { isOn } = await helper.call('killSwitch', {});
    const doubt = settings.get('killSwitchDoubt');
    if (doubt === null) return;
    if (isOn || doubt === 'assumed') await preferences.set({ killSwitch: isOn });
    settings.set('killSwitchDoubt', null);
    log.warn({ isOn, doubt }, 'the settings were damaged, and the helper was asked about the kill switch');
  }
  function check(): void {
    if (isAsking || settings.get('killSwitchDoubt') === null || !helper.isAttached()) return;
    isAsking = true;
    settle()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the helper does not say whether the kill switch is on'),
      )
      .finally(() => (isAsking = false));
  }
  helper.onState(check);
  // The user has seen it and gone on.
  preferences.onChange(() => {
    if (settings.get('killSwitchDoubt') !== null) settings.set('killSwitchDoubt', null);
  });
}
