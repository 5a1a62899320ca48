import type { z } from 'zod';
import type { ApiCall, ApiParameters } from '#shared/api/call.ts';
import type { ApiCalls } from '#shared/api/calls.ts';
import type { Language } from '#shared/entities.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { SendingDevice } from './device-fields.ts';
import type { SignedInDevice, TakenSeats } from './device-authentication.ts';
import type { PageRequest } from './page.ts';
import type { Outcome } from './refusal.ts';

/** A checked call of the API contract, as its handler gets it. */
export interface ServiceRequest<Call extends ApiCall = ApiCall> {
  params: ApiParameters<Call>;
  body: z.output<Call['body']>;
  /** Who is signed in, for calls that need it; with the plan's seats for the call that reports them. */
  device: Call extends ApiCalls['userInfo']
    ? SignedInDevice & { seats: TakenSeats }
    : Call extends { auth: true }
      ? SignedInDevice
      : null;
  /** What the device says about itself, for calls that send it. */
  sender: Call extends { sendsDevice: true } ? SendingDevice : null;
  /** Where the caller reaches the service, without a trailing slash. */
  publicUrl: string;
  /** The caller's source, as limits count it. */
  source: string;
  /** The caller's address, if it is known. */
  address: string | undefined;
  /** The caller's language. */
  language: Language;
  /** Which page of a list is requested, for calls that have pages. */
  page: Call extends { paged: true } ? PageRequest : null;
  log: FastifyBaseLogger;
}

export type Handler<Call extends ApiCall> = (
  request: ServiceRequest<Call>,
) => Promise<Outcome<z.input<Call['data']>>>;

/** One handler for every call of the contract. */
export type Handlers = { [Name in keyof ApiCalls]: Handler<ApiCalls[Name]> };
