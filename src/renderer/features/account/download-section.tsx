import { IconBrandApple, IconBrandUbuntu, IconBrandWindows } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router-dom';
import { useApi } from '../../api/use-api.ts';
import { ExternalLink } from '../../ui/text/external-link.tsx';
import classes from './download.module.css';

const systems = [
  { icon: IconBrandApple, text: 'download.macos', link: 'download_macos_url' },
  { icon: IconBrandWindows, text: 'download.windows', link: 'download_windows_url' },
  { icon: IconBrandUbuntu, text: 'download.linux', link: 'download_linux_url' },
] as const;

const fragment = '#download';

/** Where users of the web console get the desktop app; /#download leads here, e.g. after a purchase. */
export function DownloadSection() {
  const { t } = useTranslation();
  const { hash } = useLocation();
  const { data: info } = useApi('basicInfo');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (hash === fragment) heading.current?.focus();
  }, [hash]);
  const offered = systems.flatMap(({ link, ...system }) => {
    const address = info?.links[link];
    return address === undefined ? [] : [{ ...system, address }];
  });
  return (
    <section className={classes.section} aria-labelledby="download">
      <h2 id="download" ref={heading} tabIndex={-1} className={classes.title}>
        {t('download.title')}
      </h2>
      <p className={classes.lead}>{t('download.lead')}</p>
      {offered.length > 0 ? (
        <ul role="list" className={classes.systems}>
          {offered.map(({ icon: Icon, text, address }) => (
            <li key={text}>
              <ExternalLink href={address} className={classes.system}>
                <Icon size={22} stroke={1.6} aria-hidden />
                <span className={classes.name}>{t(text)}</span>
              </ExternalLink>
            </li>
          ))}
        </ul>
      ) : (
        info && <p className={classes.none}>{t('download.none')}</p>
      )}
    </section>
  );
}
