import type { RefCallback } from 'react';
import { useTranslation } from 'react-i18next';
import type { User } from '#shared/entities.ts';
import { ShopButton } from '../purchase/shop-button.tsx';
import { isMember } from '../session/is-member.ts';
import classes from './connect-buttons.module.css';

interface PlanInsteadProps {
  user: User;
  ref?: RefCallback<HTMLElement>;
}

/** Replaces Connect if a plan is missing: a link to the plans or, for a member, who could renew it. */
export function PlanInstead({ user, ref }: PlanInsteadProps) {
  const { t } = useTranslation();
  if (!isMember(user)) return <ShopButton ref={ref} size="lg" fullWidth />;
  const { payer } = user.profile;
  return (
    <p ref={ref} tabIndex={-1} className={classes.payer}>
      {payer === undefined ? t('connect.groupOfMember') : t('connect.payerRenews', { payer })}
    </p>
  );
}
