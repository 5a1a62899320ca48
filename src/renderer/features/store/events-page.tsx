import { IconConfetti } from '@tabler/icons-react';
import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Empty } from '../../ui/lists/empty.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import classes from './store.module.css';
import { Link } from '../../ui/text/link.tsx';

/** The seller's offers; the store has none of its own. */
export function EventsPage() {
  const { t } = useTranslation();
  return (
    <div className={classes.page}>
      <PageHeading>{t('more.offers')}</PageHeading>
      <Empty
        icon={<IconConfetti />}
        title={t('store.noEvents')}
        text={t('store.noEventsText')}
        action={
          <Button component={Link} to="/store/purchase" variant="default">
            {t('store.back')}
          </Button>
        }
      />
    </div>
  );
}
