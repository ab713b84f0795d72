import type { Caller } from '@svc/assertion'
import { reaching } from '@svc/protocol/dependency-fault'
import type { DeviceRecord } from '@svc/protocol/device'
import { kemKeyId } from '@svc/protocol/key-agreement'
import {
  type DevicePackage,
  type DirectoryPage,
  MAX_PAGE_DEVICES,
  MAX_PAGE_RESERVATIONS,
  type PrekeyPool,
  type PrekeyStock,
  type PublishPackage,
  type ReservedPrekey,
  type ReservePrekey,
  type RevokedPackage,
} from '@svc/protocol/key-directory'
import {
  openUpload,
  type PackageFault,
  type PrekeyUpload,
  type Profile,
  packageFault,
  revocationFault,
  type SignedPackageRevocation,
  type SuiteId,
} from '@svc/protocol/key-packages'
import { err, ok, type Result } from '@svc/protocol/result'
import type { LeafCourier } from '../transparency/leaf-courier.ts'
import type { AccountDirectoryObject } from './account-directory-object.ts'
import type { AttestationRefusal, AttestedDeviceClient } from './attested-device-client.ts'
import { isFromTheFuture, isPolicyAllowed } from './directory.ts'
import type {
  CheckedBatch,
  FindRefusal,
  PrekeyRefusal,
  PublishRefusal,
  ReserveRefusal,
  RevokeRefusal,
} from './directory-session.ts'
import type { PackageRow } from './directory-store.ts'

export type StatementRefusal = {
  readonly reason: 'package_mismatch' | 'stale_epoch' | 'invalid_signature' | 'statement_expired'
}
/** Work that goes on after the answer. */
type Background = (work: Promise<unknown>) => void
type Unsigned = { readonly reason: 'receipts_unavailable' }
type DirectoryStub = DurableObjectStub<AccountDirectoryObject>

/** The directory of each account: what its devices publish, and prekeys for whoever wants to write to them. */
export class DirectoryService {
  readonly #accounts: DurableObjectNamespace<AccountDirectoryObject>
  readonly #devices: AttestedDeviceClient
  readonly #courier: LeafCourier
  readonly #signsReceipts: boolean

  constructor(parts: {
    readonly accounts: DurableObjectNamespace<AccountDirectoryObject>
    readonly devices: AttestedDeviceClient
    readonly courier: LeafCourier
    readonly signsReceipts: boolean
  }) {
    this.#accounts = parts.accounts
    this.#devices = parts.devices
    this.#courier = parts.courier
    this.#signsReceipts = parts.signsReceipts
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
    const fault = await packageFault({ credential, keyPackage }, expectedOf(caller, deviceId))
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
    const batches = await checkedBatches(prekeys, device.value)
    if (!batches.ok) return batches
    // What comes with a package is for that package.
    if (batches.value.some(({ batch }) => !isOf(batch.statement, suite))) return err({ reason: 'package_mismatch' })
    const pair = { credential, keyPackage }
    const published = await this.#account(did, async (account) => account.publish(pair, batches.value))
    if (!published.ok) return published
    const statementHash = published.value.row.leafId
    background(this.#courier.carry({ kind: 'credential', did, deviceId, statementHash }))
    return ok({ package: packageOf(did, published.value.row), stock: published.value.stock })
  }

  /** The device itself or the root key; either way the device has signed the keys. */
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
    const batches = await checkedBatches(prekeys, device.value)
    if (!batches.ok) return batches
    return this.#account(did, async (account) => account.addPrekeys(deviceId, batches.value))
  }

  async list(accountDid: string, after: string): Promise<DirectoryPage> {
    const found = await this.#account(accountDid, async (account) => account.list(after, MAX_PAGE_DEVICES + 1))
    const shown = found.slice(0, MAX_PAGE_DEVICES)
    return {
      accountDid,
      devices: shown.map(({ deviceId, packages, revocation }) => ({
        deviceId,
        packages: packages.map((row) => packageOf(accountDid, row)),
        revocation,
      })),
      cursor: found.length > MAX_PAGE_DEVICES ? (shown.at(-1)?.deviceId ?? null) : null,
    }
  }

  /** A package whose device core no longer attests, or attested by another root key, is none any more. */
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
    caller: Caller,
    accountDid: string,
    deviceId: string,
    asked: ReservePrekey,
    key: string,
    now: number,
  ): Promise<
    Result<
      ReservedPrekey,
      ReserveRefusal | AttestationRefusal | Unsigned | { readonly reason: 'one_time_required' | 'stale_epoch' }
    >
  > {
    if (!isPolicyAllowed(asked)) return err({ reason: 'one_time_required' })
    if (!this.#signsReceipts) return err({ reason: 'receipts_unavailable' })
    // Nothing is drawn for a device that has been revoked since it published.
    const standing = await this.find(accountDid, { deviceId, ...asked }, 'primary', now)
    if (!standing.ok) return standing
    const request = {
      accountDid,
      deviceId,
      requesterDid: caller.did,
      requesterDevice: caller.device?.deviceId ?? null,
      key,
      asked,
    }
    const reserved = await this.#account(accountDid, async (account) => account.reserve(request))
    if (!reserved.ok) return reserved
    const { prekeyId, publicKeyB64u, index, proof, batch, kind } = reserved.value.prekey
    return ok({
      prekey: { prekeyId, publicKeyB64u, index, proof: [...proof], batch },
      usedFallback: kind === 'last-resort',
      receipt: reserved.value.receipt,
    })
  }

  pool(accountDid: string, deviceId: string, before: number): Promise<Result<PrekeyPool, FindRefusal>> {
    return this.#account(accountDid, async (account) =>
      account.pool(accountDid, deviceId, before, MAX_PAGE_RESERVATIONS),
    )
  }

  async revoke(
    caller: Caller,
    deviceId: string,
    revocation: SignedPackageRevocation,
    now: number,
    background: Background,
  ): Promise<Result<RevokedPackage, RevokeRefusal | StatementRefusal>> {
    const fault = await revocationFault(revocation, expectedOf(caller, deviceId))
    if (fault) return err({ reason: reasonOf(fault) })
    // It would bar every batch until then.
    if (isFromTheFuture(revocation.statement.issuedAt, now)) return err({ reason: 'statement_expired' })
    const { did } = caller
    const revoked = await this.#account(did, async (account) => account.revoke(revocation))
    if (!revoked.ok) return revoked
    background(this.#courier.carry({ kind: 'revocation', did, deviceId, statementHash: revoked.value.leafId }))
    return revoked
  }

  #account<T>(did: string, work: (account: DirectoryStub) => Promise<T>): Promise<T> {
    return reaching('account directory', () => work(this.#accounts.getByName(did)))
  }
}

/** The gate has had core vouch for the root key and its epoch. */
function expectedOf({ did, scope, epoch, publicKeyB64u }: Caller, deviceId: string) {
  return { did, scope, deviceId, rootEpoch: epoch, rootKeyB64u: publicKeyB64u }
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
): Promise<Result<CheckedBatch[], StatementRefusal>> {
  const checked: CheckedBatch[] = []
  for (const upload of uploads) {
    const opened = await openUpload(upload, { did, deviceId, devicePublicKeyB64u: publicKeyB64u })
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
