import type { Caller } from '@svc/assertion'
import type { LeafCourier, SeriesLogs } from '@svc/log'
import type { DeviceRecord } from '@svc/protocol/base/device'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import type { RootStatement } from '@svc/protocol/internal/keys'
import { leafIdOf } from '@svc/protocol/keys/account-updates'
import {
  type DevicePackage,
  type DirectoryPage,
  MAX_PAGE_UPDATES,
  type PrekeyStock,
  type PublishPackage,
  type RevokedPackage,
} from '@svc/protocol/keys/directory'
import {
  type Profile,
  packageFault,
  revocationFault,
  type SignedPackageRevocation,
  type SuiteId,
} from '@svc/protocol/keys/packages'
import { encodeCursor } from '@svc/protocol/merkle/cursor'
import { doneOrDelayed, type InceptionLogClient } from '@svc/service'
import type { Accounts } from './accounts.ts'
import type { AttestationRefusal, AttestedDeviceClient } from './attested-device-client.ts'
import { placeOf } from './cursors.ts'
import { isFromTheFuture } from './rules.ts'
import { checkedBatches, reasonOf, type StatementRefusal } from './statements.ts'
import type { PackageRow } from './store.ts'
import type { FindRefusal, PublishRefusal, RevokeRefusal } from './transaction.ts'

type UnknownHead = { readonly reason: 'unknown_head' }
/** Work that continues after the response. */
type Background = (work: Promise<unknown>) => void

/** The directory of each account: the packages that its devices publish, for those who want to write to them. */
export class DirectoryService {
  readonly #accounts: Accounts
  readonly #devices: AttestedDeviceClient
  readonly #inceptionLogs: InceptionLogClient
  readonly #logs: SeriesLogs
  readonly #courier: LeafCourier
  readonly #realms: Realms

  constructor(parts: {
    readonly accounts: Accounts
    readonly devices: AttestedDeviceClient
    readonly inceptionLogs: InceptionLogClient
    readonly logs: SeriesLogs
    readonly courier: LeafCourier
    readonly realms: Realms
  }) {
    this.#accounts = parts.accounts
    this.#devices = parts.devices
    this.#inceptionLogs = parts.inceptionLogs
    this.#logs = parts.logs
    this.#courier = parts.courier
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
      PublishRefusal | StatementRefusal | AttestationRefusal | UnknownHead
    >
  > {
    const { did } = caller
    const fault = await packageFault({ credential, keyPackage }, expectedOf(caller, deviceId, this.#realms))
    if (fault) return err({ reason: reasonOf(fault) })
    // A version can be a time. After a higher one, the owner could publish nothing more for the device.
    const { issuedAt, version } = credential.statement
    if (isFromTheFuture(Math.max(issuedAt, keyPackage.statement.issuedAt, version), now)) {
      return err({ reason: 'statement_expired' })
    }
    const device = await this.#devices.find(did, deviceId, 'primary', now)
    if (!device.ok) return device
    if (!isBound(device.value, keyPackage.statement.devicePublicKeyB64u, caller.epoch)) {
      return err({ reason: 'attestation_unverifiable' })
    }
    const isKnown = await this.#inceptionLogs.has(did, credential.statement.inception)
    if (!isKnown) return err({ reason: 'unknown_head' })
    const suite = keyPackage.statement
    const batches = await checkedBatches(prekeys, device.value, this.#realms)
    if (!batches.ok) return batches
    // Prekeys that come with a package must be for that package.
    if (batches.value.some(({ batch }) => !isOf(batch.statement, suite))) return err({ reason: 'package_mismatch' })
    const pair = { credential, keyPackage }
    const label = this.#accounts.labelOf(did)
    const published = await this.#accounts.ask(did, async (account) => account.publish(label, pair, batches.value))
    if (!published.ok) return published
    background(this.#carry(did))
    return ok({ package: packageOf(did, published.value.row), stock: published.value.stock })
  }

  /** Null for a cursor of another list. */
  async list(accountDid: string, cursor: string | undefined): Promise<DirectoryPage | null> {
    const label = this.#accounts.labelOf(accountDid)
    const after = placeOf(['updates', label], cursor, 0)
    if (after === null) return null
    const found = await this.#accounts.ask(accountDid, async (account) => account.list(after, MAX_PAGE_UPDATES))
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
    const found = await this.#accounts.ask(accountDid, async (account) => account.find(deviceId, profile, suiteId))
    if (!found.ok) return found
    const device = await this.#devices.find(accountDid, deviceId, consistency, now)
    if (!device.ok) return device
    const { rootEpoch } = found.value.pair.credential.statement
    return rootEpoch === device.value.currentEpoch
      ? ok(packageOf(accountDid, found.value))
      : err({ reason: 'stale_epoch' })
  }

  async revoke(
    caller: Caller,
    deviceId: string,
    revocation: SignedPackageRevocation,
    now: number,
    background: Background,
  ): Promise<Result<RevokedPackage, RevokeRefusal | StatementRefusal | UnknownHead>> {
    const fault = await revocationFault(revocation, expectedOf(caller, deviceId, this.#realms))
    if (fault) return err({ reason: reasonOf(fault) })
    // Such a statement would block every batch until its time comes.
    if (isFromTheFuture(revocation.statement.issuedAt, now)) return err({ reason: 'statement_expired' })
    const { did } = caller
    const isKnown = await this.#inceptionLogs.has(did, revocation.statement.inception)
    if (!isKnown) return err({ reason: 'unknown_head' })
    const label = this.#accounts.labelOf(did)
    const revoked = await this.#accounts.ask(did, async (account) => account.revoke(label, revocation))
    if (!revoked.ok) return revoked
    background(this.#carry(did))
    return revoked
  }

  /** Statements of an account's root key that core has accepted. Idempotent: each is an update once. */
  async record(did: string, statements: readonly RootStatement[], background: Background): Promise<void> {
    const label = this.#accounts.labelOf(did)
    await this.#accounts.ask(did, async (account) => account.record(label, statements))
    background(this.#carry(did))
  }

  /** What the log lacks of an account, in order. Never rejects: its alarm does the same a little later. */
  async #carry(did: string): Promise<void> {
    const askedAt = Date.now()
    await doneOrDelayed({ service: 'keys', delayed: 'directory updates' }, async () => {
      const { log } = await this.#logs.open()
      const leaves = await this.#accounts.ask(did, async (account) => account.sendTo(log))
      if (leaves.length > 0) await this.#courier.carry(log, askedAt, leaves)
    })
  }
}

/** The gate has already verified the root key and its epoch at core. */
function expectedOf({ did, scope, epoch, publicKeyB64u }: Caller, deviceId: string, realms: Realms) {
  return { did, scope, deviceId, rootEpoch: epoch, rootKeyB64u: publicKeyB64u, realms }
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

function packageOf(accountDid: string, { pair, ...row }: PackageRow): DevicePackage {
  return { accountDid, ...row, ...pair }
}
