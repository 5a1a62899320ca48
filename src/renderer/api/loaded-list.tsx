import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { leaveFocus } from '../ui/focus/leave-focus.ts';
import { errorText } from './api-failure.ts';
import { List } from '../ui/lists/list.tsx';
import { ListPlaceholder } from '../ui/lists/list-placeholder.tsx';
import { LoadFailure } from '../ui/loading/load-failure.tsx';

interface LoadedListProps<Item> {
  /** A call whose answer has items. */
  query: {
    data: { items: Item[] } | undefined;
    error: Error | null;
    refetch: () => Promise<unknown>;
    /** Loads more items, if there are more. */
    more?: { load: () => void; busy: boolean } | undefined;
  };
  label: string;
  /** Shown instead of an empty list. */
  empty: ReactNode;
  children: (item: Item) => ReactNode;
}

/** The items of a call, or why there are none: loading, empty, or failed. */
export function LoadedList<Item>({ query, label, empty, children }: LoadedListProps<Item>) {
  const { t } = useTranslation();
  const { data, error, refetch, more } = query;
  if (data) {
    if (data.items.length === 0) return empty;
    return (
      <>
        <List label={label}>{data.items.map(children)}</List>
        {more && (
          <Button ref={leaveFocus} variant="default" loading={more.busy} onClick={more.load}>
            {t('list.more')}
          </Button>
        )}
      </>
    );
  }
  return error ? (
    <LoadFailure text={errorText(error, t)} onRetry={() => void refetch()} />
  ) : (
    <ListPlaceholder />
  );
}
