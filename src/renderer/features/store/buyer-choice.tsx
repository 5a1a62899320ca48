import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/entities.ts';
import { Message } from '../../ui/message.tsx';
import classes from './store.module.css';
import type { StoreVisit } from './stored-visit.ts';

interface BuyerChoiceProps {
  came: StoreVisit;
  user: User;
  onVisit: () => void;
  onAccount: () => void;
}

/** Of two accounts neither is taken silently: a link may come from somebody else. */
export function BuyerChoice({ came, user, onVisit, onAccount }: BuyerChoiceProps) {
  const { t } = useTranslation();
  return (
    <Message tone="warn" title={t('store.choiceTitle')}>
      {t('store.choiceText', { app: came.email, browser: user.email })}
      <span className={classes.choices}>
        <Button variant="default" onClick={onVisit}>
          {t('store.buyFor', { email: came.email })}
        </Button>
        <Button variant="default" onClick={onAccount}>
          {t('store.buyFor', { email: user.email })}
        </Button>
      </span>
    </Message>
  );
}
