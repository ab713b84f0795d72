/**
 * The keys in a signed list besides those of the logs (workers/docs/pages/developer/log-list.md): what services, the
 * beacon and witnesses sign with, each with the time in which it counts. A client takes these keys from the list alone,
 * so a stolen seed ends with the next list and introduces no other key.
 *
 * @module
 */
import * as z from 'zod'
import { publicKeySchema } from '../base/identity.ts'
import { SIGNATURE_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'
import { keysFault, serviceKeyMembers } from '../http/service-keys.ts'

/** Five uses with a new key a year, for 25 years: about 350 kB. */
export const MAX_SERVICE_KEYS = 128
/** Two algorithms with a new key a half-year, for 16 years: the ML-DSA-44 keys are about 120 kB. */
export const MAX_BEACON_KEYS = 64
/** About 90 kB. */
export const MAX_WITNESS_KEYS = 32

const validity = /* @__PURE__ */ pure(() => ({
  validFrom: z.int().min(0).meta({ description: 'It counts for what is dated from this time on, epoch ms' }),
  validUntil: z.int().min(1).nullable().meta({
    description: 'It counts for nothing that is dated at or after this time, epoch ms; null while it has no end',
  }),
}))

export const listedServiceKeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ ...serviceKeyMembers, alg: z.literal(SIGNATURE_ALG) })
    .meta({ id: 'ListedServiceKey', description: 'A key that a service signs with, and when' }),
)
export type ListedServiceKey = z.infer<typeof listedServiceKeySchema>

export const BEACON_ALGS = ['ed25519', 'ml-dsa-44'] as const
export const listedBeaconKeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      verifierKey: z
        .string()
        .max(2560)
        .regex(/^[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$/, 'must be a verifier key')
        .meta({ description: '`name+id+key`: the name is the origin of the beacon, with its period' }),
      alg: z.enum(BEACON_ALGS),
      ...validity,
    })
    .meta({ id: 'ListedBeaconKey', description: 'A key that signs checkpoints of the beacon, and when' }),
)
export type ListedBeaconKey = z.infer<typeof listedBeaconKeySchema>

export const listedWitnessKeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({ publicKeyB64u: publicKeySchema, alg: z.literal(SIGNATURE_ALG), ...validity })
    .meta({ id: 'ListedWitnessKey', description: 'The key of a witness of the key log, and when' }),
)
export type ListedWitnessKey = z.infer<typeof listedWitnessKeySchema>

export const proposedWitnessesSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      threshold: z.int().min(0).max(MAX_WITNESS_KEYS),
      keys: z.array(listedWitnessKeySchema).max(MAX_WITNESS_KEYS),
    })
    .refine(({ threshold, keys }) => threshold <= keys.length, 'threshold must be at most the number of keys')
    .meta({
      id: 'ProposedWitnesses',
      description: 'The witnesses that the deployment proposes, and how many of them. Clients choose their own',
    }),
)

/** What a list says of keys besides those of its logs. */
export interface ListedKeys {
  readonly services: readonly ListedServiceKey[]
  readonly beacon: readonly ListedBeaconKey[]
  readonly witnesses: z.infer<typeof proposedWitnessesSchema>
}

interface Valid {
  readonly validFrom: number
  readonly validUntil: number | null
}
/** A key for the comparison of two lists: `id` is its use and its key. */
interface Named extends Valid {
  readonly use: string
  readonly id: string
}

/** Whether the keys of a list contradict each other: one key twice, or one that ends before it begins. */
export function areKeysConsistent(keys: ListedKeys): boolean {
  if (keysFault(keys.services) !== null) return false
  const all = namedKeys(keys)
  const isOrdered = all.every(({ validFrom, validUntil }) => validUntil === null || validFrom < validUntil)
  // A key with two uses could sign statements of the other use.
  const texts = [...keys.services, ...keys.witnesses.keys].map(({ publicKeyB64u }) => publicKeyB64u)
  return isOrdered && new Set(all.map(({ id }) => id)).size === all.length && new Set(texts).size === texts.length
}

/**
 * Whether the keys of a list may follow those of the list before, which was issued at `since`. A key that has begun stays
 * listed, so that what it signed still verifies; its end may come sooner, and what has ended stays ended. A new key of a
 * use does not begin before the list that lacks it: it would sign for a time that is over.
 */
export function mayKeysBecome(
  before: ListedKeys,
  next: ListedKeys,
  { since, now }: { readonly since: number; readonly now: number },
): boolean {
  const [known, later] = [namedKeys(before), namedKeys(next)]
  const isKept = known.every((key) => {
    const same = later.find(({ id }) => id === key.id)
    if (key.validFrom > now) return !same || same.validFrom > since
    if (same?.validFrom !== key.validFrom) return false
    const hasEnded = key.validUntil !== null && key.validUntil <= now
    return !hasEnded || (same.validUntil !== null && same.validUntil <= (key.validUntil ?? 0))
  })
  const uses = new Set(known.map(({ use }) => use))
  const added = later.filter(({ id, use }) => uses.has(use) && !known.some((key) => key.id === id))
  return isKept && added.every(({ validFrom }) => validFrom >= since)
}

function namedKeys({ services, beacon, witnesses }: ListedKeys): Named[] {
  return [
    ...services.map(({ service, use, publicKeyB64u, ...valid }) => named(`${service} ${use}`, publicKeyB64u, valid)),
    ...beacon.map(({ verifierKey, ...valid }) => named('beacon', verifierKey, valid)),
    ...witnesses.keys.map(({ publicKeyB64u, ...valid }) => named('witness', publicKeyB64u, valid)),
  ]
}

function named(use: string, key: string, { validFrom, validUntil }: Valid): Named {
  return { use, id: `${use} ${key}`, validFrom, validUntil }
}
