import { useCallbackRef } from '@mantine/hooks';
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  useDeferredValue,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import type { KeptServers } from '#shared/host/contract.ts';
import type { ListedServer } from '#shared/plan/usable-group.ts';
import { useApi } from '../../api/use-api.ts';
import dialogList from '../../ui/dialogs/dialog-list.module.css';
import { isForInputMethod } from '../../ui/forms/is-for-input-method.ts';
import { useUser } from '../session/use-user.ts';
import { ChooserField } from './chooser-field.tsx';
import { lackOfPlan } from './lack-of-plan.ts';
import classes from './server-chooser.module.css';
import { ServerLine } from './server-line.tsx';
import { isOption, type ServerRow } from './server-rows.ts';
import { useFewAtATime } from './use-few-at-a-time.ts';
import type { Latencies } from './use-latencies.ts';

interface ServerListboxProps {
  /** Whether it has rows: the dialog should not wait for these. */
  isListed: boolean;
  /** Whether it shows what its keys do; screen readers always announce it. */
  showsKeys: boolean;
  rows: readonly ServerRow[];
  usable: readonly ServerGroup[];
  chosen: ListedServer | undefined;
  query: string;
  latencies: Latencies;
  isMeasuring: boolean;
  kept: KeptServers;
  /** Undefined if the app keeps no favourites. */
  setFavourite: ((serverId: string, isFavourite: boolean) => void) | undefined;
  onQuery: (query: string) => void;
  onChoose: (server: ListedServer) => void;
  onFastest: () => void;
}

/** Estimated heights in pixels, until a row is measured. */
const estimated = { fastest: 60, kept: 42, group: 44, country: 46, server: 60 } as const;
/** How many rows outside the view are drawn; each costs time in the frame that shows or scrolls the list. */
const overscan = 2;
const pageOfOptions = 8;
const rowsBefore = 2;
/** In the smallest window: the first rows need no scrolling. */
const rowsInView = 7;

/**
 * The search field and the list below it, of which only the visible part is in the page: a combobox whose grid is
 * always open (WAI-ARIA Authoring Practices, "Combobox"). Each row has one cell to choose it and one to mark it.
 * Mantine's own does not announce the active option during typing, and its options take several times as long to draw.
 */
export const ServerListbox = memo(function ServerListbox(props: ServerListboxProps) {
  const { isListed, rows, usable, chosen, query, latencies, isMeasuring, kept, setFavourite } = props;
  const { t } = useTranslation();
  const { data: user } = useUser();
  const { data: service } = useApi('myService');
  const id = useId();
  const scrolled = useRef<HTMLDivElement>(null);
  const options = useMemo(() => rows.filter(isOption), [rows]);
  const optionIndexes = useMemo(
    () => new Map<ServerRow, number>(options.map((row, index) => [row, index])),
    [options],
  );
  const isOfChosen = (row: ServerRow) => row.kind === 'server' && row.server.serverId === chosen?.serverId;
  const chosenIndex = options.findIndex(isOfChosen);
  /** The row that the keyboard has moved to: rows appear and disappear before it when servers are marked. */
  const [moved, setMoved] = useState<{ key: string | undefined; index: number }>();
  /** Whether the keyboard is at the active row's star. */
  const [isAtStar, setAtStar] = useState(false);
  const movedIndex = moved && options.findIndex(({ key }) => key === moved.key);
  const wanted = moved && movedIndex !== undefined && movedIndex < 0 ? moved.index : movedIndex;
  const active = Math.min(wanted ?? Math.max(chosenIndex, 0), options.length - 1);

  const lackOf = (group: ServerGroup) =>
    service && !usable.includes(group) ? lackOfPlan(group, service, user) : undefined;
  const optionId = (index: number) => `${id}-option-${index}`;
  const starId = (index: number) => `${id}-star-${index}`;
  const activeOption = options[active];
  /** The active row's server, if it has a star. */
  const starred = setFavourite && activeOption?.kind === 'server' ? activeOption.server.serverId : undefined;
  const isStarActive = isAtStar && starred !== undefined;
  const activeRow = activeOption ? rows.indexOf(activeOption) : -1;
  // oxlint-disable-next-line react/incompatible-library -- nothing of it is handed on to other components
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scrolled.current,
    estimateSize: (index) => estimated[rows[index]?.kind ?? 'server'],
    getItemKey: (index) => rows[index]?.key ?? index,
    // Measuring each row as it appears would force a layout each time, so its height is reported a moment later.
    measureElement(element, entry, instance) {
      const height = entry?.borderBoxSize[0]?.blockSize;
      if (height !== undefined) return Math.round(height);
      const index = instance.indexFromElement(element);
      return instance.measurementsCache[index]?.size ?? estimated.server;
    },
    overscan,
    // With the active row, which the field refers to, even if the pointer has scrolled it out of view.
    rangeExtractor(range) {
      const inRange = defaultRangeExtractor(range);
      if (activeRow < 0 || inRange.includes(activeRow)) return inRange;
      return [...inRange, activeRow].toSorted((one, other) => one - other);
    },
    useFlushSync: false,
  });
  // With the chosen row in view, and some of the rows before it.
  const showChosen = useEffectEvent(() => {
    const chosenRow = rows.findIndex(isOfChosen);
    const before = chosenRow < rowsInView ? [] : rows.slice(0, chosenRow - rowsBefore);
    virtualizer.scrollToOffset(before.reduce((sum, { kind }) => sum + estimated[kind], 0));
  });
  useLayoutEffect(() => {
    if (isListed) showChosen();
  }, [isListed]);

  function move(to: number): void {
    const index = Math.max(0, Math.min(to, options.length - 1));
    const option = options[index];
    if (!option) return;
    setMoved({ key: option.key, index });
    setAtStar(false);
    virtualizer.scrollToIndex(index === 0 ? 0 : rows.indexOf(option));
  }

  function submit(index: number): void {
    const option = options[index];
    if (option?.kind === 'fastest') props.onFastest();
    else if (option && !lackOf(option.server.group)) props.onChoose(option.server);
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isForInputMethod(event)) return;
    const field = event.currentTarget as HTMLInputElement;
    // At the end of the typed text, the arrow key moves on into the row (APG, "Editable Combobox With Grid Popup").
    const isAtEnd = field.selectionStart === field.value.length && field.selectionEnd === field.value.length;
    const isPlain = !event.shiftKey && !event.ctrlKey && !event.altKey && !event.metaKey;
    if (isPlain && event.key === 'ArrowRight' && isAtEnd && starred !== undefined && !isStarActive) {
      setAtStar(true);
      event.preventDefault();
      return;
    }
    if (isPlain && event.key === 'ArrowLeft' && isStarActive) {
      setAtStar(false);
      event.preventDefault();
      return;
    }
    const to = new Map([
      ['ArrowDown', active + 1],
      ['ArrowUp', active - 1],
      ['PageDown', active + pageOfOptions],
      ['PageUp', active - pageOfOptions],
    ]).get(event.key);
    if (to !== undefined) move(to);
    else if (event.key === 'Enter' && isStarActive) {
      setMoved({ key: activeOption?.key, index: active });
      setFavourite?.(starred, !kept.favourites.includes(starred));
    } else if (event.key === 'Enter') submit(active);
    else return;
    event.preventDefault();
  }

  // Stable functions: the field and the rows are only drawn again if they have changed.
  const onSubmit = useCallbackRef(submit);
  const onKey = useCallbackRef(onKeyDown);
  const onSearch = useCallbackRef((text: string) => {
    props.onQuery(text);
    setMoved({ key: undefined, index: 0 });
    setAtStar(false);
    virtualizer.scrollToOffset(0);
  });
  const onFavourite = useCallbackRef((serverId: string, isFavourite: boolean) =>
    setFavourite?.(serverId, isFavourite),
  );

  const inView = isListed ? virtualizer.getVirtualItems() : [];
  const isDrawn = useFewAtATime(inView.map(({ key }) => key));
  const linesNow = inView.map(({ index, key, start }) => {
    const row = rows[index];
    if (!row || !isDrawn(key)) return null;
    const optionIndex = optionIndexes.get(row) ?? -1;
    const server = row.kind === 'server' ? row.server : undefined;
    const group = row.kind === 'group' ? row.group : server?.group;
    const lack = group && lackOf(group);
    return (
      <div
        key={key}
        ref={virtualizer.measureElement}
        data-index={index}
        role="presentation"
        className={classes.row}
        style={{ transform: `translateY(${start}px)` }}
      >
        <ServerLine
          t={t}
          row={row}
          index={optionIndex}
          ids={id}
          isActive={optionIndex === active}
          isStarActive={isStarActive && optionIndex === active}
          isChosen={isOfChosen(row)}
          isMeasuring={row.kind === 'fastest' && isMeasuring}
          isFavourite={server && setFavourite ? kept.favourites.includes(server.serverId) : undefined}
          lackTag={lack?.tag}
          lackText={lack?.text}
          latency={server && latencies.get(server.serverId)}
          onSubmit={onSubmit}
          onFavourite={onFavourite}
        />
      </div>
    );
  });
  // In slices: drawing dozens of rows at once would cause a visible delay.
  const lines = useDeferredValue<ReactNode>(linesNow, null);

  return (
    <>
      <ChooserField
        grid={`${id}-list`}
        active={active < 0 ? undefined : isStarActive ? starId(active) : optionId(active)}
        hasStars={setFavourite !== undefined}
        showsKeys={props.showsKeys}
        query={query}
        onKeyDown={onKey}
        onSearch={onSearch}
      />
      <p
        className={dialogList.found}
        data-none={(query !== '' && options.length === 0) || undefined}
        aria-live="polite"
      >
        {query !== '' &&
          (options.length === 0 ? t('servers.noneFound') : t('servers.found', { count: options.length }))}
      </p>
      {/* oxlint-disable-next-line jsx-a11y/interactive-supports-focus -- the field above has focus and keys, and says which cell is active */}
      <div
        ref={scrolled}
        id={`${id}-list`}
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the browser's own has texts alone
        role="grid"
        aria-rowcount={options.length}
        aria-label={t('servers.title')}
        className={`${dialogList.scrolled} ${classes.listed}`}
        onMouseDown={(event) => event.preventDefault()}
      >
        <div role="presentation" className={classes.rows} style={{ height: virtualizer.getTotalSize() }}>
          {lines}
        </div>
      </div>
    </>
  );
});
