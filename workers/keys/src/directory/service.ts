import type { Caller } from '@svc/assertion'
import type { LeafCourier, SeriesLogs } from '@svc/log'
import { reaching } from '@svc/protocol/base/dependency-fault'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { DeviceRecord } from '@svc/protocol/base/device'
import type { Json } from '@svc/protocol/base/jcs'
import { kemKeyId } from '@svc/protocol/base/key-agreement'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { RootStatement } from '@svc/protocol/internal/keys'
import { accountLabel, leafIdOf } from '@svc/protocol/keys/account-updates'
import {
  type DevicePackage,
  type DirectoryPage,
  MAX_PAGE_RESERVATIONS,
  MAX_PAGE_UPDATES,
  type PrekeyPool,
  type PrekeyStock,
  type PublishPackage,
  type ReservedPrekey,
  type ReservePrekey,
  type RevokedPackage,
} from '@svc/protocol/keys/directory'
import {
  openUpload,
  type PackageFault,
  type PrekeyUpload,
  type Profile,
  packageFault,
  revocationFault,
  type SignedPackageRevocation,
  type SuiteId,
} from '@svc/protocol/keys/packages'
import type { DirectorySettings } from '@svc/protocol/keys/reserving'
import { decodeCursor, encodeCursor } from '@svc/protocol/merkle/cursor'
import { doneOrDelayed, type FormChallenge } from '@svc/service'
import type { AttestationRefusal, AttestedDeviceClient } from './attested-device-client.ts'
import type { AccountDirectoryObject } from './object.ts'
import { isFromTheFuture, isPolicyAllowed } from './rules.ts'
import type { PackageRow } from './store.ts'
import type {
  CheckedBatch,
  FindRefusal,
  PrekeyRefusal,
  PublishRefusal,
  ReserveRefusal,
  RevokeRefusal,
} from './transaction.ts'

export type StatementRefusal = {
  readonly reason: 'package_mismatch' | 'stale_epoch' | 'invalid_signature' | 'statement_expired'
}
/** Work that continues after the response. */
type Background = (work: Promise<unknown>) => void
type Unsigned = { readonly reason: 'receipts_unavailable' }
type DirectoryStub = DurableObjectStub<AccountDirectoryObject>

/** The directory of each account: the packages its devices publish, and prekeys for those who want to write to them. */
export class DirectoryService {
  readonly #accounts: DurableObjectNamespace<AccountDirectoryObject>
  readonly #namespace: string
  readonly #devices: AttestedDeviceClient
  readonly #logs: SeriesLogs
  readonly #courier: LeafCourier
  readonly #receipts: DeploymentSigner
  readonly #challenge: FormChallenge<'prekey'>
  readonly #realms: Realms

  constructor(parts: {
    readonly accounts: DurableObjectNamespace<AccountDirectoryObject>
    /** Part of every account's label, and so of the name of its object. */
    readonly namespace: string
    readonly devices: AttestedDeviceClient
    readonly logs: SeriesLogs
    readonly courier: LeafCourier
    readonly receipts: DeploymentSigner
    /** For strangers, where an account asks for it. */
    readonly challenge: FormChallenge<'prekey'>
    readonly realms: Realms
  }) {
    this.#accounts = parts.accounts
    this.#namespace = parts.namespace
    this.#devices = parts.devices
    this.#logs = parts.logs
    this.#courier = parts.courier
    this.#receipts = parts.receipts
    this.#challenge = parts.challenge
    this.#realms = parts.realms
  }

  async publish(
    caller: Caller,
    deviceId: string,
    { credential, keyPackage, prekeys }: PublishPackage,
    now: number,
    background: Background,
  ): Promise<
    Result<
      { readonly package: DevicePackage; readonly stock: PrekeyStock[] },
      PublishRefusal | StatementRefusal | AttestationRefusal
    >
  > {
    const { did } = caller
    const fault = await packageFault({ credential, keyPackage }, expectedOf(caller, deviceId, this.#realms))
    if (fault) return err({ reason: reasonOf(fault) })
    if (isFromTheFuture(Math.max(credential.statement.issuedAt, keyPackage.statement.issuedAt), now)) {
      return err({ reason: 'statement_expired' })
    }
    const device = await this.#devices.find(did, deviceId, 'primary', now)
    if (!device.ok) return device
    if (!isBound(device.value, keyPackage.statement.devicePublicKeyB64u, caller.epoch)) {
      return err({ reason: 'attestation_unverifiable' })
    }
    const suite = keyPackage.statement
    const batches = await checkedBatches(prekeys, device.value, this.#realms)
    if (!batches.ok) return batches
    // Prekeys that come with a package must be for that package.
    if (batches.value.some(({ batch }) => !isOf(batch.statement, suite))) return err({ reason: 'package_mismatch' })
    const pair = { credential, keyPackage }
    const label = accountLabel(this.#namespace, did)
    const published = await this.#account(did, async (account) => account.publish(label, pair, batches.value))
    if (!published.ok) return published
    background(this.#carry(did))
    return ok({ package: packageOf(did, published.value.row), stock: published.value.stock })
  }

  /** The caller is the device itself or the root key. Either way, the device has signed the prekeys. */
  async addPrekeys(
    { did, device: signer }: Caller,
    deviceId: string,
    prekeys: readonly PrekeyUpload[],
    now: number,
  ): Promise<
    Result<
      PrekeyStock[],
      PrekeyRefusal | FindRefusal | StatementRefusal | AttestationRefusal | { readonly reason: 'owner_mismatch' }
    >
  > {
    if (signer && signer.deviceId !== deviceId) return err({ reason: 'owner_mismatch' })
    const device = await this.#devices.find(did, deviceId, 'primary', now)
    if (!device.ok) return device
    const batches = await checkedBatches(prekeys, device.value, this.#realms)
    if (!batches.ok) return batches
    return this.#account(did, async (account) => account.addPrekeys(deviceId, batches.value))
  }

  /** Null for a cursor of another list. */
  async list(accountDid: string, cursor: string | undefined): Promise<DirectoryPage | null> {
    const label = accountLabel(this.#namespace, accountDid)
    const after = placeOf(['updates', label], cursor, 0)
    if (after === null) return null
    const found = await this.#account(accountDid, async (account) => account.list(after, MAX_PAGE_UPDATES))
    const { seq, head, updates } = found
    const last = updates.at(-1)?.seq ?? seq
    return {
      accountDid,
      label,
      seq,
      head,
      updates: updates.map(({ row, revocation, statement, ...update }) => ({
        seq: update.seq,
        leafId: leafIdOf(label, update.statementHash),
        package: row && packageOf(accountDid, row),
        revocation,
        statement: row || revocation ? null : statement,
      })),
      cursor: last < seq ? encodeCursor(['updates', label], last) : null,
    }
  }

  /** Omits a package whose device core no longer attests, or attests under another root key. */
  async find(
    accountDid: string,
    { deviceId, profile, suiteId }: { readonly deviceId: string; readonly profile: Profile; readonly suiteId: SuiteId },
    consistency: 'primary' | 'cached',
    now: number,
  ): Promise<Result<DevicePackage, FindRefusal | AttestationRefusal | { readonly reason: 'stale_epoch' }>> {
    const found = await this.#account(accountDid, async (account) => account.find(deviceId, profile, suiteId))
    if (!found.ok) return found
    const device = await this.#devices.find(accountDid, deviceId, consistency, now)
    if (!device.ok) return device
    const { rootEpoch } = found.value.pair.credential.statement
    return rootEpoch === device.value.currentEpoch
      ? ok(packageOf(accountDid, found.value))
      : err({ reason: 'stale_epoch' })
  }

  async reserve(
    { caller, address, now }: { readonly caller: Caller; readonly address: string; readonly now: number },
    accountDid: string,
    deviceId: string,
    { challengeToken, ...asked }: ReservePrekey,
    key: string,
  ): Promise<
    Result<
      ReservedPrekey,
      | ReserveRefusal
      | AttestationRefusal
      | Unsigned
      | { readonly reason: 'one_time_required' | 'stale_epoch' | 'challenge_failed' }
    >
  > {
    if (!isPolicyAllowed(asked)) return err({ reason: 'one_time_required' })
    if (!this.#receipts.isReady) return err({ reason: 'receipts_unavailable' })
    // A device revoked since it published draws no prekey.
    const device = await this.#devices.find(accountDid, deviceId, 'primary', now)
    const request = {
      accountDid,
      deviceId,
      requesterDid: caller.did,
      requesterDevice: caller.device?.deviceId ?? null,
      key,
      asked,
      device: device.ok ? { currentEpoch: device.value.currentEpoch } : { refusal: device.error },
    }
    const draw = (hasPassed: boolean) =>
      this.#account(accountDid, async (account) => account.reserve({ ...request, hasPassed }))
    let reserved = await draw(false)
    // A token is for one use: it is spent only where the account asks for it.
    if (!reserved.ok && reserved.error.reason === 'challenge_required' && challengeToken !== undefined) {
      const hasPassed = await this.#challenge.passes(challengeToken, 'prekey', address, now)
      if (!hasPassed) return err({ reason: 'challenge_failed' })
      reserved = await draw(true)
    }
    if (!reserved.ok) return reserved
    const { prekey, receipt } = reserved.value
    const { prekeyId, publicKeyB64u, index, proof, batch, kind } = prekey
    return ok({
      prekey: { prekeyId, publicKeyB64u, index, proof: [...proof], batch },
      usedFallback: kind === 'last-resort',
      receipt,
    })
  }

  async pool(
    accountDid: string,
    deviceId: string,
    cursor: string | undefined,
  ): Promise<Result<PrekeyPool, FindRefusal | { readonly reason: 'invalid_cursor' }>> {
    const list = ['reservations', accountDid, deviceId]
    const before = placeOf(list, cursor, Number.MAX_SAFE_INTEGER)
    if (before === null) return err({ reason: 'invalid_cursor' })
    const found = await this.#account(accountDid, async (account) =>
      account.pool(accountDid, deviceId, before, MAX_PAGE_RESERVATIONS),
    )
    if (!found.ok) return found
    const { next, ...pool } = found.value
    return ok({ ...pool, cursor: next === null ? null : encodeCursor(list, next) })
  }

  settings(accountDid: string): Promise<DirectorySettings> {
    return this.#account(accountDid, async (account) => account.settings())
  }

  /** In effect when this returns. */
  configure(accountDid: string, settings: DirectorySettings): Promise<DirectorySettings> {
    return this.#account(accountDid, async (account) => account.configure(settings))
  }

  async revoke(
    caller: Caller,
    deviceId: string,
    revocation: SignedPackageRevocation,
    now: number,
    background: Background,
  ): Promise<Result<RevokedPackage, RevokeRefusal | StatementRefusal>> {
    const fault = await revocationFault(revocation, expectedOf(caller, deviceId, this.#realms))
    if (fault) return err({ reason: reasonOf(fault) })
    // Such a statement would block every batch until its time comes.
    if (isFromTheFuture(revocation.statement.issuedAt, now)) return err({ reason: 'statement_expired' })
    const { did } = caller
    const label = accountLabel(this.#namespace, did)
    const revoked = await this.#account(did, async (account) => account.revoke(label, revocation))
    if (!revoked.ok) return revoked
    background(this.#carry(did))
    return revoked
  }

  /** Statements of an account's root key that core has accepted. Idempotent: each is an update once. */
  async record(did: string, statements: readonly RootStatement[], background: Background): Promise<void> {
    const label = accountLabel(this.#namespace, did)
    await this.#account(did, async (account) => account.record(label, statements))
    background(this.#carry(did))
  }

  /** What the log lacks of an account, in order. Never rejects: its alarm does the same a little later. */
  async #carry(did: string): Promise<void> {
    const askedAt = Date.now()
    await doneOrDelayed({ service: 'keys', delayed: 'directory updates' }, async () => {
      const { log } = await this.#logs.open()
      const leaves = await this.#account(did, async (account) => account.sendTo(log))
      if (leaves.length > 0) await this.#courier.carry(log, askedAt, leaves)
    })
  }

  #account<T>(did: string, work: (account: DirectoryStub) => Promise<T>): Promise<T> {
    return reaching('account directory', () => work(this.#accounts.getByName(accountLabel(this.#namespace, did))))
  }
}

/** The number in a cursor of this list, or what a list starts with; null for any other cursor. */
function placeOf(list: Json, cursor: string | undefined, start: number): number | null {
  if (cursor === undefined) return start
  const place = decodeCursor(list, cursor)
  return typeof place === 'number' ? place : null
}

/** The gate has already verified the root key and its epoch at core. */
function expectedOf({ did, scope, epoch, publicKeyB64u }: Caller, deviceId: string, realms: Realms) {
  return { did, scope, deviceId, rootEpoch: epoch, rootKeyB64u: publicKeyB64u, realms }
}

function reasonOf(fault: PackageFault): StatementRefusal['reason'] {
  return fault === 'mismatch' ? 'package_mismatch' : fault
}

function isBound(record: DeviceRecord, devicePublicKeyB64u: string, epoch: number): boolean {
  return record.publicKeyB64u === devicePublicKeyB64u && record.rootEpoch === epoch && record.currentEpoch === epoch
}

interface OfSuite {
  readonly profile: Profile
  readonly suiteId: SuiteId
}

function isOf(a: OfSuite, b: OfSuite): boolean {
  return a.profile === b.profile && a.suiteId === b.suiteId
}

async function checkedBatches(
  uploads: readonly PrekeyUpload[],
  { did, deviceId, publicKeyB64u }: DeviceRecord,
  realms: Realms,
): Promise<Result<CheckedBatch[], StatementRefusal>> {
  const checked: CheckedBatch[] = []
  for (const upload of uploads) {
    const opened = await openUpload(upload, { did, deviceId, devicePublicKeyB64u: publicKeyB64u, realms })
    if ('fault' in opened) return err({ reason: reasonOf(opened.fault) })
    const keys = upload.publicKeysB64u.map((key, index) => ({
      prekeyId: kemKeyId(key),
      publicKeyB64u: key,
      index,
      proof: opened.proofs[index] ?? [],
    }))
    checked.push({ batch: upload.batch, keys })
  }
  return ok(checked)
}

function packageOf(accountDid: string, { pair, ...row }: PackageRow): DevicePackage {
  return { accountDid, ...row, ...pair }
}
