import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import type { TextKey } from '../../i18n/texts.ts';
import { Card } from '../../ui/card.tsx';
import type { RouteChoice } from './route-choice.ts';
import classes from './server-list.module.css';
import { useRouting } from './use-routing.ts';

const choices: readonly { choice: RouteChoice; name: TextKey; text: TextKey }[] = [
  { choice: 'global', name: 'routing.global', text: 'routing.globalText' },
  { choice: 'automatic', name: 'routing.automatic', text: 'routing.automaticText' },
];

/** Which traffic goes through the tunnel, where this app can tell traffic apart. */
export function RoutingChoice() {
  const { t } = useTranslation();
  const id = useId();
  const routing = useRouting();
  if (!routing) return null;
  return (
    <Card title={t('routing.title')}>
      <fieldset
        className={classes.group}
        disabled={routing.choice === undefined}
        aria-label={t('routing.title')}
        aria-busy={routing.busy}
      >
        {choices.map(({ choice, name, text }) => (
          <label key={choice} className={classes.server}>
            <input
              type="radio"
              name="routing"
              className={classes.radio}
              checked={routing.choice === choice}
              aria-labelledby={`${id}-${choice}`}
              aria-describedby={`${id}-${choice}-text`}
              onChange={() => void routing.choose(choice)}
            />
            <span className={classes.name}>
              <span id={`${id}-${choice}`}>{t(name)}</span>
              <span id={`${id}-${choice}-text`} className={classes.domain}>
                {t(text)}
              </span>
            </span>
          </label>
        ))}
      </fieldset>
    </Card>
  );
}
