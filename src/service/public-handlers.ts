import { isIP } from 'node:net';
import { apiCalls, apiPathSets } from '#shared/api/calls.ts';
import { and, asc, eq, isNull, or } from 'drizzle-orm';
import ipaddr from 'ipaddr.js';
import type { DownloadLinks } from './config.ts';
import type { Database } from './database/database.ts';
import type { Handlers } from './http/handler.ts';
import { done, refused } from './http/refusal.ts';
import { readOperatorTexts } from './database/operator-texts.ts';
import { pageNotes } from './database/schema/pages.ts';

/** Calls that need no sign-in. */
export function publicHandlers({
  database,
  consoleUrl,
  downloads,
  supportEmail,
  latestVersion,
  probePages,
  addressUrl,
}: {
  database: Database;
  /** Where the console's pages are, without a trailing slash, if they are not where the service is. */
  consoleUrl: string | undefined;
  downloads: DownloadLinks;
  supportEmail: string | undefined;
  latestVersion: string | undefined;
  probePages: string[];
  /** A URL that answers with the caller's address, if that is not the service itself. */
  addressUrl: string | undefined;
}): Pick<Handlers, 'address' | 'basicInfo' | 'pageNotes' | 'translations'> {
  return {
    async basicInfo({ publicUrl }) {
      const link = (path: string) => (consoleUrl ?? publicUrl) + path;
      return done({
        probePages,
        supportEmail,
        latestVersion,
        addressUrl: addressUrl ?? publicUrl + apiCalls.address.path,
        links: {
          delete_account_url: link('/self-delete'),
          user_privacy_url: link('/store/privacy'),
          manage_apps: link('/apps'),
          manage_members: link('/members'),
          manage_servers: link('/my-service'),
          device_login: link('/device-login'),
          // Not /quick-start and /purchase: those console pages redirect to these.
          quick_start_url: link('/store/quick-start'),
          seller_event_url: link('/store/events'),
          purchase_url: link('/store/purchase'),
          pay_url: link('/pay/order'),
          change_service_url: link('/store/change-service'),
          ...downloads,
        },
      });
    },

    async address({ address }) {
      // Callers over the Unix socket have no address; an IPv4 address may be written as IPv6 (RFC 4291).
      if (address === undefined || isIP(address) === 0) return refused('not-found');
      const [withoutZone = ''] = address.split('%', 1);
      return done({ address: ipaddr.process(withoutZone).toString() });
    },

    async pageNotes({ params, language }) {
      const pageName = apiPathSets.pageName.safeParse(params.pageName);
      if (!pageName.success) return refused('not-found');
      const items = await database
        .select({
          id: pageNotes.id,
          title: pageNotes.title,
          htmlBody: pageNotes.htmlBody,
          clickAction: pageNotes.clickAction,
          redisplayLockSeconds: pageNotes.redisplayLockSeconds,
        })
        .from(pageNotes)
        .where(
          and(
            eq(pageNotes.pageName, pageName.data),
            or(isNull(pageNotes.language), eq(pageNotes.language, language)),
          ),
        )
        .orderBy(asc(pageNotes.position));
      return done({ items });
    },

    async translations({ params }) {
      const language = apiPathSets.lang.safeParse(params.lang);
      if (!language.success) return refused('not-found');
      return done(await readOperatorTexts(database, language.data));
    },
  };
}
