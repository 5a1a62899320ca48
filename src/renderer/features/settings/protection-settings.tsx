import { useTranslation } from 'react-i18next';
import type { TunnelPreferences } from '#shared/host/preferences.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { Card } from '../../ui/card.tsx';
import { ListSetting } from './list-setting.tsx';
import { NetworkSettings } from './network-settings.tsx';
import { readLocalPrefixes } from './routing/read-prefixes.ts';
import classes from './setting.module.css';
import { SwitchSetting } from './switch-setting.tsx';
import { usePreferences } from '../preferences/use-preferences.ts';

const switches = [
  { name: 'killSwitch', label: 'protection.killSwitch', text: 'protection.killSwitchText' },
  { name: 'localNetwork', label: 'protection.localNetwork', text: 'protection.localNetworkText' },
] as const satisfies readonly { name: keyof TunnelPreferences; label: TextKey; text: TextKey }[];

/**
 * What stays blocked when the tunnel breaks, what stays reachable outside it, who may come in through it, and on which
 * networks there should be one.
 */
export function ProtectionSettings() {
  const { t } = useTranslation();
  const { preferences, busy, change } = usePreferences();
  return (
    <Card title={t('protection.title')}>
      <div className={classes.settings} aria-busy={busy}>
        {switches.map(({ name, label, text }) => (
          <SwitchSetting
            key={name}
            label={t(label)}
            explanation={t(text)}
            isOn={preferences?.[name]}
            onSwitch={(isOn) => void change({ [name]: isOn })}
          />
        ))}
        {preferences?.localNetwork && preferences.localPrefixes && (
          <ListSetting
            label={t('protection.localPrefixes')}
            explanation={t('protection.localPrefixesText')}
            hint={t('routing.prefixesHint')}
            invalid={t('protection.localPrefixesInvalid')}
            entries={preferences.localPrefixes}
            maxLength={1600}
            read={readLocalPrefixes}
            onChange={(localPrefixes) => void change({ localPrefixes })}
          />
        )}
        {preferences?.allowIncoming !== undefined && (
          <SwitchSetting
            label={t('protection.allowIncoming')}
            explanation={t('protection.allowIncomingText')}
            isOn={preferences.allowIncoming}
            onSwitch={(allowIncoming) => void change({ allowIncoming })}
          />
        )}
        <NetworkSettings preferences={preferences} change={change} />
      </div>
    </Card>
  );
}
