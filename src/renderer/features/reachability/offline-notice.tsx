import { IconWifiOff } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { connectivityProbe } from '#shared/constants.ts';
import classes from './offline-notice.module.css';
import { loadsInFrame } from './probe-frame.ts';
import { watchReachability } from './watch-reachability.ts';

/** Says so while no network can be reached. The live region is always there, because one that comes with its text may go unread. */
export function OfflineNotice() {
  const { t } = useTranslation();
  const [reachable, setReachable] = useState(true);
  useEffect(() => watchReachability({ probe: isNetworkReachable, onResult: setReachable }), []);
  return (
    <output className={classes.place}>
      {!reachable && (
        <span className={classes.notice}>
          <IconWifiOff size={18} aria-hidden className={classes.icon} />
          {t('offline.text')}
        </span>
      )}
    </output>
  );
}

async function isNetworkReachable(): Promise<boolean> {
  const { pages, frameTimeoutSeconds } = connectivityProbe;
  const loaded = await Promise.all(pages.map((page) => loadsInFrame(page, frameTimeoutSeconds)));
  return loaded.includes(true);
}
