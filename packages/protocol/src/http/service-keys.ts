/**
 * The keys that services sign with, as a deployment publishes them (workers/docs/pages/developer/discovery.md). What is
 * published is a claim: clients take keys from the signed list (`merkle/listed-keys`).
 *
 * A key is replaced in three steps: the next one is announced with the time from which it signs; at that time it takes
 * over; the earlier one stays published, so that what it signed still verifies. Which key may have signed a statement
 * follows from the statement's `issuedAt` alone, so services and clients need no common moment for the change.
 *
 * @module
 */
import * as z from 'zod'
import { publicKeySchema } from '../base/identity.ts'
import { SIGNATURE_ALG } from '../base/labels.ts'
import { pure } from '../base/pure.ts'

/** Every use of a service key, and the secret with its seed. `<seed>_NEXT` holds the seed of an announced key. */
export const SERVICE_KEY_USES = [
  { service: 'core', use: 'receipt', seed: 'RECEIPT_SEED' },
  { service: 'did', use: 'resolution', seed: 'RESOLVER_SEED' },
  { service: 'keys', use: 'reservation', seed: 'DIRECTORY_RECEIPT_SEED' },
  { service: 'pay', use: 'quota-receipt', seed: 'QUOTA_RECEIPT_SEED' },
  { service: 'consent', use: 'snapshot', seed: 'CONSENT_SEED' },
] as const
export type ServiceKeyUse = (typeof SERVICE_KEY_USES)[number]

/**
 * Uses of keys that people hold beside the Workers: what the publisher reports of anchors, and the operator's acts that
 * everybody verifies. Core is configured with their public keys.
 */
export const HELD_KEY_USES = [
  { service: 'core', use: 'publication' },
  { service: 'core', use: 'operation' },
] as const

export const LISTED_KEY_USES = /* @__PURE__ */ [...SERVICE_KEY_USES, ...HELD_KEY_USES] as const
export type ServiceKeyName = Pick<(typeof LISTED_KEY_USES)[number], 'service' | 'use'>

const nameMembers = /* @__PURE__ */ pure(() => ({
  service: z.enum(SERVICE_KEY_USES.map(({ service }) => service)),
  use: z.enum(LISTED_KEY_USES.map(({ use }) => use)),
}))

export const serviceKeyMembers = /* @__PURE__ */ pure(() => ({
  ...nameMembers,
  publicKeyB64u: publicKeySchema,
  validFrom: z.int().min(0).meta({ description: 'It signs what is issued from this time on, epoch ms' }),
  validUntil: z
    .int()
    .min(1)
    .nullable()
    .meta({ description: 'It signs nothing that is issued at or after this time, epoch ms; null while it has no end' }),
}))

/** A key as configured. */
export const serviceKeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject(serviceKeyMembers)
    .refine(({ validFrom, validUntil }) => validUntil === null || validFrom < validUntil, 'validUntil must be later'),
)
export type ServiceKey = z.infer<typeof serviceKeySchema>
export const serviceKeysSchema = /* @__PURE__ */ z.array(serviceKeySchema)

/** A key as published. */
export const publishedKeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      ...serviceKeyMembers,
      alg: z.literal(SIGNATURE_ALG),
      state: z.enum(['current', 'next', 'previous']).meta({
        description: '`current` signs now; `next` is announced and signs from `validFrom`; `previous` signs no more',
      }),
    })
    .meta({ id: 'ServiceKey', description: 'A key that a service signs with, and when' }),
)
export type PublishedKey = z.infer<typeof publishedKeySchema>

/** Whether a key may have signed a statement issued at this time. */
export function covers({ validFrom, validUntil }: Pick<ServiceKey, 'validFrom' | 'validUntil'>, issuedAt: number) {
  return validFrom <= issuedAt && (validUntil === null || issuedAt < validUntil)
}

/** The keys of one use that may have signed a statement issued at this time: two during an overlap. */
export function keysAt<K extends ServiceKey>(keys: readonly K[], name: ServiceKeyName, issuedAt: number): readonly K[] {
  return keysOf(keys, name).filter((key) => covers(key, issuedAt))
}

/** The key that signs at a time: of those that may, the one that was announced for the latest time. */
export function signingKeyAt<K extends ServiceKey>(keys: readonly K[], name: ServiceKeyName, at: number): K | null {
  return keysAt(keys, name, at).reduce<K | null>((a, b) => (a && a.validFrom >= b.validFrom ? a : b), null)
}

export function keysOf<K extends ServiceKeyName>(keys: readonly K[], { service, use }: ServiceKeyName): readonly K[] {
  return keys.filter((key) => key.service === service && key.use === use)
}

/** The keys with their states at a time. */
export function published(keys: readonly ServiceKey[], now: number): PublishedKey[] {
  return keys.map((key) => {
    const signing = signingKeyAt(keys, key, now)
    const state = now < key.validFrom ? 'next' : signing === key ? 'current' : 'previous'
    return { ...key, alg: SIGNATURE_ALG, state }
  })
}

/** Why a deployment cannot publish these keys, or null. */
export function keysFault(keys: readonly ServiceKey[]): string | null {
  for (const { service, use } of LISTED_KEY_USES) {
    const own = keysOf(keys, { service, use })
    if (new Set(own.map(({ publicKeyB64u }) => publicKeyB64u)).size < own.length)
      return `${service} ${use}: a key is listed twice`
    if (new Set(own.map(({ validFrom }) => validFrom)).size < own.length)
      return `${service} ${use}: two keys are valid from the same time`
  }
  const stray = keys.find(
    ({ service, use }) => !LISTED_KEY_USES.some((one) => one.service === service && one.use === use),
  )
  return stray ? `${stray.service} has no key for ${stray.use}` : null
}
