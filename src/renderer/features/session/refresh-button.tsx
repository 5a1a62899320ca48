import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { refreshAccount } from '../../api/account-answers.ts';
import { showError, showSuccess } from '../../ui/messages/toast.ts';

/** Asks the service for the plan and everything that belongs to it, without waiting until stored answers are old. */
export function RefreshButton() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const [isRefreshing, setIsRefreshing] = useState(false);

  const refresh = async () => {
    setIsRefreshing(true);
    try {
      await refreshAccount(queries);
      showSuccess(t('account.refreshed'));
    } catch {
      showError(t('account.refreshFailed'));
    } finally {
      setIsRefreshing(false);
    }
  };
  return (
    <Button
      variant="default"
      size="sm"
      leftSection={<IconRefresh size={16} aria-hidden />}
      loading={isRefreshing}
      onClick={() => void refresh()}
    >
      {t('account.refresh')}
    </Button>
  );
}
