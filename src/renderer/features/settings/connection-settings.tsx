import { useTranslation } from 'react-i18next';
import { encryptionText, protocolName, transportNames } from '#shared/tunnel/look.ts';
import { Card } from '../../ui/card.tsx';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';
import { shownState } from '../tunnel/tunnel-store.ts';
import { DnsSetting } from './dns-setting.tsx';
import { SettingRow } from './setting-row.tsx';
import classes from './setting.module.css';
import { SwitchSetting } from './switch-setting.tsx';
import { usePreferences } from '../preferences/use-preferences.ts';

/** When the app connects automatically, and its protocol. */
export function ConnectionSettings() {
  const { t } = useTranslation();
  const { preferences, busy, change } = usePreferences();
  const state = shownState(useTunnelView());
  const connected = state?.state === 'connected' ? state : undefined;
  const protocol = [
    protocolName,
    connected && transportNames[connected.transport],
    connected?.encryption && encryptionText(connected.encryption),
  ];
  return (
    <Card title={t('settings.connection')}>
      <div className={classes.settings} aria-busy={busy}>
        {preferences?.connectAtStart !== undefined && (
          <SwitchSetting
            label={t('settings.connectAtStart')}
            explanation={t('settings.connectAtStartText')}
            isOn={preferences.connectAtStart}
            onSwitch={(isOn) => void change({ connectAtStart: isOn })}
          />
        )}
        {preferences?.dns !== undefined && (
          <DnsSetting resolvers={preferences.dns} onChange={(dns) => void change({ dns })} />
        )}
        <SettingRow label={t('settings.protocol')} explanation={t('settings.protocolText')}>
          {(ids) => (
            <output {...ids} className={classes.value}>
              {protocol.filter((part) => part !== undefined).join(' · ')}
            </output>
          )}
        </SettingRow>
      </div>
    </Card>
  );
}
