import { useTranslation } from 'react-i18next';
import { Card } from '../../ui/card.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import classes from './store.module.css';

const parts = [
  ['privacy.accountTitle', 'privacy.account'],
  ['privacy.devicesTitle', 'privacy.devices'],
  ['privacy.trafficTitle', 'privacy.traffic'],
  ['privacy.erasureTitle', 'privacy.erasure'],
  ['privacy.operatorTitle', 'privacy.operator'],
] as const;

/** What is stored about people, and why. The last part is the operator's, who alone can make promises. */
export function PrivacyPage() {
  const { t } = useTranslation();
  return (
    <div className={classes.page}>
      <PageHeading lead={t('privacy.lead')}>{t('section.privacy')}</PageHeading>
      {parts.map(([title, text]) => (
        <Card key={title} title={t(title)}>
          <p className={classes.text}>{t(text)}</p>
        </Card>
      ))}
    </div>
  );
}
