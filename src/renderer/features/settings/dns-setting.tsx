import { useTranslation } from 'react-i18next';
import { ListSetting } from './list-setting.tsx';
import { readResolvers } from './read-resolvers.ts';

interface DnsSettingProps {
  resolvers: readonly string[];
  onChange: (resolvers: string[]) => void;
}

/** The user's own resolvers. */
export function DnsSetting({ resolvers, onChange }: DnsSettingProps) {
  const { t } = useTranslation();
  return (
    <ListSetting
      label={t('settings.dns')}
      explanation={t('settings.dnsText')}
      hint={t('settings.dnsHint')}
      invalid={t('settings.dnsInvalid')}
      entries={resolvers}
      maxLength={160}
      read={readResolvers}
      onChange={onChange}
    />
  );
}
