import { DISCOVERY_PATH, type DiscoveryDocument, discoveryDocumentSchema } from '#protocol/http/discovery-document'
import { checkCall, type Members, optionsFor } from '../arguments/check.ts'
import { checkForm } from '../arguments/check-form.ts'
import type { MirrorOptions } from '../mirrors/mirror-options.ts'
import { isOutage } from '../mirrors/outage.ts'
import type { Fetch } from '../transport/fetch.ts'
import { readAnyJson } from '../transport/guarded-body.ts'
import { originOf } from '../transport/origin.ts'
import type { RetryOptions } from '../transport/retries.ts'
import { TRANSPORT_OPTIONS, Transport } from '../transport/transport.ts'
import { readAnswer } from '../verification/read-answer.ts'
import { DiscoveryError } from './discovery-error.ts'
import { firstPin, nextPin, type Pin, pinSchema } from './pin.ts'

export interface DiscoverOptions {
  /** Origin of core: `https://core.example`. */
  readonly core: string
  /** The realm of the deployment, from another source. Needed only if it is not core's origin. */
  readonly realm?: string
  /** The pin of an earlier client. Without it, what is seen now is trusted. */
  readonly pinned?: Pin
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
  /** The same for the keys of the log list, which a deployment may have gained since the pin. */
  readonly logListTrust: 'given' | 'first-seen'
  /** Store it and pass it as `pinned` next time. */
  readonly pin: Pin
}

/** What `discover` takes of the options of a client. */
export const DISCOVER_OPTIONS: Members<DiscoverOptions> = {
  core: 1,
  realm: 0,
  pinned: 0,
  mirrors: 0,
  fetch: 0,
  signal: 0,
  retries: 0,
  timeoutMs: 0,
  now: 0,
}

/**
 * Reads the discovery document of core and compares it with what is known. Throws `DiscoveryError` if they disagree.
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
  // Otherwise a hostile deployment could name another one's realm and collect statements that count there.
  const expectedRealm = realm ?? pinned?.realm ?? core
  if (document.realm !== expectedRealm) throw new DiscoveryError('foreign_realm', document, pinned)
  const logListTrust = pinned?.logListKeys ? 'given' : 'first-seen'
  if (pinned === null) return { document, source, trust: 'first-seen', logListTrust, pin: firstPin(document, now()) }
  const pin = source === 'pin' ? pinned : await nextPin(pinned, document, now())
  if (typeof pin === 'string') throw new DiscoveryError(pin, document, pinned)
  return { document, source, trust: 'given', logListTrust, pin }
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
  if (!response.ok) {
    // With the text of every error, which a client that is not refused does not need.
    const { serviceErrorOf } = await import('../transport/refusal.ts')
    throw serviceErrorOf(response.status, body, response.headers)
  }
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
