import { Loader } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { ChooserOption, type RowPosition } from './chooser-option.tsx';
import classes from './server-chooser.module.css';

interface FastestOptionProps {
  id: string;
  isActive: boolean;
  onSubmit: () => void;
  isMeasuring: boolean;
  position: RowPosition;
}

/** Chooses whichever server answers first. */
export function FastestOption({ id, isActive, onSubmit, isMeasuring, position }: FastestOptionProps) {
  const { t } = useTranslation();
  return (
    <ChooserOption
      id={id}
      isActive={isActive}
      isChosen={false}
      isUsable
      onSubmit={onSubmit}
      position={position}
    >
      <span className={classes.mark}>
        {isMeasuring ? <Loader size={18} aria-hidden /> : <IconBolt size={20} stroke={1.8} aria-hidden />}
      </span>
      <span className={classes.words}>
        <span className={classes.name}>{`${t('servers.fastest')} `}</span>
        <span className={classes.domain}>{t(isMeasuring ? 'servers.measuring' : 'servers.fastestText')}</span>
      </span>
    </ChooserOption>
  );
}
