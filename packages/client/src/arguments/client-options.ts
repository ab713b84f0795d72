import type { ClientOptions, ConnectOptions } from '../client-options.ts'
import type { NewIdentityOptions } from '../identity/create-identity.ts'
import type { CallOptions } from '../transport/transport.ts'
import type { Members } from './check.ts'

/** Of `new Client` and `Client.connect`, which passes its options on. What is missing is a `ConfigurationError`. */
export const CLIENT_OPTIONS: Members<Partial<ClientOptions | ConnectOptions>> = {
  core: 0,
  did: 0,
  pay: 0,
  keys: 0,
  provenance: 0,
  consent: 0,
  docs: 0,
  auth: 0,
  realm: 0,
  acceptedRealms: 0,
  logListKeys: 0,
  fingerprint: 0,
  witnesses: 0,
  mapPatience: 0,
  consentKeyB64u: 0,
  WebSocket: 0,
  identity: 0,
  device: 0,
  former: 0,
  sheets: 0,
  sheetReaders: 0,
  resolverKey: 0,
  receiptKeyB64u: 0,
  quotaReceiptKeyB64u: 0,
  reservationKeyB64u: 0,
  publisherKeyB64u: 0,
  discovery: 0,
  app: 0,
  trustStore: 0,
  memory: 0,
  fetch: 0,
  now: 0,
  origin: 0,
  onPending: 0,
  headers: 0,
  retries: 0,
  mirrors: 0,
  signal: 0,
  timeoutMs: 0,
  sleep: 0,
  random: 0,
  pinned: 0,
}

export const CALL_OPTIONS: Members<CallOptions> = { signal: 0, timeoutMs: 0, retries: 0 }

export const NEW_IDENTITY_OPTIONS: Members<NewIdentityOptions> = {
  device: 1,
  keep: 1,
  identity: 0,
  sheets: 0,
  replaceable: 0,
  watchToken: 0,
}
