import { base64urlOf, bytesOf, encodeBase64url } from '@svc/protocol/base/base64url'
import { capabilitiesSchema, deviceOriginSchema } from '@svc/protocol/base/device'
import { didOf, didSchema, scopeSchema, userIdSchema } from '@svc/protocol/base/identity'
import * as z from 'zod'
import { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import type { IdentitySeeds } from '../identity/own-keys.ts'
import { type KeptRecovery, keptRecoverySchema } from '../recovery/kept-recovery.ts'
import { ConfigurationError } from '../transport/configuration-error.ts'
import { KeyExportError } from './export-error.ts'

/** What belongs to one identity and is kept together: all of it, or the part that this place should have. */
export interface KeySet {
  readonly identity: Identity | null
  readonly devices: readonly Device[]
  /** The requests of `prepareRecovery`. The seeds of the successor are never part of it: export it by itself. */
  readonly recovery: KeptRecovery | null
}

const MAX_DEVICES = 32

const seedsSchema = z.strictObject({ signingSeedB64u: base64urlOf(32), kemSeedB64u: base64urlOf(64) })
const membershipSchema = z.strictObject({
  did: didSchema,
  scope: scopeSchema,
  userId: userIdSchema,
  rootEpoch: z.int().min(0),
  origin: deviceOriginSchema,
  capabilities: capabilitiesSchema,
})

/** What is encrypted, as JSON. */
export const keySetSchema = z.strictObject({
  identity: seedsSchema
    .extend({ lineage: z.strictObject({ scope: scopeSchema, epoch: z.int().min(1) }).nullable() })
    .nullable(),
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
})
type KeySetText = z.infer<typeof keySetSchema>

/** The DID of everything in it; null if nothing has one. Throws a ConfigurationError if there are two, or nothing to keep. */
export function didOfKeys({ identity, devices, recovery }: KeySet): string | null {
  if (!identity && devices.length === 0)
    throw new ConfigurationError('keys', 'There is nothing to export: pass an identity or devices')
  const dids = new Set([identity?.did, recovery?.did, ...devices.map(({ membership }) => membership?.did)])
  dids.delete(undefined)
  if (dids.size > 1) throw new ConfigurationError('keys', 'Export the keys of one identity at a time')
  return [...dids][0] ?? null
}

export function textOf({ identity, devices, recovery }: KeySet): KeySetText {
  return {
    identity: identity && {
      ...seedsText(identity.revealSeeds()),
      lineage: identity.epoch > 0 ? { scope: identity.scope, epoch: identity.epoch } : null,
    },
    devices: devices.map((device) => ({
      ...seedsText(device.revealSeeds()),
      origin: device.options.origin,
      capabilities: [...device.options.capabilities],
      membership: device.membership && { ...device.membership, capabilities: [...device.membership.capabilities] },
    })),
    recovery,
  }
}

/** The keys again. Throws a KeyExportError unless all belong to `did`. */
export async function keySetOf(text: KeySetText, did: string | null): Promise<KeySet> {
  const { identity, devices, recovery } = text
  const keys = {
    identity: identity && (await Identity.fromSeeds(seedsOf(identity), identity.lineage ?? undefined)),
    devices: await Promise.all(
      devices.map(({ origin, capabilities, membership, ...seeds }) =>
        Device.fromSeeds(seedsOf(seeds), { origin, capabilities }, membership),
      ),
    ),
    recovery,
  }
  const memberships = devices.flatMap(({ membership }) => membership ?? [])
  const isOne = [keys.identity, recovery, ...memberships].every((part) => part === null || part.did === did)
  if (!isOne || memberships.some(({ did: theirs, scope }) => theirs !== didOf(scope)))
    throw new KeyExportError('mismatch', 'The DID of the export does not match its keys')
  return keys
}

function seedsText({ signing, kem }: IdentitySeeds) {
  return { signingSeedB64u: encodeBase64url(signing), kemSeedB64u: encodeBase64url(kem) }
}

function seedsOf({ signingSeedB64u, kemSeedB64u }: z.infer<typeof seedsSchema>): IdentitySeeds {
  return { signing: bytesOf(signingSeedB64u), kem: bytesOf(kemSeedB64u) }
}
