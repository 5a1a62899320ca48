import { Button, NativeSelect } from '@mantine/core';
import { useRef, useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router-dom';
import { maxOrderQuantity } from '#shared/constants.ts';
import type { Offer } from '#shared/entities.ts';
import { formatUsd } from '#shared/usd.ts';
import { readEmail } from '#shared/typed-text.ts';
import { isEmail } from '#shared/validation.ts';
import { errorText } from '../../api/api-failure.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import formClasses from '../../ui/forms/form.module.css';
import { keepFocus } from '../../ui/focus/keep-focus.ts';
import { Message } from '../../ui/messages/message.tsx';
import { BuyerField } from './buyer-field.tsx';
import { formatPeriod } from '../../i18n/format-period.ts';
import { OfferField } from './offer-field.tsx';
import { SeatsWarning } from '../payment/seats-warning.tsx';
import classes from './store.module.css';
import type { Buyer } from './use-buyer.ts';
import { useOrdering } from './use-ordering.ts';

interface PurchaseFormProps {
  offers: readonly Offer[];
  buyer: Buyer;
  /** The plan is not for the person who came from an app. */
  onOtherBuyer: () => void;
}

const quantities = Array.from({ length: maxOrderQuantity }, (_, index) => index + 1);

export function PurchaseForm({ offers, buyer, onOtherBuyer }: PurchaseFormProps) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  const [search] = useSearchParams();
  const [productId, setProductId] = useState(search.get('product'));
  const [quantity, setQuantity] = useState(1);
  const [typed, setTyped] = useState(search.get('email') ?? '');
  const [tried, setTried] = useState(false);
  const emailField = useRef<HTMLInputElement>(null);
  const ordering = useOrdering(onOtherBuyer);
  const offer = offers.find(({ id }) => id === productId) ?? offers[0];
  const email = readEmail(typed);
  const lacksEmail = buyer.kind === 'guest' && !isEmail(email);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (lacksEmail) emailField.current?.focus();
    if (lacksEmail || !offer || ordering.busy) return;
    void ordering.order({ productId: offer.id, quantity }, buyer, email);
  };
  return (
    <form className={classes.form} onSubmit={submit} noValidate>
      <OfferField offers={offers} chosen={offer} onChange={({ id }) => setProductId(id)} />
      {offer && (
        <NativeSelect
          label={t('store.duration')}
          size="md"
          value={quantity}
          onChange={(event) => setQuantity(Number(event.currentTarget.value))}
          data={quantities.map((count) => ({
            value: String(count),
            label: formatPeriod(offer.days * count, language),
          }))}
        />
      )}
      {offer && buyer.kind !== 'guest' && (
        <SeatsWarning days={offer.days * quantity} seats={offer.seats} members={buyer.members} />
      )}
      <BuyerField
        ref={emailField}
        {...{ buyer, email: typed, onOtherBuyer }}
        onEmail={setTyped}
        error={tried && lacksEmail ? t('login.emailInvalid') : undefined}
      />
      {ordering.error && <Message tone="bad" title={errorText(ordering.error, t)} />}
      {ordering.refused && <Message tone="bad" title={t('pay.refused')} />}
      <div className={classes.end}>
        {offer && (
          <p className={classes.total} aria-live="polite">
            {t('store.total')} <strong>{formatUsd(offer.price * quantity, language)}</strong>
          </p>
        )}
        <div className={formClasses.actions}>
          <Button type="submit" size="md" loading={ordering.busy} onMouseDown={keepFocus}>
            {t('store.submit')}
          </Button>
        </div>
      </div>
    </form>
  );
}
