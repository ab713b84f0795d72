import * as z from 'zod'
import { pure } from '#protocol/base/pure'
import { answerSchema } from '#protocol/http/answer-schema'
import { type DiscoveryDocument, discoveryDocumentSchema } from '#protocol/http/discovery-document'
import { keysOf, type PublishedKey, type ServiceKey, serviceKeySchema } from '#protocol/http/service-keys'
import { type ListKeys, listKeysSchema } from '#protocol/merkle/log-list'
import { isHandedOver } from './hand-over.ts'

/** What a client remembers of a deployment: plain JSON, to store and to hand to the next client as `pinned`. */
export const pinSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    realm: z.string(),
    keys: z.array(serviceKeySchema),
    /** The first keys of the log list that were seen; null until there are some. */
    logListKeys: listKeysSchema.nullable(),
    /** When the newest document was read, by the client's clock. */
    seenAt: z.int(),
    /** That document: where the services are while core does not answer. */
    document: answerSchema(discoveryDocumentSchema),
  }),
)
export type Pin = z.infer<typeof pinSchema>

export type DiscoveryFault =
  /** The document names a realm that is neither core's origin nor the one that was passed or pinned. */
  | 'foreign_realm'
  /** A key that signs already was neither announced to this client before, nor handed over by a key that it knows. */
  | 'unannounced_key'
  /** A key that had ended signs again. */
  | 'revived_key'

/** The pin of a document that nothing is known about. */
export function firstPin(document: DiscoveryDocument, now: number): Pin {
  const { realm, keys, logs } = document
  return { realm, keys: keys.map(plain), logListKeys: plainListKeys(logs.keys), seenAt: now, document }
}

/**
 * The pin after another document, or why it is refused. `now` is the client's clock: a hostile service could date its
 * document before the time from which its own key signs.
 */
export async function nextPin(pin: Pin, document: DiscoveryDocument, now: number): Promise<Pin | DiscoveryFault> {
  // In the order of their hand-overs: a client that was away for long follows from one key to the next.
  const trusted: ServiceKey[] = [...pin.keys]
  for (const key of document.keys.toSorted((a, b) => a.validFrom - b.validFrom)) {
    const fault = keyFault(pin, key, now)
    const isFollowed = fault === 'unannounced_key' && (await isHandedOver(key, { pin, document, trusted }))
    if (fault && !isFollowed) return fault
    if (isFollowed) trusted.push(key)
  }
  const listed = document.keys.map(plain)
  // A key that is listed no more ends now and stays known. Otherwise the next key for its use would count as the first.
  const gone = pin.keys
    .filter((known) => !listed.some((key) => isSame(key, known)))
    .filter(({ validFrom }) => validFrom < now)
    .map((known) => ({ ...known, validUntil: Math.min(known.validUntil ?? now, now) }))
  // Later keys are not taken from the document: the lists themselves lead from the pinned keys to them.
  const logListKeys = pin.logListKeys ?? plainListKeys(document.logs.keys)
  return { realm: document.realm, keys: [...listed, ...gone], logListKeys, seenAt: now, document }
}

function keyFault(pin: Pin, key: ServiceKey, now: number): DiscoveryFault | null {
  const known = pin.keys.find((one) => isSame(one, key))
  if (!known) {
    const isFirst = keysOf(pin.keys, key).length === 0
    return isFirst || key.validFrom > now ? null : 'unannounced_key'
  }
  // What has begun or ended stays so; dates that lie ahead may be moved.
  const isBackdated = key.validFrom < known.validFrom && key.validFrom <= now
  if (isBackdated) return 'unannounced_key'
  const { validUntil } = known
  if (validUntil === null || validUntil > now) return null
  return key.validUntil === null || key.validUntil > validUntil ? 'revived_key' : null
}

function plainListKeys(keys: ListKeys | null): ListKeys | null {
  return keys && { threshold: keys.threshold, publicKeysB64u: keys.publicKeysB64u }
}

function isSame(a: ServiceKey, b: ServiceKey): boolean {
  return a.service === b.service && a.use === b.use && a.publicKeyB64u === b.publicKeyB64u
}

function plain({ service, use, publicKeyB64u, validFrom, validUntil }: PublishedKey): ServiceKey {
  return { service, use, publicKeyB64u, validFrom, validUntil }
}
