import { Button, VisuallyHidden } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { IconGauge } from '@tabler/icons-react';
import { memo, startTransition, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ServerGroup } from '#shared/entities.ts';
import type { KeptServers } from '#shared/host/contract.ts';
import { fasterServer, fastestServer } from '#shared/servers/fastest-server.ts';
import { listServers, type ListedServer } from '#shared/plan/usable-group.ts';
import { useLanguageTag } from '../../i18n/language-context.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';
import { showError, showSuccess } from '../../ui/messages/toast.ts';
import { ShopButton } from '../purchase/shop-button.tsx';
import classes from './server-chooser.module.css';
import { ServerListbox } from './server-listbox.tsx';
import { serverRows } from './server-rows.ts';
import { TrialAnnouncement } from './trial-announcement.tsx';
import type { LatencyMeasurement } from './use-latencies.ts';

interface ServerChooserProps {
  /** Undefined before it is opened: everything except its rows is already drawn then, invisibly. */
  openedBy: 'keyboard' | 'pointer' | undefined;
  groups: readonly ServerGroup[];
  usable: readonly ServerGroup[];
  chosen: ListedServer | undefined;
  /** That of the user's own tunnel that is up. */
  inUse: ListedServer | undefined;
  kept: KeptServers;
  /** Undefined if the app keeps no favourites. */
  setFavourite: ((serverId: string, isFavourite: boolean) => void) | undefined;
  measurement: LatencyMeasurement;
  onChoose: (server: ListedServer) => void;
  onClose: () => void;
}

/** All servers, for searching and choosing one. */
export function ServerChooser(props: ServerChooserProps) {
  const { openedBy, groups, usable, chosen, inUse, kept, measurement, onChoose, onClose } = props;
  const { latencies, isMeasuring, measure, directMs } = measurement;
  const { t } = useTranslation();
  const isOpen = openedBy !== undefined;
  const [isListed, setListed] = useState(false);
  useEffect(() => {
    if (!isOpen) return undefined;
    // The field first, in a frame of its own: the rows follow once that is painted.
    const frame = requestAnimationFrame(() => startTransition(() => setListed(true)));
    return () => cancelAnimationFrame(frame);
  }, [isOpen]);
  const language = useLanguageTag();
  // On a phone, the keyboard would hide the list before anybody has seen it.
  const isTouched = openedBy === 'pointer' && matchMedia('(pointer: coarse)').matches;
  const [query, setQuery] = useState('');
  const [hasMeasured, setHasMeasured] = useState(false);
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);
  const servers = useMemo(() => listServers(usable), [usable]);
  // Immediately: Enter uses what has just been typed.
  const hasFastest = measure !== undefined && servers.length > 1;
  const rows = useMemo(
    () => serverRows({ groups, query, language, kept, hasFastest }),
    [groups, query, language, kept, hasFastest],
  );

  async function measured() {
    setHasMeasured(false);
    const result = await measure?.();
    if (!isThere.current || !result) return undefined;
    if (result.outcome === 'blocked') showError(t('servers.measureBlocked'));
    else if (result.outcome === 'busy') showError(t('servers.measureBusy'));
    else if (result.latencies.every(({ milliseconds }) => milliseconds === null)) {
      showError(t('servers.noneAnswered'));
    } else {
      setHasMeasured(true);
      return result.latencies;
    }
    return undefined;
  }

  async function chooseFastest(): Promise<void> {
    const found = await measured();
    if (!found) return;
    if (!inUse) {
      const fastest = fastestServer(servers, found);
      if (fastest) onChoose(fastest);
      else showError(t('servers.noneProven'));
      return;
    }
    const faster = fasterServer(inUse, servers, found, directMs());
    switch (faster.outcome) {
      case 'faster':
        return onChoose(faster.server);
      case 'stays':
        onChoose(inUse);
        return showSuccess(t('servers.fastestInUse'));
      case 'unknown':
        return showError(t('servers.fastestUnknown', { server: inUse.name }));
      default:
        return faster satisfies never;
    }
  }

  const onFastest = useCallbackRef(() => void chooseFastest());
  const onMeasure = useCallbackRef(() => void measured());
  return (
    <Dialog
      title={t('servers.title')}
      isOpen={isOpen}
      opensLater={openedBy === 'pointer'}
      onClose={onClose}
      focus={isTouched ? 'title' : 'first'}
      isTall
    >
      <ServerListbox
        isListed={isListed}
        showsKeys={openedBy === 'keyboard'}
        rows={rows}
        usable={usable}
        chosen={chosen}
        query={query}
        latencies={latencies}
        isMeasuring={isMeasuring}
        kept={kept}
        setFavourite={props.setFavourite}
        onQuery={setQuery}
        onChoose={onChoose}
        onFastest={onFastest}
      />
      {[...latencies.values()].some(({ throughTunnel }) => throughTunnel) && (
        <p className={classes.note}>{t('servers.throughTunnel')}</p>
      )}
      <VisuallyHidden aria-live="polite">
        {isMeasuring ? t('servers.measuring') : hasMeasured && t('servers.measured')}
      </VisuallyHidden>
      {/* Not beside the countdown: a grid has rows alone. The page's own is inert while this is open. */}
      {isOpen && <TrialAnnouncement group={chosen?.group} />}
      <ChooserActions
        isMeasuring={isMeasuring}
        onMeasure={measure && onMeasure}
        needsPlan={usable.length < groups.length}
        onClose={onClose}
      />
    </Dialog>
  );
}

interface ChooserActionsProps {
  isMeasuring: boolean;
  /** Undefined if the app cannot measure. */
  onMeasure: (() => void) | undefined;
  needsPlan: boolean;
  onClose: () => void;
}

const ChooserActions = memo(function ChooserActions(props: ChooserActionsProps) {
  const { isMeasuring, onMeasure, needsPlan, onClose } = props;
  const { t } = useTranslation();
  return (
    <div className={classes.actions}>
      {onMeasure && (
        <Button
          variant="subtle"
          size="md"
          className={classes.measure}
          leftSection={<IconGauge size={20} aria-hidden />}
          // Never `disabled`, because it would lose the focus; what is measured already is not measured again.
          data-disabled={isMeasuring || undefined}
          aria-disabled={isMeasuring || undefined}
          onClick={onMeasure}
        >
          {t(isMeasuring ? 'servers.measuring' : 'servers.measure')}
        </Button>
      )}
      {needsPlan && <ShopButton size="md" />}
      <Button variant="default" size="md" onClick={onClose}>
        {t('servers.close')}
      </Button>
    </div>
  );
});
