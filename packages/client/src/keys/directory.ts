import { statementHash } from '#protocol/base/statement'
import { EMPTY_HEAD, leafIdOf, leafIdParts, nextHead } from '#protocol/keys/account-updates'
import {
  type AccountUpdate,
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
} from '#protocol/keys/directory'
import type { PrekeyUpload, Profile, SignedKeyPackage } from '#protocol/keys/packages'
import { contactTag, type DirectorySettings, directorySettingsSchema } from '#protocol/keys/reserving'
import type { KeyHistory } from '../chain/key-history.ts'
import type { Devices } from '../devices/devices.ts'
import type { TrustedKeys } from '../discovery/trusted-keys.ts'
import type { Device } from '../identity/device.ts'
import { Identity } from '../identity/identity.ts'
import { everyItem } from '../transport/pages.ts'
import { randomId } from '../transport/random-id.ts'
import type { Transport } from '../transport/transport.ts'
import { safeTwin } from '../verification/safe.ts'
import { unverified } from '../verification/verification-error.ts'
import { SUITE } from './key-material.ts'
import { devicesOf, hashOf, headsOf, type ListedDevice } from './listing.ts'
import { PackageSigners } from './package-signers.ts'
import { checkReservation } from './reservation-check.ts'
import { credentialOf, revocationOf, SignedUpdates } from './signed-updates.ts'
import type { Transparency } from './transparency.ts'
import { VerifiedPackages } from './verified-packages.ts'

export interface PublishOptions {
  /** Batches signed by the device (`makePrekeys`): at most one of one-time prekeys and one last resort. */
  readonly prekeys?: readonly PrekeyUpload[]
  /** Higher than that of every earlier package of the device, and at most the current time, which is the default. */
  readonly version?: number
}

export interface ReservePolicy {
  /** Who gets one-time prekeys: `anyone`, `contacts` only, or contacts and those who pass a bot `challenge`. */
  readonly reserve: DirectorySettings['reserve']
  /** At most 2,000. While there are any, a quarter of every pool is kept for them. */
  readonly contacts: readonly DirectoryContact[]
}

/** A contact of an account. */
export interface DirectoryContact {
  readonly did: string
  /** From `makeContactPass`. Keep it, and give it to this contact alone, in an encrypted message. */
  readonly passB64u: string
}

export interface ReserveOptions {
  readonly profile?: Profile
  /** Defaults to `one-time-required`; `last-resort-allowed` works only with `open-v4`. */
  readonly fallbackPolicy?: ReservePrekey['fallbackPolicy']
  /** Idempotency key: the same key returns the same prekey for 24 hours. Keep it to retry. */
  readonly key?: string
  /** Do not wait for witnesses, although the client has some (`witnesses`). */
  readonly unwitnessed?: boolean
  /** From the Turnstile widget with the action `prekey`, after a 403 `challenge_required`. */
  readonly challengeToken?: string
  /** The pass that the owner of the account gave you as a contact. */
  readonly contactPassB64u?: string
}

/** What an account has published and not taken back, with every update that led to it. */
export interface DirectoryListing {
  readonly accountDid: string
  /** Number of updates, and their head hash. Keep both: `transparency.follow` checks that later updates follow. */
  readonly seq: number
  readonly head: string
  /** Ascending by `deviceId`. */
  readonly devices: readonly ListedDevice[]
  readonly updates: readonly AccountUpdate[]
}

/**
 * Device packages and prekeys. Every package is verified when it is read: the account's root key, as proved by core,
 * vouches for the device's key package, and the device signed its prekeys.
 */
export class KeyDirectory {
  // As results: see `safely`.
  readonly safeList = safeTwin(this, 'list')
  readonly safeResolve = safeTwin(this, 'resolve')
  readonly safeReserve = safeTwin(this, 'reserve')

  readonly #transport: Transport
  readonly #base: string
  readonly #owner: Identity | Device
  readonly #packages: VerifiedPackages
  readonly #transparency: Transparency
  readonly #receiptKeys: TrustedKeys
  readonly #updates: SignedUpdates
  readonly #signers: PackageSigners

  constructor(parts: {
    readonly transport: Transport
    readonly keys: string
    readonly owner: Identity | Device
    readonly devices: () => Promise<Devices>
    readonly history: KeyHistory
    readonly transparency: Transparency
    readonly receiptKeys: TrustedKeys
  }) {
    this.#transport = parts.transport
    this.#base = `${parts.keys}/api/key-directory`
    this.#owner = parts.owner
    this.#transparency = parts.transparency
    this.#receiptKeys = parts.receiptKeys
    this.#updates = new SignedUpdates(parts.transport, parts.devices)
    this.#signers = new PackageSigners(parts)
    this.#packages = new VerifiedPackages(parts.history, parts.transparency, parts.transport.realms)
  }

  /**
   * Publishes a key package signed by a device of this identity. Needs the root key, and the device must be attested at
   * core. The returned package is durable; `transparency.waitFor(package)` finds it in the log about a second later. Reads
   * the head of the inception log if the package, or an update of the device before it, names a newer event than this
   * client knows.
   */
  async publish(
    keyPackage: SignedKeyPackage,
    { prekeys = [], version = this.#transport.now() }: PublishOptions = {},
  ): Promise<{ readonly package: DevicePackage; readonly stock: readonly PrekeyStock[] }> {
    const root = this.#root
    const { statement } = keyPackage
    return this.#updates.send(async (signing) => {
      const credential = await credentialOf(root, signing, keyPackage, version)
      const body = { credential, keyPackage, prekeys }
      const published = await this.#send('PUT', `${root.did}/devices/${statement.deviceId}`, publishedSchema, body)
      if (leafIdParts(published.package.leafId).statementHash === statementHash(credential.statement)) return published
      throw unverified('package', 'different_answer', 'The directory answered for a different package', {
        evidence: published,
      })
    }, statement.inception)
  }

  /**
   * Everything that an account has published, verified: the directory accounts for every update by its statement, and
   * the statements fold into the head that it names. Reads all pages. For the account of this client, also reads the
   * inception log, and says for each package what the key of its device is today (`signer`).
   */
  async list(accountDid: string): Promise<DirectoryListing> {
    const { devices, ...listing } = await this.#listed(accountDid)
    return { ...listing, devices: await this.#signers.judge(accountDid, devices) }
  }

  async #listed(accountDid: string) {
    const label = await this.#transparency.labelOf(accountDid)
    const updates: AccountUpdate[] = []
    let head = EMPTY_HEAD
    for (let cursor: string | null = ''; ; ) {
      const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
      const page: DirectoryPage = await this.#send('GET', `${accountDid}/devices${query}`, directoryPageSchema)
      if (page.accountDid !== accountDid || page.label !== label) {
        throw unverified('account', 'different_answer', 'The directory answered for a different account', {
          evidence: page,
        })
      }
      for (const update of page.updates) {
        head = nextHead(head, await this.#packages.accountedFor(accountDid, update))
        if (head.seq !== update.seq || update.leafId !== leafIdOf(label, hashOf(update))) {
          throw unverified('account', 'left_out', 'The directory left out an update')
        }
        updates.push(update)
      }
      cursor = page.cursor
      if (cursor !== null && page.updates.length > 0) continue
      if (head.seq !== page.seq || head.head !== page.head)
        throw unverified('account', 'left_out', 'The directory left out an update')
      return { accountDid, ...head, devices: devicesOf(updates), updates }
    }
  }

  /** One verified package. Throws `package_revoked`, `stale_epoch` or `device_revoked` if it is no longer valid. */
  async resolve(accountDid: string, deviceId: string, profile: Profile = 'bound-v4'): Promise<DevicePackage> {
    const path = `${accountDid}/devices/${deviceId}?profile=${profile}&suiteId=${SUITE}`
    const found = await this.#send('GET', path, devicePackageSchema)
    if (found.profile !== profile)
      throw unverified('package', 'different_answer', 'The directory answered for a different profile', {
        evidence: found,
      })
    return this.#packages.check(accountDid, deviceId, found)
  }

  /**
   * Reserves one prekey of a device and verifies it: the log proves that the package is one of the account's updates and
   * that none of them ends it, the device signed the prekey, and the directory signed the receipt. With `witnesses`, as many
   * as you demand must have verified the map of accounts. Throws `ServiceError` `prekeys_exhausted` if none is left for you, and
   * `challenge_required` if the account wants strangers to pass a bot challenge.
   */
  async reserve(
    accountDid: string,
    deviceId: string,
    {
      profile = 'bound-v4',
      fallbackPolicy = 'one-time-required',
      key = randomId(),
      challengeToken,
      contactPassB64u,
      unwitnessed = false,
    }: ReserveOptions = {},
  ): Promise<ReservedPrekey & { readonly package: DevicePackage }> {
    // Without a key, nothing is reserved whose receipt could not be verified.
    await this.#receiptKeys(this.#transport.now())
    const found = await this.resolve(accountDid, deviceId, profile)
    await this.#requireProved(accountDid, found, unwitnessed)
    const body = {
      profile,
      suiteId: SUITE,
      fallbackPolicy,
      ...(challengeToken ? { challengeToken } : {}),
      ...(contactPassB64u ? { contactPassB64u } : {}),
    }
    const path = `${accountDid}/devices/${deviceId}/prekeys/reserve`
    const reserved = await this.#send('POST', path, reservedPrekeySchema, body, { 'idempotency-key': key })
    const expected = { accountDid, deviceId, requesterDid: this.#owner.did, profile, fallbackPolicy }
    const trusted = { receiptKeys: this.#receiptKeys, realms: this.#transport.realms }
    await checkReservation(reserved, { ...expected, ...trusted, found })
    return { ...reserved, package: found }
  }

  /** The same updates for everybody: a package or a revocation that only some are shown has no place among them. */
  async #requireProved(accountDid: string, found: DevicePackage, unwitnessed: boolean): Promise<void> {
    const { account } = await this.#transparency.agree(accountDid, found.seq, async () => {
      const { updates } = await this.#listed(accountDid)
      const isListed = updates.some(({ package: listed, leafId }) => listed !== null && leafId === found.leafId)
      if (!isListed)
        throw unverified('package', 'left_out', 'The directory does not list the package', { evidence: found })
      return headsOf(updates)
    })
    if (this.#transparency.hasWitnesses && !unwitnessed) await this.#transparency.witnessed(account)
  }

  /** Adds prekeys to a package of this identity; a device with `prekeys:write` can add its own. */
  async addPrekeys(deviceId: string, prekeys: readonly PrekeyUpload[]): Promise<readonly PrekeyStock[]> {
    const path = `${this.#owner.did}/devices/${deviceId}/prekeys`
    return (await this.#send('POST', path, stockAnswerSchema, { prekeys })).stock
  }

  /** What is left of a device's prekeys, and who reserved which: newest first, 100 per page; `allReservations` reads every page. */
  pool(deviceId: string, cursor?: string): Promise<PrekeyPool> {
    const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
    return this.#send('GET', `${this.#owner.did}/devices/${deviceId}/prekeys${query}`, poolSchema)
  }

  /** Every reservation of a device's prekeys, newest first. */
  allReservations(deviceId: string): AsyncGenerator<PrekeyPool['reservations'][number]> {
    return everyItem(async (cursor) => {
      const page = await this.pool(deviceId, cursor)
      return { items: page.reservations, cursor: page.cursor }
    })
  }

  /** Who may reserve prekeys of this account, with the tags of its contacts (`contactTag`). */
  settings(): Promise<DirectorySettings> {
    return this.#send('GET', `${this.#owner.did}/settings`, directorySettingsSchema)
  }

  /**
   * Says who may reserve prekeys of this account, and replaces its contacts. The directory gets tags, which cannot be linked
   * to DIDs without the passes. For everybody else a pool looks empty: `prekeys_exhausted`, or the last-resort prekey. The
   * account itself is always a contact. Takes effect when this returns. Idempotent. Needs the root key: 403
   * `capability_required` for a device.
   */
  configure({ reserve, contacts }: ReservePolicy): Promise<DirectorySettings> {
    const { did } = this.#owner
    const body: DirectorySettings = { reserve, contacts: contacts.map((one) => contactTag(did, one.did, one.passB64u)) }
    return this.#send('PUT', `${did}/settings`, directorySettingsSchema, body)
  }

  /** Revokes all packages of a device up to `version`, and its remaining prekeys, at once. Root key only. */
  async revoke(deviceId: string, version: number): Promise<RevokedPackage> {
    const root = this.#root
    return this.#updates.send(async (signing) => {
      const revocation = await revocationOf(root, signing, deviceId, version)
      return this.#send('POST', `${root.did}/devices/${deviceId}/revoke`, revokedSchema, revocation)
    })
  }

  get #root(): Identity {
    if (this.#owner instanceof Identity) return this.#owner
    throw new TypeError('Only the root key can publish and revoke packages')
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
