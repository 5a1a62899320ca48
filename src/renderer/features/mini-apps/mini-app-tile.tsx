import { IconAppWindow, IconBrowser, IconDeviceMobile } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { AppEntry, AppType } from '#shared/entities.ts';
import { IconOrInitial } from '../../ui/pictures/icon-or-initial.tsx';
import { appTypeTexts } from '../manage-mini-apps/mini-app-types.ts';
import classes from './mini-apps.module.css';

const typeIcons: Record<AppType, typeof IconBrowser> = {
  browser: IconBrowser,
  webkit: IconAppWindow,
  native: IconDeviceMobile,
};

interface MiniAppTileProps {
  app: AppEntry;
  opening: boolean;
  onOpen: () => void;
}

/** One app to open, with its type. */
export function MiniAppTile({ app, opening, onOpen }: MiniAppTileProps) {
  const { t } = useTranslation();
  const TypeIcon = typeIcons[app.type];
  return (
    <button type="button" className={classes.tile} aria-busy={opening} onClick={onOpen}>
      <IconOrInitial icon={app.icon} name={app.name} size={56} />
      <span className={classes.name}>{app.name}</span>
      <span className={classes.how}>
        <TypeIcon size={14} className={classes.typeIcon} aria-hidden />
        {t(appTypeTexts[app.type].name)}
      </span>
    </button>
  );
}
