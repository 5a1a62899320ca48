import { Alert } from '@mantine/core';
import { IconAlertCircle, IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './message.module.css';
import type { Tone } from '../theme/theme.ts';

const kinds = {
  info: { icon: IconInfoCircle, color: 'plain' },
  warn: { icon: IconAlertTriangle, color: 'warn' },
  bad: { icon: IconAlertCircle, color: 'bad' },
} satisfies Record<string, { icon: typeof IconInfoCircle; color: Tone }>;

interface MessageProps {
  tone: keyof typeof kinds;
  title?: string;
  children?: ReactNode;
  action?: ReactNode;
  /** The user has read and dismissed it. */
  onClose?: () => void;
}

/**
 * Something the user should know, in the page. A failure is announced at once; anything else once there is a pause, but
 * only if its region exists before its text.
 */
export function Message({ tone, title, children, action, onClose }: MessageProps) {
  const { t } = useTranslation();
  const { icon: Icon, color } = kinds[tone];
  const isFailure = tone === 'bad';
  const [isSaid, setSaid] = useState(isFailure);
  useEffect(() => {
    const timer = setTimeout(() => setSaid(true));
    return () => clearTimeout(timer);
  }, []);
  return (
    <Alert
      classNames={{
        root: classes.message,
        icon: classes.icon,
        body: classes.body,
        message: classes.body,
        closeButton: classes.close,
      }}
      color={color}
      icon={<Icon size={20} aria-hidden />}
      {...(onClose && { withCloseButton: true, closeButtonLabel: t('shell.notificationClose'), onClose })}
      role={isFailure ? 'alert' : 'status'}
      data-coming={!isSaid || undefined}
    >
      {title && <p className={classes.title}>{title}</p>}
      {children && <p className={classes.text}>{children}</p>}
      {action && <div className={classes.action}>{action}</div>}
    </Alert>
  );
}
