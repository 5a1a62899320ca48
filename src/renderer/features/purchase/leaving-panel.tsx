import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { TextKey } from '#shared/texts/texts.ts';
import { CenteredPanel } from '../../ui/pages/centered-panel.tsx';
import { LoadFailure } from '../../ui/loading/load-failure.tsx';
import { Message } from '../../ui/messages/message.tsx';
import { PageHeading } from '../../ui/pages/page-heading.tsx';
import { useLeaving, type LeavingTarget } from './use-leaving.ts';

interface LeavingPanelProps {
  texts: Record<'title' | 'opening' | 'outside' | 'open', TextKey>;
  /** Undefined until it is known. */
  target: LeavingTarget | undefined;
  /** Why it cannot be found out. */
  failure: string | undefined;
  onRetry: () => void;
}

/** A page whose only purpose is to redirect elsewhere. */
export function LeavingPanel({ texts, target, failure, onRetry }: LeavingPanelProps) {
  const { t } = useTranslation();
  const { outside, refused, leave } = useLeaving(target);
  const wrong = refused || failure !== undefined;
  return (
    <CenteredPanel>
      <PageHeading
        align="center"
        lead={wrong ? undefined : t(outside && target !== undefined ? texts.outside : texts.opening)}
      >
        {t(texts.title)}
      </PageHeading>
      {failure !== undefined && <LoadFailure text={failure} onRetry={onRetry} />}
      {refused && <Message tone="bad" title={t('purchase.refused')} />}
      {target !== undefined && !refused && (
        <Button size="md" variant={outside ? 'default' : 'filled'} onClick={leave}>
          {t(texts.open)}
        </Button>
      )}
    </CenteredPanel>
  );
}
