import { IconWorld } from '@tabler/icons-react';
import classes from './flag.module.css';

/** The flags' addresses by country code: a browser only loads those that it shows. */
const files: Record<string, string> = import.meta.glob(
  '../../../../node_modules/country-flag-icons/3x2/*.svg',
  {
    query: '?url',
    import: 'default',
    eager: true,
  },
);
const flags = new Map(
  Object.entries(files).map(([file, address]) => [/(\w+)\.svg$/.exec(file)?.[1] ?? '', address]),
);

/** A country's flag, or a globe. Text beside it says the same. */
export function Flag({ country }: { country: string | undefined }) {
  const address = country === undefined ? undefined : flags.get(country);
  return (
    <span className={classes.flag} data-shown={address !== undefined || undefined}>
      {address === undefined ? (
        <IconWorld size={20} stroke={1.8} aria-hidden />
      ) : (
        <img src={address} alt="" width={24} height={16} decoding="async" />
      )}
    </span>
  );
}
