import { type Commitment, successorHash } from '#protocol/chain/commitment'
import { checkCall, type Members } from '../arguments/check.ts'

/** Whose key, and for which epoch. */
export interface SheetKey {
  /** The permanent scope of the identity, 96 hex characters. */
  readonly scope: string
  /** The epoch that the key opens: at least 1. */
  readonly epoch: number
}

/** What keys of later epochs come from: a `SuccessorSheet`. */
export interface SuccessorSource<Key extends { readonly publicKeyB64u: string } = { readonly publicKeyB64u: string }> {
  /** The key for an epoch of an identity. */
  successor(key: SheetKey): Promise<Key>
}

export interface CommitmentOptions {
  /**
   * Whether root key and device together may replace lost sheets, which takes 30 days. For a root key that follows
   * another, pass `replaceable` of the current commitment, so that an owner who forbade it forbids it still. Default:
   * true.
   */
  readonly replaceable?: boolean | undefined
}

export const COMMITMENT: Members<CommitmentOptions> = { replaceable: 0 }

/** What an identity commits to with these sheets, for an epoch: their keys, and that lost sheets can be replaced. */
export async function commitmentOf(
  sheets: readonly SuccessorSource[],
  key: SheetKey,
  options: CommitmentOptions = {},
): Promise<Commitment> {
  checkCall(
    'commitmentOf',
    [sheets, key, options],
    ['sheets', ['key', { scope: 1, epoch: 1 }], ['options?', COMMITMENT]],
  )
  const { replaceable = true } = options
  const keys = await Promise.all(sheets.map((sheet) => sheet.successor(key)))
  const next = keys.map(({ publicKeyB64u }) => successorHash(publicKeyB64u))
  return { next, replaceable: replaceable && next.length > 0 }
}
