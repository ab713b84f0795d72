import {
  type DevicePackage,
  type DirectoryPage,
  devicePackageSchema,
  directoryPageSchema,
  type PrekeyPool,
  type PrekeyStock,
  poolSchema,
  publishedSchema,
  type ReservedPrekey,
  type ReservePrekey,
  type RevokedPackage,
  reservedPrekeySchema,
  revokedSchema,
  stockAnswerSchema,
  verifyReservation,
} from '@svc/protocol/key-directory'
import {
  type PrekeyUpload,
  type Profile,
  packageFault,
  revocationFault,
  type SignedKeyPackage,
  verifyPrekey,
} from '@svc/protocol/key-packages'
import { signStatement, statementHash } from '@svc/protocol/statement'
import type { Device } from './device.ts'
import { Identity } from './identity.ts'
import type { KeyHistory } from './key-history.ts'
import { SUITE } from './key-material.ts'
import { randomId } from './random-id.ts'
import type { Transparency } from './transparency.ts'
import type { Transport } from './transport.ts'

export interface PublishOptions {
  /** Batches that the device has signed (`makePrekeys`): at most one of one-time prekeys and a last resort. */
  readonly prekeys?: readonly PrekeyUpload[]
  /** Must be above that of every package of the device before; the current time unless given. */
  readonly version?: number
}

export interface ReserveOptions {
  readonly profile?: Profile
  /** `one-time-required` unless given; `last-resort-allowed` is taken with `open-v4` alone. */
  readonly fallbackPolicy?: ReservePrekey['fallbackPolicy']
  /** Names the request: the same key again is the same prekey, for 24 hours. Keep it to try again. */
  readonly key?: string
}

/**
 * Device packages and prekeys (document 2 section 4.4). Every package that is read is checked: the root key of the
 * account, as core proves it, vouches for the device's key package, and the device has signed its prekeys.
 */
export class KeyDirectory {
  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #keys: KeyHistory
  readonly #transparency: Transparency

  constructor(parts: {
    readonly transport: Transport
    readonly keys: string
    readonly owner: Identity | Device
    readonly history: KeyHistory
    readonly transparency: Transparency
  }) {
    this.#transport = parts.transport
    this.#base = `${parts.keys}/api/key-directory`
    this.#owner = parts.owner
    this.#keys = parts.history
    this.#transparency = parts.transparency
  }

  /**
   * Publishes a key package that a device of this identity has signed. Needs the root key, and the device attested at
   * core. What it returns is durable; `transparency.waitFor(package)` sees it in the log about a second later.
   */
  async publish(
    keyPackage: SignedKeyPackage,
    { prekeys = [], version = this.#transport.now() }: PublishOptions = {},
  ): Promise<{ readonly package: DevicePackage; readonly stock: readonly PrekeyStock[] }> {
    const root = this.#root
    const { did, scope, epoch: rootEpoch } = root
    const { deviceId, profile, suiteId } = keyPackage.statement
    const credential = await signStatement(
      {
        type: 'svc/device-credential/v1',
        did,
        scope,
        rootEpoch,
        deviceId,
        profile,
        suiteId,
        version,
        keyPackageHash: statementHash(keyPackage.statement),
        issuedAt: this.#transport.now(),
      },
      (message) => root.sign(message),
    )
    const body = { credential, keyPackage, prekeys }
    const published = await this.#send('PUT', `${did}/devices/${deviceId}`, publishedSchema, body)
    if (published.package.leafId !== statementHash(credential.statement)) {
      throw new Error('the directory answered for another package')
    }
    return published
  }

  /** One page of an account's devices, ascending, each package checked; at most 20. `cursor` is that of the page before. */
  async list(accountDid: string, cursor?: string): Promise<DirectoryPage> {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const page = await this.#send('GET', `${accountDid}/devices${query}`, directoryPageSchema)
    if (page.accountDid !== accountDid) throw new Error('the directory answered for another account')
    for (const { deviceId, packages, revocation } of page.devices) {
      for (const one of packages) await this.#check(accountDid, deviceId, one)
      if (!revocation) continue
      const { statement } = revocation.revocation
      const expected = await this.#expected(accountDid, deviceId, statement.rootEpoch)
      if (await revocationFault(revocation.revocation, expected)) throw new Error('a revocation does not hold')
      if (packages.some(({ version }) => version <= statement.version)) throw new Error('a package was revoked')
    }
    return page
  }

  /** One package, checked. Refused with `package_revoked`, `stale_epoch` or `device_revoked` when it is over. */
  async resolve(accountDid: string, deviceId: string, profile: Profile = 'bound-v4'): Promise<DevicePackage> {
    const path = `${accountDid}/devices/${deviceId}?profile=${profile}&suiteId=${SUITE}`
    const found = await this.#send('GET', path, devicePackageSchema)
    if (found.profile !== profile) throw new Error('the directory answered for another profile')
    return this.#check(accountDid, deviceId, found)
  }

  /**
   * Reserves one prekey of a device and checks it: the package is the account's, the device has signed the prekey, and
   * the directory has signed the receipt. Throws `ServiceError` `prekeys_exhausted` when none is left.
   */
  async reserve(
    accountDid: string,
    deviceId: string,
    { profile = 'bound-v4', fallbackPolicy = 'one-time-required', key = randomId() }: ReserveOptions = {},
  ): Promise<ReservedPrekey & { readonly package: DevicePackage }> {
    const found = await this.resolve(accountDid, deviceId, profile)
    const body = { profile, suiteId: SUITE, fallbackPolicy }
    const path = `${accountDid}/devices/${deviceId}/prekeys/reserve`
    const reserved = await this.#send('POST', path, reservedPrekeySchema, body, { 'idempotency-key': key })
    const { prekey, receipt, usedFallback } = reserved
    const kind = prekey.batch.statement.kind
    if (!(await verifyPrekey(prekey, found.keyPackage))) throw new Error('the prekey is not one of the device')
    if (usedFallback !== (kind === 'last-resort')) throw new Error('the directory hides a last resort')
    if (usedFallback && fallbackPolicy !== 'last-resort-allowed') throw new Error('nobody asked for a last resort')
    const { statement } = receipt
    const isOurs =
      statement.accountDid === accountDid &&
      statement.deviceId === deviceId &&
      statement.requesterDid === this.#owner.did &&
      statement.prekeyId === prekey.prekeyId &&
      statement.profile === profile &&
      statement.kind === kind
    if (!isOurs || !(await verifyReservation(receipt, await this.#transparency.publishedKey()))) {
      throw new Error('the receipt does not hold')
    }
    return { ...reserved, package: found }
  }

  /** Adds prekeys to a package of this identity; a device may add its own, with `prekeys:write`. */
  async addPrekeys(deviceId: string, prekeys: readonly PrekeyUpload[]): Promise<readonly PrekeyStock[]> {
    const path = `${this.#owner.did}/devices/${deviceId}/prekeys`
    return (await this.#send('POST', path, stockAnswerSchema, { prekeys })).stock
  }

  /** What is left of a device's prekeys, and who has reserved which: newest first, 100 a page. */
  pool(deviceId: string, cursor?: number): Promise<PrekeyPool> {
    const query = cursor === undefined ? '' : `?cursor=${cursor}`
    return this.#send('GET', `${this.#owner.did}/devices/${deviceId}/prekeys${query}`, poolSchema)
  }

  /** Revokes every package of a device up to `version`, and what is left of its prekeys, at once. Needs the root key. */
  async revoke(deviceId: string, version: number): Promise<RevokedPackage> {
    const root = this.#root
    const { did, scope, epoch: rootEpoch } = root
    const revocation = await signStatement(
      {
        type: 'svc/package-revocation/v1',
        did,
        scope,
        rootEpoch,
        deviceId,
        version,
        issuedAt: this.#transport.now(),
      },
      (message) => root.sign(message),
    )
    return this.#send('POST', `${did}/devices/${deviceId}/revoke`, revokedSchema, revocation)
  }

  async #check(accountDid: string, deviceId: string, found: DevicePackage): Promise<DevicePackage> {
    const { credential, keyPackage } = found
    const { statement } = credential
    const isSame =
      found.accountDid === accountDid &&
      found.deviceId === deviceId &&
      found.profile === statement.profile &&
      found.suiteId === statement.suiteId &&
      found.version === statement.version &&
      found.leafId === statementHash(statement)
    const expected = await this.#expected(accountDid, deviceId)
    const fault = isSame ? await packageFault({ credential, keyPackage }, expected) : 'mismatch'
    if (fault) throw new Error(`the package does not hold: ${fault}`)
    return found
  }

  /** The root key of an account, from evidence that core gives and that proves itself; the current one unless told. */
  async #expected(did: string, deviceId: string, epoch?: number) {
    const keys = await this.#keys.of(did)
    const key = epoch === undefined ? keys.at(-1) : keys[epoch]
    if (!key) throw new Error('the account has no such root epoch')
    return { did, scope: keys[0].userId, deviceId, rootEpoch: key.epoch, rootKeyB64u: key.publicKeyB64u }
  }

  get #root(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('packages are published and revoked by the root key')
  }

  #send<S extends Parameters<Transport['data']>[1]>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    schema: S,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const call = { method, url: `${this.#base}/${path}`, audience: 'keys', headers, ...(body ? { body } : {}) } as const
    return this.#transport.data(call, schema)
  }
}
