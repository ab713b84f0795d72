import type { Caller } from '@svc/assertion'
import type { DeploymentSigner } from '@svc/protocol/base/deployment-signer'
import type { Realms } from '@svc/protocol/base/realm'
import { err, ok, type Result } from '@svc/protocol/base/result'
import {
  MAX_PAGE_RESERVATIONS,
  type PrekeyPool,
  type PrekeyStock,
  type ReservedPrekey,
  type ReservePrekey,
} from '@svc/protocol/keys/directory'
import type { PrekeyUpload } from '@svc/protocol/keys/packages'
import type { DirectorySettings } from '@svc/protocol/keys/reserving'
import { encodeCursor } from '@svc/protocol/merkle/cursor'
import type { FormChallenge } from '@svc/service'
import type { Accounts } from './accounts.ts'
import type { AttestationRefusal, AttestedDeviceClient } from './attested-device-client.ts'
import { placeOf } from './cursors.ts'
import type { PrekeyRefusal } from './prekey-pools.ts'
import type { ReserveRefusal } from './reservations.ts'
import { isPolicyAllowed } from './rules.ts'
import { checkedBatches, type StatementRefusal } from './statements.ts'
import type { FindRefusal } from './transaction.ts'

type Unsigned = { readonly reason: 'receipts_unavailable' }
/** The prekeys of each account: what its devices add, and what others reserve to write to them. */
export class PrekeyService {
  readonly #accounts: Accounts
  readonly #devices: AttestedDeviceClient
  readonly #receipts: DeploymentSigner
  readonly #challenge: FormChallenge<'prekey'>
  readonly #realms: Realms

  constructor(parts: {
    readonly accounts: Accounts
    readonly devices: AttestedDeviceClient
    readonly receipts: DeploymentSigner
    /** For strangers, where an account asks for it. */
    readonly challenge: FormChallenge<'prekey'>
    readonly realms: Realms
  }) {
    this.#accounts = parts.accounts
    this.#devices = parts.devices
    this.#receipts = parts.receipts
    this.#challenge = parts.challenge
    this.#realms = parts.realms
  }

  /** The caller is the device itself or the root key. Either way, the device has signed the prekeys. */
  async add(
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
    return this.#accounts.ask(did, async (account) => account.addPrekeys(deviceId, batches.value))
  }

  async reserve(
    { caller, address, now }: { readonly caller: Caller; readonly address: string; readonly now: number },
    accountDid: string,
    deviceId: string,
    { challengeToken, contactPassB64u, ...asked }: ReservePrekey,
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
      contactPassB64u: contactPassB64u ?? null,
      device: device.ok ? { currentEpoch: device.value.currentEpoch } : { refusal: device.error },
    }
    const draw = (hasPassed: boolean) =>
      this.#accounts.ask(accountDid, async (account) => account.reserve({ ...request, hasPassed }))
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
    const found = await this.#accounts.ask(accountDid, async (account) =>
      account.pool(accountDid, deviceId, before, MAX_PAGE_RESERVATIONS),
    )
    if (!found.ok) return found
    const { next, ...pool } = found.value
    return ok({ ...pool, cursor: next === null ? null : encodeCursor(list, next) })
  }

  settings(accountDid: string): Promise<DirectorySettings> {
    return this.#accounts.ask(accountDid, async (account) => account.settings())
  }

  /** In effect when this returns. */
  configure(accountDid: string, settings: DirectorySettings): Promise<DirectorySettings> {
    return this.#accounts.ask(accountDid, async (account) => account.configure(settings))
  }
}
