import { Button } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/entities.ts';
import classes from './store.module.css';
import type { StoreVisit } from './stored-visit.ts';

interface BuyerChoiceProps {
  came: StoreVisit;
  user: User;
  onVisit: () => void;
  onAccount: () => void;
}

/** If there are two accounts, neither is chosen silently, because a link may come from somebody else. */
export function BuyerChoice({ came, user, onVisit, onAccount }: BuyerChoiceProps) {
  const { t } = useTranslation();
  const titleId = useId();
  return (
    <section className={classes.choice} aria-labelledby={titleId}>
      <h2 id={titleId} className={classes.question}>
        {t('store.choiceTitle')}
      </h2>
      <p className={classes.text}>{t('store.choiceText', { app: came.email, browser: user.email })}</p>
      <Button variant="default" size="md" onClick={onVisit}>
        {t('store.buyFor', { email: came.email })}
      </Button>
      <Button variant="default" size="md" onClick={onAccount}>
        {t('store.buyFor', { email: user.email })}
      </Button>
    </section>
  );
}
