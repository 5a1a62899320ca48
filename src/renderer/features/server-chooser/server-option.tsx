import { Combobox } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import { Tag } from '../../ui/tag.tsx';
import classes from './server-chooser.module.css';

interface ServerOptionProps {
  id: string;
  server: ListedServer;
  isChosen: boolean;
  /** Where the keyboard is. */
  isActive: boolean;
  isUsable: boolean;
  /** What says which group it is of, and what is lacking for it. */
  describedBy: string;
  /** Of all there are, few of which are in the page. */
  position: { 'aria-posinset': number; 'aria-setsize': number };
}

export function ServerOption(props: ServerOptionProps) {
  const { id, server, isChosen, isActive, isUsable, describedBy, position } = props;
  const { t } = useTranslation();
  const hasLevels = new Set(server.group.items.map(({ level }) => level)).size > 1;
  return (
    <Combobox.Option
      id={id}
      value={server.serverId}
      className={classes.option}
      active={isActive}
      disabled={!isUsable}
      aria-selected={isChosen}
      aria-describedby={describedBy}
      {...position}
    >
      <span className={classes.words}>
        <span className={classes.name}>{server.name} </span>
        <span className={classes.domain}>{server.domain}</span>
      </span>
      {hasLevels && <Tag tone="plain">{t('connect.tier', { level: server.level })}</Tag>}
      <IconCheck size={20} aria-hidden className={classes.check} data-shown={isChosen || undefined} />
    </Combobox.Option>
  );
}
