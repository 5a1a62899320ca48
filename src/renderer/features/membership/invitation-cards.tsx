import { useApi } from '../../api/use-api.ts';
import { InvitationCard } from './invitation-card.tsx';

/** The groups that the user is invited to; nothing if there are none, or it is not known. */
export function InvitationCards() {
  const { data: invitations, refetch } = useApi('invitations');
  return invitations?.items.map((invitation) => (
    <InvitationCard key={invitation.id} invitation={invitation} onFailure={() => void refetch()} />
  ));
}
