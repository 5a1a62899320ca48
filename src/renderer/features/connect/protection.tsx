import { Switch } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { Preferences } from '#shared/host/contract.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { Card } from '../../ui/card.tsx';
import { showError } from '../../ui/toast.ts';
import classes from './protection.module.css';
import { usePreferences } from './use-preferences.ts';

const switches: readonly { name: Exclude<keyof Preferences, 'routing'>; label: TextKey; text: TextKey }[] = [
  { name: 'killSwitch', label: 'protection.killSwitch', text: 'protection.killSwitchText' },
  { name: 'localNetwork', label: 'protection.localNetwork', text: 'protection.localNetworkText' },
];

/** What stays closed when the tunnel breaks, and what stays open beside it. */
export function Protection() {
  const { t } = useTranslation();
  const id = useId();
  const { preferences, busy, change } = usePreferences(({ error }) =>
    showError(t(error === 'not-stored' ? 'error.storage' : 'error.setting')),
  );
  return (
    <Card title={t('protection.title')}>
      <div className={classes.switches} aria-busy={busy}>
        {switches.map(({ name, label, text }) => (
          <Switch
            key={name}
            classNames={{
              root: classes.row,
              body: classes.body,
              labelWrapper: classes.words,
              label: classes.label,
              description: classes.text,
              input: classes.input,
              track: classes.track,
            }}
            size="md"
            labelPosition="left"
            withThumbIndicator={false}
            // The label's element has the description in it, too.
            aria-labelledby={`${id}-${name}`}
            label={<span id={`${id}-${name}`}>{t(label)}</span>}
            description={t(text)}
            disabled={preferences === undefined}
            checked={preferences?.[name] ?? false}
            onChange={({ currentTarget }) => void change({ [name]: currentTarget.checked })}
          />
        ))}
      </div>
    </Card>
  );
}
