import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { ShopButton } from '../purchase/shop-button.tsx';
import classes from './server-chooser.module.css';
import { ServerListbox } from './server-listbox.tsx';
import { serverRows } from './server-rows.ts';

interface ServerChooserProps {
  openedBy: 'keyboard' | 'pointer';
  groups: readonly ServerGroup[];
  usable: readonly ServerGroup[];
  chosen: ListedServer | undefined;
  onChoose: (server: ListedServer) => void;
  onClose: () => void;
}

/** All servers, to search and to choose one from. */
export function ServerChooser(props: ServerChooserProps) {
  const { openedBy, groups, usable, chosen, onChoose, onClose } = props;
  const { t } = useTranslation();
  // On a phone the keyboard would hide the list before anybody has seen it.
  const isTouched = openedBy === 'pointer' && matchMedia('(pointer: coarse)').matches;
  const [query, setQuery] = useState('');
  // At once: Enter goes to what has just been typed.
  const rows = serverRows(groups, query);
  return (
    <Dialog title={t('servers.title')} onClose={onClose} focus={isTouched ? 'title' : 'first'} isTall>
      <ServerListbox
        rows={rows}
        usable={usable}
        chosen={chosen}
        query={query}
        onQuery={setQuery}
        onChoose={onChoose}
      />
      <div className={classes.actions}>
        {usable.length < groups.length && <ShopButton variant="light" size="md" />}
        <Button variant="default" size="md" onClick={onClose}>
          {t('servers.close')}
        </Button>
      </div>
    </Dialog>
  );
}
