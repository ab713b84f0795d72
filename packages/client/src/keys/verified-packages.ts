import type { Realms } from '#protocol/base/realm'
import { statementHash } from '#protocol/base/statement'
import { leafIdOf } from '#protocol/keys/account-updates'
import type { AccountUpdate, DevicePackage } from '#protocol/keys/directory'
import { packageFault, revocationFault } from '#protocol/keys/packages'
import type { KeyHistory } from '../chain/key-history.ts'
import { unverified } from '../verification/verification-error.ts'
import { hashOf } from './listing.ts'
import type { Transparency } from './transparency.ts'

/** Verifies packages and revocations by the root keys of their account, as core's evidence proves them. */
export class VerifiedPackages {
  readonly #keys: KeyHistory
  readonly #transparency: Transparency
  readonly #realms: Realms

  constructor(keys: KeyHistory, transparency: Transparency, realms: Realms) {
    this.#keys = keys
    this.#transparency = transparency
    this.#realms = realms
  }

  /** The statement hash of an update, whose package or revocation was verified. */
  async accountedFor(accountDid: string, update: AccountUpdate): Promise<string> {
    const { package: found, revocation } = update
    if (found) await this.check(accountDid, found.deviceId, found)
    if (revocation) {
      const { statement } = revocation.revocation
      const expected = await this.#expected(accountDid, statement.deviceId, statement.rootEpoch)
      if (await revocationFault(revocation.revocation, expected))
        throw unverified('package', 'invalid_signature', 'A revocation is invalid', { evidence: revocation })
    }
    return hashOf(update)
  }

  /** The package, if the account's root key vouches for it and it is the one that was asked for. */
  async check(accountDid: string, deviceId: string, found: DevicePackage): Promise<DevicePackage> {
    const { credential, keyPackage } = found
    const { statement } = credential
    const isSame =
      found.accountDid === accountDid &&
      found.deviceId === deviceId &&
      found.profile === statement.profile &&
      found.suiteId === statement.suiteId &&
      found.version === statement.version &&
      found.leafId === leafIdOf(await this.#transparency.labelOf(accountDid), statementHash(statement))
    const expected = await this.#expected(accountDid, deviceId)
    const fault = isSame ? await packageFault({ credential, keyPackage }, expected) : 'mismatch'
    if (fault) throw unverified('package', fault, `The package is invalid: ${fault}`, { evidence: found })
    return found
  }

  /** The root key of an account, verified from core's evidence; defaults to the current one. */
  async #expected(did: string, deviceId: string, epoch?: number) {
    const keys = await this.#keys.of(did)
    const key = epoch === undefined ? keys.at(-1) : keys[epoch]
    if (!key) throw unverified('package', 'unknown_epoch', 'The account has no such root epoch')
    const { epoch: rootEpoch, publicKeyB64u: rootKeyB64u } = key
    return { did, scope: keys[0].userId, deviceId, rootEpoch, rootKeyB64u, realms: this.#realms }
  }
}
