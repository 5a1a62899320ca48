import { Combobox, Loader } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import classes from './server-chooser.module.css';
import type { OptionPosition } from './server-option.tsx';

interface FastestOptionProps {
  id: string;
  isActive: boolean;
  isMeasuring: boolean;
  position: OptionPosition;
}

/** Takes whichever server answers first. */
export function FastestOption({ id, isActive, isMeasuring, position }: FastestOptionProps) {
  const { t } = useTranslation();
  return (
    <Combobox.Option
      id={id}
      value="fastest"
      className={classes.option}
      active={isActive}
      aria-selected={false}
      {...position}
    >
      <span className={classes.mark}>
        {isMeasuring ? <Loader size={18} aria-hidden /> : <IconBolt size={20} stroke={1.8} aria-hidden />}
      </span>
      <span className={classes.words}>
        <span className={classes.name}>{t('servers.fastest')} </span>
        <span className={classes.domain}>{t(isMeasuring ? 'servers.measuring' : 'servers.fastestText')}</span>
      </span>
    </Combobox.Option>
  );
}
