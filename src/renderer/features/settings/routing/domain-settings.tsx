import { useTranslation } from 'react-i18next';
import type { DomainChoice } from '#shared/host/preferences.ts';
import { ListSetting } from '../list-setting.tsx';
import { readDomains } from './read-domains.ts';
import classes from '../setting.module.css';

interface DomainSettingsProps {
  domains: DomainChoice;
  onChange: (domains: DomainChoice) => void;
}

/** Sites that go through the tunnel in addition to those that the service lists, and sites that do not. */
export function DomainSettings({ domains: { through, direct }, onChange }: DomainSettingsProps) {
  const { t } = useTranslation();
  const common = {
    hint: t('routing.prefixesHint'),
    invalid: t('routing.domainsInvalid'),
    maxLength: 20_000,
    read: readDomains,
  };
  // A name is in only one of the lists: the last change wins.
  const without = (names: readonly string[], others: readonly string[]) =>
    names.filter((name) => !others.includes(name));
  return (
    <div className={classes.settings}>
      <ListSetting
        {...common}
        label={t('routing.through')}
        explanation={t('routing.throughText')}
        entries={through}
        onChange={(chosen) => onChange({ through: chosen, direct: without(direct, chosen) })}
      />
      <ListSetting
        {...common}
        label={t('routing.direct')}
        explanation={t('routing.directText')}
        entries={direct}
        onChange={(chosen) => onChange({ through: without(through, chosen), direct: chosen })}
      />
    </div>
  );
}
