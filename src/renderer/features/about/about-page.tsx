import { IconDevices, IconMail, IconRoute, IconShieldCheck, IconUsers } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Card } from '../../ui/card.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import classes from './about.module.css';

const features = [
  { icon: IconMail, title: 'about.signInTitle', text: 'about.signInText' },
  { icon: IconRoute, title: 'about.tunnelTitle', text: 'about.tunnelText' },
  { icon: IconShieldCheck, title: 'about.safeTitle', text: 'about.safeText' },
  { icon: IconUsers, title: 'about.shareTitle', text: 'about.shareText' },
  { icon: IconDevices, title: 'about.everywhereTitle', text: 'about.everywhereText' },
] as const;

/** Company mission, product features, team background (specification §2), and the operator's own text. */
export function AboutPage() {
  const { t } = useTranslation();
  return (
    <>
      <PageTop back={{ to: '/dashboard', title: 'section.account' }}>
        <PageHeading lead={t('about.lead')}>{t('about.title')}</PageHeading>
      </PageTop>
      <Card title={t('about.missionTitle')}>
        <p className={classes.statement}>{t('about.mission')}</p>
        <p className={classes.text}>{t('about.missionTrust')}</p>
      </Card>
      <Card title={t('about.featuresTitle')}>
        <ul role="list" className={classes.features}>
          {features.map(({ icon: Icon, title, text }) => (
            <li key={title} className={classes.feature}>
              <span className={classes.icon} aria-hidden>
                <Icon size={20} stroke={1.8} />
              </span>
              <div>
                <h3 className={classes.name}>{t(title)}</h3>
                <p className={classes.text}>{t(text)}</p>
              </div>
            </li>
          ))}
        </ul>
      </Card>
      <Card title={t('about.operatorTitle')}>
        <p className={classes.operator}>{t('about.operator')}</p>
      </Card>
      <Card title={t('about.teamTitle')}>
        <p className={classes.text}>{t('about.team')}</p>
        <p className={classes.text}>{t('about.teamWork')}</p>
      </Card>
    </>
  );
}
