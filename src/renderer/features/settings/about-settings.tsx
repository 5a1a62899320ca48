import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { isNewer } from '#shared/app-version.ts';
import { useApi } from '../../api/use-api.ts';
import { useApp } from '../../platform/host-context.tsx';
import { Card } from '../../ui/card.tsx';
import { ExternalLink } from '../../ui/text/external-link.tsx';
import { Facts } from '../../ui/lists/facts.tsx';
import { LinkList } from '../../ui/lists/link-list.tsx';
import { lazyComponent } from '../../ui/loading/lazy-component.ts';

/** Only the desktop app has something to show there. */
const WithoutUpdates = lazyComponent(
  async () => (await import('../updates/without-updates.tsx')).WithoutUpdates,
);
const UpdateStatus = lazyComponent(async () => (await import('../updates/update-status.tsx')).UpdateStatus);

/** The version, the licences, and where to turn if something does not work. */
export function AboutSettings() {
  const { t } = useTranslation();
  const { kind, device } = useApp();
  return (
    <Card title={t('settings.about')}>
      <Facts
        facts={[
          {
            name: t('settings.version'),
            value: (
              <>
                {device.version}
                {kind === 'desktop' && (
                  <Suspense>
                    <WithoutUpdates>
                      <NewerRelease />
                    </WithoutUpdates>
                  </Suspense>
                )}
              </>
            ),
          },
        ]}
      />
      {kind === 'desktop' && (
        <Suspense>
          <UpdateStatus />
        </Suspense>
      )}
      <LinkList
        links={[
          { path: '/settings/licences', title: 'settings.licences' },
          { path: '/about-us', title: 'about.title' },
          ...(kind === 'desktop'
            ? ([
                { path: '/settings/connection-log', title: 'connectionLog.title' },
                { path: '/settings/problem-report', title: 'report.title' },
              ] as const)
            : []),
        ]}
      />
    </Card>
  );
}

/** A link to a newer release, if the operator has one for this system. */
function NewerRelease() {
  const { t } = useTranslation();
  const { device } = useApp();
  const { data: info } = useApi('basicInfo');
  const { platform, version } = device;
  const latest = info?.latestVersion;
  if (platform !== 'macos' && platform !== 'windows' && platform !== 'linux') return null;
  const address = info?.links[`download_${platform}_url`];
  if (latest === undefined || address === undefined || !isNewer(latest, version)) return null;
  return (
    <span>
      {' · '}
      <ExternalLink href={address}>{t('settings.download', { version: latest })}</ExternalLink>
    </span>
  );
}
