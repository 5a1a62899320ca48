import { Button, Textarea } from '@mantine/core';
import { IconDeviceFloppy, IconMail, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { describedReport } from '#shared/described-report.ts';
import { maxReportDescription } from '#shared/host/contract.ts';
import { useApi } from '../../api/use-api.ts';
import { useApp, useHost } from '../../platform/host-context.tsx';
import { Card } from '../../ui/card.tsx';
import { CopyTextButton } from '../../ui/buttons/copy-text-button.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { PageTop } from '../../ui/pages/page-top.tsx';
import { showError, showSuccess } from '../../ui/messages/toast.ts';
import { useOneAtATime } from '../../ui/use-one-at-a-time.ts';
import { mailLink } from './mail-link.ts';
import classes from './problem-report.module.css';

/** A problem report: the user's description and the logs, shown before they are sent. */
export function ReportPage() {
  const { t } = useTranslation();
  const host = useHost();
  const { device } = useApp();
  const { data: info } = useApi('basicInfo');
  const [description, setDescription] = useState('');
  const once = useOneAtATime();
  const report = useQuery({
    queryKey: ['problem-report'],
    queryFn: () => host.problemReport.make(),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const address = info?.supportEmail;

  async function save(): Promise<boolean> {
    const outcome = await host.problemReport.save({ description }).catch(() => 'failed' as const);
    if (outcome === 'saved') showSuccess(t('report.saved'));
    if (outcome === 'failed') showError(t('report.saveFailed'));
    return outcome === 'saved';
  }

  async function send(to: string): Promise<void> {
    if (!(await save())) return;
    const subject = t('report.subject', { version: device.version });
    const link = mailLink({ to, subject, description, ending: t('report.attach') });
    const isOpened = await host.app.openExternal(link).catch(() => false);
    if (!isOpened) showError(t('report.mailFailed', { address: to }));
  }

  // Not `disabled` meanwhile: the button that was pressed would lose the focus.
  const act = (action: () => Promise<unknown>) => once((ended) => void action().finally(ended));

  return (
    <>
      <PageTop back={{ to: '/settings', title: 'section.settings' }}>
        <PageHeading lead={t('report.lead')}>{t('report.title')}</PageHeading>
      </PageTop>
      <Textarea
        label={t('report.description')}
        description={t('report.descriptionHint')}
        classNames={{ label: classes.label, description: classes.hint }}
        rows={3}
        maxLength={maxReportDescription}
        value={description}
        onChange={(event) => setDescription(event.currentTarget.value)}
      />
      <Contents report={report.data} failed={report.isError} refresh={() => void report.refetch()} />
      <div className={classes.send}>
        <div className={classes.actions}>
          {address !== undefined && (
            <Button
              leftSection={<IconMail size={18} aria-hidden />}
              disabled={!report.data}
              onClick={() => act(() => send(address))}
            >
              {t('report.send')}
            </Button>
          )}
          <Button
            variant={address === undefined ? 'filled' : 'default'}
            leftSection={<IconDeviceFloppy size={18} aria-hidden />}
            disabled={!report.data}
            onClick={() => act(save)}
          >
            {t('report.save')}
          </Button>
          {report.data && (
            <CopyTextButton
              text={describedReport(report.data, description)}
              label={t('report.copy')}
              labelOnceCopied={t('report.copied')}
            />
          )}
        </div>
        {address !== undefined && <p className={classes.hint}>{t('report.sendText', { address })}</p>}
      </div>
    </>
  );
}

interface ContentsProps {
  report: string | undefined;
  failed: boolean;
  refresh: () => void;
}

function Contents({ report, failed, refresh }: ContentsProps) {
  const { t } = useTranslation();
  const textId = useId();
  return (
    <Card
      title={t('report.contents')}
      aside={
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconRefresh size={16} aria-hidden />}
          onClick={refresh}
        >
          {t('report.refresh')}
        </Button>
      }
    >
      <p id={textId} className={classes.hint}>
        {t('report.contentsText')}
      </p>
      {failed && <Message tone="bad">{t('report.failed')}</Message>}
      {!failed && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrolled by keyboard (WCAG 2.1.1)
        <section className={classes.contents} tabIndex={0} aria-labelledby={textId} translate="no">
          {report === undefined ? (
            t('report.loading')
          ) : (
            <pre className={classes.text} lang="en">
              {report}
            </pre>
          )}
        </section>
      )}
    </Card>
  );
}
