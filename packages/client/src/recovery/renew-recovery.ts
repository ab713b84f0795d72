import { checkCall } from '../arguments/check.ts'
import type { Identity } from '../identity/identity.ts'
import { placed, SIGNING, type Signing } from '../identity/signing.ts'
import { COMMITMENT, type CommitmentOptions, commitmentOf, type SuccessorSource } from './commitment-of.ts'
import type { KeptRecovery } from './kept-recovery.ts'
import { signAhead, signAlone } from './sign-ahead.ts'

export interface RenewOptions extends Signing, CommitmentOptions {
  /** The sheets that the identity has committed to, each a `SuccessorSheet` or a `recordedSheet`. */
  readonly sheets: readonly SuccessorSource[]
  /** The sheets to commit to for the epoch after, for example with a new one for a lost one. Default: the same sheets. */
  readonly following?: readonly SuccessorSource[]
  /** 1 for an operator's approval, 2 without one; default: a request of each. */
  readonly version?: 1 | 2
}

const BOTH_VERSIONS = [2, 1] as const

/**
 * Creates the recovery file of an epoch: for each sheet, requests to rotate to its next key, signed by the root key in
 * advance. The requests commit to the keys of all sheets for the epoch after. With the file, any of the sheets recovers
 * the identity in a day; without words, the file is useless. A rotation makes it void: create a new one then.
 *
 * To replace a lost sheet, put a new one into `following` and call `client.recovery(kept).recover({ successor })` with
 * the key of a sheet that you still have. If all sheets are lost, pass new ones as `sheets`: `recover` then also needs a
 * `device`, and takes 30 days.
 */
export async function renewRecovery(root: Identity, options: RenewOptions): Promise<KeptRecovery> {
  checkCall(
    'renewRecovery',
    [root, options],
    ['root', ['options', { ...SIGNING, ...COMMITMENT, sheets: 1, following: 0, version: 0 }]],
  )
  const { sheets, following = sheets, version, replaceable } = options
  const { scope, epoch } = root
  const keys = await Promise.all(sheets.map((sheet) => sheet.successor({ scope, epoch: epoch + 1 })))
  const commitment = await commitmentOf(following, { scope, epoch: epoch + 2 }, { replaceable })
  const versions = version === undefined ? BOTH_VERSIONS : [version]
  const publicKeys = keys.map(({ publicKeyB64u }) => publicKeyB64u)
  return signAhead(root, publicKeys, { versions, ...placed(options), commitment })
}

/**
 * Creates the requests of a recovery with words but without a recovery file, signed by the successor alone. Such a
 * recovery takes 30 days, and any key of the identity can end it. Pass the result to
 * `client.recovery(kept).recover({ successor })`.
 */
export async function recoveryByWords(
  successor: Identity,
  options: Signing & CommitmentOptions & { readonly sheets: readonly SuccessorSource[] },
): Promise<KeptRecovery> {
  checkCall(
    'recoveryByWords',
    [successor, options],
    ['successor', ['options', { ...SIGNING, ...COMMITMENT, sheets: 1 }]],
  )
  const { sheets, replaceable } = options
  const { scope, epoch } = successor
  const commitment = await commitmentOf(sheets, { scope, epoch: epoch + 1 }, { replaceable })
  return signAlone(successor, { versions: BOTH_VERSIONS, ...placed(options), commitment })
}
