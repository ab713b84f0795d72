/**
 * What a device publishes so that others can encrypt to it (workers/docs/pages/developer/keys.md): a key package signed
 * by the device, the root key's credential for that package, and one-time prekeys in signed batches.
 *
 * A batch is one signature over the root of an RFC 9162 tree whose leaves are the raw keys, so a hundred prekeys cost
 * one verification. Each prekey travels with its audit path, so the directory cannot substitute another key.
 *
 * @module
 */
import * as z from 'zod'
import { bytesOf } from '../base/base64url.ts'
import { deviceIdOf, deviceIdSchema } from '../base/device.ts'
import { fromHex, hashSchema, toHex } from '../base/hash.ts'
import { didSchema, publicKeySchema, scopeSchema } from '../base/identity.ts'
import { isOlderHead } from '../base/inception-head.ts'
import { kemKeyId, kemPublicKeySchema } from '../base/key-agreement.ts'
import { pure } from '../base/pure.ts'
import type { Realms } from '../base/realm.ts'
import { ownedStatementSchema, signedSchema, statementHash, verifyStatement } from '../base/statement.ts'
import { MerkleLog, type MerkleNode } from '../merkle/log.ts'
import { leafHash, verifyInclusion } from '../merkle/tree.ts'

/** `bound-v4` only uses one-time prekeys; `open-v4` can fall back to a last-resort key if the caller allows it. */
export const PROFILES = ['bound-v4', 'open-v4'] as const
export type Profile = (typeof PROFILES)[number]
export const profileSchema = /* @__PURE__ */ pure(() =>
  z.enum(PROFILES).meta({ description: 'Kind of session the package is for' }),
)
export const SUITES = ['mlkem768-mldsa65-sha3384'] as const
export const suiteIdSchema = /* @__PURE__ */ pure(() =>
  z.enum(SUITES).meta({ description: 'Algorithms of the package' }),
)
export type SuiteId = (typeof SUITES)[number]

/** A key is 1,579 characters, so a hundred keys and their statements stay below the 256 KiB body cap. */
export const MAX_BATCH = 100

const kind = { profile: profileSchema, suiteId: suiteIdSchema }

export const keyPackageSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/key-package/v1', {
    did: didSchema,
    deviceId: deviceIdSchema,
    devicePublicKeyB64u: publicKeySchema,
    ...kind,
    kemPublicKeyB64u: kemPublicKeySchema,
  }).meta({
    id: 'KeyPackage',
    description: 'A device states its keys for one profile and suite; signed by the device key',
  }),
)
export const signedKeyPackageSchema = /* @__PURE__ */ pure(() =>
  signedSchema(keyPackageSchema).meta({ id: 'SignedKeyPackage' }),
)
export type SignedKeyPackage = z.infer<typeof signedKeyPackageSchema>

export const packageVersionSchema = /* @__PURE__ */ pure(() =>
  z.int().min(1).meta({
    description:
      'Increases with every package of the device, so that an old one cannot be replayed; at most the time in epoch ms',
  }),
)
const about = /* @__PURE__ */ pure(() => ({
  did: didSchema,
  scope: scopeSchema,
  rootEpoch: z.int().min(0),
  deviceId: deviceIdSchema,
}))

export const deviceCredentialSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/device-credential/v1', {
    ...about,
    ...kind,
    version: packageVersionSchema,
    keyPackageHash: hashSchema.meta({ description: 'SHA3-384 over JCS of the key package' }),
  }).meta({ id: 'DeviceCredential', description: 'The root key vouches for a key package of one of its devices' }),
)
export const signedDeviceCredentialSchema = /* @__PURE__ */ pure(() =>
  signedSchema(deviceCredentialSchema).meta({ id: 'SignedDeviceCredential' }),
)
export type SignedDeviceCredential = z.infer<typeof signedDeviceCredentialSchema>

export const packageRevocationSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/package-revocation/v1', {
    ...about,
    version: packageVersionSchema.meta({ description: 'The newest revoked version' }),
  }).meta({ id: 'PackageRevocation', description: 'The root key revokes every package of a device up to a version' }),
)
export const signedPackageRevocationSchema = /* @__PURE__ */ pure(() =>
  signedSchema(packageRevocationSchema).meta({
    id: 'SignedPackageRevocation',
  }),
)
export type SignedPackageRevocation = z.infer<typeof signedPackageRevocationSchema>

export const PREKEY_KINDS = ['one-time', 'last-resort'] as const
export type PrekeyKind = (typeof PREKEY_KINDS)[number]
export const prekeyBatchSchema = /* @__PURE__ */ pure(() =>
  ownedStatementSchema('svc/prekey-batch/v1', {
    did: didSchema,
    deviceId: deviceIdSchema,
    ...kind,
    kind: z.enum(PREKEY_KINDS),
    size: z.int().min(1).max(MAX_BATCH),
    root: hashSchema.meta({ description: 'Root of the RFC 9162 tree whose leaves are the raw keys in order' }),
  }).meta({ id: 'PrekeyBatch', description: 'A device states prekeys; signed by the device key' }),
)
export const signedPrekeyBatchSchema = /* @__PURE__ */ pure(() =>
  signedSchema(prekeyBatchSchema).meta({ id: 'SignedPrekeyBatch' }),
)
export type SignedPrekeyBatch = z.infer<typeof signedPrekeyBatchSchema>

/** A batch as uploaded to the directory. */
export const prekeyUploadSchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      batch: signedPrekeyBatchSchema,
      publicKeysB64u: z.array(kemPublicKeySchema).min(1).max(MAX_BATCH),
    })
    .meta({ id: 'PrekeyUpload' }),
)
export type PrekeyUpload = z.infer<typeof prekeyUploadSchema>

/** A batch has fewer than 2^7 keys. */
const MAX_PATH = 7
export const prekeySchema = /* @__PURE__ */ pure(() =>
  z
    .strictObject({
      prekeyId: z.string().meta({ description: 'Base64url of the first 24 bytes of SHA3-384 of the raw key' }),
      publicKeyB64u: kemPublicKeySchema,
      index: z.int().min(0),
      proof: z.array(hashSchema).max(MAX_PATH).meta({ description: 'Audit path in the batch, lowest sibling first' }),
      batch: signedPrekeyBatchSchema,
    })
    .meta({ id: 'Prekey', description: 'One prekey with proof that its device signed it' }),
)
export type Prekey = z.infer<typeof prekeySchema>

/** Root and audit paths of the keys of a batch. */
export function prekeyTree(publicKeysB64u: readonly string[]): { readonly root: string; readonly proofs: string[][] } {
  const nodes = new Map<string, Uint8Array>()
  const at = ({ level, index }: Pick<MerkleNode, 'level' | 'index'>) => `${level}/${index}`
  const log = new MerkleLog((level, index) => {
    const hash = nodes.get(at({ level, index }))
    if (!hash) throw new RangeError('prekeyTree: no such node')
    return hash
  })
  for (const [i, key] of publicKeysB64u.entries()) {
    for (const node of log.append(i, leafHash(bytesOf(key)))) nodes.set(at(node), node.hash)
  }
  const size = publicKeysB64u.length
  return {
    root: toHex(log.root(size)),
    proofs: publicKeysB64u.map((_, i) => log.inclusion(i, size).map(toHex)),
  }
}

/** The expected subject of a package. `rootKeyB64u` is the root key of `rootEpoch`, obtained independently. */
export interface ExpectedPackage {
  readonly did: string
  readonly scope: string
  readonly deviceId: string
  readonly rootEpoch: number
  readonly rootKeyB64u: string
  readonly realms: Realms
}

/** `older_head`: the credential names an older event than its package, which the root key knew when it signed. */
export type PackageFault = 'mismatch' | 'stale_epoch' | 'older_head' | 'invalid_signature'

export interface KeyPackagePair {
  readonly credential: SignedDeviceCredential
  readonly keyPackage: SignedKeyPackage
}

/** Null if both root key and device signed this package for this device of this identity; otherwise the fault. */
export async function packageFault(
  { credential, keyPackage }: KeyPackagePair,
  expected: ExpectedPackage,
): Promise<PackageFault | null> {
  const [root, own] = [credential.statement, keyPackage.statement]
  const isSame =
    root.did === expected.did &&
    root.scope === expected.scope &&
    root.deviceId === expected.deviceId &&
    own.did === expected.did &&
    own.deviceId === expected.deviceId &&
    own.profile === root.profile &&
    own.suiteId === root.suiteId &&
    deviceIdOf(own.devicePublicKeyB64u) === expected.deviceId &&
    root.keyPackageHash === statementHash(own)
  if (!isSame) return 'mismatch'
  if (root.rootEpoch !== expected.rootEpoch) return 'stale_epoch'
  if (isOlderHead(root.inception, own.inception)) return 'older_head'
  const holds =
    (await verifyStatement(credential, bytesOf(expected.rootKeyB64u), expected.realms)) &&
    (await verifyStatement(keyPackage, bytesOf(own.devicePublicKeyB64u), expected.realms))
  return holds ? null : 'invalid_signature'
}

/** Like `packageFault`, for a revocation. */
export async function revocationFault(
  revocation: SignedPackageRevocation,
  expected: ExpectedPackage,
): Promise<PackageFault | null> {
  const { did, scope, deviceId, rootEpoch } = revocation.statement
  if (did !== expected.did || scope !== expected.scope || deviceId !== expected.deviceId) return 'mismatch'
  if (rootEpoch !== expected.rootEpoch) return 'stale_epoch'
  const holds = await verifyStatement(revocation, bytesOf(expected.rootKeyB64u), expected.realms)
  return holds ? null : 'invalid_signature'
}

/** The expected signer of a batch. */
export interface ExpectedBatch {
  readonly did: string
  readonly deviceId: string
  readonly devicePublicKeyB64u: string
  readonly realms: Realms
}

/** Verifies that the device signed exactly these keys. `proofs` are their audit paths, in the same order. */
export async function openUpload(
  { batch, publicKeysB64u }: PrekeyUpload,
  expected: ExpectedBatch,
): Promise<{ readonly fault: 'mismatch' | 'invalid_signature' } | { readonly proofs: string[][] }> {
  const { did, deviceId, size, root, kind: ofKind } = batch.statement
  const isSame =
    did === expected.did &&
    deviceId === expected.deviceId &&
    size === publicKeysB64u.length &&
    new Set(publicKeysB64u).size === size &&
    // There is only one last-resort key; with several it would be ambiguous which one is meant.
    (ofKind === 'one-time' || size === 1)
  if (!isSame) return { fault: 'mismatch' }
  const tree = prekeyTree(publicKeysB64u)
  if (tree.root !== root) return { fault: 'mismatch' }
  const holds = await verifyStatement(batch, bytesOf(expected.devicePublicKeyB64u), expected.realms)
  return holds ? { proofs: tree.proofs } : { fault: 'invalid_signature' }
}

/** Whether the device of a package signed this prekey for that package's profile and suite. */
export async function verifyPrekey(
  prekey: Prekey,
  { statement: own }: SignedKeyPackage,
  expectedRealms: Realms,
): Promise<boolean> {
  const { prekeyId, publicKeyB64u, index, proof, batch } = prekey
  const { did, deviceId, profile, suiteId, size, root } = batch.statement
  const isSame = did === own.did && deviceId === own.deviceId && profile === own.profile && suiteId === own.suiteId
  if (!isSame || prekeyId !== kemKeyId(publicKeyB64u)) return false
  const leaf = leafHash(bytesOf(publicKeyB64u))
  if (!verifyInclusion(leaf, index, size, proof.map(fromHex), fromHex(root))) return false
  return verifyStatement(batch, bytesOf(own.devicePublicKeyB64u), expectedRealms)
}
