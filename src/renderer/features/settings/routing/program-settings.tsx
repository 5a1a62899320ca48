import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProgramChoice } from '#shared/host/routed-programs.ts';
import { LoadFailure } from '../../../ui/loading/load-failure.tsx';
import { PlaceholderLines } from '../../../ui/loading/placeholder.tsx';
import { ProgramPicker } from './program-picker.tsx';
import { chosenPrograms } from './program-rows.ts';
import classes from './programs.module.css';
import { ChosenProgram } from './chosen-program.tsx';
import { SelectSetting } from '../select-setting.tsx';
import settingClasses from '../setting.module.css';
import { useInstalledPrograms, useRunningPrograms } from './use-programs.ts';

interface ProgramSettingsProps {
  programs: ProgramChoice;
  onChange: (programs: ProgramChoice) => void;
}

/** Which programs go through the tunnel, or around it. */
export function ProgramSettings({ programs, onChange }: ProgramSettingsProps) {
  const { t } = useTranslation();
  const { policy, ids } = programs;
  const installed = useInstalledPrograms();
  const running = useRunningPrograms();
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
          <ul role="list" aria-label={t('routing.apps')} className={classes.list}>
            {chosenPrograms(installed.data, ids).map((program) => (
              <ChosenProgram
                key={program.id}
                program={program}
                isInstalled={installed.data.some(({ id }) => id === program.id)}
                running={running.get(program.id)}
                policy={policy}
                onRemove={() => choose(program.id, false)}
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
        <ProgramPicker
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
