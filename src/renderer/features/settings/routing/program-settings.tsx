import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppChoice } from '#shared/host/routed-programs.ts';
import { LoadFailure } from '../../../ui/loading/load-failure.tsx';
import { PlaceholderLines } from '../../../ui/loading/placeholder.tsx';
import { AppPicker } from './program-picker.tsx';
import { chosenApps } from './program-rows.ts';
import classes from './programs.module.css';
import { ChosenApp } from './chosen-program.tsx';
import { SelectSetting } from '../select-setting.tsx';
import settingClasses from '../setting.module.css';
import { useInstalledApps, useRunningApps } from './use-programs.ts';

interface AppSettingsProps {
  apps: AppChoice;
  onChange: (apps: AppChoice) => void;
}

/** Which applications go through the tunnel, or around it. */
export function AppSettings({ apps, onChange }: AppSettingsProps) {
  const { t } = useTranslation();
  const { policy, ids } = apps;
  const installed = useInstalledApps();
  const running = useRunningApps();
  const [isChoosing, setChoosing] = useState(false);
  const choose = (id: string, isChosen: boolean) =>
    onChange({ policy, ids: isChosen ? [...ids, id] : ids.filter((other) => other !== id) });
  return (
    <div className={settingClasses.settings}>
      <SelectSetting
        label={t('routing.policy')}
        explanation={t('routing.appsPolicyText')}
        value={policy}
        options={[
          { value: 'include', label: t('routing.appsInclude') },
          { value: 'exclude', label: t('routing.appsExclude') },
        ]}
        onSelect={(chosen) => onChange({ policy: chosen, ids })}
      />
      <div className={`${settingClasses.setting} ${classes.chosen}`}>
        {ids.length === 0 ? (
          <div className={classes.none}>
            <p className={classes.name}>{t('routing.appsNone')}</p>
            <p className={classes.detail}>{t('routing.appsNoneText')}</p>
          </div>
        ) : installed.data ? (
          // oxlint-disable-next-line jsx-a11y/no-redundant-roles -- Safari forgets the role where list-style is none
          <ul role="list" aria-label={t('routing.apps')} className={classes.list}>
            {chosenApps(installed.data, ids).map((app) => (
              <ChosenApp
                key={app.id}
                app={app}
                isInstalled={installed.data.some(({ id }) => id === app.id)}
                running={running.get(app.id)}
                policy={policy}
                onRemove={() => choose(app.id, false)}
              />
            ))}
          </ul>
        ) : installed.isError ? (
          <LoadFailure text={t('routing.appsFailed')} onRetry={() => void installed.refetch()} />
        ) : (
          <output aria-label={t('shell.loading')} className={classes.none}>
            <PlaceholderLines lines={ids.length} />
          </output>
        )}
        <Button
          variant={ids.length === 0 ? 'filled' : 'default'}
          leftSection={<IconPlus size={18} aria-hidden />}
          className={classes.choose}
          onClick={() => setChoosing(true)}
        >
          {t('routing.chooseApps')}
        </Button>
      </div>
      {isChoosing && (
        <AppPicker
          policy={policy}
          installed={installed}
          running={running}
          chosen={ids}
          onChoose={choose}
          onClose={() => setChoosing(false)}
        />
      )}
    </div>
  );
}
