import * as z from 'zod'
import { base64urlOf, bytesOf, encodeBase64url } from '#protocol/base/base64url'
import { capabilitiesSchema, deviceOriginSchema } from '#protocol/base/device'
import { didOf, didSchema, scopeSchema, userIdSchema } from '#protocol/base/identity'
import { inceptionHeadSchema } from '#protocol/base/inception-head'
import { pure } from '#protocol/base/pure'
import { MAX_SUCCESSORS } from '#protocol/chain/commitment'
import { checkCall, type Members } from '../arguments/check.ts'
import { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import type { IdentitySeeds } from '../identity/own-keys.ts'
import { type KeptRecovery, keptRecoverySchema } from '../recovery/kept-recovery.ts'
import { type SheetRecord, sheetRecordSchema } from '../recovery/sheet-record.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { KeyExportError } from './export-error.ts'

/** What belongs to one identity and is kept together: all of it, or the part that this place should have. */
export interface KeySet {
  readonly identity: Identity | null
  /** Earlier root keys of the identity, newest first. A client opens with them what was encrypted before a rotation. */
  readonly former: readonly Identity[]
  readonly devices: readonly Device[]
  /** The requests of `prepareRecovery`. The seeds of the successor are never part of it: export it by itself. */
  readonly recovery: KeptRecovery | null
  /** The records of the sheets that the identity commits to, without their words. */
  readonly sheets: readonly SheetRecord[]
}

/** What is written of a set of keys. */
export const KEY_SET: Members<Partial<KeySet>> = { identity: 0, former: 0, devices: 0, recovery: 0, sheets: 0 }

const MAX_DEVICES = 32
/** A rotation takes at least a day. */
const MAX_FORMER = 64

const seedsSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({ signingSeedB64u: base64urlOf(32), kemSeedB64u: base64urlOf(32) }),
)
const membershipSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    did: didSchema,
    scope: scopeSchema,
    userId: userIdSchema,
    rootEpoch: z.int().min(0),
    origin: deviceOriginSchema,
    capabilities: capabilitiesSchema,
    inception: inceptionHeadSchema,
  }),
)

const rootSchema = /* @__PURE__ */ pure(() =>
  seedsSchema.extend({
    lineage: z.strictObject({ scope: scopeSchema, epoch: z.int().min(1) }).nullable(),
  }),
)

/** What is encrypted, as JSON. */
export const keySetSchema = /* @__PURE__ */ pure(() =>
  z.strictObject({
    identity: rootSchema.nullable(),
    /** Left out if there are none. */
    former: z.array(rootSchema).max(MAX_FORMER).optional(),
    devices: z
      .array(
        seedsSchema.extend({
          origin: deviceOriginSchema,
          capabilities: capabilitiesSchema,
          membership: membershipSchema.nullable(),
        }),
      )
      .max(MAX_DEVICES),
    recovery: keptRecoverySchema.nullable(),
    /** Left out if there are none. */
    sheets: z.array(sheetRecordSchema).max(MAX_SUCCESSORS).optional(),
  }),
)
export type KeySetText = z.infer<typeof keySetSchema>

/** The DID of everything in it; null if nothing has one. Throws a ConfigurationError if there are two, or nothing to keep. */
export function didOfKeys({ identity, former, devices, recovery }: KeySet): string | null {
  if (!identity && devices.length === 0)
    throw new ConfigurationError('keys', 'There is nothing to export: pass an identity or devices')
  const roots = [identity, ...former].map((root) => root?.did)
  const dids = new Set([...roots, recovery?.did, ...devices.map(({ membership }) => membership?.did)])
  dids.delete(undefined)
  if (dids.size > 1) throw new ConfigurationError('keys', 'Export the keys of one identity at a time')
  return [...dids][0] ?? null
}

/** The root keys to keep as former ones when another takes the place of the newest: the oldest go if there are too many. */
export function formerAfter(keys: Pick<KeySet, 'identity' | 'former'>): readonly Identity[] {
  checkCall('formerAfter', [keys], ['keys'])
  const { identity, former } = keys
  return [...(identity ? [identity] : []), ...former].slice(0, MAX_FORMER)
}

export function textOf({ identity, former, devices, recovery, sheets }: KeySet): KeySetText {
  return {
    identity: identity && rootText(identity),
    ...(former.length > 0 && { former: former.map(rootText) }),
    devices: devices.map((device) => ({
      ...seedsText(device.revealSeeds()),
      origin: device.options.origin,
      capabilities: [...device.options.capabilities],
      membership: device.membership && { ...device.membership, capabilities: [...device.membership.capabilities] },
    })),
    recovery,
    ...(sheets.length > 0 && { sheets: [...sheets] }),
  }
}

/** The keys again. Throws a KeyExportError unless all belong to `did`. */
export async function keySetOf(text: KeySetText, did: string | null): Promise<KeySet> {
  const { identity, former = [], devices, recovery, sheets = [] } = text
  const keys = {
    identity: identity && (await rootOf(identity)),
    former: await Promise.all(former.map(rootOf)),
    devices: await Promise.all(
      devices.map(({ origin, capabilities, membership, ...seeds }) =>
        Device.fromSeeds(seedsOf(seeds), { origin, capabilities }, membership),
      ),
    ),
    recovery,
    sheets,
  }
  const memberships = devices.flatMap(({ membership }) => membership ?? [])
  const isOne = [keys.identity, ...keys.former, recovery, ...memberships].every(
    (part) => part === null || part.did === did,
  )
  if (!isOne || memberships.some(({ did: theirs, scope }) => theirs !== didOf(scope)))
    throw new KeyExportError('mismatch', 'The DID of the export does not match its keys')
  return keys
}

function rootText(root: Identity) {
  const lineage = root.epoch > 0 ? { scope: root.scope, epoch: root.epoch } : null
  return { ...seedsText(root.revealSeeds()), lineage }
}

function rootOf({ lineage, ...seeds }: z.infer<typeof rootSchema>): Promise<Identity> {
  return Identity.fromSeeds(seedsOf(seeds), lineage ?? undefined)
}

function seedsText({ signing, kem }: IdentitySeeds) {
  return { signingSeedB64u: encodeBase64url(signing), kemSeedB64u: encodeBase64url(kem) }
}

function seedsOf({ signingSeedB64u, kemSeedB64u }: z.infer<typeof seedsSchema>): IdentitySeeds {
  return { signing: bytesOf(signingSeedB64u), kem: bytesOf(kemSeedB64u) }
}
