import { Skeleton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import classes from './placeholder.module.css';

/** Placeholder for lines of text that are being loaded. */
export function Placeholder({ lines }: { lines: number }) {
  const { t } = useTranslation();
  return (
    <output className={classes.placeholder} aria-label={t('shell.loading')}>
      <PlaceholderLines lines={lines} />
    </output>
  );
}

/** Only the lines; the last one is shorter. */
export function PlaceholderLines({ lines }: { lines: number }) {
  return Array.from({ length: lines }, (_, line) => (
    <Skeleton key={line} height={18} radius={6} width={line === lines - 1 ? '60%' : '100%'} />
  ));
}
