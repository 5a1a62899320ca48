import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { apiCode } from '#shared/api/result.ts';
import { useApiMutation } from '../../api/use-api-mutation.ts';
import { useHost } from '../../platform/host-context.tsx';
import { storageKeys } from '../../platform/storage/storage-keys.ts';
import { payAddress } from '../payment/pay-address.ts';
import { knowsSeats, payPath } from '../payment/payment-paths.ts';
import type { Buyer } from './use-buyer.ts';
import { refusalCode } from '../../api/api-failure.ts';

interface Purchase {
  productId: string;
  quantity: number;
}

/** Places an order, and continues to its payment. `onVisitOver`: the visit from an app is no longer valid. */
export function useOrdering(onVisitOver: () => void) {
  const host = useHost();
  const navigate = useNavigate();
  const forGuest = useApiMutation('createGuestOrder');
  const forAccount = useApiMutation('createOrder', { changes: ['orders'] });
  const forVisit = useApiMutation('createVisitOrder');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const [refused, setRefused] = useState(false);

  async function send(purchase: Purchase, buyer: Buyer, email: string): Promise<void> {
    switch (buyer.kind) {
      case 'guest': {
        const { orderId } = await forGuest.mutateAsync({ body: { ...purchase, email } });
        // The following sign-in need not ask for it again.
        await host.storage.set({ key: storageKeys.lastEmail, value: email });
        return navigate(payPath(orderId));
      }
      case 'account': {
        const { orderId } = await forAccount.mutateAsync({ body: purchase });
        return navigate(payPath(orderId), { state: knowsSeats });
      }
      case 'visit': {
        const { payUrl } = await forVisit.mutateAsync({ body: { ...purchase, visit: buyer.visit } });
        const address = payAddress(payUrl, [location.origin]);
        if (address === undefined) setRefused(true);
        else location.assign(address);
        return undefined;
      }
      default:
        return buyer satisfies never;
    }
  }

  async function order(purchase: Purchase, buyer: Buyer, email: string): Promise<void> {
    setBusy(true);
    setError(undefined);
    setRefused(false);
    try {
      await send(purchase, buyer, email);
    } catch (failure) {
      if (!(failure instanceof Error)) throw failure;
      setError(failure);
      if (buyer.kind === 'visit' && refusalCode(failure) === apiCode.notFound) onVisitOver();
    } finally {
      setBusy(false);
    }
  }
  return { order, busy, error, refused };
}
