import { DISCOVERY_PATH, type DiscoveryDocument, discoveryDocumentSchema } from '#protocol/http/discovery-document'
import { keysOf, type PublishedKey } from '#protocol/http/service-keys'
import { isListFingerprint } from '#protocol/merkle/list-fingerprint'
import type { ListKeys, SignedLogList } from '#protocol/merkle/log-list'
import { checkCall, type Members, optionsFor } from '../arguments/check.ts'
import { checkForm } from '../arguments/check-form.ts'
import type { MirrorOptions } from '../mirrors/mirror-options.ts'
import { isOutage } from '../mirrors/outage.ts'
import type { Fetch } from '../transport/fetch.ts'
import { readAnyJson } from '../transport/guarded-body.ts'
import { originOf } from '../transport/origin.ts'
import type { RetryOptions } from '../transport/retries.ts'
import { refusalOf } from '../transport/service-error.ts'
import { TRANSPORT_OPTIONS, Transport } from '../transport/transport.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { DiscoveryError } from './discovery-error.ts'
import { currentList, fingerprintOf, newestList } from './newest-list.ts'
import { type Pin, pinSchema } from './pin.ts'

export interface DiscoverOptions {
  /** Origin of core: `https://core.example`. */
  readonly core: string
  /** The realm of the deployment, from another source. Needed only if it is not core's origin. */
  readonly realm?: string
  /** The pin of an earlier client. Without it, the keys of the list that are seen now are trusted. */
  readonly pinned?: Pin
  /** The keys of the signed list, from another source. */
  readonly logListKeys?: ListKeys
  /** The fingerprint of the keys of the list, from another source. */
  readonly fingerprint?: string
  /** With mirrors and a pin, the document of the pin is taken while core cannot be reached or answers with a 5xx. */
  readonly mirrors?: MirrorOptions
  readonly fetch?: Fetch
  /** Ends the request. */
  readonly signal?: AbortSignal
  readonly retries?: RetryOptions | false
  readonly timeoutMs?: number
  readonly now?: () => number
}

/** What discovery found and what was trusted for it. */
export interface Discovery {
  readonly document: DiscoveryDocument
  /** `pin`: core did not answer, and the document is the one that was read at `pin.seenAt`. */
  readonly source: 'core' | 'pin'
  /** `given`: compared with a pin. `first-seen`: there was nothing to compare it with. */
  readonly trust: 'given' | 'first-seen'
  /** The same for the keys of the signed list, from which every other key comes. */
  readonly logListTrust: 'given' | 'first-seen'
  /** The one fingerprint to compare: that of the keys of the list. Null if the deployment has none. */
  readonly fingerprint: string | null
  /** Keys that the document claims and the list does not have for that time. Nothing is accepted from them. */
  readonly unlisted: readonly PublishedKey[]
  /** Store it and pass it as `pinned` next time. */
  readonly pin: Pin
}

/** What `discover` takes of the options of a client. */
export const DISCOVER_OPTIONS: Members<DiscoverOptions> = {
  core: 1,
  realm: 0,
  pinned: 0,
  logListKeys: 0,
  fingerprint: 0,
  mirrors: 0,
  fetch: 0,
  signal: 0,
  retries: 0,
  timeoutMs: 0,
  now: 0,
}

/**
 * Reads the discovery document of core and the signed list of keys, and compares them with what is known. Throws
 * `DiscoveryError` if they disagree, and a `VerificationError` for a list that the trusted keys did not sign.
 *
 * While core is down, a client with mirrors takes the realm, the addresses and all keys from its pin. A mirror is not
 * asked: the document is not signed, so a mirror could name addresses and keys of its own. Without a pin, the error of
 * core is thrown.
 */
export async function discover(options: DiscoverOptions): Promise<Discovery> {
  checkCall('discover', [options], [['options', DISCOVER_OPTIONS]])
  const core = originOf('core', options.core)
  const { realm, now = Date.now } = options
  const pinned = options.pinned === undefined ? null : checkForm('discover', 'pinned', pinSchema, options.pinned)
  const { document, source } = await read(core, options, pinned)
  const expectedRealm = realm ?? pinned?.realm ?? core
  const isMoved = document.realm !== expectedRealm
  // Otherwise a hostile deployment could name another one's realm and collect statements that count there.
  if (isMoved && (realm !== undefined || !pinned?.logListKeys))
    throw new DiscoveryError('foreign_realm', document, pinned)
  const logListKeys = pinned?.logListKeys ?? options.logListKeys ?? document.logs.keys
  const list = source === 'pin' ? (pinned?.list ?? null) : await listOf(document, options, pinned, logListKeys)
  // A deployment moves if the list that the pinned keys lead to says so.
  if (isMoved && !(pinned && list?.statement.realm === document.realm && list.statement.realms.includes(pinned.realm)))
    throw new DiscoveryError('foreign_realm', document, pinned)
  const { fingerprint } = options
  const keys = list?.statement.keys ?? logListKeys
  if (fingerprint !== undefined && !(keys && isListFingerprint(fingerprint, keys)))
    throw new DiscoveryError('wrong_fingerprint', document, pinned)
  const isGiven = pinned?.logListKeys ?? options.logListKeys ?? fingerprint
  const pin = source === 'pin' && pinned ? pinned : pinOf({ document, list, logListKeys, pinned, now: now() })
  return {
    document,
    source,
    trust: pinned ? 'given' : 'first-seen',
    logListTrust: isGiven ? 'given' : 'first-seen',
    fingerprint: fingerprintOf(pin),
    unlisted: list ? document.keys.filter((key) => !isListed(key, list)) : [],
    pin,
  }
}

/** The newest list of the deployment, verified from the keys that are trusted; null if it has none. */
async function listOf(
  document: DiscoveryDocument,
  options: DiscoverOptions,
  pinned: Pin | null,
  keys: ListKeys | null,
): Promise<SignedLogList | null> {
  const { listUrl } = document.logs
  const known = pinned?.list ?? null
  if (listUrl === null || keys === null) return known && currentList(known, options.now?.() ?? Date.now())
  // While a deployment moves, the lists before are for the earlier realm.
  const acceptedRealms = pinned ? [pinned.realm, ...pinned.formerRealms] : []
  const transport = new Transport(optionsFor(TRANSPORT_OPTIONS, { ...options, realm: document.realm, acceptedRealms }))
  return newestList({ transport, url: listUrl, keys: plainKeys(keys), pinned: known })
}

interface Known {
  readonly document: DiscoveryDocument
  readonly list: SignedLogList | null
  readonly logListKeys: ListKeys | null
  readonly pinned: Pin | null
  readonly now: number
}

/** Later keys of the list are not taken from the document: the lists lead from the pinned keys to them. */
function pinOf({ document, list, logListKeys, pinned, now }: Known): Pin {
  const { realm } = document
  const used = pinned ? [pinned.realm, ...pinned.formerRealms] : []
  const formerRealms = used.filter((one) => one !== realm && list?.statement.realms.includes(one))
  return { realm, formerRealms, logListKeys: logListKeys && plainKeys(logListKeys), list, seenAt: now, document }
}

function plainKeys({ threshold, publicKeysB64u }: ListKeys): ListKeys {
  return { threshold, publicKeysB64u }
}

function isListed(key: PublishedKey, { statement }: SignedLogList): boolean {
  return keysOf(statement.services, key).some(
    ({ publicKeyB64u, validFrom, validUntil }) =>
      publicKeyB64u === key.publicKeyB64u &&
      validFrom <= key.validFrom &&
      (validUntil === null || (key.validUntil !== null && key.validUntil <= validUntil)),
  )
}

async function read(
  core: string,
  options: DiscoverOptions,
  pinned: Pin | null,
): Promise<Pick<Discovery, 'document' | 'source'>> {
  try {
    return { document: await readFrom(core, options), source: 'core' }
  } catch (error) {
    if (!options.mirrors || !pinned || !isOutage(error)) throw error
    return { document: pinned.document, source: 'pin' }
  }
}

/** Redirects are not followed: where one leads is not the host whose TLS this trusts. */
async function readFrom(core: string, options: DiscoverOptions): Promise<DiscoveryDocument> {
  const transport = new Transport(optionsFor(TRANSPORT_OPTIONS, { ...options, realm: core }))
  const response = await transport.exchange({ method: 'GET', url: core + DISCOVERY_PATH, isUnmoved: true })
  const body: unknown = await readAnyJson(response)
  if (!response.ok) throw await refusalOf(response, body)
  return readAnswer(discoveryDocumentSchema, body)
}

/** The addresses and the realm of a deployment, as options of a client. */
export function addressesOf({ document: { realm, services } }: Discovery) {
  const { did, pay, keys, provenance, consent, docs } = services
  return {
    realm,
    did: did.url,
    pay: pay.url,
    keys: keys.url,
    provenance: provenance.url,
    consent: consent.url,
    docs: docs.url,
  }
}
