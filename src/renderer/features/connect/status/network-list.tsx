import { useTranslation } from 'react-i18next';
import classes from './connection-facts.module.css';

interface NetworkListProps {
  /** All of them, or the first. */
  prefixes: readonly string[];
  /** How many there are. */
  networks: number;
}

/** The networks by their prefixes, and how many more there are. */
export function NetworkList({ prefixes, networks }: NetworkListProps) {
  const { t } = useTranslation();
  const more = networks - prefixes.length;
  return (
    <ul role="list" className={classes.networks}>
      {prefixes.map((prefix) => (
        <li key={prefix}>{prefix}</li>
      ))}
      {more > 0 && <li>{t('connect.moreNetworks', { count: more })}</li>}
    </ul>
  );
}
