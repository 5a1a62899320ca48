import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readResolvers } from './read-resolvers.ts';
import { SettingRow } from './setting-row.tsx';
import classes from './setting.module.css';

interface DnsSettingProps {
  resolvers: readonly string[];
  onChange: (resolvers: string[]) => void;
}

/** Resolvers of the user's own, typed as a list; it holds once the field is left. */
export function DnsSetting({ resolvers, onChange }: DnsSettingProps) {
  const { t } = useTranslation();
  /** As long as it is being typed. */
  const [typed, setTyped] = useState<string>();
  const [isWrong, setWrong] = useState(false);
  const current = resolvers.join(', ');

  function finish(): void {
    if (typed === undefined) return;
    const wanted = readResolvers(typed);
    setWrong(!wanted);
    if (!wanted) return;
    setTyped(undefined);
    if (wanted.join() !== resolvers.join()) onChange(wanted);
  }

  return (
    <SettingRow label={t('settings.dns')} explanation={t('settings.dnsText')}>
      {(ids) => (
        <TextInput
          {...ids}
          className={classes.field}
          value={typed ?? current}
          placeholder={t('settings.dnsHint')}
          error={isWrong && t('settings.dnsInvalid')}
          spellCheck={false}
          autoComplete="off"
          maxLength={160}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          onBlur={finish}
          onKeyDown={({ key }) => {
            if (key === 'Enter') finish();
          }}
        />
      )}
    </SettingRow>
  );
}
