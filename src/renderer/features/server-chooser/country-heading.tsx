import { useTranslation } from 'react-i18next';
import { countryName } from '../../i18n/country-name.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Flag } from '../../ui/pictures/flag.tsx';
import classes from './server-chooser.module.css';

/** The country of the following servers. */
export function CountryHeading({ country, count }: { country: string | undefined; count: number }) {
  const { t } = useTranslation();
  const language = useLanguageTag();
  return (
    <div className={classes.country}>
      <Flag country={country} />
      <span className={classes.countryName}>
        {country === undefined ? t('servers.elsewhere') : countryName(country, language)}
      </span>
      <span className={classes.count} aria-hidden>
        {count}
      </span>
    </div>
  );
}
