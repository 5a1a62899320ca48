import { useTranslation } from 'react-i18next';
import type { Offer } from '#shared/entities.ts';
import { formatUsd } from '#shared/usd.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Choice } from '../../ui/forms/choice.tsx';
import formClasses from '../../ui/forms/form.module.css';
import { formatPeriod } from '../../i18n/format-period.ts';
import classes from './store.module.css';

interface OfferFieldProps {
  offers: readonly Offer[];
  chosen: Offer | undefined;
  onChange: (offer: Offer) => void;
}

/** The choice of a plan. */
export function OfferField({ offers, chosen, onChange }: OfferFieldProps) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  return (
    <fieldset className={classes.offers}>
      <legend className={formClasses.label}>{t('store.plan')}</legend>
      {offers.map((offer) => (
        <Choice
          key={offer.id}
          name="plan"
          checked={offer === chosen}
          onChoose={() => onChange(offer)}
          title={offer.title}
          text={t(offer.seats === 1 ? 'store.forOne' : 'store.forMany', {
            period: formatPeriod(offer.days, language),
            seats: offer.seats,
          })}
          aside={<span className={classes.price}>{formatUsd(offer.price, language)}</span>}
        />
      ))}
    </fieldset>
  );
}
