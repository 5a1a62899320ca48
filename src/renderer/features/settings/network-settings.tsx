import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { Preferences } from '#shared/host/preferences.ts';
import { isTrusted, ssidText, type CurrentNetwork } from '#shared/networks.ts';
import { ForgetButton } from '../../ui/buttons/forget-button.tsx';
import { leaveFocus } from '../../ui/focus/leave-focus.ts';
import { useTunnelView } from '../tunnel/tunnel-context.tsx';
import { shownState } from '../tunnel/tunnel-store.ts';
import { SettingRow } from './setting-row.tsx';
import classes from './setting.module.css';
import { SwitchSetting } from './switch-setting.tsx';
import { useCurrentNetwork } from './use-current-network.ts';
import type { PreferencesView } from '../preferences/use-preferences.ts';

type NetworkSettingsProps = Pick<PreferencesView, 'preferences' | 'change'>;

/** On which networks the app connects automatically, if it can find out which one this is. */
export function NetworkSettings({ preferences, change }: NetworkSettingsProps) {
  const { t } = useTranslation();
  const isOn = preferences?.connectOnUntrusted;
  const network = useCurrentNetwork(isOn !== undefined);
  const isDisconnected = shownState(useTunnelView())?.state === 'disconnected';
  if (!preferences || isOn === undefined) return null;
  const label = t('networks.connect');
  const explanation = t('networks.connectText');
  const { disconnectOnTrusted = false, trustWired = false, trustedNetworks = [] } = preferences;
  const rules = { trustWired, trustedNetworks };
  const connectsNow = !isOn && network && isTrusted(network, rules) === false && isDisconnected;
  const trust = (ssids: string[]) => void change({ trustedNetworks: ssids });
  const unavailable = (
    <SettingRow label={isOn ? t('networks.current') : label} explanation={explanation}>
      {(ids) => (
        <output {...ids} className={classes.value}>
          {t('networks.unavailable')}
        </output>
      )}
    </SettingRow>
  );
  if (network === null && !isOn) return unavailable;
  return (
    <>
      <SwitchSetting
        label={label}
        explanation={explanation}
        note={connectsNow ? t('networks.connectsNow') : undefined}
        isOn={isOn}
        onSwitch={(next) => void change({ connectOnUntrusted: next })}
      />
      {isOn && (
        <>
          {network === null && unavailable}
          {network && (
            <CurrentNetworkRow
              network={network}
              rules={rules}
              onTrust={(ssid) => trust([...trustedNetworks, ssid])}
            />
          )}
          <TrustedNetworks
            ssids={trustedNetworks}
            onRemove={(ssid) => trust(trustedNetworks.filter((other) => other !== ssid))}
          />
          <SwitchSetting
            label={t('networks.trustWired')}
            explanation={t('networks.trustWiredText')}
            isOn={trustWired}
            onSwitch={(next) => void change({ trustWired: next })}
          />
          <SwitchSetting
            label={t('networks.disconnect')}
            explanation={t('networks.disconnectText')}
            isOn={disconnectOnTrusted}
            onSwitch={(next) => void change({ disconnectOnTrusted: next })}
          />
        </>
      )}
    </>
  );
}

interface CurrentNetworkRowProps {
  network: CurrentNetwork;
  rules: Required<Pick<Preferences, 'trustWired' | 'trustedNetworks'>>;
  onTrust: (ssid: string) => void;
}

function CurrentNetworkRow({ network, rules, onTrust }: CurrentNetworkRowProps) {
  const { t } = useTranslation();
  const trusted = isTrusted(network, rules);
  const ssid = network.kind === 'wifi' ? network.ssid : undefined;
  const name = ssid === undefined ? t(`networks.${network.kind}`) : ssidText(ssid);
  const isOpen = network.kind === 'wifi' && !network.isProtected;
  const verdict = isOpen ? 'networks.open' : trusted ? 'networks.trusted' : 'networks.untrusted';
  return (
    <SettingRow label={t('networks.current')} explanation={t('networks.currentText')}>
      {(ids) => (
        <div className={classes.network}>
          <output {...ids} className={classes.value}>
            <bdi>{name}</bdi>
            {trusted !== undefined && <span>{` · ${t(verdict)}`}</span>}
          </output>
          {ssid !== undefined && !isOpen && trusted === false && (
            <Button
              ref={leaveFocus}
              size="sm"
              variant="default"
              aria-label={t('networks.trustNamed', { name })}
              onClick={() => onTrust(ssid)}
            >
              {t('networks.trust')}
            </Button>
          )}
        </div>
      )}
    </SettingRow>
  );
}

function TrustedNetworks({
  ssids,
  onRemove,
}: {
  ssids: readonly string[];
  onRemove: (ssid: string) => void;
}) {
  const { t } = useTranslation();
  const label = t('networks.list');
  return (
    <div className={classes.setting}>
      <SettingRow label={label} explanation={t('networks.listText')}>
        {(ids) => (
          <output {...ids} className={classes.value}>
            {ssids.length === 0 ? t('networks.listEmpty') : ssids.length}
          </output>
        )}
      </SettingRow>
      {ssids.length > 0 && (
        <ul role="list" aria-label={label} className={classes.networks}>
          {ssids.map((ssid) => (
            <li key={ssid}>
              <bdi className={classes.networkName}>{ssidText(ssid)}</bdi>
              <ForgetButton
                label={t('networks.removeNamed', { name: ssidText(ssid) })}
                onClick={() => onRemove(ssid)}
              />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
