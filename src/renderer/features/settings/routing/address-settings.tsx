import { VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AddressChoice } from '#shared/host/preferences.ts';
import { useApi } from '../../../api/use-api.ts';
import { countryName } from '../../../i18n/country-name.ts';
import { useLanguageTag } from '../../../i18n/language-context.tsx';
import { SearchField } from '../../../ui/forms/search-field.tsx';
import { needsSearch, visibleCountries } from './country-rows.ts';
import { ListSetting } from '../list-setting.tsx';
import { readPrefixes } from './read-prefixes.ts';
import { SelectSetting } from '../select-setting.tsx';
import { SettingRow } from '../setting-row.tsx';
import classes from '../setting.module.css';
import { SwitchSetting } from '../switch-setting.tsx';

interface AddressSettingsProps {
  addresses: AddressChoice;
  onChange: (addresses: AddressChoice) => void;
}

/** Which addresses go through the tunnel, or around it. */
export function AddressSettings({ addresses, onChange }: AddressSettingsProps) {
  const { t } = useTranslation();
  const tag = useLanguageTag();
  const listed = useApi('ipv4Countries');
  const { policy, countries, prefixes } = addresses;
  // A chosen country stays on the page, even if the service no longer lists it.
  const all = [...new Set([...(listed.data?.items ?? []), ...countries])];
  const named = all
    .map((country) => ({ country, name: countryName(country.toUpperCase(), tag) }))
    .sort((one, other) => one.name.localeCompare(other.name, tag));
  const [query, setQuery] = useState('');
  /** A country that is deselected keeps its place as long as the page is shown. */
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set(countries));
  const isSearched = needsSearch(named);
  const visible = visibleCountries(named, new Set([...kept, ...countries]), query);
  const found = visibleCountries(named, new Set(), query).length;

  function switchCountry(country: string, isOn: boolean): void {
    setKept(new Set([...kept, country]));
    onChange({
      ...addresses,
      countries: isOn ? [...countries, country] : countries.filter((one) => one !== country),
    });
  }

  return (
    <div className={classes.settings}>
      <SelectSetting
        label={t('routing.policy')}
        explanation={t('routing.policyText')}
        value={policy}
        options={[
          { value: 'include', label: t('routing.include') },
          { value: 'exclude', label: t('routing.exclude') },
        ]}
        onSelect={(chosen) => onChange({ ...addresses, policy: chosen })}
      />
      {isSearched && (
        <div className={classes.setting}>
          <SettingRow label={t('routing.countries')} explanation={t('routing.countriesText')}>
            {(ids) => (
              <SearchField
                {...ids}
                className={classes.field}
                placeholder={t('routing.countriesSearch')}
                value={query}
                onSearch={setQuery}
              />
            )}
          </SettingRow>
          <p className={classes.found} aria-live="polite">
            {query.trim() !== '' &&
              (found === 0 ? (
                t('routing.countriesNoneFound')
              ) : (
                // Sighted users see them below the chosen ones.
                <VisuallyHidden>{t('routing.appsFound', { count: found })}</VisuallyHidden>
              ))}
          </p>
        </div>
      )}
      {visible.map(({ country, name }) => (
        <SwitchSetting
          key={country}
          label={name}
          explanation={isSearched ? undefined : t('routing.countryText', { country: name })}
          isOn={countries.includes(country)}
          onSwitch={(isOn) => switchCountry(country, isOn)}
        />
      ))}
      <ListSetting
        label={t('routing.prefixes')}
        explanation={t('routing.prefixesText')}
        hint={t('routing.prefixesHint')}
        invalid={t('routing.prefixesInvalid')}
        entries={prefixes}
        maxLength={20_000}
        read={readPrefixes}
        onChange={(chosen) => onChange({ ...addresses, prefixes: chosen })}
      />
    </div>
  );
}
