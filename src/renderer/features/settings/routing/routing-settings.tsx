import { useTranslation } from 'react-i18next';
import type { Preferences } from '#shared/host/preferences.ts';
import { automaticMode } from '#shared/tunnel/route-config.ts';
import type { TextKey } from '#shared/texts/texts.ts';
import { useApp } from '../../../platform/host-context.tsx';
import { Card } from '../../../ui/card.tsx';
import { Choice } from '../../../ui/forms/choice.tsx';
import { AddressSettings } from './address-settings.tsx';
import { ProgramSettings } from './program-settings.tsx';
import { DomainSettings } from './domain-settings.tsx';
import classes from './routing-settings.module.css';
import { usePreferences } from '../../preferences/use-preferences.ts';

const choices: readonly { choice: Preferences['routing']; name: TextKey; text: TextKey }[] = [
  { choice: 'global', name: 'routing.global', text: 'routing.globalText' },
  { choice: 'automatic', name: 'routing.automatic', text: 'routing.automaticText' },
  { choice: 'app', name: 'routing.app', text: 'routing.appText' },
  { choice: 'address', name: 'routing.address', text: 'routing.addressText' },
];

/** Which traffic goes through the tunnel, if this app can distinguish traffic. */
export function RoutingSettings() {
  const { t } = useTranslation();
  const automatic = automaticMode(useApp().routingModes);
  const { preferences, busy, change } = usePreferences();
  if (automatic === undefined) return null;
  const addresses = preferences?.addresses;
  const programs = preferences?.apps;
  const lacking = [...(programs ? [] : ['app']), ...(addresses ? [] : ['address'])];
  const offered = choices.filter(({ choice }) => !lacking.includes(choice));
  const domains = preferences?.domains;
  return (
    <Card title={t('routing.title')}>
      <fieldset
        className={classes.choices}
        disabled={preferences === undefined}
        aria-label={t('routing.title')}
        aria-busy={busy}
      >
        {offered.map(({ choice, name, text }) => (
          <Choice
            key={choice}
            name="routing"
            checked={preferences?.routing === choice}
            onChoose={() => void change({ routing: choice })}
            title={t(name)}
            text={t(text)}
          />
        ))}
      </fieldset>
      {programs && preferences.routing === 'app' && (
        <ProgramSettings programs={programs} onChange={(chosen) => void change({ apps: chosen })} />
      )}
      {domains && preferences.routing === 'automatic' && (
        <DomainSettings domains={domains} onChange={(chosen) => void change({ domains: chosen })} />
      )}
      {addresses && preferences.routing === 'address' && (
        <AddressSettings addresses={addresses} onChange={(chosen) => void change({ addresses: chosen })} />
      )}
    </Card>
  );
}
