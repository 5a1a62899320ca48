import { UnstyledButton } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Server } from '#shared/entities.ts';
import classes from './favourite-button.module.css';

interface FavouriteButtonProps {
  server: Pick<Server, 'name'>;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

/** Marks a server as a favourite. */
export function FavouriteButton({ server, isOn, onChange }: FavouriteButtonProps) {
  const { t } = useTranslation();
  return (
    <UnstyledButton
      className={classes.button}
      data-on={isOn || undefined}
      // The label says what the button does, so it needs no separate state.
      aria-label={t(isOn ? 'servers.removeFavourite' : 'servers.addFavourite', { server: server.name })}
      onClick={() => onChange(!isOn)}
    >
      {isOn ? <IconStarFilled size={20} aria-hidden /> : <IconStar size={20} stroke={1.8} aria-hidden />}
    </UnstyledButton>
  );
}
