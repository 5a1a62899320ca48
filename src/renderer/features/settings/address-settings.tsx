import { useTranslation } from 'react-i18next';
import type { AddressChoice } from '#shared/host/contract.ts';
import { useApi } from '../../api/use-api.ts';
import { countryName } from '../../i18n/country-name.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { ListSetting } from './list-setting.tsx';
import { readPrefixes } from './read-prefixes.ts';
import { SelectSetting } from './select-setting.tsx';
import classes from './setting.module.css';
import { SwitchSetting } from './switch-setting.tsx';

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
  // One that was chosen stays on the page, whatever the service lists now.
  const all = [...new Set([...(listed.data?.items ?? []), ...countries])];
  const named = all
    .map((country) => ({ country, name: countryName(country.toUpperCase(), tag) }))
    .sort((one, other) => one.name.localeCompare(other.name, tag));
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
      {named.map(({ country, name }) => (
        <SwitchSetting
          key={country}
          label={name}
          explanation={t('routing.countryText', { country: name })}
          isOn={countries.includes(country)}
          onSwitch={(isOn) =>
            onChange({
              ...addresses,
              countries: isOn ? [...countries, country] : countries.filter((one) => one !== country),
            })
          }
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
