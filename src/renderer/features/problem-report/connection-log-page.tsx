import { Button } from '@mantine/core';
import { IconHistory, IconTrash } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { eventLine, eventText } from '#shared/texts/connection-log-texts.ts';
import type { ConnectionEvent } from '#shared/tunnel/connection-log.ts';
import { formatDate, formatDay, formatTime } from '../../i18n/format.ts';
import { useHost } from '../../platform/host-context.tsx';
import { ConfirmDialog } from '../../ui/dialogs/confirm-dialog.tsx';
import { CopyTextButton } from '../../ui/buttons/copy-text-button.tsx';
import { Empty } from '../../ui/lists/empty.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { useNow } from '../../ui/time/use-now.ts';
import { showError, showSuccess } from '../../ui/messages/toast.ts';
import { logDays, type LogDay } from './log-days.ts';
import classes from './problem-report.module.css';
import { useConnectionLog } from './use-connection-log.ts';

/** What happened to the connection, by day, newest first. */
export function ConnectionLogPage() {
  const { t } = useTranslation();
  const entries = useConnectionLog();
  const days = entries && logDays(entries);
  return (
    <>
      <PageTop
        back={{ to: '/settings', title: 'section.settings' }}
        action={days && days.length > 0 && <Actions days={days} />}
      >
        <PageHeading lead={t('connectionLog.lead')}>{t('connectionLog.title')}</PageHeading>
      </PageTop>
      {days?.length === 0 && (
        <Empty icon={<IconHistory />} title={t('connectionLog.empty')} text={t('connectionLog.emptyText')} />
      )}
      {days?.map((day) => (
        <DaySection key={day.name} day={day} />
      ))}
    </>
  );
}

function DaySection({ day }: { day: LogDay }) {
  const { t, i18n } = useTranslation();
  const title = formatDay(new Date(day.name), new Date(useNow(60)), i18n.language);
  return (
    <section aria-label={title}>
      <h2 className={classes.day}>{title}</h2>
      <ol role="list" className={classes.events}>
        {day.entries.map(({ key, at, event }) => {
          const { text, tone } = eventText(event);
          return (
            <li key={key} className={classes.event}>
              <time className={classes.time} dateTime={new Date(at).toISOString()}>
                {formatTime(new Date(at), i18n.language)}
              </time>
              <span className={classes.mark} data-tone={tone} aria-hidden />
              <div>
                <p>{eventTitle(event, t)}</p>
                {text && <p className={classes.meaning}>{t(text)}</p>}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Actions({ days }: { days: readonly LogDay[] }) {
  const { t } = useTranslation();
  const host = useHost();
  const text = useLogText(days);
  const [isAsking, setAsking] = useState(false);

  async function clear() {
    setAsking(false);
    const isCleared = await host.connectionLog.clear().catch(() => false);
    if (isCleared) showSuccess(t('connectionLog.cleared'));
    else showError(t('error.clear'));
  }

  return (
    <div className={classes.actions}>
      <CopyTextButton
        text={text}
        label={t('connectionLog.copy')}
        labelOnceCopied={t('connectionLog.copied')}
      />
      <Button
        variant="default"
        leftSection={<IconTrash size={18} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        {t('connectionLog.clear')}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t('connectionLog.clearTitle')}
          text={t('connectionLog.clearText')}
          confirm={t('connectionLog.clear')}
          busy={false}
          onConfirm={() => void clear()}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  );
}

const eventTitle = (event: ConnectionEvent, t: TFunction): string =>
  event.kind === 'connected'
    ? t('connectionLog.connected', { server: event.server })
    : t(eventText(event).title);

function lineOf(event: ConnectionEvent, t: TFunction): string {
  const { text } = eventText(event);
  return eventLine(eventTitle(event, t), text && t(text));
}

/** The text on the page, for a mail. */
function useLogText(days: readonly LogDay[]): string {
  const { t, i18n } = useTranslation();
  return days
    .flatMap((day) => [
      formatDate(new Date(day.name), i18n.language),
      ...day.entries.map(({ at, event }) => `${formatTime(new Date(at), i18n.language)} ${lineOf(event, t)}`),
      '',
    ])
    .join('\n');
}
