/**
 * - `unexpected_member`: somebody is in the vault whom you do not expect, so nothing was encrypted for them.
 * - `member_without_key`: a member has not registered a key to encrypt to.
 * - `no_key_yet`: the newest key is not for you yet. A member who has the one before has to write or call `rekey`.
 * - `key_unreadable`: what you got of a key does not open, or is not the key that was committed to. If it is the newest,
 *   it was reported: the next member who writes publishes another.
 * - `crowded`: others changed the vault during every attempt.
 */
export type EpochVaultReason = 'unexpected_member' | 'member_without_key' | 'no_key_yet' | 'key_unreadable' | 'crowded'

/** A vault cannot be used as asked. Nothing was written. */
export class EpochVaultError extends Error {
  override readonly name = 'EpochVaultError'
  readonly reason: EpochVaultReason
  /** Whom it is about; empty if nobody. */
  readonly members: readonly string[]

  constructor(reason: EpochVaultReason, message: string, members: readonly string[] = []) {
    super(message)
    this.reason = reason
    this.members = members
  }
}
