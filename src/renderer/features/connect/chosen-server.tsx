import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconChevronRight, IconServer2 } from '@tabler/icons-react';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import { Flag } from '../../ui/pictures/flag.tsx';
import { FavouriteButton } from '../server-chooser/favourite-button.tsx';
import { useServerPlace } from '../server-chooser/use-server-place.ts';
import classes from './server-button.module.css';

interface ChosenServerProps {
  chosen: ListedServer | undefined;
  isFavourite: boolean;
  /** Undefined if the app keeps no favourites. */
  setFavourite: ((serverId: string, isFavourite: boolean) => void) | undefined;
  onOpen: (by: 'keyboard' | 'pointer') => void;
}

/** The server that Connect goes to, as a button. Memoized: the click that opens the list does not draw it again. */
export const ChosenServer = memo(function ChosenServer(props: ChosenServerProps) {
  const { chosen, isFavourite, setFavourite, onOpen } = props;
  const { t } = useTranslation();
  const place = useServerPlace(chosen);
  return (
    <div className={classes.line}>
      <UnstyledButton
        className={classes.button}
        aria-haspopup="dialog"
        // A click by keyboard has `detail` 0 (UI Events).
        onClick={({ detail }) => onOpen(detail === 0 ? 'keyboard' : 'pointer')}
      >
        {chosen?.country === undefined ? (
          <IconServer2 size={22} stroke={1.8} aria-hidden className={classes.icon} />
        ) : (
          <Flag country={chosen.country} />
        )}
        {chosen && (
          <VisuallyHidden>
            {t('servers.change', { server: `${chosen.name}, ${place ?? chosen.group.name}` })}
          </VisuallyHidden>
        )}
        <span className={classes.words} aria-hidden={chosen && true}>
          <span className={classes.name}>{chosen ? chosen.name : t('servers.all')}</span>
          {chosen && <span className={classes.group}>{place ?? chosen.group.name}</span>}
        </span>
        <IconChevronRight size={20} aria-hidden className={classes.icon} />
      </UnstyledButton>
      {chosen && setFavourite && (
        <FavouriteButton
          server={chosen}
          isOn={isFavourite}
          onChange={(isOn) => setFavourite(chosen.serverId, isOn)}
        />
      )}
    </div>
  );
});
