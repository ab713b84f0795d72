/**
 * The place of packages and their revocations in the inception log of their account
 * (workers/docs/pages/developer/statements.md, “Order”).
 *
 * @module
 */
import * as z from 'zod'
import { deviceIdSchema } from '../base/device.ts'
import { isOlderHead, type KnownInception, knownInceptionSchema } from '../base/inception-head.ts'
import { pure } from '../base/pure.ts'
import { type SignerHistory, type SignerStanding, signerStanding } from '../devices/signer-standing.ts'
import type { KeyPackagePair } from './packages.ts'

const placedUpdateSchema = /* @__PURE__ */ pure(() =>
  z.object({
    type: z.enum(['svc/device-credential/v1', 'svc/package-revocation/v1']),
    deviceId: deviceIdSchema,
    inception: knownInceptionSchema,
  }),
)

/**
 * Returns the index of the first update that names an older event than an earlier update of the same device; null if
 * there is none. `statements` are those of an account in the order of `seq`. Ignores updates that are not about a device.
 */
export function olderUpdate(statements: readonly object[]): number | null {
  const heads = new Map<string, KnownInception>()
  for (const [index, statement] of statements.entries()) {
    const placed = placedUpdateSchema.safeParse(statement)
    if (!placed.success) continue
    const { deviceId, inception } = placed.data
    if (isOlderHead(inception, heads.get(deviceId) ?? null)) return index
    heads.set(deviceId, inception)
  }
  return null
}

/**
 * Returns the standing of the keys that signed a package and its credential, for a reader of the account's inception log.
 * The credential follows the package: it names the hash of the package, and the device cannot sign it. The signatures are
 * checked separately.
 */
export function packageStanding(history: SignerHistory, { credential, keyPackage }: KeyPackagePair): SignerStanding {
  const vouching = credential.statement
  const root = history.keys.find(({ epoch }) => epoch === vouching.rootEpoch)
  const vouched = signerStanding(history, { ...vouching, publicKeyB64u: root?.publicKeyB64u ?? '', capability: null })
  if (vouched.fault) return vouched
  const { devicePublicKeyB64u: publicKeyB64u, inception, issuedAt } = keyPackage.statement
  return signerStanding(
    history,
    { publicKeyB64u, inception, issuedAt, capability: null },
    { epoch: vouching.rootEpoch, sequence: vouching.inception?.sequence ?? null, before: vouching.issuedAt },
  )
}
