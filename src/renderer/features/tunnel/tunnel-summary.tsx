import { IconChevronRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { useTunnelView } from './tunnel-context.tsx';
import { lookOf } from '#shared/tunnel/look.ts';
import { shownState } from './tunnel-store.ts';
import classes from './tunnel-summary.module.css';
import { statusText } from '#shared/texts/tunnel-texts.ts';
import { Link } from '../../ui/text/link.tsx';

/** One line about the tunnel, with a link to its page. */
export function TunnelSummary() {
  const { t } = useTranslation();
  const state = shownState(useTunnelView());
  return (
    <Link to="/vpn" className={classes.summary} data-look={lookOf(state)}>
      <span className={classes.dot} aria-hidden />
      <span className={classes.word}>{t(statusText(state))}</span>
      <IconChevronRight size={18} aria-hidden />
    </Link>
  );
}
