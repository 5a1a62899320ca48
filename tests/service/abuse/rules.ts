import type { ApiCallName, ApiBody, ApiCalls } from '#shared/api/calls.ts';
import type { PathParameter } from '#shared/api/call.ts';
import { appDraft, type Person } from './people.ts';

/** What a call is asked for, of somebody's things. */
interface Asked<Name extends ApiCallName> {
  params: Record<PathParameter<ApiCalls[Name]['path']>, string>;
  body: ApiBody<Name>;
}

/** Who may do what by a call; the numbers are HTTP status codes. */
interface Rule<Name extends ApiCallName> {
  asked: (of: Person) => Asked<Name>;
  /** To what is one's own, at the levels 1, 2 and 3. */
  own: readonly [number, number, number];
  /** What another account gets that asks for it; null where nothing in the call names whose it is. */
  others: number | null;
}

const plain = { params: {}, body: {} };
const everybody = [200, 200, 200] as const;
const notMembers = [200, 200, 403] as const;

/** Nothing of the kind is sold. */
const purchase = { productId: 'none', quantity: 1 };

const anybodys = { asked: () => plain, own: everybody, others: null };

/** The authorisation matrix. A call that is added to the contract does not compile without a line here. */
export const rules: { [Name in ApiCallName]: Rule<Name> } = {
  translations: { ...anybodys, asked: () => ({ params: { lang: 'en' }, body: {} }) },
  basicInfo: anybodys,
  address: anybodys,
  pageNotes: { ...anybodys, asked: () => ({ params: { pageName: 'vpn-account' }, body: {} }) },
  // The same for everybody, whether the address has an account or not.
  getAuthCode: { asked: ({ email }) => ({ params: {}, body: { email } }), own: everybody, others: 200 },
  auth: {
    asked: ({ order }) => ({ params: {}, body: { authId: order.uuid, authCode: '123456', isDevice: true } }),
    own: [422, 422, 422],
    others: 422,
  },
  userInfo: anybodys,
  myService: anybodys,
  serverGroups: anybodys,
  trafficStats: anybodys,
  gatewayLogins: anybodys,
  ipv4Countries: anybodys,
  ipv4Prefixes: { ...anybodys, asked: () => ({ params: { country: 'cn' }, body: {} }) },
  pac: anybodys,
  filterMyApps: { ...anybodys, asked: () => ({ params: {}, body: { apps: ['firefox'] } }) },
  devices: anybodys,
  revokeDevice: {
    asked: ({ otherDeviceId }) => ({ params: { deviceId: otherDeviceId }, body: {} }),
    own: everybody,
    others: 404,
  },
  revokeDevices: anybodys,
  orders: anybodys,
  order: { asked: ({ order }) => ({ params: { orderId: order.id }, body: {} }), own: everybody, others: 404 },
  createPayment: {
    asked: ({ order }) => ({ params: { id: order.id }, body: { payMethod: 'wordgate' } }),
    own: notMembers,
    others: 404,
  },
  confirmPayment: {
    asked: ({ order }) => ({ params: {}, body: { order_id: order.id } }),
    own: notMembers,
    others: 404,
  },
  offers: anybodys,
  createOrder: { ...anybodys, asked: () => ({ params: {}, body: purchase }), own: [422, 422, 403] },
  createGuestOrder: {
    ...anybodys,
    asked: ({ userId }) => ({ params: {}, body: { ...purchase, email: `${userId}@example.net` } }),
    own: [422, 422, 422],
  },
  createHandOver: { ...anybodys, own: notMembers },
  // What is stored of a visit opens none.
  openStoreVisit: {
    asked: ({ visitHashes: { code } }) => ({ params: {}, body: { code: code.slice(0, 43) } }),
    own: [404, 404, 404],
    others: 404,
  },
  createVisitOrder: {
    asked: ({ visitHashes: { visit } }) => ({ params: {}, body: { ...purchase, visit: visit.slice(0, 43) } }),
    own: [404, 404, 404],
    others: 404,
  },
  confirmVisitOrder: {
    asked: ({ order, visitHashes: { visit } }) => ({
      params: {},
      body: { visit: visit.slice(0, 43), order_id: order.id },
    }),
    own: [404, 404, 404],
    others: 404,
  },
  sandboxPayment: {
    asked: ({ paymentId }) => ({ params: { id: paymentId }, body: {} }),
    own: everybody,
    others: 200,
  },
  // Whoever knows a payment of the sandbox decides it; of one that is paid this changes nothing.
  decideSandboxPayment: {
    asked: ({ paymentId }) => ({ params: { id: paymentId }, body: { decision: 'declined' } }),
    own: everybody,
    others: 200,
  },
  consumeLicenseKey: {
    asked: ({ licenseKey }) => ({ params: { key: licenseKey }, body: {} }),
    own: notMembers,
    others: null,
  },
  members: { ...anybodys, own: notMembers },
  // A trial has no seats to give. Whoever invites learns and changes nothing of the invited.
  addMember: {
    asked: ({ userId }) => ({
      params: {},
      body: { loginId: `${userId}@example.net`, loginType: 'email' },
    }),
    own: [422, 200, 403],
    others: null,
  },
  removeMember: {
    asked: ({ memberEmail }) => ({ params: { loginId: memberEmail }, body: {} }),
    own: [404, 200, 403],
    others: 404,
  },
  leaveGroup: { ...anybodys, own: [422, 422, 200] },
  invitations: anybodys,
  acceptInvitation: {
    asked: ({ invitationId }) => ({ params: { id: invitationId }, body: {} }),
    own: [200, 422, 422],
    others: 404,
  },
  declineInvitation: {
    asked: ({ invitationId }) => ({ params: { id: invitationId }, body: {} }),
    own: everybody,
    others: 404,
  },
  groupApps: { ...anybodys, own: notMembers },
  groupApp: {
    asked: ({ miniAppId }) => ({ params: { id: miniAppId }, body: {} }),
    own: notMembers,
    others: 404,
  },
  createApp: {
    ...anybodys,
    asked: () => ({ params: {}, body: { ...appDraft, requireLabels: [] } }),
    own: notMembers,
  },
  editApp: {
    asked: ({ miniAppId }) => ({
      params: { id: miniAppId },
      body: { ...appDraft, requireLabels: [], name: 'Edited' },
    }),
    own: notMembers,
    others: 404,
  },
  deleteApp: {
    asked: ({ miniAppId }) => ({ params: { id: miniAppId }, body: {} }),
    own: notMembers,
    others: 404,
  },
  myApps: anybodys,
  deleteSelf: anybodys,
};
