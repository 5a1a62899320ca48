import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { Tag } from '../../ui/text/tag.tsx';
import { appChecks } from './app-checks.ts';
import { runCheck, type AppUnderTest, type CheckResult } from './check.ts';
import classes from './conformance.module.css';
import { pageChecks } from './page-checks.ts';
import { protocolChecks } from './protocol-checks.ts';
import { routingChecks } from './routing-checks.ts';
import { serverChecks } from './server-checks.ts';
import { storageChecks } from './storage-checks.ts';
import { tunnelChecks } from './tunnel-checks.ts';

const checks = [
  ...protocolChecks,
  ...appChecks,
  ...storageChecks,
  ...tunnelChecks,
  ...routingChecks,
  ...serverChecks,
  ...pageChecks,
];

const tones = { passed: 'good', failed: 'bad', skipped: 'plain' } as const;
const names = {
  passed: 'conformance.passed',
  failed: 'conformance.failed',
  skipped: 'conformance.skipped',
} as const;

/** Runs every rule of the host contract against the app around this page, one after the other. */
export function ConformancePage({ under }: { under: AppUnderTest }) {
  const { t } = useTranslation();
  const [results, setResults] = useState<readonly CheckResult[]>([]);
  const running = results.length < checks.length;

  useEffect(() => {
    let ended = false;
    const runAll = async () => {
      for (const check of checks) {
        const result = await runCheck(check, under);
        if (ended) return;
        setResults((known) => [...known, result]);
      }
    };
    void runAll();
    return () => {
      ended = true;
    };
  }, [under]);

  const count = (is: CheckResult['is']) => results.filter((result) => result.is === is).length;
  return (
    <>
      <PageHeading lead={t('conformance.lead')}>{t('conformance.title')}</PageHeading>
      <output className={classes.summary}>
        {running
          ? t('conformance.running', { done: results.length, total: checks.length })
          : t('conformance.summary', {
              passed: count('passed'),
              failed: count('failed'),
              skipped: count('skipped'),
            })}
      </output>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('conformance.rule')}</th>
            <th scope="col">{t('conformance.result')}</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check, index) => (
            <Row key={`${check.subject} ${check.rule}`} {...check} result={results[index]} />
          ))}
        </tbody>
      </table>
      <Button variant="default" loading={running} onClick={() => location.reload()}>
        {t('conformance.again')}
      </Button>
    </>
  );
}

interface RowProps {
  subject: string;
  rule: string;
  result: CheckResult | undefined;
}

function Row({ subject, rule, result }: RowProps) {
  const { t } = useTranslation();
  return (
    <tr>
      <th scope="row" lang="en" className={classes.rule}>
        <code>{subject}</code> {rule}
        {result && result.is !== 'passed' && <span className={classes.reason}>{result.reason}</span>}
      </th>
      <td>{result ? <Tag tone={tones[result.is]}>{t(names[result.is])}</Tag> : '…'}</td>
    </tr>
  );
}
