import { Button, TextInput } from '@mantine/core';
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import formClasses from '../../ui/forms/form.module.css';
import { EmailText } from '../../ui/text/email-text.tsx';
import classes from './store.module.css';
import type { Buyer } from './use-buyer.ts';

interface BuyerFieldProps {
  ref: Ref<HTMLInputElement>;
  buyer: Buyer;
  email: string;
  error: string | undefined;
  onEmail: (email: string) => void;
  onOtherBuyer: () => void;
}

/** Who buys: asked of a guest, and displayed for everybody else. */
export function BuyerField({ ref, buyer, email, error, onEmail, onOtherBuyer }: BuyerFieldProps) {
  const { t } = useTranslation();
  if (buyer.kind === 'guest') {
    return (
      <TextInput
        ref={ref}
        label={t('login.email')}
        description={t('store.emailHint')}
        type="email"
        name="email"
        autoComplete="email"
        inputMode="email"
        spellCheck={false}
        size="md"
        maxLength={254}
        required
        withAsterisk={false}
        value={email}
        onChange={(event) => onEmail(event.currentTarget.value.trim())}
        error={error}
      />
    );
  }
  return (
    <div>
      <p className={formClasses.label}>{t('store.buyer')}</p>
      <p className={classes.buyer}>
        <EmailText email={buyer.email} />
      </p>
      <p className={formClasses.hint}>
        {t(buyer.kind === 'visit' ? 'store.buyerFromApp' : 'store.buyerSignedIn')}
      </p>
      {buyer.kind === 'visit' && (
        <Button
          variant="default"
          size="compact-sm"
          px={14}
          className={classes.otherBuyer}
          onClick={onOtherBuyer}
        >
          {t('store.otherBuyer')}
        </Button>
      )}
    </div>
  );
}
