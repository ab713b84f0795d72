import { checkCall } from '../arguments/check.ts'
import type { Identity } from '../identity/identity.ts'
import { placed, SIGNING, type Signing } from '../identity/signing.ts'
import { commitmentOf, type SuccessorSource } from './commitment-of.ts'
import type { KeptRecovery } from './kept-recovery.ts'
import { signAhead, signAlone } from './sign-ahead.ts'

export interface RenewOptions extends Signing {
  /** The sheets that the identity has committed to: `SuccessorSheet`, or a record with `recordedSheet`. */
  readonly sheets: readonly SuccessorSource[]
  /** The sheets that may follow after that; default: the same. A new one in the place of a lost one, for example. */
  readonly following?: readonly SuccessorSource[]
  /** 1 for an operator's approval, 2 without one; default: a request of each. */
  readonly version?: 1 | 2
}

const BOTH_VERSIONS = [2, 1] as const

/**
 * The recovery file of an epoch: for each sheet, requests to rotate to its next key, which the root key signs ahead. They
 * commit to the keys of all sheets for the epoch after. Void after the next rotation: renew it then. Any of the sheets
 * recovers with it in a day, and nobody can do anything with it who has no words.
 *
 * With a sheet in `following` that is new, `client.recovery(kept).recover({ successor })` replaces a lost one by the key of
 * another. If all are lost, `sheets` are new ones, and `recover` takes a `device` too and 30 days.
 */
export async function renewRecovery(root: Identity, options: RenewOptions): Promise<KeptRecovery> {
  checkCall(
    'renewRecovery',
    [root, options],
    ['root', ['options', { ...SIGNING, sheets: 1, following: 0, version: 0 }]],
  )
  const { sheets, following = sheets, version } = options
  const { scope, epoch } = root
  const keys = await Promise.all(sheets.map((sheet) => sheet.successor({ scope, epoch: epoch + 1 })))
  const commitment = await commitmentOf(following, { scope, epoch: epoch + 2 })
  const versions = version === undefined ? BOTH_VERSIONS : [version]
  const publicKeys = keys.map(({ publicKeyB64u }) => publicKeyB64u)
  return signAhead(root, publicKeys, { versions, ...placed(options), commitment })
}

/**
 * What to recover with if there are words and no file: a request of the successor alone. It waits for 30 days, and each
 * key of the identity ends it. Call `client.recovery(kept).recover({ successor })` with it.
 */
export async function recoveryByWords(
  successor: Identity,
  options: Signing & { readonly sheets: readonly SuccessorSource[] },
): Promise<KeptRecovery> {
  checkCall('recoveryByWords', [successor, options], ['successor', ['options', { ...SIGNING, sheets: 1 }]])
  const { sheets } = options
  const { scope, epoch } = successor
  const commitment = await commitmentOf(sheets, { scope, epoch: epoch + 1 })
  return signAlone(successor, { versions: BOTH_VERSIONS, ...placed(options), commitment })
}
