import { IconAppWindow, IconBrowser, IconDeviceMobile } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { MiniApp, MiniAppType } from '#shared/entities.ts';
import { IconOrInitial } from '../../ui/pictures/icon-or-initial.tsx';
import { miniAppTypeTexts } from '../manage-mini-apps/mini-app-types.ts';
import classes from './mini-apps.module.css';

const typeIcons: Record<MiniAppType, typeof IconBrowser> = {
  browser: IconBrowser,
  webkit: IconAppWindow,
  native: IconDeviceMobile,
};

interface MiniAppTileProps {
  miniApp: MiniApp;
  opening: boolean;
  onOpen: () => void;
}

/** One mini-app to open, with its type. */
export function MiniAppTile({ miniApp, opening, onOpen }: MiniAppTileProps) {
  const { t } = useTranslation();
  const TypeIcon = typeIcons[miniApp.type];
  return (
    <button type="button" className={classes.tile} aria-busy={opening} onClick={onOpen}>
      <IconOrInitial icon={miniApp.icon} name={miniApp.name} size={56} />
      <span className={classes.name}>{miniApp.name}</span>
      <span className={classes.how}>
        <TypeIcon size={14} className={classes.typeIcon} aria-hidden />
        {t(miniAppTypeTexts[miniApp.type].name)}
      </span>
    </button>
  );
}
